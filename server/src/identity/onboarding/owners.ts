import type { Hex } from 'viem'
import type { Ctx } from '../../context.ts'
import { Refusal, type RefusalCode } from '../../lib/errors.ts'
import type { UserCaller } from '../../platform/http/access.ts'
import { proveMessage } from '../auth/auth.ts'
import { listOwners, type NewOwner } from '../users/users.ts'

type Signed = { readonly message: string; readonly signature: Hex }

/**
 * Signed approval of changes to the owners. Owns no table.
 * Requires an owner's signature in addition to the access token. Otherwise a stolen token could add an owner, who could
 * take the user's money, or remove one.
 */

/**
 * Verifies that the new wallet and an owner have each signed an EIP-4361 message, under the rules of a sign-in. The
 * statements name the user and the wallet, so a message that was signed for another purpose cannot be reused here.
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

/** Verifies that an owner, possibly the removed one, approves. Checks the address before the nonce is used up. */
export async function approveRemoval(ctx: Ctx, caller: UserCaller, address: string, approval: Signed): Promise<void> {
  const owners = await listOwners(ctx.db, caller)
  if (!owners.some((owner) => owner.address === address)) throw new Refusal('OWNER_NOT_FOUND')
  await requireApproval(ctx, caller, approval, `Remove wallet ${address} as an owner of user ${caller.userId}.`)
}

async function requireApproval(ctx: Ctx, { userId }: UserCaller, approval: Signed, statement: string): Promise<void> {
  const approver = await prove(ctx, approval, 'OWNER_NOT_APPROVED')
  if (approver.statement !== statement || approver.userId !== userId) throw new Refusal('OWNER_NOT_APPROVED')
}

/** Verifies a signed message. Replaces the sign-in's 401, which would tell the client that its own session has ended. */
function prove(ctx: Ctx, signed: Signed, refusal: RefusalCode) {
  return proveMessage(ctx, signed).catch((error: unknown) => {
    throw error instanceof Refusal ? new Refusal(refusal) : error
  })
}
