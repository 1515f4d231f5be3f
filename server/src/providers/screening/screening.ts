import type { Transfer } from '../chain/chain.ts'

/** `pending`: no result yet. It is requested again later, or arrives in a callback. */
export type ScreeningResult = 'pending' | 'approved' | 'rejected'

export type ScreeningReport = {
  readonly result: ScreeningResult
  /** 0 (none) to 100. */
  readonly riskScore: number
  readonly riskTier: string
}

/** A transfer with its user and the time it was first seen. */
type ScreenedTransfer = Transfer & { readonly userId: string; readonly seenAt: Date }

/** Checks the origin of a deposit (KYT). Throws `UpstreamError` when the provider gives no result. */
export type ScreeningProvider = {
  /** Idempotent: the same transfer can be screened again after an unknown outcome. */
  screen(transfer: ScreenedTransfer): Promise<ScreeningReport>
}
