import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { createMetrics } from '../../../src/platform/observability/metrics.ts'
import { wordOf } from '../../../src/providers/chain/node.ts'
import { send } from '../../support/chain/anvil.ts'
import { type Lie, type RpcProxy, startRpcProxy } from '../../support/chain/rpc-proxy.ts'
import { finality, startWatched, type Watched } from '../../support/chain/watched-chain.ts'
import type { TestUser } from '../../support/service.ts'

const eur = 10n ** 18n

let chain: Watched
let one: RpcProxy
let other: RpcProxy
beforeAll(async () => {
  chain = await startWatched()
  ;[one, other] = await Promise.all([startRpcProxy(chain.anvil.url), startRpcProxy(chain.anvil.url)])
})
beforeEach(async () => {
  one.forwardAll()
  other.forwardAll()
  await chain.settle()
})
afterAll(async () => {
  await Promise.all([one.stop(), other.stop()])
  await chain.stop()
})

/** Replaces the watcher, as a restart does. The new watcher queries the first node first. */
async function watchBy(...proxies: RpcProxy[]) {
  await chain.service.ctx.db.query('update watched_chain set watcher = null')
  return chain.newWatcher(proxies.map(({ url }) => url))
}

async function newPaidUser(amount = eur) {
  const user = await chain.service.newUser()
  await chain.mint(user.accountAddress, amount)
  await chain.mine(finality)
  return user
}

/** Runs enough rounds that a further round would change nothing. */
async function runRounds(watcher: Awaited<ReturnType<typeof watchBy>>, rounds = 6) {
  for (let i = 0; i < rounds; i++) await watcher.round()
  await chain.service.jobs.runDue()
}

/** Returns a lie that gives every transfer to another address, with a balance that matches their sum. */
const redirectTo =
  (address: string, sum = eur): Lie =>
  ({ method, params }, result) => {
    if (method === 'eth_getLogs') {
      const redirected = ({ topics: [event, from], ...log }: any) => ({
        ...log,
        topics: [event, from, wordOf(address)],
      })
      return { result: result.map(redirected) }
    }
    if (method !== 'eth_call' || typeof params[1] === 'string') return undefined
    return { result: result.replace(/.{64}$/, sum.toString(16).padStart(64, '0')) }
  }

async function storedOf({ userId }: { userId: string }): Promise<{ block: bigint; position: number }> {
  const [stored] = await chain.service.ctx.db.query<{ block: bigint; position: number }>(
    `select block_number as block, log_position as position from incoming_transfer
     where user_id = $1 and chain_state <> 'reorganized'`,
    [userId],
  )
  if (stored === undefined) throw new Error('no transfer is stored')
  return stored
}

/** Returns the first log of a block, as nodes return it. */
async function logOf(block: bigint): Promise<object> {
  const number = `0x${block.toString(16)}`
  const [log] = await chain.anvil.rpc('eth_getLogs', [{ fromBlock: number, toBlock: number }])
  return log
}

/** Mints for two users in one block. Returns the user of the second transaction. */
async function newLaterInBlock(): Promise<TestUser> {
  const users = [await chain.service.newUser(), await chain.service.newUser()]
  await chain.anvil.rpc('evm_setAutomine', [false])
  onTestFinished(() => chain.anvil.rpc('evm_setAutomine', [true]))
  const sent = users.map(({ accountAddress }, from) =>
    send(chain.anvil, 'TestToken', { to: chain.token, call: 'mint', args: [accountAddress, eur], from }),
  )
  await expect.poll(async () => (await chain.anvil.client.getTxpoolStatus()).pending).toBe(2)
  await chain.mine(1)
  const receipts = await Promise.all(sent)
  const later = users.find((_, i) => receipts[i]?.transactionIndex === 1)
  if (later === undefined) throw new Error('no transaction is the second one of the block')
  return later
}

const isLogs = ({ method }: { method: string }) => method === 'eth_getLogs'

/** Rejects logs of several blocks. */
const oneBlockAtATime: Lie = ({ method, params: [filter] }) =>
  method === 'eth_getLogs' && filter.fromBlock !== filter.toBlock
    ? { error: { code: -32005, message: 'query exceeds the range of one block' } }
    : undefined

