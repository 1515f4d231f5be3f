/** Creates a semaphore. Waiters queue until their signal aborts. Returns the function that ends a turn. */
export function createTurns(maxConcurrent: number): (signal: AbortSignal) => Promise<() => void> {
  let free = maxConcurrent
  const waiting = new Set<() => void>()

  function endTurn(): void {
    const [next] = waiting
    if (next) next()
    else free += 1
  }

  return async (signal) => {
    signal.throwIfAborted()
    if (free > 0) {
      free -= 1
      return endTurn
    }
    await new Promise<void>((resolve, reject) => {
      const leave = () => {
        waiting.delete(begin)
        reject(signal.reason)
      }
      const begin = () => {
        waiting.delete(begin)
        signal.removeEventListener('abort', leave)
        resolve()
      }
      waiting.add(begin)
      signal.addEventListener('abort', leave, { once: true })
    })
    return endTurn
  }
}
