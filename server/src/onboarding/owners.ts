import type { Hex } from 'viem'
import { proveMessage } from '../auth/auth.ts'
import type { Ctx } from '../context.ts'
import type { UserCaller } from '../http/access.ts'
import { Refusal } from '../lib/refusal.ts'
import type { NewOwner } from '../users/users.ts'

/**
 * The wallet that wants to become an owner, by a sign-in message of its own: same nonce, same domains, same times. The
 * statement names the user, so that no sign-in elsewhere, and nobody's mistake, makes a wallet an owner of a stranger's
 * money. Owns no table.
 */
export async function proveNewOwner(
  ctx: Ctx,
  { userId }: UserCaller,
  proof: { message: string; signature: Hex },
): Promise<NewOwner> {
  const { address, chainId, signedBy, statement } = await proveMessage(ctx, proof).catch((error: unknown) => {
    // A 401 would tell the client that its own sign-in has ended.
    throw error instanceof Refusal ? new Refusal('WALLET_NOT_PROVEN') : error
  })
  if (statement !== ownerStatement(userId)) throw new Refusal('WALLET_NOT_PROVEN')
  return { address, contractChainId: signedBy === 'contract' ? chainId : null }
}

function ownerStatement(userId: string): string {
  return `Add this wallet as an owner of user ${userId}.`
}
