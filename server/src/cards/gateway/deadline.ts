/**
 * Makes a decision under two deadlines. If it is not made by `decideBy`, it becomes a decline. If its turn has not come by
 * `answerBy`, `tooLate` responds in its place. A decision that was made in time is awaited even beyond `answerBy`: its
 * result is what is stored.
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
    // The decision continues in the background, and is stored as the decline that this responds with.
    decision.catch(onLateFailure)
    return tooLate()
  } finally {
    clearTimeout(timer)
  }
}
