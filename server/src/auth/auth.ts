import { type Hex, hashMessage } from 'viem'
import type { Ctx } from '../context.ts'
import type { Caller, Signer } from '../http/access.ts'
import { addSeconds } from '../lib/clock.ts'
import { Refusal, type RefusalCode } from '../lib/refusal.ts'
import { isDomainAllowed, partnerOfDomain } from '../partners/domains.ts'
import { issueToken, verifyToken } from '../tokens/tokens.ts'
import { isOwnerContract } from '../users/users.ts'
import { parseSignInMessage } from './message.ts'
import { makeNonce, readNonce } from './nonce.ts'
import { nonceLifeSeconds, refusedTimes, type SignInMessage } from './rules.ts'
import { isAccountLength, recoverSigner } from './signature.ts'
import { countContractCheck, deleteExpiredNonces, findOwner, isNonceUsed, useNonce } from './sql.ts'

/**
 * Sign-in with a wallet's signature (EIP-4361). Owns `used_nonce` and `contract_check`.
 * Invariants: a nonce signs in at most once, over all processes; nobody but the holder of the address's key, or the
 * contract at it, gets a token for it; a contract speaks for its owner on one chain only, since on another the same
 * address may be anybody's; an outage of a chain never costs the user a second signature.
 */
export type SignIn = { readonly message: string; readonly signature: Hex; readonly ttlInSeconds: number }

/** Each check of a contract's signature is a call that we pay for: a nonce buys this many. */
const mostContractChecks = 3

/** Clocks of two processes may differ: a nonce is forgotten well after the slowest of them has seen it expire. */
const rememberedSeconds = 600

const scheme = 'bearer '

export function issueNonce(ctx: Ctx): string {
  return makeNonce(ctx.config.secret, addSeconds(ctx.clock.now(), nonceLifeSeconds))
}

/**
 * Exchanges a signed message for an access token. A refusal of domain, times or signature uses the nonce up too, else
 * one nonce would buy any number of guesses. Whatever fails before or beside that writes nothing.
 * `admit` counts what a wallet does, and may refuse it: only once its signature is proven, else anybody could use up
 * somebody else's sign-ins.
 */
export async function signIn(
  ctx: Ctx,
  { message: text, signature, ttlInSeconds }: SignIn,
  admit: (wallet: string) => Promise<void>,
): Promise<string> {
  const message = parseSignInMessage(text)
  const now = ctx.clock.now()
  const nonceExpiresAt = readNonce(ctx.config.secret, message.nonce)
  if (nonceExpiresAt === null) throw new Refusal('INVALID_NONCE')
  if (now >= nonceExpiresAt) throw new Refusal('NONCE_EXPIRED')

  const signer =
    (await refusedDomain(ctx, message)) ??
    refusedTimes(message, now) ??
    (await findSigner(ctx, message, { hash: hashMessage(text), signature }, nonceExpiresAt))

  const isProven = signer === 'key' || signer === 'contract'
  if (isProven) await admit(message.address)
  // The insert decides which of many attempts, in all processes, is the first.
  if (!(await useNonce(ctx.db, message.nonce, nonceExpiresAt))) throw new Refusal('NONCE_USED')
  if (!isProven) throw new Refusal(signer)

  const userId = await findUserOf(ctx, message, signer)
  const partnerId = userId === null ? await partnerOfDomain(ctx, message.domain) : null
  const bearer = {
    userId,
    ...(partnerId === null ? {} : { partnerId }),
    signerAddress: message.address,
    chainId: String(message.chainId),
    signedBy: signer,
    expiresAt: addSeconds(now, ttlInSeconds),
  }
  return issueToken(ctx, bearer, now)
}

/** Null as well when the wallet's owner is the contract at this address on another chain. */
async function findUserOf(ctx: Ctx, { address, chainId }: SignInMessage, signer: Signer): Promise<string | null> {
  const userId = await findOwner(ctx.db.reader, address)
  if (userId === null || signer === 'key') return userId
  return (await isOwnerContract(ctx.db, userId, { address, chainId })) ? userId : null
}

async function refusedDomain(ctx: Ctx, { domain }: SignInMessage): Promise<RefusalCode | null> {
  return (await isDomainAllowed(ctx, domain)) ? null : 'DOMAIN_NOT_ALLOWED'
}

/** Externally owned first, which needs nobody else; what does not fit may be a contract's, to be asked on its chain. */
async function findSigner(
  ctx: Ctx,
  { address, chainId, nonce }: SignInMessage,
  { hash, signature }: { hash: Hex; signature: Hex },
  nonceExpiresAt: Date,
): Promise<Signer | RefusalCode> {
  if ((await recoverSigner(hash, signature)) === address) return 'key'
  if (!ctx.signatures.supports(chainId)) {
    return isAccountLength(signature) ? 'INVALID_SIGNATURE' : 'CHAIN_NOT_SUPPORTED'
  }
  // Replays and guesses are stopped before they cost a call.
  if (await isNonceUsed(ctx.db, nonce)) throw new Refusal('NONCE_USED')
  if ((await countContractCheck(ctx.db, nonce, nonceExpiresAt)) > mostContractChecks) throw new Refusal('NONCE_USED')
  return (await ctx.signatures.verify({ chainId, address, hash, signature })) ? 'contract' : 'INVALID_SIGNATURE'
}

/** The caller that an Authorization header proves. */
export async function verifyAccess(ctx: Ctx, authorization: string | undefined): Promise<Caller> {
  if (authorization?.slice(0, scheme.length).toLowerCase() !== scheme) throw new Refusal('UNAUTHORIZED')
  return verifyToken(ctx, authorization.slice(scheme.length))
}

export async function forgetExpiredNonces(ctx: Ctx): Promise<void> {
  await deleteExpiredNonces(ctx.db, addSeconds(ctx.clock.now(), -rememberedSeconds))
}
