import { UpstreamError } from '../../lib/errors.ts'

/** The end of each chain's last queued payout. Resolves to the error if the chain did not respond, else to null. */
export type PayoutTurns = Map<number, Promise<UpstreamError | null>>

/**
 * Reserves one payout at a time on each chain, because concurrent payouts would compete for the same nonce. If the
 * chain does not respond, all payouts that are waiting for it fail together, instead of one timeout after the other.
 */
export async function inPayoutTurn<T>(turns: PayoutTurns, chainId: number, reserve: () => Promise<T>): Promise<T> {
  const before = turns.get(chainId) ?? Promise.resolve(null)
  const turn = before.then((failure) => {
    if (failure !== null) throw failure
    return reserve()
  })
  const end = turn.then(
    () => null,
    (error: unknown) => (error instanceof UpstreamError && error.code === 'unavailable' ? error : null),
  )
  turns.set(chainId, end)
  try {
    return await turn
  } finally {
    // The next payout asks the chain again.
    if (turns.get(chainId) === end) turns.delete(chainId)
  }
}