/** Returns a lie that adds to a number of each log. */
const moved =
  (field: string, by: number): Lie =>
  ({ method }, result) =>
    method === 'eth_getLogs'
      ? { result: result.map((log: any) => ({ ...log, [field]: `0x${(Number(log[field]) + by).toString(16)}` })) }
      : undefined

/** States in each receipt that its first log is the first one of the block. */
const receiptsFromZero: Lie = ({ method }, receipt) =>
  method === 'eth_getTransactionReceipt'
    ? { result: { ...receipt, logs: receipt.logs.map((log: any) => ({ ...log, logIndex: '0x0' })) } }
    : undefined

describe('two nodes that differ', () => {
  test('a deposit is credited while one of two nodes returns invalid JSON', async () => {
    const user = await newPaidUser()
    one.lie(() => 'garbage')
    await runRounds(await watchBy(one, other))
    expect(await chain.summaryOf(user)).toMatchObject({ own: eur })
  })

  test.each([
    ['blockNumber', newPaidUser, moved('blockNumber', 1)],
    ['logIndex', newPaidUser, moved('logIndex', 1)],
    ['first log index of its transaction', newLaterInBlock, receiptsFromZero],
  ])('a transfer is not credited until two nodes report the same %s', async (_, newUser, lie) => {
    const before = await chain.alarms('nodes_disagree')
    const user = await newUser()
    // The block after that of the transfer is then final too.
    await chain.mine(finality)
    one.lie(lie)
    const watcher = await watchBy(one, other)
    await runRounds(watcher)
    expect(await chain.summaryOf(user)).toMatchObject({ own: 0n })
    expect(await chain.alarms('nodes_disagree')).toBeGreaterThan(before)
    one.forwardAll()
    await runRounds(watcher)
    expect(await chain.summaryOf(user)).toMatchObject({ own: eur })
    expect((await storedOf(user)).position).toBe(0)
  })

  test('a node that lacks receipts keeps its vote on transfers', async () => {
    const user = await newLaterInBlock()
    await chain.mine(finality)
    const victim = await chain.service.newUser()
    other.lie(({ method }) => (method === 'eth_getTransactionReceipt' ? { result: null } : undefined))
    one.lie(redirectTo(victim.accountAddress, 2n * eur))
    const watcher = await watchBy(one, other)
    const asked = other.received.length
    await runRounds(watcher, 12)
    expect(await chain.summaryOf(victim)).toMatchObject({ own: 0n })
    const methods = new Set(other.received.slice(asked).map(({ method }) => method))
    expect(methods).toContain('eth_getLogs')
    expect(methods, 'while logs differ').not.toContain('eth_getTransactionReceipt')
    one.forwardAll()
    await runRounds(watcher, 24)
    expect(await chain.summaryOf(user)).toMatchObject({ own: eur })
    expect(await chain.summaryOf(victim)).toMatchObject({ own: 0n })
  })

  test('a range whose receipts no node returns as a whole becomes final in smaller ranges', async () => {
    const user = await newLaterInBlock()
    const watcher = await watchBy(one, other)
    await runRounds(watcher)
    await chain.mine(finality)
    for (const node of [one, other]) {
      node.lie(({ method }) => {
        const range = node.received.findLast(isLogs)?.params[0]
        return method === 'eth_getTransactionReceipt' && range?.fromBlock !== range?.toBlock
          ? { error: { code: -32005, message: 'too many requests' } }
          : undefined
      })
    }
    await runRounds(watcher, 24)
    expect(await chain.summaryOf(user)).toMatchObject({ own: eur })
  })

  test.each([
    ['a later', 2n, 'unfinal'],
    ['an earlier, final', -2n, 'final'],
  ])('a transfer that is stored in %s block moves to the block that all nodes report', async (_, by, state) => {
    const { db } = chain.service.ctx
    const user = await newPaidUser()
    await chain.mine(12)
    const watcher = await watchBy(one, other)
    await runRounds(watcher, 24)
    const { block } = await storedOf(user)
    // As a node left it that lied while it was the only one.
    await db.query('update watched_chain set final_block = $1', [block - 1n])
    await db.query('update incoming_transfer set block_number = $2, chain_state = $3 where user_id = $1', [
      user.userId,
      block + by,
      state,
    ])
    // Blocks become final one by one, so no range contains both blocks.
    for (const node of [one, other]) node.lie(oneBlockAtATime)
    const repaired = await chain.alarms('transfers_repaired')
    const owned = new Set<bigint>()
    for (let i = 0; i < 24; i++) {
      await runRounds(watcher, 1)
      owned.add((await chain.summaryOf(user)).own)
    }
    expect(owned, 'reversed until the right block is final').toEqual(new Set([eur, 0n]))
    expect(await chain.summaryOf(user)).toMatchObject({ own: eur, items: [{ status: 'approved' }] })
    expect(await storedOf(user)).toMatchObject({ block, position: 0 })
    expect(await chain.alarms('transfers_repaired')).toBe(repaired + 1)
    await chain.assertBooks(user)
  })

  test('a node cannot move a final transfer to another block while the other node returns no logs', async () => {
    const user = await newPaidUser()
    await chain.mine(12)
    const watcher = await watchBy(one, other)
    await runRounds(watcher, 24)
    const { block } = await storedOf(user)
    const log = await logOf(block)
    await chain.mine(3)
    one.lie(async ({ method, params: [filter] }, result) => {
      if (method !== 'eth_getLogs' || Number(filter.fromBlock) <= Number(block)) return undefined
      const { hash } = await chain.anvil.rpc('eth_getBlockByNumber', [filter.fromBlock, false])
      return { result: [...result, { ...log, blockNumber: filter.fromBlock, blockHash: hash }] }
    })
    other.lie((request) => (isLogs(request) ? { error: { code: -32005, message: 'too many requests' } } : undefined))
    await runRounds(watcher, 12)
    expect(await chain.summaryOf(user)).toMatchObject({ own: eur })
    one.forwardAll()
    other.forwardAll()
    await runRounds(watcher, 12)
    expect(await chain.summaryOf(user)).toMatchObject({ own: eur, items: [{ status: 'approved' }] })
    expect((await storedOf(user)).block).toBe(block)
  })

  test('a transfer that one of two nodes omits is not credited until both nodes report it', async () => {
    const user = await newPaidUser()
    one.lie(({ method }) => (method === 'eth_getLogs' ? { result: [] } : undefined))
    const watcher = await watchBy(one, other)
    await runRounds(watcher)
    expect(await chain.summaryOf(user)).toMatchObject({ own: 0n, processing: 0n, items: [] })
    expect(await chain.alarms('nodes_disagree')).toBeGreaterThan(0)
    one.forwardAll()
    await runRounds(watcher)
    expect(await chain.summaryOf(user)).toMatchObject({ own: eur, items: [{ status: 'approved' }] })
    expect(await chain.alarms('transfers_repaired')).toBeGreaterThan(0)
    await chain.assertBooks(user)
  })

  test('a transfer that only one of two nodes reports stays pending and is rejected later', async () => {
    const user = await chain.service.newUser()
    const victim = await chain.service.newUser()
    await chain.mint(user.accountAddress, eur)
    await chain.mine(finality)
    one.lie(redirectTo(victim.accountAddress))
    const watcher = await watchBy(one, other)
    await runRounds(watcher)
    expect(await chain.summaryOf(victim)).toMatchObject({ own: 0n, items: [{ status: 'pending' }] })
    one.forwardAll()
    await runRounds(watcher)
    expect(await chain.summaryOf(victim)).toMatchObject({ own: 0n, processing: 0n, items: [{ status: 'rejected' }] })
    expect(await chain.summaryOf(user)).toMatchObject({ own: eur })
  })

  test('a transfer is not credited until its block is final on the other node too, even if that node lags behind', async () => {
    const heightOf = async () => Number(await chain.anvil.rpc('eth_blockNumber', []))
    const start = await heightOf()
    const user = await newPaidUser()
    const lagAt = async (head: number) => {
      const latest = await chain.anvil.rpc('eth_getBlockByNumber', [`0x${head.toString(16)}`, false])
      other.lie(({ method, params: [about] }) => {
        if (method === 'eth_getBlockByNumber' && about === 'latest') return { result: latest }
        if (method === 'eth_getBlockByNumber' && Number(about) > head) return { result: null }
        const isBeyond = method === 'eth_getLogs' && Number(about.toBlock) > head
        return isBeyond
          ? { error: { code: -32000, message: 'block range extends beyond current head block' } }
          : undefined
      })
    }
    await lagAt(start)
    const watcher = await watchBy(one, other)
    await runRounds(watcher)
    expect(await chain.summaryOf(user)).toMatchObject({ own: 0n, items: [{ status: 'pending' }] })
    await lagAt((await heightOf()) - 1)
    await runRounds(watcher)
    expect(await chain.summaryOf(user)).toMatchObject({ own: 0n, items: [{ status: 'pending' }] })
    // The node names no head, and still lacks the block.
    other.lie(({ method, params: [about] }) => {
      const isHead = method === 'eth_getBlockByNumber' && (about === 'latest' || Number(about) > start)
      const isBeyond = method === 'eth_getLogs' && Number(about.toBlock) > start
      return isHead ? { result: null } : isBeyond ? { error: { code: -32000, message: 'beyond the head' } } : undefined
    })
    await runRounds(watcher)
    expect(await chain.summaryOf(user)).toMatchObject({ own: 0n, items: [{ status: 'pending' }] })
    other.forwardAll()
    await runRounds(watcher)
    expect(await chain.summaryOf(user)).toMatchObject({ own: eur, items: [{ status: 'approved' }] })
    await chain.assertBooks(user)
  })

  test('an unknown arrival is not credited with an amount that only one of two nodes reports', async () => {
    const pruned = { error: { code: -32000, message: 'missing trie node' } }
    const user = await newPaidUser()
    for (const node of [one, other]) node.lie(({ method }) => (method === 'eth_call' ? pruned : undefined))
    const watcher = await watchBy(one, other)
    await runRounds(watcher)
    expect(await chain.summaryOf(user)).toMatchObject({ own: 0n, items: [{ status: 'pending' }] })
    const tenfold = (10n * eur).toString(16).padStart(64, '0')
    one.lie(({ method, params: [, at] }, result) => {
      if (method === 'eth_getLogs') return { result: result.map((log: any) => ({ ...log, data: `0x${tenfold}` })) }
      return method === 'eth_call' && typeof at === 'object' ? { result: result.replace(/.{64}$/, tenfold) } : undefined
    })
    await chain.service.advance(120)
    await runRounds(watcher)
    expect(await chain.summaryOf(user)).toMatchObject({ own: 0n, items: [{ status: 'pending', amount: String(eur) }] })
    one.forwardAll()
    other.forwardAll()
    await chain.service.advance(120)
    await runRounds(watcher)
    expect(await chain.summaryOf(user)).toMatchObject({ own: eur, items: [{ status: 'approved' }] })
  })

  test('one of two nodes cannot reverse a deposit with hashes that it states only once', async () => {
    const height = Number(await chain.anvil.rpc('eth_blockNumber', []))
    const user = await newPaidUser()
    await runRounds(await watchBy(one, other))
    expect(await chain.summaryOf(user)).toMatchObject({ own: eur })
    const asked = new Set<string>()
    one.lie(({ method, params: [block] }, result) => {
      const isFirst = method === 'eth_getBlockByNumber' && Number(block) > height && !asked.has(block)
      return isFirst && asked.add(block) && result
        ? { result: { ...result, hash: result.hash.replace(/.{8}$/, 'deadbeef') } }
        : undefined
    })
    const watcher = await watchBy(one, other)
    for (let rounds = 0; rounds < 4; rounds++) {
      asked.clear()
      await watcher.round()
      await chain.service.jobs.runDue()
      expect(await chain.summaryOf(user)).toMatchObject({ own: eur, items: [{ status: 'approved' }] })
    }
  })

  test('a node that rejects wide ranges of logs keeps its vote', async () => {
    const user = await chain.service.newUser()
    const victim = await chain.service.newUser()
    await chain.mint(user.accountAddress, eur)
    await chain.mine(3 * finality)
    other.lie(oneBlockAtATime)
    one.lie(redirectTo(victim.accountAddress))
    const watcher = await watchBy(one, other)
    await runRounds(watcher, 12)
    expect(await chain.summaryOf(victim)).toMatchObject({ own: 0n })
    one.forwardAll()
    await runRounds(watcher, 24)
    expect(await chain.summaryOf(user)).toMatchObject({ own: eur })
    expect(await chain.summaryOf(victim)).toMatchObject({ own: 0n })
  })

  test('a transfer stays pending while two nodes report different amounts', async () => {
    const user = await newPaidUser()
    const tenfold = `0x${(10n * eur).toString(16).padStart(64, '0')}`
    one.lie(({ method }, logs) =>
      method === 'eth_getLogs' ? { result: logs.map((log: any) => ({ ...log, data: tenfold })) } : undefined,
    )
    const watcher = await watchBy(one, other)
    await runRounds(watcher)
    expect(await chain.summaryOf(user)).toMatchObject({ own: 0n, items: [{ status: 'pending' }] })
    one.forwardAll()
    await runRounds(watcher)
    expect(await chain.summaryOf(user)).toMatchObject({
      own: eur,
      items: [{ status: 'approved', amount: String(eur) }],
    })
    await chain.assertBooks(user)
  })

  test('a deposit stays pending if the balance of its address grew by more than its log states, and other deposits do not', async () => {
    const user = await newPaidUser()
    const bystander = await newPaidUser()
    const word = wordOf(user.accountAddress).slice(2)
    one.lie(({ method, params: [call, at] }, result) =>
      method === 'eth_call' && typeof at === 'object' && call.data.endsWith(word)
        ? { result: result.replace(/.{64}$/, (1000n * eur).toString(16).padStart(64, '0')) }
        : undefined,
    )
    const watcher = await watchBy(one, other)
    await runRounds(watcher)
    expect(await chain.summaryOf(user)).toMatchObject({ own: 0n, items: [{ status: 'pending', amount: String(eur) }] })
    expect(await chain.summaryOf(bystander)).toMatchObject({ own: eur })
    expect(await chain.alarms('arrival_unknown')).toBeGreaterThan(0)
    await chain.service.advance(120)
    await runRounds(watcher)
    expect(await chain.summaryOf(user)).toMatchObject({ own: 0n, items: [{ status: 'pending' }] })
    one.forwardAll()
    await chain.service.advance(120)
    await runRounds(watcher)
    expect(await chain.summaryOf(user)).toMatchObject({
      own: eur,
      items: [{ status: 'approved', amount: String(eur) }],
    })
    await chain.assertBooks(user)
  })

  test('a deposit is credited with the smaller amount when both nodes report that less arrived than its log states', async () => {
    const user = await newPaidUser()
    const half = (eur / 2n).toString(16).padStart(64, '0')
    for (const node of [one, other]) {
      node.lie(({ method, params: [, at] }, result) =>
        method === 'eth_call' && typeof at === 'object' ? { result: result.replace(/.{64}$/, half) } : undefined,
      )
    }
    await runRounds(await watchBy(one, other))
    expect(await chain.summaryOf(user)).toMatchObject({ own: eur / 2n, items: [{ status: 'approved' }] })
  })

  test('no deposit is credited while two nodes report different blocks', async () => {
    const user = await newPaidUser()
    const watcher = await watchBy(one, other)
    one.lie(({ method, params }, result) =>
      method === 'eth_getBlockByNumber' && params[0] !== 'latest' && result
        ? { result: { ...result, hash: result.hash.replace(/.{8}$/, 'deadbeef') } }
        : undefined,
    )
    await runRounds(watcher, 3)
    expect(await chain.summaryOf(user)).toMatchObject({ own: 0n })
    one.forwardAll()
    await runRounds(watcher)
    expect(await chain.summaryOf(user)).toMatchObject({ own: eur, items: [{ status: 'approved' }] })
  })
})

