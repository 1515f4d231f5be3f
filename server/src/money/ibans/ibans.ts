import type { Ctx } from '../../context.ts'
import { shareToken } from '../../identity/kyc/kyc.ts'
import { findUser, isOwnerOfOpenUser, loadUser } from '../../identity/users/users.ts'
import { addSeconds } from '../../lib/clock.ts'
import { Refusal } from '../../lib/errors.ts'
import type { Tx } from '../../platform/db/db.ts'
import type { UserCaller } from '../../platform/http/access.ts'
import type { DueKey } from '../../platform/jobs/jobs.ts'
import type { IbanResult } from '../../providers/iban/iban.ts'
import { isEligible, personForBank, wireStatuses } from './rules.ts'
import { deleteIban, findIban, requestIban, updateIban } from './sql.ts'

/**
 * IBANs of users. Owns `iban`.
 *
 * States: pending → assigned or refused. After a rejection, the user can request the IBAN again.
 * Invariants:
 * - A user has at most one IBAN.
 * - Only due work calls the provider, so an accepted request survives an outage of the provider.
 * - Incoming euros are paid to the wallet that signed the request, which must still be an owner when the IBAN is
 *   assigned.
 */
const pollSeconds = 60
const shareTokenSeconds = 600

export async function isIbanAvailable(ctx: Ctx, caller: UserCaller): Promise<boolean> {
  return isEligible(await loadUser(ctx.db, caller), ctx.config.ibanCountries)
}

/** Requests an IBAN that pays to the caller's wallet. Does nothing when the user has one or has requested one. */
export async function activateIban(ctx: Ctx, tx: Tx, caller: UserCaller, signature: string): Promise<void> {
  const user = await loadUser(tx, caller)
  if (!isEligible(user, ctx.config.ibanCountries)) throw new Refusal('IBAN_NOT_AVAILABLE')
  await requestIban(tx, caller.userId, { address: caller.signerAddress, signature }, ctx.clock.now())
}

export async function readIban(ctx: Ctx, caller: UserCaller) {
  await loadUser(ctx.db, caller)
  const row = await findIban(ctx.db, caller.userId)
  const ibanStatus = wireStatuses[row?.status ?? 'none']
  const isShown = ibanStatus !== 'NOTSTARTED'
  return {
    iban: row?.iban ?? null,
    bic: row?.bic ?? null,
    ibanStatus,
    address: isShown ? (row?.address ?? null) : null,
  }
}

/** Requests the IBAN from the provider. Runs as due work until the provider has decided. */
export async function advanceIban(ctx: Ctx, { userId }: DueKey): Promise<void> {
  const row = await findIban(ctx.db, userId)
  if (row?.status !== 'pending') return
  const { address, signature } = row
  const user = await findUser(ctx.db, userId)
  const { config, iban, kyc } = ctx
  const isStillEligible =
    isEligible(user, config.ibanCountries) && (await isOwnerOfOpenUser(ctx.db, { userId, signerAddress: address }))
  const person = isStillEligible ? personForBank(user) : null
  const share = (forClientId: string) => shareToken(ctx, user, { forClientId, ttlSeconds: shareTokenSeconds })
  // A user who moved abroad or was closed is no longer eligible. If the wallet was removed, another owner can request
  // the IBAN again.
  const result: IbanResult =
    person === null || iban === null
      ? 'refused'
      : await iban.advance({ userId, person, address, signature, share: kyc.verifiesPeople ? share : null })
  const now = ctx.clock.now()
  const dueAt = result === 'pending' ? addSeconds(now, pollSeconds) : null
  const change =
    typeof result === 'string' ? { status: result, iban: null, bic: null } : { status: 'assigned' as const, ...result }
  if (result === 'refused') ctx.log.warn({ userId }, 'IBAN request rejected')
  await ctx.db.transaction((tx) => updateIban(tx, userId, change, { now, dueAt }))
}

export async function eraseIban(tx: Tx, userId: string): Promise<void> {
  await deleteIban(tx, userId)
}
