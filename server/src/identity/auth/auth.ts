import type { Hex } from 'viem'
import type { Ctx } from '../../context.ts'
import { addSeconds } from '../../lib/clock.ts'
import { Refusal, type RefusalCode } from '../../lib/errors.ts'
import { isDomainAllowed, partnerOfDomain } from '../../partners/domains.ts'
import type { Caller } from '../../platform/http/access.ts'
import { issueToken, verifyToken } from '../access-tokens/access-tokens.ts'
import { parseSignInMessage } from './message.ts'
import { makeNonce, readNonce } from './nonce.ts'
import { type Proof, proveWallet } from './proof.ts'
import { nonceLifeSeconds, refusedTimes, type SignInMessage } from './rules.ts'
import { hashMessage } from './signature.ts'
import { deleteExpiredNonces } from './sql.ts'

/**
 * Sign-in with a wallet's signature (EIP-4361). Owns `used_nonce` and `contract_check`.
 * Invariants: a nonce signs in at most once, over all processes; nobody but the holder of the address's key, or the
 * contract at it, gets a token for it; a contract speaks for its owner on one chain only, since on another the same
 * address may be anybody's; an outage of a chain never costs the user a second signature.
 */
export type SignIn = { readonly message: string; readonly signature: Hex; readonly ttlInSeconds: number }

/** Clocks of two processes may differ: a nonce is forgotten well after the slowest of them has seen it expire. */
const rememberedSeconds = 600

const scheme = 'bearer '

export function issueNonce(ctx: Ctx): string {
  return makeNonce(ctx.config.secret, addSeconds(ctx.clock.now(), nonceLifeSeconds))
}

/** Exchanges a signed message for an access token. `admit` counts what a wallet does, and may refuse it. */
export async function signIn(
  ctx: Ctx,
  { ttlInSeconds, ...signed }: SignIn,
  admit: (wallet: string) => Promise<void>,
): Promise<string> {
  const { address, chainId, domain, userId, signedBy } = await proveMessage(ctx, signed, admit)
  const partnerId = userId === null ? await partnerOfDomain(ctx, domain) : null
  const now = ctx.clock.now()
  const bearer = {
    userId,
    ...(partnerId === null ? {} : { partnerId }),
    signedBy,
    signerAddress: address,
    chainId: String(chainId),
    expiresAt: addSeconds(now, ttlInSeconds),
  }
  return issueToken(ctx, bearer, now)
}

/**
 * What a wallet has signed, once it proves to be its own and meant for us, now. A refusal of domain, times or signature
 * uses the nonce up too, else one nonce would buy any number of guesses. Whatever fails before or beside that writes
 * nothing.
 */
export async function proveMessage(
  ctx: Ctx,
  { message: text, signature }: Omit<SignIn, 'ttlInSeconds'>,
  admit?: (wallet: string) => Promise<void>,
): Promise<SignInMessage & Proof> {
  const message = parseSignInMessage(text)
  const now = ctx.clock.now()
  const nonceExpiresAt = readNonce(ctx.config.secret, message.nonce)
  if (nonceExpiresAt === null) throw new Refusal('INVALID_NONCE')
  if (now >= nonceExpiresAt) throw new Refusal('NONCE_EXPIRED')

  const claim = { ...message, hash: hashMessage(text), signature, nonceExpiresAt }
  const refused = (await refusedDomain(ctx, message)) ?? refusedTimes(message, now)
  const proof = await proveWallet(ctx, claim, { refused, ...(admit && { admit }) })
  if (typeof proof === 'string') throw new Refusal(proof)
  return { ...message, ...proof }
}

async function refusedDomain(ctx: Ctx, { domain }: SignInMessage): Promise<RefusalCode | null> {
  return (await isDomainAllowed(ctx, domain)) ? null : 'DOMAIN_NOT_ALLOWED'
}

/** The caller that an Authorization header proves. */
export async function verifyAccess(ctx: Ctx, authorization: string | undefined): Promise<Caller> {
  if (authorization?.slice(0, scheme.length).toLowerCase() !== scheme) throw new Refusal('UNAUTHORIZED')
  return verifyToken(ctx, authorization.slice(scheme.length))
}

export async function forgetExpiredNonces(ctx: Ctx): Promise<void> {
  await deleteExpiredNonces(ctx.db, addSeconds(ctx.clock.now(), -rememberedSeconds))
}