describe('faulty nodes', () => {
  test('a node that lags behind does not reverse a deposit', async () => {
    const user = await newPaidUser()
    const watcher = await watchBy(one)
    await runRounds(watcher)
    const old = await chain.anvil.rpc('eth_getBlockByNumber', ['0x2', false])
    one.lie(({ method, params }) =>
      method === 'eth_getBlockByNumber' && params[0] === 'latest' ? { result: old } : undefined,
    )
    await runRounds(watcher)
    expect(await chain.summaryOf(user)).toMatchObject({ own: eur })
  })

  test.each([
    ['invalid JSON', () => 'garbage' as const],
    ['no result', () => ({ result: null })],
    ['malformed logs', ({ method }: any) => (method === 'eth_getLogs' ? { result: [{}] } : undefined)],
    [
      'logs of other blocks',
      ({ method }: any, logs: any) =>
        method === 'eth_getLogs' ? { result: logs.map((log: any) => ({ ...log, blockNumber: '0x1' })) } : undefined,
    ],
    ['malformed balances', ({ method }: any) => (method === 'eth_call' ? { result: '0x01' } : undefined)],
  ])('a node that returns %s causes no credit and no lost deposit', async (_what, lie) => {
    const user = await newPaidUser()
    one.lie(lie)
    const watcher = await watchBy(one)
    await runRounds(watcher, 3)
    expect(await chain.summaryOf(user)).toMatchObject({ own: 0n, items: [] })
    one.forwardAll()
    await runRounds(watcher)
    expect(await chain.summaryOf(user)).toMatchObject({ own: eur })
  })

  test('a block that is missing on a lagging machine of a node does not count as a reorganization', async () => {
    const user = await newPaidUser()
    const watcher = await watchBy(one)
    await runRounds(watcher)
    expect(await chain.summaryOf(user)).toMatchObject({ own: eur })
    const [{ number }] = await chain.service.ctx.db.query<any>(
      'select block_number as number from incoming_transfer where user_id = $1',
      [user.userId],
    )
    const taken = async () =>
      (await chain.service.ctx.metrics.reorganizations.get()).values.reduce((all, { value }) => all + value, 0)
    const before = await taken()
    // The first request for each block reaches a machine without it, the second a machine with it.
    const asked = new Set<string>()
    one.lie(({ method, params: [block] }) => {
      const isFirst = method === 'eth_getBlockByNumber' && Number(block) >= Number(number) && !asked.has(block)
      return isFirst && asked.add(block) ? { result: null } : undefined
    })
    for (let rounds = 0; rounds < 4; rounds++) {
      asked.clear()
      await watcher.round()
      await chain.service.jobs.runDue()
      expect(await chain.summaryOf(user)).toMatchObject({ own: eur, items: [{ status: 'approved' }] })
    }
    expect(await taken()).toBe(before)
    one.forwardAll()
    await runRounds(watcher)
    await chain.assertBooks(user)
  })

  test('a deposit whose logs were missing at first is credited when the final block is read again', async () => {
    const user = await chain.service.newUser()
    const watcher = await watchBy(one)
    await runRounds(watcher)
    one.lie(({ method }) => (method === 'eth_getLogs' ? { result: [] } : undefined))
    await chain.mint(user.accountAddress, eur)
    await runRounds(watcher)
    expect(await chain.summaryOf(user)).toMatchObject({ own: 0n, processing: 0n, items: [] })
    one.forwardAll()
    await chain.mine(finality)
    await runRounds(watcher)
    expect(await chain.summaryOf(user)).toMatchObject({
      own: eur,
      items: [{ status: 'approved', amount: String(eur) }],
    })
    await chain.assertBooks(user)
  })

  test('a reorganization on a pruned node is handled without the pruned blocks', async () => {
    for (let i = 0; i < 6; i++) await newPaidUser(1n)
    const watcher = await watchBy(one)
    await runRounds(watcher)
    const head = Number(await chain.anvil.client.getBlockNumber())
    await chain.service.ctx.db.query('delete from watched_block where number < $1', [head - 1])
    const snapshot = await chain.anvil.rpc('evm_snapshot')
    await chain.mine(2)
    await runRounds(watcher)
    await chain.anvil.rpc('evm_revert', [snapshot])
    await chain.anvil.rpc('evm_increaseTime', [100])
    await chain.mine(3)
    one.lie(({ method, params: [block] }) =>
      method === 'eth_getBlockByNumber' && Number(block) < head - 1
        ? { error: { code: 4444, message: 'pruned history unavailable' } }
        : undefined,
    )
    const user = await newPaidUser()
    await runRounds(watcher, 12)
    expect(await chain.summaryOf(user)).toMatchObject({ own: eur, items: [{ status: 'approved' }] })
  })

  test('a node that returns each log twice causes one deposit', async () => {
    const user = await newPaidUser()
    one.lie(({ method }, logs) => (method === 'eth_getLogs' ? { result: [...logs, ...logs] } : undefined))
    await runRounds(await watchBy(one))
    expect((await chain.summaryOf(user)).items).toHaveLength(1)
    expect(await chain.summaryOf(user)).toMatchObject({ own: eur })
  })

  test('a node of another chain gets no requests except for its chain id', async () => {
    const user = await newPaidUser()
    one.lie(({ method }) => (method === 'eth_chainId' ? { result: '0x1' } : undefined))
    await runRounds(await watchBy(one), 3)
    expect(await chain.summaryOf(user)).toMatchObject({ own: 0n, items: [] })
    expect(new Set(one.received.slice(-3).map(({ method }) => method))).toEqual(new Set(['eth_chainId']))
  })

  test('a node that rejects wide ranges gets requests for smaller ranges', async () => {
    const user = await newPaidUser()
    await chain.mine(40)
    one.lie(({ method, params }) => {
      const [filter] = params
      const isWide = method === 'eth_getLogs' && Number(filter.toBlock) - Number(filter.fromBlock) > 3
      return isWide ? { error: { code: -32005, message: 'query returned more than 10000 results' } } : undefined
    })
    const watcher = await watchBy(one)
    await runRounds(watcher, 60)
    expect(await chain.summaryOf(user)).toMatchObject({ own: eur })
  })

  test('a range of blocks that no node returns as a whole becomes final in smaller ranges', async () => {
    const user = await newPaidUser()
    await chain.mine(100)
    other.lie(({ method }) => (method === 'eth_getLogs' ? { result: [] } : undefined))
    const watcher = await watchBy(one, other)
    // All blocks are read, in wide ranges. None is final, because the other node omits the transfer.
    while (await watcher.round());
    for (const node of [one, other]) {
      node.lie(({ method, params: [filter] }) => {
        const isWide = method === 'eth_getLogs' && Number(filter.toBlock) - Number(filter.fromBlock) > 3
        return isWide ? { error: { code: -32005, message: 'query returned more than 10000 results' } } : undefined
      })
    }
    await runRounds(watcher, 60)
    expect(await chain.summaryOf(user)).toMatchObject({ own: eur, processing: 0n })
    await chain.assertBooks(user)
  })

  test('a deposit stays pending until a node has the state of its block', async () => {
    const user = await newPaidUser()
    one.lie(({ method }) =>
      method === 'eth_call' ? { error: { code: -32000, message: 'missing trie node' } } : undefined,
    )
    const watcher = await watchBy(one)
    await runRounds(watcher)
    expect(await chain.summaryOf(user)).toMatchObject({ own: 0n, processing: eur, items: [{ status: 'pending' }] })
    expect(await chain.alarms('arrival_unknown')).toBeGreaterThan(0)
    one.forwardAll()
    await chain.service.advance(120)
    await runRounds(watcher)
    expect(await chain.summaryOf(user)).toMatchObject({ own: eur, processing: 0n, items: [{ status: 'approved' }] })
    await chain.assertBooks(user)
  })

  test('a deposit is credited although a node lacks the states of many older blocks', async () => {
    const [older, newer] = [await chain.service.newUser(), await chain.service.newUser()]
    for (let i = 0; i < 21; i++) await chain.mint(older.accountAddress, 1n)
    await chain.mint(newer.accountAddress, eur)
    const { hash, number } = await chain.anvil.client.getBlock()
    await chain.mine(finality)
    const withState = new Set<unknown>()
    one.lie(({ method, params: [, block] }) =>
      method !== 'eth_call' || withState.has(block.blockHash ?? Number(block))
        ? undefined
        : { error: { code: -32000, message: 'missing trie node' } },
    )
    const watcher = await watchBy(one)
    await runRounds(watcher)
    expect(await chain.summaryOf(newer)).toMatchObject({ own: 0n, processing: eur })
    withState.add(hash).add(Number(number) - 1)
    for (let i = 0; i < 2; i++) {
      await chain.service.advance(120)
      await runRounds(watcher)
    }
    expect(await chain.summaryOf(newer)).toMatchObject({ own: eur, processing: 0n })
    expect(await chain.summaryOf(older)).toMatchObject({ own: 0n, processing: 21n })
  })
})

