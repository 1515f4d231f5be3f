import type { ChainConfig } from '../../config/chains.ts'
import type { Ctx } from '../../context.ts'
import { tryEach } from '../../lib/attempts.ts'
import { addSeconds } from '../../lib/clock.ts'
import { max } from '../../lib/money.ts'
import type { NotSwept, Sweeper } from '../../providers/chain/sweeper.ts'
import { findUnsweptDeposits, markSwept, markUnsweepable, type Unswept } from '../deposits/deposits.ts'
import { addFeeBump, endSweep, findLastSweep, findNotSwept, insertSweep, type SentSweep } from './sql.ts'

/**
 * Sweeps: one transaction moves the balances of many deposit addresses to the treasury, if they are worth the gas. Owns
 * the table `sweep`.
 *
 * States: sent → done, reverted or replaced. The sweep wallet has at most one open sweep per chain.
 * Invariants: a sweep is stored before it is sent. The balance of an address is always read from the chain, so a sweep
 * that is lost, repeated or made by another account does no harm. A sweep posts no movement: custody moves, not
 * ownership.
 */
const maxAccounts = 50
/** The pause of a chain after a failed sweep, and of an address after a failed transfer. Each attempt costs gas. */
const pauseSeconds = 3600

export async function sweepDeposits(ctx: Ctx): Promise<void> {
  const { sweeper } = ctx
  if (sweeper === null) return
  const swept = ctx.config.chains.filter(({ factory }) => factory !== null)
  await tryEach(swept, (chain) => sweepChain(ctx, sweeper, chain))
}

async function sweepChain(ctx: Ctx, sweeper: Sweeper, { chainId }: ChainConfig): Promise<void> {
  const last = await findLastSweep(ctx.db, chainId, sweeper.address)
  if (last?.status === 'sent') return followSweep(ctx, sweeper, last)
  const pausedSince = addSeconds(ctx.clock.now(), -pauseSeconds)
  if (last?.status === 'reverted' && last.updatedAt > pausedSince) return
  const paused = await findNotSwept(ctx.db, chainId, sweeper.address, pausedSince)
  const worth = await findWorthSweeping(ctx, sweeper, chainId, paused)
  if (worth.length > 0) await startSweep(ctx, sweeper, chainId, { last, worth })
}

/**
 * Returns the addresses that hold enough of a token. Deposits only determine the addresses to check. Paused addresses
 * count toward `maxAccounts`, so a token that rejects all transfers costs the gas of only one batch per pause.
 */
async function findWorthSweeping(ctx: Ctx, sweeper: Sweeper, chainId: number, paused: readonly NotSwept[]) {
  const { minimums } = ctx.config.sweeps
  const worth: Unswept[] = []
  for (const { address: token } of ctx.config.tokens.filter((token) => token.chainId === chainId)) {
    const minimum = minimums[token] ?? 0n
    const found = await findUnsweptDeposits(ctx, { chainId, token, minimum, limit: maxAccounts })
    const isOurs = ({ userId, address }: Unswept) => ctx.chain.depositAddress(userId) === address
    // The current factory cannot sweep an address of an earlier one.
    for (const one of found.filter((one) => !isOurs(one))) await markUnsweepable(ctx, one)
    const isPaused = ({ address }: Unswept) => paused.some((one) => one.token === token && one.address === address)
    const ours = found.filter((one) => isOurs(one) && !isPaused(one))
    const held = await sweeper.holdings(
      chainId,
      token,
      ours.map(({ address }) => address),
    )
    for (const [i, one] of ours.entries()) {
      const holds = held[i] ?? null
      if (holds === null) continue
      if (holds >= max(1n, minimum)) worth.push(one)
      // Anybody can send a small balance to a swept account. Without this mark, the account would stay among the oldest
      // ones and take the place of another.
      else await markSwept(ctx, one, holds)
    }
  }
  return worth
}

async function startSweep(
  ctx: Ctx,
  sweeper: Sweeper,
  chainId: number,
  { last, worth }: { last: SentSweep | null; worth: readonly Unswept[] },
): Promise<void> {
  const userIds = [...new Set(worth.map(({ userId }) => userId))].slice(0, maxAccounts)
  const tokens = [...new Set(worth.map(({ token }) => token))]
  const next = await sweeper.nextNonce(chainId)
  const nonce = last === null ? next : max(next, last.nonce + 1n)
  const signed = await sweeper.sign({ chainId, userIds, tokens, nonce })
  if (signed === null) return ctx.log.info({ chainId }, 'sweep postponed: gas price above SWEEP_MAX_FEE_GWEI')
  const { txHash, signedTransaction } = signed
  const sweep = { chainId, signer: sweeper.address, nonce, accounts: userIds.length, tokens }
  const isStored = await insertSweep(ctx.db, { ...sweep, txHashes: [txHash], signedTransaction }, ctx.clock.now())
  if (isStored) await sweeper.send(chainId, signedTransaction)
}

async function followSweep(ctx: Ctx, sweeper: Sweeper, sent: SentSweep): Promise<void> {
  const { chainId, nonce, accounts } = sent
  const state = await sweeper.state(sent)
  if (state.status === 'open') return resubmit(ctx, sweeper, sent)
  if (state.status === 'mined') return
  const { status } = state
  const { fee, notSwept } = 'fee' in state ? state : { fee: null, notSwept: [] }
  if (!(await endSweep(ctx.db, sent, { status, fee, notSwept }, ctx.clock.now()))) return
  const chain = String(chainId)
  ctx.metrics.sweeps.inc({ chain, result: notSwept.length > 0 ? 'rejected' : status })
  ctx.metrics.sweepGas.inc({ chain }, Number(fee ?? 0n) / 1e18)
  const facts = { chainId, nonce: String(nonce), accounts, fee: fee === null ? null : String(fee), notSwept }
  if (status === 'done' && notSwept.length === 0) ctx.log.info(facts, 'deposits swept')
  else ctx.log.error({ ...facts, status }, 'sweep did not move all tokens')
}

/** Resends the stored transaction, because nodes drop pending transactions. An old one gets a fee bump. */
async function resubmit(ctx: Ctx, sweeper: Sweeper, sent: SentSweep): Promise<void> {
  const now = ctx.clock.now()
  const isOld = addSeconds(sent.updatedAt, ctx.config.payouts.bumpSeconds) <= now
  const bumped = isOld ? await sweeper.bumpFee(sent.chainId, sent.signedTransaction) : null
  if (bumped !== null && !(await addFeeBump(ctx.db, sent, bumped, now))) return
  await sweeper.send(sent.chainId, bumped?.signedTransaction ?? sent.signedTransaction)
}
