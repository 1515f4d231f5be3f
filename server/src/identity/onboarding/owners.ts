import type { Hex } from 'viem'
import type { Ctx } from '../../context.ts'
import { Refusal, type RefusalCode } from '../../lib/errors.ts'
import type { UserCaller } from '../../platform/http/access.ts'
import { proveMessage } from '../auth/auth.ts'
import { listOwners, type NewOwner } from '../users/users.ts'

type Signed = { readonly message: string; readonly signature: Hex }

/**
 * What makes and unmakes owners is signed by one of them: whoever has got hold of an access token, but of no owner's key,
 * can neither give the user's money a new owner nor leave the user without one. Owns no table.
 */

/**
 * The wallet that wants to become an owner, by a sign-in message of its own, and the word of an owner in another: same
 * nonces, same domains, same times. The statements name the user and the wallet, so that no sign-in elsewhere, and
 * nobody's mistake, makes a wallet an owner of a stranger's money.
 */
export async function proveNewOwner(
  ctx: Ctx,
  caller: UserCaller,
  { approval, ...proof }: Signed & { readonly approval: Signed },
): Promise<NewOwner> {
  const wallet = await prove(ctx, proof, 'WALLET_NOT_PROVEN')
  const { address, chainId, signedBy } = wallet
  const { userId } = caller
  if (wallet.statement !== `Add this wallet as an owner of user ${userId}.`) throw new Refusal('WALLET_NOT_PROVEN')
  await requireApproval(ctx, caller, approval, `Add wallet ${address} as an owner of user ${userId}.`)
  return { address, contractChainId: signedBy === 'contract' ? chainId : null }
}

/** An owner signs for it, too, be it the one that goes. A nonce is used up only for a wallet that is there to go. */
export async function approveRemoval(ctx: Ctx, caller: UserCaller, address: string, approval: Signed): Promise<void> {
  const owners = await listOwners(ctx.db, caller)
  if (!owners.some((owner) => owner.address === address)) throw new Refusal('OWNER_NOT_FOUND')
  await requireApproval(ctx, caller, approval, `Remove wallet ${address} as an owner of user ${caller.userId}.`)
}

async function requireApproval(ctx: Ctx, { userId }: UserCaller, approval: Signed, statement: string): Promise<void> {
  const approver = await prove(ctx, approval, 'OWNER_NOT_APPROVED')
  if (approver.statement !== statement || approver.userId !== userId) throw new Refusal('OWNER_NOT_APPROVED')
}

/** A 401 would tell the client that its own sign-in has ended. */
function prove(ctx: Ctx, signed: Signed, refusal: RefusalCode) {
  return proveMessage(ctx, signed).catch((error: unknown) => {
    throw error instanceof Refusal ? new Refusal(refusal) : error
  })
}
