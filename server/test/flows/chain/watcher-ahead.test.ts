import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createWatcher, followDueTransfers, type Watcher } from '../../../src/money/watcher/watcher.ts'
import type { ChainNode } from '../../../src/providers/chain/node.ts'
import { createModelChain } from '../../support/chain/model-chain.ts'
import { startService, type TestService, type TestUser } from '../../support/service.ts'

const finality = 3
/** The first range, and the range that is read ahead. Ranges grow while a node returns few logs. */
const [first, second] = ['0-9', '10-22']

let service: TestService
let user: TestUser
let chain: ReturnType<typeof createModelChain>
/** The ranges whose logs were requested, in order. */
let asked: string[]
let fail: (range: string) => boolean
let watcher: Watcher

beforeAll(async () => {
  const env = {
    RPC_URL_31337: 'http://127.0.0.1:1',
    FINALITY_31337: String(finality),
    CHAIN: 'evm',
    TREASURY_31337: `0x${'aa'.repeat(20)}`,
  }
  service = await startService({
    worker: false,
    env,
    alter: (ctx) => ({ ...ctx, chain: { ...ctx.chain, transferState: null } }),
  })
})
beforeEach(async () => {
  await service.ctx.db.query('truncate watched_chain, watched_block, incoming_transfer')
  user = await service.newUser()
  chain = createModelChain(service.ctx.config.tokens[0]?.address ?? '')
  asked = []
  fail = () => false
  // One unit in each block, so that the sum shows a lost or repeated transfer.
  pay(30)
  watcher = newWatcher()
})
afterAll(() => service.stop())

let lastTx = 0
function pay(blocks: number, amount = 1n): void {
  for (let i = 0; i < blocks; i++) chain.mine([{ tx: ++lastTx, to: user.accountAddress, amount }])
}

function newWatcher(): Watcher {
  const [config] = service.ctx.config.chains
  if (!config) throw new Error('no chain is configured')
  const node: ChainNode = {
    ...chain.node,
    async transferLogs(from, to, tokens) {
      asked.push(`${from}-${to}`)
      if (fail(`${from}-${to}`)) throw new Error('a node that cannot respond')
      return chain.node.transferLogs(from, to, tokens)
    },
  }
  return createWatcher(service.as('watcher'), config, [node])
}

async function cursor() {
  const [row] = await service.ctx.db.query<{ seen: bigint; final: bigint }>(
    'select seen_block as seen, final_block as final from watched_chain',
  )
  return { seen: Number(row?.seen), final: Number(row?.final) }
}

/** Reads all blocks, runs the due work, and compares the books with the chain. */
async function expectBooksOfChain(): Promise<void> {
  for (let rounds = 0; (await watcher.round()) || rounds < 3; rounds++);
  await service.jobs.runDue()
  const sum = (upTo: number) => chain.transfers(upTo).reduce((total, { amount }) => total + amount, 0n)
  const [row] = await service.ctx.db.query(
    'select available + debt as own, deposit_processing as processing from ledger_balance where user_id = $1',
    [user.userId],
  )
  const own = sum(chain.head - finality)
  expect(row).toEqual({ own, processing: sum(chain.head) - own })
}

test('the watcher reads at most two ranges ahead and requests each range once', async () => {
  pay(60)
  await watcher.round()
  expect(await cursor()).toEqual({ seen: 9, final: 9 })
  expect(asked).toEqual([first, second, '23-39'])
  await watcher.round()
  expect(await cursor()).toEqual({ seen: 22, final: 22 })
  expect(asked).toEqual([first, second, '23-39', '40-61'])
  await expectBooksOfChain()
})

test('the watcher reads only final blocks ahead', async () => {
  do await watcher.round()
  while ((await cursor()).seen < chain.head - finality)
  expect(asked.every((range) => Number(range.split('-')[1]) <= chain.head - finality)).toBe(true)
  await expectBooksOfChain()
})

test('at most a thousand due transfers of a user are followed in one transaction', async () => {
  chain.mine(Array.from({ length: 1000 }, () => ({ tx: ++lastTx, to: user.accountAddress, amount: 1n })))
  while (await watcher.round());
  await followDueTransfers(service.ctx, user.userId)
  const followed = await service.ctx.db.query<{ deposits: bigint }>(
    'select count(*) as deposits from deposit where user_id = $1 group by xmin order by 1',
    [user.userId],
  )
  expect(followed.map(({ deposits }) => deposits)).toEqual([30n, 1000n])
  await expectBooksOfChain()
})

test('a failed range does not affect the range before it and is retried in smaller ranges', async () => {
  fail = (range) => range === second
  await watcher.round()
  expect(await cursor()).toEqual({ seen: 9, final: 9 })
  await watcher.round()
  expect(await cursor()).toEqual({ seen: 9, final: 9 })
  await watcher.round()
  expect(asked[2]).toBe('10-15')
  await expectBooksOfChain()
})

test('a stopping watcher of the sandbox reads up to the head, even if a node fails once', async () => {
  const failed: string[] = []
  fail = (range) => failed.length === 0 && failed.push(range) > 0
  await watcher.loop(AbortSignal.abort())
  expect(failed).toHaveLength(1)
  expect((await cursor()).seen).toBe(chain.head)
  await expectBooksOfChain()
})

describe('a reorganization during reading ahead', () => {
  test('a reorganization within the range that is read ahead discards its logs', async () => {
    await watcher.round()
    chain.cut(15)
    pay(20, 2n)
    await watcher.round()
    expect(await cursor()).toEqual({ seen: 9, final: 9 })
    await expectBooksOfChain()
  })

  test('a reorganization below the range that is read ahead causes both ranges to be read again', async () => {
    await watcher.round()
    chain.cut(25)
    pay(30, 2n)
    await watcher.round()
    expect((await cursor()).seen).toBe(5)
    await expectBooksOfChain()
  })
})

test('logs read ahead are discarded when another process takes over and when the first process returns', async () => {
  await watcher.round()
  const other = newWatcher()
  await service.ctx.db.query('update watched_chain set watcher = null')
  await other.round()
  // A new watcher starts with a small range, so the range read ahead would end at another block.
  expect(await cursor()).toEqual({ seen: 19, final: 19 })
  await service.ctx.db.query('update watched_chain set watcher = null')
  await watcher.round()
  expect(await cursor()).toEqual({ seen: 27, final: 27 })
  await expectBooksOfChain()
})
