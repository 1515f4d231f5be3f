/**
 * Creates a semaphore. Callers queue for a turn, at most until their signal aborts. Each turn comes with a function
 * that ends it.
 */
export function createSemaphore(maxConcurrent: number): (signal: AbortSignal) => Promise<() => void> {
  let free = maxConcurrent
  const waiting = new Set<() => void>()

  function release(): void {
    const [next] = waiting
    if (next) next()
    else free += 1
  }

  return async (signal) => {
    signal.throwIfAborted()
    if (free > 0) {
      free -= 1
      return release
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
    return release
  }
}
