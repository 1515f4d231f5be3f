import type { Ctx } from '../../context.ts'
import { Refusal } from '../../lib/errors.ts'
import type { UserCaller } from '../../platform/http/access.ts'
import { checkApproval, checkSigned, requireApproval, type Signed } from '../auth/approval.ts'
import { parseSignInMessage } from '../auth/message.ts'
import { addOwner, listOwners, type NewOwner, requireOwner } from '../users/users.ts'

/**
 * Signed approval of changes to the owners. Owns no table.
 * Requires an owner's signature in addition to the access token. Otherwise a stolen token could remove an owner, or add
 * one who could take the user's money.
 */

type NewOwnerProof = Signed & { readonly approval: Signed }

/** Adds an owner. A repeated request succeeds without a change, even though its signatures are used up. */
export async function addProvenOwner(
  ctx: Ctx,
  caller: UserCaller,
  proof: NewOwnerProof,
): Promise<{ readonly address: string; readonly isNew: boolean }> {
  try {
    const owner = await proveNewOwner(ctx, caller, proof)
    const { isNew } = await ctx.db.transaction((tx) => addOwner(tx, caller, owner, ctx.clock.now()))
    return { address: owner.address, isNew }
  } catch (error) {
    const isUnproven = error instanceof Refusal && ['WALLET_NOT_PROVEN', 'OWNER_NOT_APPROVED'].includes(error.code)
    if (!isUnproven) throw error
    const { address } = parseSignInMessage(proof.message)
    const owners = await listOwners(ctx.db, caller)
    if (!owners.some((owner) => owner.address === address)) throw error
    return { address, isNew: false }
  }
}

/**
 * Verifies that the new wallet and an owner have each signed an EIP-4361 message, under the rules of a sign-in. The
 * statements name the user and the wallet, so a message that was signed for another purpose cannot be reused here. An
 * outage during one check uses up neither message.
 */
async function proveNewOwner(ctx: Ctx, caller: UserCaller, { approval, ...proof }: NewOwnerProof): Promise<NewOwner> {
  await requireOwner(ctx.db, caller)
  const useProof = await checkSigned(ctx, proof, 'WALLET_NOT_PROVEN')
  const useApproval = await checkApproval(ctx, approval)
  const wallet = await useProof()
  const { address, chainId, signedBy } = wallet
  const { userId } = caller
  if (wallet.statement !== `Add this wallet as an owner of user ${userId}.`) throw new Refusal('WALLET_NOT_PROVEN')
  await useApproval(userId, `Add wallet ${address} as an owner of user ${userId}.`)
  return { address, contractChainId: signedBy === 'contract' ? chainId : null }
}

/** Verifies that an owner, possibly the removed one, approves. Checks the address before the nonce is used up. */
export async function approveRemoval(ctx: Ctx, caller: UserCaller, address: string, approval: Signed): Promise<void> {
  const owners = await listOwners(ctx.db, caller)
  if (!owners.some((owner) => owner.address === address)) throw new Refusal('OWNER_NOT_FOUND')
  await requireApproval(ctx, caller.userId, approval, `Remove wallet ${address} as an owner of user ${caller.userId}.`)
}
