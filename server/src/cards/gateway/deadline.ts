/**
 * Runs `decide` under two deadlines. `decide` calls `isLate` when it holds the lock: after `decideBy`, it must decline.
 * If there is neither a decision in time nor a result by `answerBy`, `tooLate` responds instead. A decision made in
 * time is awaited even beyond `answerBy`, because the response must be the decision that is stored.
 */
export async function withDeadline<T>(
  { decideBy, answerBy }: { decideBy: number; answerBy: number },
  decide: (isLate: () => boolean) => Promise<T>,
  tooLate: () => Promise<T>,
  onLateFailure: (error: unknown) => void,
): Promise<T> {
  let state: 'open' | 'decided' | 'given up' = 'open'
  const isLate = () => {
    if (state === 'given up' || performance.now() > decideBy) return true
    state = 'decided'
    return false
  }
  const decision = decide(isLate)
  let timer: NodeJS.Timeout | undefined
  const givenUp = new Promise<'given up'>((resolve) => {
    timer = setTimeout(
      () => {
        if (state !== 'open') return
        state = 'given up'
        resolve(state)
      },
      Math.max(0, answerBy - performance.now()),
    )
  })
  try {
    const first = await Promise.race([decision.then((answer) => ({ answer })), givenUp])
    if (first !== 'given up') return first.answer
    // The decision continues in the background. It sees that it is late, and stores the same decline.
    decision.catch(onLateFailure)
    return tooLate()
  } finally {
    clearTimeout(timer)
  }
}
