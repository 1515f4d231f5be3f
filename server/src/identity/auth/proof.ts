import type { Address, Hex } from 'viem'
import type { Ctx } from '../../context.ts'
import { Refusal, type RefusalCode } from '../../lib/errors.ts'
import type { Signer } from '../../platform/http/access.ts'
import { isOwnerContract } from '../users/users.ts'
import { signerOf } from './rules.ts'
import { isAccountLength, recoverSigner } from './signature.ts'
import { clearSession, countContractCheck, findAttempt, type Session, useNonce } from './sql.ts'

/** The hash of a text, and a signature that is not verified yet. The text contains the nonce. */
export type SignedHash = {
  readonly address: Address
  readonly chainId: number
  readonly hash: Hex
  readonly signature: Hex
  readonly nonce: string
  readonly nonceExpiresAt: Date
}

export type Conditions = {
  /** The reason why an earlier check rejected the request; null: it passed. */
  readonly rejected?: RefusalCode | null
  /** May reject the wallet. Called once, and only after the signature is verified. */
  readonly admit?: (wallet: string) => Promise<void>
  /** Receives the partner of the wallet's user. Returns the reason to reject the user, or null. */
  readonly rejectUser?: (partnerId: string | null) => RefusalCode | null
  /** The session that the sign-in begins; absent: the signature is not a sign-in. */
  readonly session?: Omit<Session, 'signer'>
  /** The network address of a client without an access token. */
  readonly client?: string | null
}

/**
 * `userId` and `accessId` are null for a wallet without a user, and for a contract on a chain other than the owner's.
 * `userPartnerId` is the partner of the user. `sessions` counts the signer's earlier sessions.
 */
export type Proof = {
  readonly signedBy: Signer
  readonly userId: string | null
  readonly accessId: string | null
  readonly userPartnerId: string | null
  readonly sessions: number
}

/** The maximum number of contract checks for one nonce. Each check is a call to a node that the programme pays for. */
const maxContractChecks = 3

/** Verifies the signature and uses up the nonce. Returns the signer, or the reason for the rejection. */
export async function proveWallet(ctx: Ctx, signed: SignedHash): Promise<Proof | RefusalCode> {
  return useSignature(ctx, signed, await checkSignature(ctx, signed))
}

/** Returns the signer, or the reason for the rejection. Leaves the nonce for `useSignature`. */
export async function checkSignature(
  ctx: Ctx,
  signed: SignedHash,
  { rejected = null, client = null }: Pick<Conditions, 'rejected' | 'client'> = {},
): Promise<Signer | RefusalCode> {
  return rejected ?? findSigner(ctx, signed, client)
}

/**
 * Uses up the nonce of a checked signature. Returns the signer, or the reason for the rejection. Throws if `admit` or
 * `rejectUser` rejects the wallet or its user. `admit` runs only for a verified signature with an unused nonce:
 * otherwise a forged or captured one could exhaust another wallet's limit.
 */
export async function useSignature(
  ctx: Ctx,
  signed: SignedHash,
  signer: Signer | RefusalCode,
  { admit = async () => {}, rejectUser = () => null, session }: Omit<Conditions, 'rejected' | 'client'> = {},
): Promise<Proof | RefusalCode> {
  if (signer === 'NONCE_USED') return signer
  // The insert decides which of several concurrent attempts is the first, across all processes.
  const isProven = signer === 'key' || signer === 'contract'
  const { address: signerAddress } = signed
  const begun =
    isProven && session
      ? { ...session, signer: signerOf({ signerAddress, signedBy: signer, chainId: String(signed.chainId) }) }
      : null
  const first = await useNonce(ctx.db, signed, begun)
  if (first === null) return 'NONCE_USED'
  if (!isProven) return signer
  const { userId, accessId, partnerId: userPartnerId, sessions } = first
  try {
    await admit(signed.address)
    // Checked before the contract is bound to its chain, so that a rejected sign-in does not bind it.
    const problem = userId === null ? null : rejectUser(userPartnerId)
    if (problem !== null) throw new Refusal(problem)
  } catch (error) {
    // The statement that used up the nonce has begun the session.
    if (begun !== null) await clearSession(ctx.db, { ...begun, nonceExpiresAt: signed.nonceExpiresAt })
    throw error
  }
  const isOwners = userId === null || signer === 'key' || (await isOwnerContract(ctx.db, userId, signed))
  const user = isOwners ? { userId, accessId } : { userId: null, accessId: null }
  return { signedBy: signer, ...user, userPartnerId, sessions }
}

/**
 * Verifies the signature of a wallet that acts for no user, and uses up the nonce. Returns the signer, or the reason
 * for the rejection. Asks a contract only if `isContract`, because each check is a call to a node.
 */
export async function proveSigner(
  ctx: Ctx,
  signed: SignedHash,
  {
    rejected,
    isContract,
    client,
  }: { readonly rejected: RefusalCode | null; readonly isContract: boolean; readonly client: string },
): Promise<Signer | RefusalCode> {
  const signer = rejected ?? (await (isContract ? findSigner(ctx, signed, client, true) : findKey(signed)))
  if (signer === 'NONCE_USED') return signer
  return (await useNonce(ctx.db, signed, null)) === null ? 'NONCE_USED' : signer
}

async function findKey({ address, hash, signature }: SignedHash): Promise<'key' | 'INVALID_SIGNATURE'> {
  return (await recoverSigner(hash, signature)) === address.toLowerCase() ? 'key' : 'INVALID_SIGNATURE'
}

/** Tries an externally owned account first, which needs no node, then a contract on its chain. */
async function findSigner(
  ctx: Ctx,
  signed: SignedHash,
  client: string | null,
  isListed = false,
): Promise<Signer | RefusalCode> {
  const { address, chainId, hash, signature, nonce, nonceExpiresAt } = signed
  if ((await findKey(signed)) === 'key') return 'key'
  if (!ctx.signatures.supports(chainId)) {
    return isAccountLength(signature) ? 'INVALID_SIGNATURE' : 'CHAIN_NOT_SUPPORTED'
  }
  // Stops replays and guesses before they cost a call to a node.
  const { isUsed, isKnown } = await findAttempt(ctx.db, signed)
  if (isUsed) return 'NONCE_USED'
  if ((await countContractCheck(ctx.db, nonce, nonceExpiresAt)) > maxContractChecks) return 'NONCE_USED'
  return (await ctx.signatures.verify({ chainId, address, hash, signature, client, isKnown: isKnown || isListed }))
    ? 'contract'
    : 'INVALID_SIGNATURE'
}
