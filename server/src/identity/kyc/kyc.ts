import type { Ctx } from '../../context.ts'
import { addSeconds } from '../../lib/clock.ts'
import { Refusal } from '../../lib/errors.ts'
import { isKycClient } from '../../partners/kyc-clients.ts'
import type { Tx } from '../../platform/db/db.ts'
import type { UserCaller } from '../../platform/http/access.ts'
import type { DueKey } from '../../platform/jobs/jobs.ts'
import type { Applicant, ApplyingUser } from '../../providers/kyc/kyc.ts'
import { loadUser, lockUser, recordVerification } from '../users/users.ts'
import { deleteApplicant, findApplicant, findUserOfApplicant, insertApplicant, postponeDue, updateDue } from './sql.ts'

/**
 * Identity verification: the user as the provider knows them, and as partners may. Owns `kyc_applicant`; what the provider
 * thinks is the user's.
 * Invariants: a user has one applicant, and an applicant one user; only what the provider says when asked counts, so no
 * callback is believed by its content, and it does no harm that one comes twice, late or never; nobody's verification is
 * shared unless it is approved, and only with a partner that we know.
 */
const lookAgainSeconds = 3600

/** The page where the user proves who they are. The provider hears of the user when they first need it. */
export async function verificationPage(ctx: Ctx, user: ApplyingUser): Promise<string> {
  await applicantOf(ctx, user)
  return ctx.kyc.verificationUrl({ userId: user.userId, email: user.email })
}

async function applicantOf(ctx: Ctx, { userId, email }: ApplyingUser): Promise<string> {
  const known = await findApplicant(ctx.db, userId)
  if (known !== null) return known.applicantId
  // Repeatable: two requests at once get the same id, and the second one's row is there already.
  const applicantId = await ctx.kyc.createApplicant({ userId, email })
  await ctx.db.transaction((tx) => insertApplicant(tx, userId, applicantId, ctx.clock.now()))
  return applicantId
}

export type Sharing = { readonly forClientId: string; readonly ttlSeconds: number }

/** A token with which the partner client imports the user's applicant. A secret: it is neither stored nor logged. */
export async function shareApplicant(ctx: Ctx, caller: UserCaller, { forClientId, ttlSeconds }: Sharing) {
  const user = await loadUser(ctx.db, caller)
  if (!(await isKycClient(ctx, forClientId))) throw new Refusal('UNKNOWN_CLIENT')
  if (user.kycStatus !== 'approved') throw new Refusal('KYC_NOT_SHAREABLE')
  return { token: await shareToken(ctx, user, { forClientId, ttlSeconds }), forClientId }
}

/** The same for a provider of ours, where the programme has agreed on that. */
export async function shareToken(ctx: Ctx, user: ApplyingUser, sharing: Sharing): Promise<string> {
  return ctx.kyc.shareApplicant({ applicantId: await applicantOf(ctx, user), ...sharing })
}

/** Somebody whom a partner has shared becomes the user's applicant; one who is another user's already is ignored. */
export async function recordApplicant(tx: Tx, userId: string, applicant: Applicant, now: Date): Promise<void> {
  if (!(await insertApplicant(tx, userId, applicant.applicantId, now))) return
  await recordVerification(tx, userId, { kycStatus: applicant.status, person: applicant.person }, now)
}

/** The provider has something to say of an applicant: due work asks what. One that we do not know is none of ours. */
export async function takeCallback(ctx: Ctx, applicantId: string): Promise<void> {
  const userId = await findUserOfApplicant(ctx.db, applicantId)
  if (userId !== null) await updateDue(ctx.db, userId, ctx.clock.now())
}

/**
 * Asks the provider. The row stays due if a callback has come meanwhile: what was read may be older than it. Where another
 * worker has taken that up already, its answer counts, however late ours comes.
 */
export async function refreshApplicant(ctx: Ctx, { userId }: DueKey): Promise<void> {
  const row = await findApplicant(ctx.db, userId)
  if (row === null) return
  const applicant = await ctx.kyc.readApplicant(row.applicantId)
  await ctx.db.transaction(async (tx) => {
    const user = await lockUser(tx, userId)
    const now = ctx.clock.now()
    if (!(await postponeDue(tx, userId, row.dueAt, { dueAt: nextLook(applicant, now), now }))) return
    // Nothing new is learnt of somebody who has left.
    if (user.status === 'closed') return
    await recordVerification(tx, userId, { kycStatus: applicant.status, person: applicant.person }, now)
  })
}

/** While the provider decides, its word is not only waited for. */
function nextLook({ status }: Applicant, now: Date): Date | null {
  return status === 'pending' || status === 'processing' ? addSeconds(now, lookAgainSeconds) : null
}

export async function eraseApplicant(tx: Tx, userId: string): Promise<void> {
  await deleteApplicant(tx, userId)
}
