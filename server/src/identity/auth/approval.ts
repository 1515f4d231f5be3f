import type { Hex } from 'viem'
import type { Ctx } from '../../context.ts'
import { Refusal, type RefusalCode } from '../../lib/errors.ts'
import { checkMessage, type ProvenMessage } from './auth.ts'

export type Signed = { readonly message: string; readonly signature: Hex }

/**
 * Verifies that an owner has signed an EIP-4361 message with this statement, under the rules of a sign-in. The
 * statement names the user and the change, so a message that was signed for another purpose cannot be reused. A stolen
 * access token alone therefore cannot make the change.
 */
export async function requireApproval(ctx: Ctx, userId: string, approval: Signed, statement: string): Promise<void> {
  const use = await checkApproval(ctx, approval)
  await use(userId, statement)
}

/** Verifies the signature of an approval. The function that it returns uses up the nonce and checks the rest. */
export async function checkApproval(
  ctx: Ctx,
  approval: Signed,
): Promise<(userId: string, statement: string) => Promise<void>> {
  const use = await checkSigned(ctx, approval, 'OWNER_NOT_APPROVED')
  return async (userId, statement) => {
    const approver = await use()
    if (approver.statement !== statement || approver.userId !== userId) throw new Refusal('OWNER_NOT_APPROVED')
  }
}

/**
 * Verifies a signed message. The function that it returns uses up the nonce. Both throw `refusal` instead of the 401 of
 * a sign-in, which would tell the client that its own session has ended.
 */
export async function checkSigned(
  ctx: Ctx,
  signed: Signed,
  refusal: RefusalCode,
): Promise<() => Promise<ProvenMessage>> {
  const rejected = (error: unknown) => {
    throw error instanceof Refusal && error.code !== 'RATE_LIMITED' ? new Refusal(refusal) : error
  }
  const use = await checkMessage(ctx, signed).catch(rejected)
  return () => use().catch(rejected)
}
