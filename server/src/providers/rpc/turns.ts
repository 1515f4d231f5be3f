/** Lets so many work at a time; the others wait in a row, each until its signal. Answers what ends the turn. */
export function createTurns(most: number): (signal: AbortSignal) => Promise<() => void> {
  let free = most
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
