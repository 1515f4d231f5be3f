import type { Transfer } from '../chain/chain.ts'

/** `pending`: no verdict yet; it is asked again, or comes by a callback. */
export type ScreeningResult = 'pending' | 'approved' | 'rejected'

export type ScreeningReport = {
  readonly result: ScreeningResult
  /** 0 (none) to 100 */
  readonly riskScore: number
  readonly riskTier: string
}

/** A transfer, whose it is, and when it was first seen. */
type ScreenedTransfer = Transfer & { readonly userId: string; readonly seenAt: Date }

/** Know-your-transaction: where the money of a deposit comes from. Throws `UpstreamError` when it cannot say. */
export type ScreeningProvider = {
  /** Repeatable: the same transfer may be asked for again after an unknown outcome. */
  screen(transfer: ScreenedTransfer): Promise<ScreeningReport>
}
