import { setTimeout as delay } from 'node:timers/promises'
import { findToken } from '../config/stablecoins.ts'
import type { Ctx } from '../context.ts'
import { findUser } from '../identity/users/users.ts'
import { Refusal, UpstreamError } from '../lib/errors.ts'
import { advanceDeposit, type DepositKey, findDepositByTransfer, seeDeposit } from '../money/deposits/deposits.ts'
import { advanceWithdrawal } from '../money/withdrawals/payouts.ts'
import { findWithdrawalById } from '../money/withdrawals/withdrawals.ts'
import type { AttachedChain } from '../providers/anvil/attached.ts'
import type { Transfer } from '../providers/chain/chain.ts'
import type { SandboxControls } from '../providers/sandbox-controls.ts'
import type { ScreeningResult } from '../providers/screening/screening.ts'

/**
 * The simulator. It scripts the providers, and the service notices the effects through the use cases of production.
 * Owns no table, and credits, pays or blocks nothing itself.
 */

const depositWaitMilliseconds = 10_000
const pollMilliseconds = 50

export function controlsOf(ctx: Ctx): SandboxControls {
  if (ctx.sandbox === null) throw new Error('the simulator does not exist in production')
  return ctx.sandbox
}

export type SimulatedDeposit = {
  readonly userId: string
  readonly token: string
  readonly amount: bigint
  readonly result: ScreeningResult
  /** Whether the blocks that make it final are mined at once. */
  readonly isFinal: boolean
}

/**
 * Sends tokens to the user's account from a sender with the given screening result. Waits for that result if the
 * transfer becomes final at once.
 */
export async function simulateDeposit(
  ctx: Ctx,
  id: string,
  { userId, token: address, amount, result, isFinal }: SimulatedDeposit,
) {
  const { chain, screening } = controlsOf(ctx)
  const token = findToken(ctx.config.tokens, address)
  if (!token) throw new Refusal('TOKEN_NOT_SUPPORTED')
  const { account } = await findUser(ctx.db, userId)
  if (account === null) throw new Refusal('ACCOUNT_NOT_FOUND')
  const toAddress = account.address
  const fromAddress = screening.senderFor(result)
  const sent = { chainId: token.chainId, token: address, fromAddress, toAddress, amount }
  const attached = attachedChain(ctx, token.chainId)
  const deadline = performance.now() + depositWaitMilliseconds
  if (!isFinal) attached?.hold()
  const transfer = attached ? await attached.sendTokens(id, sent) : chain.mineTransfer(id, sent)
  const key = attached
    ? await awaitWatcher(ctx, attached, { userId, transfer, deadline, isFinal })
    : await seeDeposit(ctx, transfer)
  if (key === null) throw new Error(`the account address ${toAddress} is not in the directory`)
  if (isFinal) await reachResult(ctx, { userId: key.userId, id: key.depositId }, { result, deadline })
  return { depositId: key.depositId, txHash: transfer.txHash }
}

/** Returns the attached chain with this id. Null: the chain is simulated. */
function attachedChain(ctx: Ctx, chainId: number): AttachedChain | null {
  return controlsOf(ctx).attachedChains.find((attached) => attached.chainId === chainId) ?? null
}

/** Waits until the watcher has found the transfer in its block. */
async function awaitWatcher(
  ctx: Ctx,
  chain: AttachedChain,
  { userId, transfer, deadline, isFinal }: { userId: string; transfer: Transfer; deadline: number; isFinal: boolean },
): Promise<DepositKey> {
  if (isFinal) await chain.mineToFinality()
  while (performance.now() < deadline) {
    const deposit = await findDepositByTransfer(ctx, userId, transfer)
    if (deposit) return { userId, depositId: deposit.depositId }
    await delay(pollMilliseconds)
  }
  throw new UpstreamError(
    'chain',
    'unavailable',
    new Error('the watcher did not find the transfer in time. Check that a process has the role watcher'),
  )
}

/**
 * Advances the deposit until it has the result. After the time limit, due work continues: the transfer has been made.
 */
async function reachResult(
  ctx: Ctx,
  key: { userId: string; id: string },
  { result, deadline }: { result: ScreeningResult; deadline: number },
): Promise<void> {
  while (performance.now() < deadline) {
    try {
      const { chainState, screening } = await advanceDeposit(ctx, key)
      if (chainState === 'final' && screening === result) return
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error
    }
    await delay(pollMilliseconds)
  }
}

/** Decides the outcome of a payout on the simulated chain. The payout of a pending withdrawal is sent first. */
export async function settleWithdrawal(ctx: Ctx, withdrawalId: string, outcome: 'completed' | 'failed'): Promise<void> {
  const { userId, withdrawal: requested } = await findWithdrawalById(ctx, withdrawalId)
  if (attachedChain(ctx, requested.chainId)) throw new Refusal('CHAIN_ATTACHED')
  const key = { userId, id: withdrawalId }
  const { status, txHash } = requested.status === 'pending' ? await advanceWithdrawal(ctx, key) : requested
  if (status === outcome) return
  if (status !== 'processing' || txHash === null) throw new Refusal('INVALID_WITHDRAWAL_STATUS')
  controlsOf(ctx).chain.settlePayout(txHash, outcome === 'completed' ? 'paid' : 'reverted')
  const settled = await advanceWithdrawal(ctx, key)
  if (settled.status !== outcome) throw new Refusal('INVALID_WITHDRAWAL_STATUS')
}