test('a deposit read by one process is credited when another process makes its block final in the meantime', async () => {
  const user = await chain.service.newUser()
  await chain.mint(user.accountAddress, eur)
  const withoutState = ({ method }: { method: string }) =>
    method === 'eth_call' ? { error: { code: -32000, message: 'missing trie node' } } : undefined
  one.lie(withoutState)
  other.lie(withoutState)
  const slow = await watchBy(one)
  await runRounds(slow)
  const fast = chain.newWatcher([other.url])
  const later = () => chain.service.advance(120)
  let isHeld = false
  one.lie(async ({ method }) => {
    if (method !== 'eth_getLogs' || isHeld) return undefined
    isHeld = true
    await chain.mine(finality)
    await later()
    await runRounds(fast)
    return undefined
  })
  await later()
  await slow.round()
  expect(isHeld).toBe(true)
  await chain.service.jobs.runDue()
  expect(await chain.summaryOf(user)).toMatchObject({ own: eur, items: [{ status: 'approved' }] })
})

test('one of two processes watches a chain, and the other takes over after its lease expires', async () => {
  const user = await newPaidUser()
  const [first, second] = [await watchBy(one), chain.newWatcher([other.url])]
  while (await first.round());
  const asked = other.received.length
  expect(await second.round()).toBe(false)
  expect(other.received).toHaveLength(asked)
  await chain.service.advance(60)
  await chain.mint(user.accountAddress, eur)
  await chain.mine(finality)
  // Both processes assume that they hold the lease. Neither can repeat a write of the other.
  await Promise.all([second.round(), first.round(), second.round()])
  await runRounds(second)
  expect(await chain.summaryOf(user)).toMatchObject({ own: 2n * eur })
  expect((await chain.summaryOf(user)).items).toHaveLength(2)
  await chain.assertBooks(user)
})

