import { cancelCards, eraseCardholder } from '../cards/cards/cards.ts'
import { eraseViews } from '../cards/pci/pci.ts'
import type { Ctx } from '../context.ts'
import { requireApproval, type Signed } from '../identity/auth/approval.ts'
import { clearOwners, endUserSessions } from '../identity/auth/sessions.ts'
import { eraseApplicant } from '../identity/kyc/kyc.ts'
import { eraseQuestionnaire } from '../identity/onboarding/onboarding.ts'
import { closeUser, erasePerson, lockUser, requireOwner } from '../identity/users/users.ts'
import { readBalances } from '../ledger/ledger.ts'
import { isEmpty } from '../ledger/rules.ts'
import { addSeconds } from '../lib/clock.ts'
import { InvalidInput, Refusal } from '../lib/errors.ts'
import { isId } from '../lib/id.ts'
import { eraseIban } from '../money/ibans/ibans.ts'
import { hasDueTransfers } from '../money/watcher/watcher.ts'
import type { Queryable, Tx } from '../platform/db/db.ts'
import type { UserCaller } from '../platform/http/access.ts'
import { eraseKeys } from '../platform/idempotency/idempotency.ts'
import { eraseEvents } from '../webhooks/webhooks.ts'

/**
 * Closing and erasing users: active → closed → erased. Owns no table.
 *
 * Invariants:
 * - A user is closed only with an owner's signed approval: a stolen access token alone cannot close a user.
 * - A user with funds, holds, debt, or deposits or withdrawals in progress cannot be closed.
 * - A worker erases personal data when the legal retention period ends. An operator can erase it earlier. Neither
 *   erases a user whose withdrawal has not ended. The books are never erased.
 */
const secondsPerDay = 86_400

/**
 * Closes the user with an owner's signed approval. Checks the balances before the signed nonce is used up, and again
 * under the user's lock.
 */
export async function closeAccount(ctx: Ctx, caller: UserCaller, approval: Signed): Promise<void> {
  const { userId } = caller
  await requireOwner(ctx.db, caller)
  await requireEmpty(ctx.db, userId)
  await requireApproval(ctx, userId, approval, `Close user ${userId} permanently.`)
  await ctx.db.transaction((tx) => close(ctx, tx, caller))
}

/** A transfer that the watcher has stored is a deposit in progress, even before due work posts it to the books. */
async function requireEmpty(db: Queryable, userId: string): Promise<void> {
  const isUsed = !isEmpty(await readBalances(db, userId)) || (await hasDueTransfers(db, userId))
  if (isUsed) throw new Refusal('ACCOUNT_NOT_EMPTY')
}

async function close(ctx: Ctx, tx: Tx, caller: UserCaller): Promise<void> {
  const user = await lockUser(tx, caller)
  await requireEmpty(tx, user.userId)
  await cancelCards(ctx, tx, user.userId)
  const now = ctx.clock.now()
  await endUserSessions(tx, user.userId, now)
  await closeUser(tx, user, now, addSeconds(now, ctx.config.personalRetentionDays * secondsPerDay))
}

/** Erases a closed user's personal data in every area. Returns false if it is erased already. */
export async function eraseUser({ db, clock }: Pick<Ctx, 'db' | 'clock'>, userId: string): Promise<boolean> {
  if (!isId(userId)) throw new InvalidInput(`"${userId}" is not a user id. Use a UUID.`)
  return db.transaction(async (tx) => {
    const user = await lockUser(tx, userId)
    if (user.erasedAt !== null) return false
    await clearOwners(tx, await erasePerson(tx, user, clock.now()), clock.now())
    await requireNoWithdrawal(tx, userId)
    await eraseCardholder(tx, userId)
    await eraseQuestionnaire(tx, userId)
    await eraseApplicant(tx, userId)
    await eraseIban(tx, userId)
    await eraseViews(tx, userId)
    await eraseKeys(tx, userId)
    await eraseEvents(tx, userId)
    return true
  })
}

/** Without the owners, a withdrawal that is not paid yet would fail, and its money could never be paid out. */
async function requireNoWithdrawal(tx: Tx, userId: string): Promise<void> {
  const balances = [...(await readBalances(tx, userId)).values()]
  if (balances.some(({ withdrawal_processing: amount }) => amount !== 0n))
    throw new InvalidInput('A withdrawal of the user has not ended. Erase the user once it has. See "payouts list".')
}
