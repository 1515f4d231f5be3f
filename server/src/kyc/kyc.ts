import type { Ctx } from '../context.ts'
import type { UserCaller } from '../http/access.ts'
import { Refusal } from '../lib/refusal.ts'
import { isKycClient } from '../partners/kyc-clients.ts'
import { loadUser } from '../users/users.ts'

/**
 * Identity verification, as partners use it. Owns no table: the state is the user's.
 * Invariant: nobody's verification is shared unless it is approved, and only with a partner that we know.
 */
export type Sharing = { readonly forClientId: string; readonly ttlSeconds: number }

/** A token with which the partner client imports the user's applicant. A secret: it is neither stored nor logged. */
export async function shareApplicant(ctx: Ctx, caller: UserCaller, { forClientId, ttlSeconds }: Sharing) {
  const { userId, kycStatus } = await loadUser(ctx.db, caller)
  if (!(await isKycClient(ctx, forClientId))) throw new Refusal('UNKNOWN_CLIENT')
  if (kycStatus !== 'approved') throw new Refusal('KYC_NOT_SHAREABLE')
  return { token: await ctx.kyc.shareApplicant({ userId, forClientId, ttlSeconds }), forClientId }
}