test('a process renews the lease of a chain while a node delays its round', async () => {
  const user = await newPaidUser()
  const watcher = await watchBy(one, other)
  const leasedUntil = async () => {
    const [row] = await chain.service.ctx.db.query<{ until: Date }>('select leased_until as until from watched_chain')
    return row?.until.getTime() ?? 0
  }
  const [held, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  other.lie(async () => {
    held.resolve()
    await released.promise
    return undefined
  })
  const round = watcher.round()
  await held.promise
  const before = await leasedUntil()
  await expect.poll(leasedUntil).toBeGreaterThan(before)
  await chain.service.advance(2)
  await expect.poll(leasedUntil).toBeGreaterThan(before + 2000)
  released.resolve()
  await round
  await runRounds(watcher)
  expect(await chain.summaryOf(user)).toMatchObject({ own: eur })
})

test('a process that has lost the lease of a chain no longer reports the age of its head and its unknown arrivals', async () => {
  const metrics = createMetrics()
  const figures = async () => {
    const gauges = [metrics.watcherHeadSeconds, metrics.unknownArrivals]
    return (await Promise.all(gauges.map((gauge) => gauge.get()))).flatMap(({ values }) => values)
  }
  await chain.service.ctx.db.query('update watched_chain set watcher = null')
  const [first, second] = [chain.newWatcher([one.url], metrics), chain.newWatcher([other.url])]
  while (await first.round());
  expect(await figures()).toHaveLength(2)
  await chain.service.advance(60)
  await second.round()
  await first.round()
  expect(await figures()).toEqual([])
})
