import type { Ctx } from '../../context.ts'
import { addSeconds } from '../../lib/clock.ts'
import { Refusal, UpstreamError } from '../../lib/errors.ts'
import { mayShareWith } from '../../partners/kyc-clients.ts'
import type { Tx } from '../../platform/db/db.ts'
import type { UserCaller } from '../../platform/http/access.ts'
import type { DueKey } from '../../platform/jobs/jobs.ts'
import type { Applicant, ApplyingUser } from '../../providers/kyc/kyc.ts'
import { loadUser, lockUser, recordVerification } from '../users/users.ts'
import { secondsToNextPoll } from './rules.ts'
import {
  deleteApplicant,
  findApplicant,
  findUserOfApplicant,
  insertApplicant,
  rescheduleRefresh,
  scheduleRefresh,
} from './sql.ts'

/**
 * Identity verification. Owns `kyc_applicant`, the user as the KYC provider knows them. The KYC status itself is a
 * column of the user.
 *
 * Invariants:
 * - A user has at most one applicant, and an applicant belongs to one user.
 * - Only the provider's API is trusted. A callback triggers a request to it, and all applicants are polled. So a
 *   repeated, late or lost callback does no harm.
 * - A verification is shared only once it is approved, and only with the IBAN provider or with a KYC client of the
 *   programme or the user's partner. With SHARED_DOMAINS on, it may also be shared with the clients of other partners.
 */

const firstPollSeconds = 3600
/** The first poll of an imported applicant. It replaces a callback that arrived before the import was committed. */
const importedPollSeconds = 60

/** Returns the page where the user verifies their identity. The first call creates the applicant. */
export async function verificationPage(ctx: Ctx, user: ApplyingUser): Promise<string> {
  const applicantId = await applicantOf(ctx, user)
  try {
    return await ctx.kyc.verificationUrl({ applicantId, userId: user.userId, email: user.email })
  } catch (error) {
    // The provider may have deleted the applicant. If so, the refresh makes room for a new one.
    if (error instanceof UpstreamError && error.code === 'rejected')
      await scheduleRefresh(ctx.db, user.userId, ctx.clock.now())
    throw error
  }
}

async function applicantOf(ctx: Ctx, { userId, email }: ApplyingUser): Promise<string> {
  const known = await findApplicant(ctx.db, userId)
  if (known !== null) return known.applicantId
  // Idempotent: two concurrent requests get the same id, and the second insert does nothing.
  const applicantId = await ctx.kyc.createApplicant({ userId, email })
  const now = ctx.clock.now()
  const dueAt = nextPollAt(ctx, firstPollSeconds, now)
  await ctx.db.transaction((tx) => insertApplicant(tx, { userId, applicantId, dueAt, createdAt: now }))
  return applicantId
}

export type Sharing = { readonly forClientId: string; readonly ttlSeconds: number }

/** Returns a share token for the KYC client. It is a secret: it is neither stored nor logged. */
export async function shareApplicant(ctx: Ctx, caller: UserCaller, { forClientId, ttlSeconds }: Sharing) {
  const user = await loadUser(ctx.db, caller)
  if (!(await mayShareWith(ctx, forClientId, user.partnerId))) throw new Refusal('UNKNOWN_CLIENT')
  if (user.kycStatus !== 'approved') throw new Refusal('KYC_NOT_SHAREABLE')
  return { token: await shareToken(ctx, user, { forClientId, ttlSeconds }), forClientId }
}

/** Returns a share token for one of the programme's own providers, without checking the client or the KYC status. */
export async function shareToken(ctx: Ctx, user: ApplyingUser, sharing: Sharing): Promise<string> {
  return ctx.kyc.shareApplicant({ applicantId: await applicantOf(ctx, user), ...sharing })
}

/** Assigns an imported applicant to the user, and ignores one that belongs to another user. */
export async function recordApplicant(
  ctx: Ctx,
  tx: Tx,
  userId: string,
  applicant: Applicant,
  now: Date,
): Promise<void> {
  const dueAt = nextPollAt(ctx, importedPollSeconds, now)
  if (!(await insertApplicant(tx, { userId, applicantId: applicant.applicantId, dueAt, createdAt: now }))) return
  await recordVerification(tx, userId, { kycStatus: applicant.status, person: applicant.person }, now)
}

/** Schedules a refresh of the applicant. Ignores unknown applicants. */
export async function handleCallback(ctx: Ctx, applicantId: string): Promise<void> {
  const userId = await findUserOfApplicant(ctx.db, applicantId)
  if (userId !== null) await scheduleRefresh(ctx.db, userId, ctx.clock.now())
}

/**
 * Reads the applicant from the provider and records the verification. If a callback arrives during the request, the
 * response may be older than the callback, so the row stays due. If another worker has already handled that callback,
 * the response is dropped. If the provider has no usable applicant, a user who was approved or rejected stays so. Any
 * other user starts again.
 */
export async function refreshApplicant(ctx: Ctx, { userId }: DueKey): Promise<void> {
  const row = await findApplicant(ctx.db, userId)
  if (row === null) return
  const applicant = await ctx.kyc.readApplicant({ applicantId: row.applicantId, userId })
  await ctx.db.transaction(async (tx) => {
    const user = await lockUser(tx, userId)
    const now = ctx.clock.now()
    // A closed user's data is not updated.
    const isClosed = user.status === 'closed'
    const ageSeconds = (now.getTime() - row.createdAt.getTime()) / 1000
    // Up to a quarter less, so that an outage or a restored backup does not align the requests of all users.
    const seconds = Math.floor(
      secondsToNextPoll(applicant?.status ?? user.kycStatus, ageSeconds) * (1 - Math.random() / 4),
    )
    const dueAt = isClosed ? null : nextPollAt(ctx, seconds, now)
    if (!(await rescheduleRefresh(tx, userId, row.dueAt, { dueAt, now })) || isClosed) return
    if (applicant === null) {
      const { kycStatus } = user
      ctx.log.warn({ userId, applicantId: row.applicantId, kycStatus }, 'applicant missing at the KYC provider')
      if (kycStatus === 'approved' || kycStatus === 'rejected') return
      await deleteApplicant(tx, userId)
      return recordVerification(tx, userId, { kycStatus: 'notStarted', person: null }, now)
    }
    await recordVerification(tx, userId, { kycStatus: applicant.status, person: applicant.person }, now)
  })
}

/** Returns the time of the next request; null for a simulated verification, which the simulator changes itself. */
function nextPollAt({ kyc }: Ctx, seconds: number, now: Date): Date | null {
  return kyc.verifiesPeople ? addSeconds(now, seconds) : null
}

export async function eraseApplicant(tx: Tx, userId: string): Promise<void> {
  await deleteApplicant(tx, userId)
}
