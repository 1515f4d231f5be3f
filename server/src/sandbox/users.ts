import { type Card, listCardsOf } from '../cards/cards/cards.ts'
import type { Ctx } from '../context.ts'
import { completeSteps } from '../identity/onboarding/onboarding.ts'
import {
  type Account,
  createAccount,
  createUser,
  findUser,
  findUserIds,
  listOwnersOf,
  lockUser,
  type Owner,
  recordVerification,
  setAccountStatus,
  type User,
} from '../identity/users/users.ts'
import { Refusal } from '../lib/errors.ts'
import type { KycStatus } from '../lib/kyc-status.ts'
import type { AccountStatus } from '../lib/user-status.ts'
import { countForPartner } from '../partners/activity.ts'
import { requirePartnerExists } from '../partners/partners.ts'
import type { Tx } from '../platform/db/db.ts'
import { controlsOf } from './sandbox.ts'

const defaultCountry = 'DE'

export type NewUser = {
  readonly address: string
  readonly email: string | null
  readonly country: string | undefined
  readonly partnerId: string | undefined
}

/** Creates a user with an account, through the use cases of onboarding. */
export async function createOnboardedUser(
  ctx: Ctx,
  tx: Tx,
  { address, email, country = defaultCountry, partnerId }: NewUser,
): Promise<Account> {
  const now = ctx.clock.now()
  if (partnerId !== undefined) await requirePartnerExists(tx, partnerId)
  const origin = { contractChainId: null, partnerId: partnerId ?? null }
  const { userId } = await createUser(tx, { address, email, ...origin, now })
  if (partnerId !== undefined) tx.afterCommit(() => countForPartner(ctx, partnerId, 'users'))
  const person = controlsOf(ctx).kyc.personFrom(country)
  await recordVerification(tx, userId, { kycStatus: 'approved', person }, now)
  await completeSteps(ctx, tx, userId)
  return createAccount(ctx, tx, await findUser(tx, userId))
}

export type Changes = {
  readonly kyc?: KycStatus | undefined
  readonly accountStatus?: AccountStatus | undefined
  readonly country?: string | undefined
}

export async function changeUser(ctx: Ctx, tx: Tx, userId: string, changes: Changes): Promise<User> {
  const { kyc, accountStatus, country } = changes
  const user = await lockUser(tx, userId)
  const now = ctx.clock.now()
  if (kyc !== undefined || country !== undefined) {
    const kycStatus = kyc ?? user.kycStatus
    // An approved applicant has been identified, so the person must be known.
    const isNewlyKnown = kycStatus === 'approved' && user.country === null
    const home = country ?? (isNewlyKnown ? defaultCountry : null)
    const person = home === null ? null : controlsOf(ctx).kyc.personFrom(home)
    await recordVerification(tx, userId, { kycStatus, person }, now)
  }
  if (accountStatus !== undefined) {
    if (user.account === null) throw new Refusal('ACCOUNT_NOT_FOUND')
    await setAccountStatus(tx, user.account, accountStatus, now)
  }
  return findUser(tx, userId)
}

export type SandboxUser = { readonly user: User; readonly owners: readonly Owner[]; readonly cards: readonly Card[] }

/** Returns users of all partners, newest first. `before` is the id of the last user of the page before. */
export async function listSandboxUsers(
  { db }: Pick<Ctx, 'db'>,
  { before, limit }: { readonly before: string | null; readonly limit: number },
): Promise<{ users: readonly SandboxUser[]; hasNext: boolean }> {
  const ids = await findUserIds(db, { before, limit: limit + 1 })
  const users = await Promise.all(
    ids.slice(0, limit).map(async (userId) => {
      const [user, owners, cards] = [
        await findUser(db, userId),
        await listOwnersOf(db, userId),
        await listCardsOf(db, userId),
      ]
      return { user, owners, cards }
    }),
  )
  return { users, hasNext: ids.length > limit }
}
