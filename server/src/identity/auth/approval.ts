import type { Hex } from 'viem'
import type { Ctx } from '../../context.ts'
import { Refusal, type RefusalCode } from '../../lib/errors.ts'
import { proveMessage } from './auth.ts'

export type Signed = { readonly message: string; readonly signature: Hex }

/**
 * Verifies that an owner has signed an EIP-4361 message with this statement, under the rules of a sign-in. The
 * statement names the user and the change, so a message that was signed for another purpose cannot be reused. A stolen
 * access token alone therefore cannot make the change.
 */
export async function requireApproval(ctx: Ctx, userId: string, approval: Signed, statement: string): Promise<void> {
  const approver = await proveSigned(ctx, approval, 'OWNER_NOT_APPROVED')
  if (approver.statement !== statement || approver.userId !== userId) throw new Refusal('OWNER_NOT_APPROVED')
}

/**
 * Verifies a signed message. Replaces the sign-in's 401, which would tell the client that its own session has ended.
 */
export function proveSigned(ctx: Ctx, signed: Signed, refusal: RefusalCode) {
  return proveMessage(ctx, signed).catch((error: unknown) => {
    throw error instanceof Refusal && error.code !== 'RATE_LIMITED' ? new Refusal(refusal) : error
  })
}
