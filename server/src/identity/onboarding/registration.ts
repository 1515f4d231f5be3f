import { createHmac, randomInt } from 'node:crypto'
import type { Ctx } from '../../context.ts'
import { addSeconds, hourOf } from '../../lib/clock.ts'
import { Refusal } from '../../lib/errors.ts'
import { deriveKey } from '../../platform/crypto/derive-key.ts'
import type { Caller } from '../../platform/http/access.ts'
import { issueToken } from '../access-tokens/access-tokens.ts'
import { recordApplicant } from '../kyc/kyc.ts'
import { canonicalEmail } from '../users/rules.ts'
import { createUser, findOwnerOf } from '../users/users.ts'
import { codeLifeSeconds, mostAttempts } from './rules.ts'
import { countCode, deleteExpiredCodes, saveEmailCode, takeAttempt, useEmailCode } from './sql.ts'

/**
 * A wallet becomes a user, by a one-time code sent to a mail address. Owns `email_code` and `email_code_count`.
 * Invariants: a code works once, for the wallet that asked for it and the address that it was sent to, within its life
 * and its tries; only keyed hashes are kept, since six digits are soon guessed from a plain one.
 */
const sandboxCode = '123456'

/** Sends a code. Answers it where the simulator sends none, else null. Says nothing of whether the address is in use. */
export async function sendEmailCode(ctx: Ctx, caller: Caller, email: string): Promise<string | null> {
  const code = ctx.sandbox ? sandboxCode : String(randomInt(1_000_000)).padStart(6, '0')
  const address = canonicalEmail(email)
  const expiresAt = addSeconds(ctx.clock.now(), codeLifeSeconds)
  const hashes = { emailHash: keyedHash(ctx, address), codeHash: keyedHash(ctx, code) }
  await limitCodes(ctx, hashes.emailHash)
  await saveEmailCode(ctx.db, caller.signerAddress, hashes, expiresAt)
  await ctx.mail.sendCode(address, code)
  return ctx.sandbox ? code : null
}

/** Wallets and network addresses are cheap, and limited elsewhere: this keeps a mailbox from being filled by many. */
async function limitCodes(ctx: Ctx, emailHash: string): Promise<void> {
  const { emailCodesPerHour } = ctx.config
  if (emailCodesPerHour === 0) return
  const now = ctx.clock.now()
  const hour = hourOf(now)
  if ((await countCode(ctx.db, emailHash, hour)) > emailCodesPerHour) {
    throw new Refusal('RATE_LIMITED', Math.ceil((addSeconds(hour, 3600).getTime() - now.getTime()) / 1000))
  }
}

export type Registration = { readonly email: string; readonly otp: string; readonly shareToken?: string | undefined }

/** The wallet's new user, and a token that names it, valid as long as the one that it takes the place of. */
export async function register(
  ctx: Ctx,
  caller: Caller,
  { email, otp, shareToken }: Registration,
): Promise<{ userId: string; accessToken: string }> {
  const { signerAddress: address, chainId, signedBy } = caller
  const contractChainId = signedBy === 'contract' ? Number(chainId) : null
  if (caller.userId !== null || (await findOwnerOf(ctx.db, address)) !== null) throw new Refusal('WALLET_IN_USE')
  const code = await takeAttempt(ctx.db, address, mostAttempts, ctx.clock.now())
  const isRight = code?.emailHash === keyedHash(ctx, canonicalEmail(email)) && code.codeHash === keyedHash(ctx, otp)
  if (!isRight) throw new Refusal('INVALID_OTP')

  const applicant = shareToken === undefined ? null : await ctx.kyc.importApplicant(shareToken)
  const now = ctx.clock.now()
  const userId = await ctx.db.transaction(async (tx) => {
    // The delete decides which of two attempts with the same code is the first.
    if (!(await useEmailCode(tx, address, code.codeHash))) throw new Refusal('INVALID_OTP')
    const partnerId = caller.partnerId ?? null
    const userId = await createUser(tx, { address, contractChainId, email, partnerId, now })
    if (applicant !== null) await recordApplicant(tx, userId, applicant, now)
    return userId
  })
  return { userId, accessToken: await issueToken(ctx, { ...caller, userId }, now) }
}

export async function forgetExpiredCodes(ctx: Ctx): Promise<void> {
  const now = ctx.clock.now()
  await deleteExpiredCodes(ctx.db, now, hourOf(now))
}

function keyedHash(ctx: Ctx, text: string): string {
  return createHmac('sha256', deriveKey(ctx.config.secret, 'e-mail code')).update(text).digest('base64url')
}
