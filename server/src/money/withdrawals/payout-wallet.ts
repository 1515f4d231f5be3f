import { setTimeout as delay } from 'node:timers/promises'
import type { Ctx } from '../../context.ts'
import { tryEach } from '../../lib/attempts.ts'
import { addSeconds } from '../../lib/clock.ts'
import { max, sum } from '../../lib/money.ts'
import { raiseAlarm } from '../../platform/observability/alarms.ts'
import { tokenLabels } from '../../platform/observability/token-labels.ts'
import type { PayoutFunds } from '../../providers/chain/chain.ts'
import { type QueuePart, scanDueQueue, scanDueStuckPayouts } from './sql.ts'

/** The funds of the payout wallets, which belong to no user. */

const fundsMaxAgeMilliseconds = 2000
/** A read of the balances waits no longer than this for a chain. A healthy node responds much sooner. */
const maxWaitMilliseconds = 1000
const stuckSeconds = 600

/** An unreadable balance counts as zero. Withdrawals can still be requested; they wait in the queue. */
const unreadable: PayoutFunds = { amount: 0n, transactions: 0n }

/** Returns the funds that remain in a wallet after it has paid a part of the queue. */
export function remainingFunds(
  held: PayoutFunds,
  chainId: number,
  token: string,
  queue: readonly QueuePart[],
): PayoutFunds {
  const own = queue.filter((part) => part.chainId === chainId)
  return {
    amount: held.amount - sum(own.filter((part) => part.token === token).map((part) => part.amount)),
    transactions: held.transactions - sum(own.map((part) => part.count)),
  }
}

/** Returns the funds per token that no queued payout needs, at most 2 seconds old. */
export function freeFunds(ctx: Ctx): Promise<ReadonlyMap<string, bigint>> {
  return ctx.caches.payoutFunds.read(fundsMaxAgeMilliseconds, () => readFreeFunds(ctx), ctx.clock.now().getTime())
}

async function readFreeFunds(ctx: Ctx): Promise<ReadonlyMap<string, bigint>> {
  const queued = (await scanDueQueue(ctx.db)).filter(({ isMined }) => !isMined)
  const free = ctx.config.tokens.map(async ({ chainId, address }) => {
    const read = ctx.chain.payoutFunds(chainId, address).catch((error: unknown) => {
      ctx.log.warn({ err: error, chainId }, 'payout wallet could not be read')
      return unreadable
    })
    const held = await Promise.race([read, delay(maxWaitMilliseconds, unreadable, { ref: false })])
    const { amount, transactions } = remainingFunds(held, chainId, address, queued)
    return [address, transactions < 1n ? 0n : max(0n, amount)] as const
  })
  return new Map(await Promise.all(free))
}

/** Measures the queue, the stuck payouts and the funds of the wallets. */
export async function measurePayouts(ctx: Ctx): Promise<void> {
  const { payoutQueue, payoutQueueSeconds, stuckPayouts, payoutFunds, payoutTransactions } = ctx.metrics
  const now = ctx.clock.now()
  const queue = await scanDueQueue(ctx.db)
  const ages = queue.map((part) => ({ ...part, seconds: (now.getTime() - part.since.getTime()) / 1000 }))
  for (const status of ['pending', 'processing'] as const) {
    const own = ages.filter((part) => part.status === status)
    payoutQueue.set({ status }, Number(sum(own.map(({ count }) => count))))
    payoutQueueSeconds.set({ status }, Math.max(0, ...own.map(({ seconds }) => seconds)))
  }
  stuckPayouts.set(Number(await scanDueStuckPayouts(ctx.db, addSeconds(now, -stuckSeconds))))
  await tryEach(ctx.config.tokens, async (token) => {
    const { chainId, address, decimals } = token
    const { amount, transactions } = await ctx.chain.payoutFunds(chainId, address)
    // A metric is a floating-point number, which is precise enough for a chart.
    payoutFunds.set(tokenLabels(token), Number(amount) / 10 ** decimals)
    payoutTransactions.set({ chain: String(chainId) }, Number(transactions))
  })
}

/**
 * Raises an alarm if the payout signer does not respond. Processes without the role `worker` call it, because they
 * start even without the signer.
 */
export async function checkSigner(ctx: Ctx): Promise<void> {
  const [token] = ctx.config.tokens
  if (!token) return
  await ctx.chain.payoutSigner(token.chainId).catch((error: unknown) => {
    raiseAlarm(ctx, { area: 'payout', reason: 'no_signer' }, { err: error })
  })
}
