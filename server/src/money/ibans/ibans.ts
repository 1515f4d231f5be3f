import type { Ctx } from '../../context.ts'
import { shareToken } from '../../identity/kyc/kyc.ts'
import { findUser, isOwnerOfOpenUser, loadUser } from '../../identity/users/users.ts'
import { addSeconds } from '../../lib/clock.ts'
import { Refusal } from '../../lib/errors.ts'
import type { Tx } from '../../platform/db/db.ts'
import type { UserCaller } from '../../platform/http/access.ts'
import type { DueKey } from '../../platform/jobs/jobs.ts'
import type { IbanAnswer } from '../../providers/iban/iban.ts'
import { bankPerson, isEligible, shownStatuses } from './rules.ts'
import { deleteIban, findIban, requestIban, updateIban } from './sql.ts'

/**
 * Bank account numbers. Owns `iban`: requested → pending → assigned or refused; what was refused may be requested again.
 * Invariants: a user has one number at most; it is asked for by due work only, so a request that was answered is kept
 * whatever happens to the provider; the euros go to the wallet that has signed, and to no other; none is given to a wallet
 * that is no owner any more.
 */
const lookAgainSeconds = 60
const shareSeconds = 600

export async function isIbanAvailable(ctx: Ctx, caller: UserCaller): Promise<boolean> {
  return isEligible(await loadUser(ctx.db, caller), ctx.config.ibanCountries)
}

/** Asks for a number that pays the caller's wallet, which has signed that it is its own. Nothing new when there is one. */
export async function activateIban(ctx: Ctx, tx: Tx, caller: UserCaller, signature: string): Promise<void> {
  const user = await loadUser(tx, caller)
  if (!isEligible(user, ctx.config.ibanCountries)) throw new Refusal('IBAN_NOT_AVAILABLE')
  await requestIban(tx, caller.userId, { address: caller.signerAddress, signature }, ctx.clock.now())
}

export async function readIban(ctx: Ctx, caller: UserCaller) {
  await loadUser(ctx.db, caller)
  const row = await findIban(ctx.db, caller.userId)
  const ibanStatus = shownStatuses[row?.status ?? 'none']
  const isShown = ibanStatus !== 'NOTSTARTED'
  return {
    iban: row?.iban ?? null,
    bic: row?.bic ?? null,
    ibanStatus,
    address: isShown ? (row?.address ?? null) : null,
  }
}

/** The provider takes its time: it is asked until it has answered. */
export async function advanceIban(ctx: Ctx, { userId }: DueKey): Promise<void> {
  const row = await findIban(ctx.db, userId)
  if (row?.status !== 'pending') return
  const { address, signature } = row
  const user = await findUser(ctx.db, userId)
  const { config, iban } = ctx
  const mayHave = isEligible(user, config.ibanCountries) && (await isOwnerOfOpenUser(ctx.db, userId, address))
  const person = mayHave ? bankPerson(user) : null
  const share = (forClientId: string) => shareToken(ctx, user, { forClientId, ttlSeconds: shareSeconds })
  // Who has moved away meanwhile, or left, gets none; nor does a wallet that was removed: who is left asks with their own.
  const answer: IbanAnswer =
    person === null || iban === null
      ? 'refused'
      : await iban.advance({ userId, person, address, signature, share: config.kyc.kind === 'sandbox' ? null : share })
  const now = ctx.clock.now()
  const dueAt = answer === 'pending' ? addSeconds(now, lookAgainSeconds) : null
  const change =
    typeof answer === 'string' ? { status: answer, iban: null, bic: null } : { status: 'assigned' as const, ...answer }
  if (answer === 'refused') ctx.log.warn({ userId }, 'a bank account number was refused')
  await ctx.db.transaction((tx) => updateIban(tx, userId, change, { now, dueAt }))
}

export async function eraseIban(tx: Tx, userId: string): Promise<void> {
  await deleteIban(tx, userId)
}
