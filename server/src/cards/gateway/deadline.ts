/**
 * One decision, and the two instants it must meet: not made by the first, it is a decline; not answered by the second,
 * it is answered as one. A decision made in time is waited for all the same: its answer is the truth, however late.
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
    // It goes on alone, to be stored as the decline that is said here.
    decision.catch(onLateFailure)
    return tooLate()
  } finally {
    clearTimeout(timer)
  }
}
