import type { Hex } from 'viem'
import { proveMessage } from '../auth/auth.ts'
import type { Ctx } from '../context.ts'
import type { UserCaller } from '../http/access.ts'
import { Refusal, type RefusalCode } from '../lib/refusal.ts'
import type { NewOwner } from '../users/users.ts'

type Signed = { readonly message: string; readonly signature: Hex }

/**
 * The wallet that wants to become an owner, by a sign-in message of its own, and the word of an owner in another: same
 * nonces, same domains, same times. The statements name the user and the wallet, so that no sign-in elsewhere, and
 * nobody's mistake, makes a wallet an owner of a stranger's money, and whoever has got hold of an access token, but of no
 * owner's key, cannot give the user's money a new owner. Owns no table.
 */
export async function proveNewOwner(
  ctx: Ctx,
  { userId }: UserCaller,
  { approval, ...proof }: Signed & { readonly approval: Signed },
): Promise<NewOwner> {
  const wallet = await prove(ctx, proof, 'WALLET_NOT_PROVEN')
  const { address, chainId, signedBy } = wallet
  if (wallet.statement !== `Add this wallet as an owner of user ${userId}.`) throw new Refusal('WALLET_NOT_PROVEN')
  const approver = await prove(ctx, approval, 'OWNER_NOT_APPROVED')
  const isApproved = approver.statement === `Add wallet ${address} as an owner of user ${userId}.`
  if (!isApproved || approver.userId !== userId) throw new Refusal('OWNER_NOT_APPROVED')
  return { address, contractChainId: signedBy === 'contract' ? chainId : null }
}

/** A 401 would tell the client that its own sign-in has ended. */
function prove(ctx: Ctx, signed: Signed, refusal: RefusalCode) {
  return proveMessage(ctx, signed).catch((error: unknown) => {
    throw error instanceof Refusal ? new Refusal(refusal) : error
  })
}
