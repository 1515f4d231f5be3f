import { createHmac, type KeyObject, randomInt } from 'node:crypto'
import type { Ctx } from '../../context.ts'
import { addSeconds, hourOf } from '../../lib/clock.ts'
import { InvalidInput, Refusal } from '../../lib/errors.ts'
import { countForPartner } from '../../partners/activity.ts'
import { deriveKeys } from '../../platform/crypto/derive-key.ts'
import type { Caller } from '../../platform/http/access.ts'
import { issueToken } from '../access-tokens/access-tokens.ts'
import { lockOpenSession } from '../auth/sessions.ts'
import { recordApplicant } from '../kyc/kyc.ts'
import { canonicalEmail } from '../users/rules.ts'
import { createUser, findOwnerOf, isEmailTaken } from '../users/users.ts'
import { codeLifetimeSeconds, maxCodeAttempts } from './rules.ts'
import { consumeEmailCode, countSentCode, deleteExpiredCodes, saveEmailCode, useCodeAttempt } from './sql.ts'

/**
 * Registration of a wallet as a user, with a one-time code sent by email. Owns `email_code` and `email_code_count`.
 *
 * Invariants: a code works once, and only for its wallet and email address, within its lifetime and number of attempts.
 * Only keyed hashes are stored, because six digits are easily guessed from a plain hash.
 */

/** The number of wallets that can use up their codes for one email address before the address is limited. */
const walletsPerEmailAddress = 10

/**
 * Sends a code. Returns the fixed code of a sandbox; null in production. Does not reveal whether the address is in use.
 */
export async function sendEmailCode(ctx: Ctx, caller: Caller, email: string): Promise<string | null> {
  const { fixedEmailCode } = ctx.config
  const code = fixedEmailCode ?? String(randomInt(1_000_000)).padStart(6, '0')
  const address = canonicalEmail(email)
  const expiresAt = addSeconds(ctx.clock.now(), codeLifetimeSeconds)
  const hashes = { emailHash: keyedHashes(ctx, address)[0], codeHash: keyedHashes(ctx, code)[0] }
  await limitCodes(ctx, caller.signerAddress, address)
  await saveEmailCode(ctx.db, caller.signerAddress, hashes, expiresAt)
  const isSent = await ctx.mail.sendCode(address, code)
  if (!isSent) throw new InvalidInput('body/email must be the address of an existing mailbox')
  return fixedEmailCode
}

/**
 * Limits codes per hour. The first limit is for the wallet and the email address together, so a few requests by other
 * people cannot block the address. The second, higher limit is for the address alone. It stops an attacker with many
 * wallets from flooding a mailbox.
 */
async function limitCodes(ctx: Ctx, wallet: string, address: string): Promise<void> {
  const { emailCodesPerHour } = ctx.config
  if (emailCodesPerHour === 0) return
  const now = ctx.clock.now()
  const hour = hourOf(now)
  const limits = [
    { subject: keyedHashes(ctx, `${address} ${wallet}`)[0], max: emailCodesPerHour },
    { subject: keyedHashes(ctx, address)[0], max: emailCodesPerHour * walletsPerEmailAddress },
  ]
  // In this order: a wallet that has reached its own limit does not count toward the limit of the address.
  for (const { subject, max } of limits) {
    if ((await countSentCode(ctx.db, subject, hour)) > max) {
      throw new Refusal('RATE_LIMITED', Math.ceil((addSeconds(hour, 3600).getTime() - now.getTime()) / 1000))
    }
  }
}

export type Registration = { readonly email: string; readonly otp: string; readonly shareToken?: string | undefined }

/** Registers the wallet. Returns the new user and an access token of the same session for it. */
export async function register(
  ctx: Ctx,
  caller: Caller,
  { email, otp, shareToken }: Registration,
): Promise<{ userId: string; accessToken: string }> {
  const { signerAddress: address, chainId, signedBy } = caller
  const contractChainId = signedBy === 'contract' ? Number(chainId) : null
  if (caller.userId !== null || (await findOwnerOf(ctx.db, address)) !== null) throw new Refusal('WALLET_IN_USE')
  const code = await useCodeAttempt(ctx.db, address, maxCodeAttempts, ctx.clock.now())
  const isValid = code && matches(ctx, code.emailHash, canonicalEmail(email)) && matches(ctx, code.codeHash, otp)
  if (!isValid) throw new Refusal('INVALID_OTP')

  // A share token imports only once, so a registration that cannot succeed must not use it up.
  if (await isEmailTaken(ctx.db, email)) throw new Refusal('EMAIL_IN_USE')
  const applicant = shareToken === undefined ? null : await ctx.kyc.importApplicant(shareToken)
  const now = ctx.clock.now()
  const user = await ctx.db.transaction(async (tx) => {
    // Of two concurrent registrations with the same code, only one deletes it.
    if (!(await consumeEmailCode(tx, address, code.codeHash))) throw new Refusal('INVALID_OTP')
    const partnerId = caller.partnerId ?? null
    const user = await createUser(tx, { address, contractChainId, email, partnerId, now })
    if (partnerId !== null) tx.afterCommit(() => countForPartner(ctx, partnerId, 'users'))
    if (applicant !== null) await recordApplicant(ctx, tx, user.userId, applicant, now)
    // Checked again: the session may have ended during the call to the provider, when no owner's row could record it.
    await lockOpenSession(tx, caller)
    return user
  })
  return { userId: user.userId, accessToken: await issueToken(ctx, { ...caller, ...user }, now) }
}

export async function deleteExpiredEmailCodes(ctx: Ctx): Promise<void> {
  const now = ctx.clock.now()
  await deleteExpiredCodes(ctx.db, now, hourOf(now))
}

function matches(ctx: Ctx, hash: string, text: string): boolean {
  return keyedHashes(ctx, text).includes(hash)
}

/** Returns one hash per secret. The first one is stored. */
function keyedHashes(ctx: Ctx, text: string): [string, ...string[]] {
  const hash = (key: KeyObject) => createHmac('sha256', key).update(text).digest('base64url')
  const [first, ...older] = deriveKeys(ctx.config.secrets, 'e-mail code')
  return [hash(first), ...older.map(hash)]
}
