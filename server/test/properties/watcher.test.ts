import fc from 'fast-check'
import { expect, test } from 'vitest'
import { checkUser } from '../../src/money/reconcile/reconcile.ts'
import { createWatcher } from '../../src/money/watcher/watcher.ts'
import { createModelChain, type ModelTransfer } from '../support/chain/model-chain.ts'
import { seed, timeout, times } from '../support/run/seed.ts'
import { startService } from '../support/service.ts'

const finality = 3

const transfer = fc.record({ to: fc.nat(2), amount: fc.integer({ min: 1, max: 9 }), again: fc.boolean() })
const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('mine' as const), transfers: fc.array(transfer, { maxLength: 3 }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('reorganize' as const),
      depth: fc.integer({ min: 1, max: finality + 3 }),
      instead: fc.array(fc.array(transfer, { maxLength: 2 }), { minLength: 1, maxLength: finality + 4 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constantFrom('round' as const, 'books' as const, 'restart' as const) }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('compare' as const) }) },
)

test(
  `the books match the chain after random reorganizations at any depth (seed ${seed})`,
  async () => {
    await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 15, maxLength: 40 }), playSteps), {
      numRuns: 4 * times,
      seed,
    })
  },
  2 * timeout,
)

test('the watcher finds a branch that begins before the branch it just found', async () => {
  const to = (user: number) => [{ to: user, amount: 7, again: false }]
  const empty = (blocks: number) => Array.from({ length: blocks }, () => [])
  await playSteps([
    { kind: 'mine', transfers: to(0) },
    ...empty(5).map((transfers) => ({ kind: 'mine' as const, transfers })),
    { kind: 'compare' },
    { kind: 'reorganize', depth: 4, instead: empty(5) },
    { kind: 'round' },
    { kind: 'reorganize', depth: 7, instead: [to(1), ...empty(7)] },
  ])
})

async function playSteps(steps: readonly (typeof step extends fc.Arbitrary<infer Step> ? Step : never)[]) {
  const env = {
    RPC_URL_31337: 'http://127.0.0.1:1',
    FINALITY_31337: String(finality),
    CHAIN: 'evm',
    TREASURY_31337: `0x${'aa'.repeat(20)}`,
  }
  const alter = (ctx: Parameters<NonNullable<NonNullable<Parameters<typeof startService>[0]>['alter']>>[0]) => ({
    ...ctx,
    chain: { ...ctx.chain, transferState: null },
  })
  const service = await startService({ worker: false, env, alter })
  const [token] = service.ctx.config.tokens
  const [config] = service.ctx.config.chains
  if (!token || !config) throw new Error('a token and its chain are configured')
  const chain = createModelChain(token.address)
  const users = [await service.newUser(), await service.newUser(), await service.newUser()]
  let watcher = createWatcher(service.as('watcher'), config, [chain.node])
  let lastTx = 0
  let finalAt = 0
  /** Transactions removed by a reorganization. They can be mined again, unchanged or with another transfer. */
  let orphans: ModelTransfer[] = []

  const transfersOf = (wanted: readonly { to: number; amount: number; again: boolean }[]): ModelTransfer[] =>
    wanted.map(({ to, amount, again }) => {
      const orphan = again ? orphans.shift() : undefined
      if (orphan && amount > 3) return orphan
      lastTx += 1
      return { tx: orphan?.tx ?? lastTx, to: users[to]?.accountAddress ?? '', amount: BigInt(amount) }
    })

  /**
   * Returns the final block after a single round. The round may stop at the fork, but must never go past the chain's
   * final block. If the chain ends before the newest block that the watcher read, the node may merely lag. The watcher
   * then reverses no deposit yet.
   */
  async function finalByNow(): Promise<number> {
    const [row] = await service.ctx.db.query<{ final: bigint; seen: bigint }>(
      'select final_block as final, seen_block as seen from watched_chain',
    )
    if (!row || row.seen > chain.head) return finalAt
    expect(Number(row.final)).toBeLessThanOrEqual(Math.max(finalAt, chain.head - finality))
    return Math.max(finalAt, Number(row.final))
  }

  /**
   * Returns true if the chain ends before the newest block read, and all blocks known to the watcher still match. The
   * watcher cannot tell such a chain from a lagging node, because it stores only the last final block of each range.
   */
  async function seemsToLag(): Promise<boolean> {
    const [last] = await service.ctx.db.query<{ seen: bigint; number: bigint | null; hash: string | null }>(
      `select c.seen_block as seen, b.number, b.hash
       from watched_chain c left join watched_block b on b.chain_id = c.chain_id and b.number <= $1
       order by b.number desc nulls last limit 1`,
      [chain.head],
    )
    if (!last || last.seen <= chain.head) return false
    return last.number === null || (await chain.node.block(Number(last.number)))?.hash === last.hash
  }

  async function compare(): Promise<void> {
    for (let rounds = 0; (await watcher.round()) || rounds < 2; rounds++);
    await service.jobs.runDue()
    if (await seemsToLag()) return
    finalAt = Math.max(finalAt, chain.head - finality)
    for (const { userId, accountAddress } of users) {
      const sum = (transfers: readonly ModelTransfer[]) =>
        transfers.filter(({ to }) => to === accountAddress).reduce((total, { amount }) => total + amount, 0n)
      const [row] = await service.ctx.db.query<{ own: bigint; processing: bigint }>(
        'select available + debt as own, deposit_processing as processing from ledger_balance where user_id = $1',
        [userId],
      )
      const own = sum(chain.transfers(finalAt))
      expect({ own: row?.own ?? 0n, processing: row?.processing ?? 0n }).toEqual({
        own,
        processing: sum(chain.transfers(chain.head)) - own,
      })
      expect(await checkUser(service.ctx, userId)).toEqual([])
    }
  }

  try {
    for (const action of [...steps, { kind: 'compare' as const }]) {
      switch (action.kind) {
        case 'mine':
          chain.mine(transfersOf(action.transfers))
          break
        case 'reorganize':
          orphans = [...orphans, ...chain.cut(action.depth)]
          finalAt = Math.min(finalAt, chain.head)
          for (const transfers of action.instead) chain.mine(transfersOf(transfers))
          break
        case 'round':
          await watcher.round()
          finalAt = await finalByNow()
          break
        case 'books':
          await service.jobs.runDue()
          break
        case 'restart':
          await service.ctx.db.query('update watched_chain set watcher = null')
          watcher = createWatcher(service.as('watcher'), config, [chain.node])
          break
        case 'compare':
          await compare()
      }
    }
  } finally {
    await service.stop()
  }
}
