import type { Hex } from 'viem'
import type { Ctx } from '../../context.ts'
import { addSeconds } from '../../lib/clock.ts'
import { Refusal } from '../../lib/errors.ts'
import { newId } from '../../lib/id.ts'
import { findSignInDomain, isSuspended } from '../../partners/domains.ts'
import { mayServeUser } from '../../partners/rules.ts'
import type { Caller } from '../../platform/http/access.ts'
import { issueToken, verifyToken } from '../access-tokens/access-tokens.ts'
import { parseSignInMessage } from './message.ts'
import { makeNonce, nonceKeys, readNonce } from './nonce.ts'
import { type Conditions, checkSignature, type Proof, type SignedHash, useSignature } from './proof.ts'
import { maxSessions, nonceLifeSeconds, operatorUri, rejectedTimes, type SignInMessage } from './rules.ts'
import { endEarlierSessions } from './sessions.ts'
import { hashMessage } from './signature.ts'
import { deleteExpiredNonces, type Session } from './sql.ts'

/**
 * Sign-in with a wallet's signature (EIP-4361). Owns `used_nonce` and `contract_check`.
 * Invariants:
 * - A nonce signs in at most once, across all processes.
 * - Only the holder of the address's key, or the contract at the address, gets a token for it.
 * - A user signs in at domains of the programme and of the user's own partner only, unless SHARED_DOMAINS is on.
 * - A contract acts for its user on one chain only: on another chain, the same address may belong to someone else.
 * - After an outage of a chain, the user can retry without signing again.
 */
export type SignIn = { readonly message: string; readonly signature: Hex; readonly ttlInSeconds: number }

/** A used nonce is stored past its expiry, so that a process with a slow clock cannot accept it again. */
const retentionSeconds = 600

const scheme = 'bearer '

export function issueNonce(ctx: Ctx): string {
  return makeNonce(nonceKeys(ctx), addSeconds(ctx.clock.now(), nonceLifeSeconds))
}

/**
 * Exchanges a signed message for an access token. `admit` applies the rate limit of the wallet. `client` is the network
 * address.
 */
export async function signIn(
  ctx: Ctx,
  { ttlInSeconds, ...signed }: SignIn,
  { admit, client }: { readonly admit: (wallet: string) => Promise<void>; readonly client: string },
): Promise<string> {
  const now = ctx.clock.now()
  const session = { sessionId: newId(now), expiresAt: addSeconds(now, ttlInSeconds) }
  const use = await checkMessage(ctx, signed, { admit, client, session })
  const { address, chainId, partnerId, signedBy, ...proof } = await use()
  const signer = { signerAddress: address, chainId: String(chainId), signedBy }
  const { userId } = proof
  const isFull = proof.sessions >= maxSessions
  const accessId = isFull ? await endEarlierSessions(ctx, { ...signer, ...session, userId }) : proof.accessId
  const isShared = userId !== null && !mayServeUser(partnerId, proof.userPartnerId)
  const site = { ...(partnerId === null ? {} : { partnerId }), ...(isShared ? { isShared } : {}) }
  return issueToken(ctx, { ...session, ...signer, userId, accessId, ...site }, now)
}

/**
 * Parses a signed message, and verifies that its nonce is ours and has not expired. The signature is not verified yet.
 */
export function readSigned(
  ctx: Pick<Ctx, 'config' | 'caches' | 'clock'>,
  { message: text, signature }: Omit<SignIn, 'ttlInSeconds'>,
): Pick<SignedHash, 'hash' | 'signature' | 'nonceExpiresAt'> & { readonly message: SignInMessage } {
  const message = parseSignInMessage(text)
  const nonceExpiresAt = readNonce(nonceKeys(ctx), message.nonce)
  if (nonceExpiresAt === null) throw new Refusal('INVALID_NONCE')
  if (ctx.clock.now() >= nonceExpiresAt) throw new Refusal('NONCE_EXPIRED')
  return { message, hash: hashMessage(text), signature, nonceExpiresAt }
}

type MessageConditions = Pick<Conditions, 'admit' | 'client'> & {
  readonly session?: Pick<Session, 'sessionId' | 'expiresAt'>
}
export type ProvenMessage = SignInMessage & Proof & { readonly partnerId: string | null }

/**
 * Verifies the signature, domain and times of a message. The function that it returns uses up the nonce, and returns
 * the message with the partner of its domain. So a request with two messages can verify both before it uses up either.
 *
 * A rejected domain, time, signature or user also uses up the nonce, so that one nonce allows only one guess. An outage
 * of a chain does not.
 */
export async function checkMessage(
  ctx: Ctx,
  { message: text, signature }: Omit<SignIn, 'ttlInSeconds'>,
  { session, client = null, admit }: MessageConditions = {},
): Promise<() => Promise<ProvenMessage>> {
  const { message, ...signed } = readSigned(ctx, { message: text, signature })
  const now = ctx.clock.now()
  const isForOperators = message.uri === operatorUri(ctx.config.servers.console)
  const site = isForOperators ? null : await findSignInDomain(ctx, message.domain)
  const rejected = site === null ? 'DOMAIN_NOT_ALLOWED' : rejectedTimes(message, now)
  const partnerId = site?.partnerId ?? null
  const rejectUser = (userPartnerId: string | null) =>
    ctx.config.sharedDomains || mayServeUser(partnerId, userPartnerId) ? null : 'DOMAIN_OF_OTHER_PARTNER'
  const hashed = { ...message, ...signed }
  const signer = await checkSignature(ctx, hashed, { rejected, client })
  return async () => {
    const proof = await useSignature(ctx, hashed, signer, {
      rejectUser,
      ...(admit && { admit }),
      ...(session && { session: { ...session, domain: message.domain } }),
    })
    if (typeof proof === 'string') throw new Refusal(proof)
    return { ...message, ...proof, partnerId }
  }
}

/**
 * Returns the caller whose access token is in the Authorization header. A partner's page may hold the token, so the
 * token is rejected while that partner is suspended. With SHARED_DOMAINS off, tokens from the domains of other partners
 * are rejected too.
 */
export async function verifyAccess(ctx: Ctx, authorization: string | undefined): Promise<Caller> {
  if (authorization?.slice(0, scheme.length).toLowerCase() !== scheme) throw new Refusal('UNAUTHORIZED')
  const caller = await verifyToken(ctx, authorization.slice(scheme.length))
  if (caller.partnerId === undefined) return caller
  if (caller.isShared && !ctx.config.sharedDomains) throw new Refusal('DOMAIN_OF_OTHER_PARTNER')
  if (await isSuspended(ctx, caller.partnerId)) throw new Refusal('DOMAIN_NOT_ALLOWED')
  return caller
}

export async function deleteOldNonces(ctx: Ctx): Promise<void> {
  await deleteExpiredNonces(ctx.db, addSeconds(ctx.clock.now(), -retentionSeconds))
}
