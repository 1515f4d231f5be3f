import type { Address, Hex } from 'viem'
import type { Ctx } from '../../context.ts'
import type { RefusalCode } from '../../lib/errors.ts'
import type { Signer } from '../../platform/http/access.ts'
import { isOwnerContract } from '../users/users.ts'
import { isAccountLength, recoverSigner } from './signature.ts'
import { countContractCheck, isNonceUsed, useNonce } from './sql.ts'

/** That the wallet at the address has signed the hash, which has the nonce in it: good for one proof. */
export type Claim = {
  readonly address: Address
  readonly chainId: number
  readonly hash: Hex
  readonly signature: Hex
  readonly nonce: string
  readonly nonceExpiresAt: Date
}

type Conditions = {
  readonly refused?: RefusalCode | null
  readonly admit?: (wallet: string) => Promise<void>
}

/** `userId` is null while the wallet belongs to none, and for a contract on another chain than the owner's. */
export type Proof = { readonly signedBy: Signer; readonly userId: string | null }

/** Each check of a contract's signature is a call that we pay for: a nonce buys this many. */
const mostContractChecks = 3

/**
 * Who has signed, or why nobody is believed to have; either uses the nonce up. `refused` is what an earlier check found.
 * `admit` may refuse a wallet: it is called only for a proven signature, and once for each, else anybody who made one up
 * or caught one could use up what somebody else is allowed.
 */
export async function proveWallet(
  ctx: Ctx,
  claim: Claim,
  { refused = null, admit = async () => {} }: Conditions = {},
): Promise<Proof | RefusalCode> {
  const signer = refused ?? (await findSigner(ctx, claim))
  if (signer === 'NONCE_USED') return signer
  // The insert decides which of many attempts, in all processes, is the first.
  const first = await useNonce(ctx.db, claim)
  if (first === null) return 'NONCE_USED'
  if (signer !== 'key' && signer !== 'contract') return signer
  await admit(claim.address)
  const { userId } = first
  const isOwners = userId === null || signer === 'key' || (await isOwnerContract(ctx.db, userId, claim))
  return { signedBy: signer, userId: isOwners ? userId : null }
}

/** Externally owned first, which needs nobody else; what does not fit may be a contract's, to be asked on its chain. */
async function findSigner(ctx: Ctx, claim: Claim): Promise<Signer | RefusalCode> {
  const { address, chainId, hash, signature, nonce, nonceExpiresAt } = claim
  if ((await recoverSigner(hash, signature)) === address.toLowerCase()) return 'key'
  if (!ctx.signatures.supports(chainId)) {
    return isAccountLength(signature) ? 'INVALID_SIGNATURE' : 'CHAIN_NOT_SUPPORTED'
  }
  // Replays and guesses are stopped before they cost a call.
  if (await isNonceUsed(ctx.db, nonce)) return 'NONCE_USED'
  if ((await countContractCheck(ctx.db, nonce, nonceExpiresAt)) > mostContractChecks) return 'NONCE_USED'
  return (await ctx.signatures.verify({ chainId, address, hash, signature })) ? 'contract' : 'INVALID_SIGNATURE'
}
