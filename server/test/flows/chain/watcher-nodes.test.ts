import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { wordOf } from '../../../src/providers/chain/node.ts'
import { type RpcProxy, startRpcProxy } from '../../support/chain/rpc-proxy.ts'
import { finality, startWatched, type Watched } from '../../support/chain/watched-chain.ts'

const eur = 10n ** 18n

let chain: Watched
let one: RpcProxy
let other: RpcProxy
beforeAll(async () => {
  chain = await startWatched()
  ;[one, other] = await Promise.all([startRpcProxy(chain.anvil.url), startRpcProxy(chain.anvil.url)])
})
beforeEach(async () => {
  one.tellTruth()
  other.tellTruth()
  await chain.settle()
})
afterAll(async () => {
  await Promise.all([one.stop(), other.stop()])
  await chain.stop()
})

/** A watcher in the place of the one before, as after a restart; it asks the first node first. */
async function watchBy(...proxies: RpcProxy[]) {
  await chain.service.ctx.db.query('update watched_chain set watcher = null')
  return chain.newWatcher(proxies.map(({ url }) => url))
}

async function paid(amount = eur) {
  const user = await chain.service.newUser()
  await chain.mint(user.accountAddress, amount)
  await chain.mine(finality)
  return user
}

/** As often as it takes to see that nothing more comes of it. */
async function tryOften(watcher: Awaited<ReturnType<typeof watchBy>>, rounds = 6) {
  for (let i = 0; i < rounds; i++) await watcher.round()
  await chain.service.jobs.runDue()
}

describe('one of two nodes', () => {
  test('is down: the other one is asked, and nothing waits', async () => {
    const user = await paid()
    one.lie(() => 'garbage')
    await tryOften(await watchBy(one, other))
    expect(await chain.shown(user)).toMatchObject({ own: eur })
  })

  test('leaves a transfer out: it is pending by the other, and credited when both show it', async () => {
    const user = await paid()
    one.lie(({ method }) => (method === 'eth_getLogs' ? { result: [] } : undefined))
    const watcher = await watchBy(one, other)
    await tryOften(watcher)
    expect(await chain.shown(user)).toMatchObject({ own: 0n, processing: 0n, items: [] })
    expect(await chain.alarms('nodes_disagree')).toBeGreaterThan(0)
    one.tellTruth()
    await tryOften(watcher)
    expect(await chain.shown(user)).toMatchObject({ own: eur, items: [{ status: 'approved' }] })
    expect(await chain.alarms('transfers_mended')).toBeGreaterThan(0)
    await chain.assertBooks(user)
  })

  test('makes a transfer up: it stays pending, and is taken back when both tell the truth', async () => {
    const user = await chain.service.newUser()
    const victim = await chain.service.newUser()
    await chain.mint(user.accountAddress, eur)
    await chain.mine(finality)
    const theirs = `0x${victim.accountAddress.slice(2).toLowerCase().padStart(64, '0')}`
    const forge = (logs: any[]) => logs.map((log) => ({ ...log, topics: [log.topics[0], log.topics[1], theirs] }))
    one.lie(({ method, params }, result) => {
      if (method === 'eth_getLogs') return { result: forge(result) }
      // Balances that bear the lie out.
      if (method !== 'eth_call' || typeof params[1] === 'string') return undefined
      return { result: result.replace(/.{64}$/, eur.toString(16).padStart(64, '0')) }
    })
    const watcher = await watchBy(one, other)
    await tryOften(watcher)
    expect(await chain.shown(victim)).toMatchObject({ own: 0n, items: [{ status: 'pending' }] })
    one.tellTruth()
    await tryOften(watcher)
    expect(await chain.shown(victim)).toMatchObject({ own: 0n, processing: 0n, items: [{ status: 'rejected' }] })
    expect(await chain.shown(user)).toMatchObject({ own: eur })
  })

  test('says another amount: it stays pending, and counts as what both say when they do', async () => {
    const user = await paid()
    const tenfold = `0x${(10n * eur).toString(16).padStart(64, '0')}`
    one.lie(({ method }, logs) =>
      method === 'eth_getLogs' ? { result: logs.map((log: any) => ({ ...log, data: tenfold })) } : undefined,
    )
    const watcher = await watchBy(one, other)
    await tryOften(watcher)
    expect(await chain.shown(user)).toMatchObject({ own: 0n, items: [{ status: 'pending' }] })
    one.tellTruth()
    await tryOften(watcher)
    expect(await chain.shown(user)).toMatchObject({ own: eur, items: [{ status: 'approved', amount: String(eur) }] })
    await chain.assertBooks(user)
  })

  test('tells a balance that bears out more than the log claims: it is pending until all tell the same, and nothing else waits', async () => {
    const user = await paid()
    const bystander = await paid()
    const word = wordOf(user.accountAddress).slice(2)
    one.lie(({ method, params: [call, at] }, result) =>
      method === 'eth_call' && typeof at === 'object' && call.data.endsWith(word)
        ? { result: result.replace(/.{64}$/, (1000n * eur).toString(16).padStart(64, '0')) }
        : undefined,
    )
    const watcher = await watchBy(one, other)
    await tryOften(watcher)
    expect(await chain.shown(user)).toMatchObject({ own: 0n, items: [{ status: 'pending', amount: String(eur) }] })
    expect(await chain.shown(bystander)).toMatchObject({ own: eur })
    expect(await chain.alarms('arrival_untold')).toBeGreaterThan(0)
    await chain.service.sandbox('POST', '/clock', { advanceSeconds: 120 })
    await tryOften(watcher)
    expect(await chain.shown(user)).toMatchObject({ own: 0n, items: [{ status: 'pending' }] })
    one.tellTruth()
    await chain.service.sandbox('POST', '/clock', { advanceSeconds: 120 })
    await tryOften(watcher)
    expect(await chain.shown(user)).toMatchObject({ own: eur, items: [{ status: 'approved', amount: String(eur) }] })
    await chain.assertBooks(user)
  })

  test('and the other tell that less arrived than the log claims: that is credited', async () => {
    const user = await paid()
    const half = (eur / 2n).toString(16).padStart(64, '0')
    for (const node of [one, other]) {
      node.lie(({ method, params: [, at] }, result) =>
        method === 'eth_call' && typeof at === 'object' ? { result: result.replace(/.{64}$/, half) } : undefined,
      )
    }
    await tryOften(await watchBy(one, other))
    expect(await chain.shown(user)).toMatchObject({ own: eur / 2n, items: [{ status: 'approved' }] })
  })

  test('shows another block: nothing becomes final, nothing is taken back', async () => {
    const user = await paid()
    const watcher = await watchBy(one, other)
    one.lie(({ method, params }, result) =>
      method === 'eth_getBlockByNumber' && params[0] !== 'latest' && result
        ? { result: { ...result, hash: result.hash.replace(/.{8}$/, 'deadbeef') } }
        : undefined,
    )
    await tryOften(watcher, 3)
    expect(await chain.shown(user)).toMatchObject({ own: 0n })
    one.tellTruth()
    await tryOften(watcher)
    expect(await chain.shown(user)).toMatchObject({ own: eur, items: [{ status: 'approved' }] })
  })
})

describe('a node', () => {
  test('that lags behind takes nothing back', async () => {
    const user = await paid()
    const watcher = await watchBy(one)
    await tryOften(watcher)
    const old = await chain.anvil.rpc('eth_getBlockByNumber', ['0x2', false])
    one.lie(({ method, params }) =>
      method === 'eth_getBlockByNumber' && params[0] === 'latest' ? { result: old } : undefined,
    )
    await tryOften(watcher)
    expect(await chain.shown(user)).toMatchObject({ own: eur })
  })

  test.each([
    ['no JSON', () => 'garbage' as const],
    ['nothing', () => ({ result: null })],
    ['logs that are none', ({ method }: any) => (method === 'eth_getLogs' ? { result: [{}] } : undefined)],
    [
      'logs of other blocks',
      ({ method }: any, logs: any) =>
        method === 'eth_getLogs' ? { result: logs.map((log: any) => ({ ...log, blockNumber: '0x1' })) } : undefined,
    ],
    ['balances of another shape', ({ method }: any) => (method === 'eth_call' ? { result: '0x01' } : undefined)],
  ])('that answers %s: nothing is believed and nothing lost', async (_what, lie) => {
    const user = await paid()
    one.lie(lie)
    const watcher = await watchBy(one)
    await tryOften(watcher, 3)
    expect(await chain.shown(user)).toMatchObject({ own: 0n, items: [] })
    one.tellTruth()
    await tryOften(watcher)
    expect(await chain.shown(user)).toMatchObject({ own: eur })
  })

  test('of many machines, some of which lag behind the others, takes nothing back: a block that is missing is not another one', async () => {
    const user = await paid()
    const watcher = await watchBy(one)
    await tryOften(watcher)
    expect(await chain.shown(user)).toMatchObject({ own: eur })
    const [{ number }] = await chain.service.ctx.db.query<any>(
      'select block_number as number from incoming_transfer where user_id = $1',
      [user.userId],
    )
    const taken = async () =>
      (await chain.service.ctx.metrics.reorganizations.get()).values.reduce((all, { value }) => all + value, 0)
    const before = await taken()
    // Each block is asked of one that does not have it yet first, and then of one that has.
    const asked = new Set<string>()
    one.lie(({ method, params: [block] }) => {
      const isFirst = method === 'eth_getBlockByNumber' && Number(block) >= Number(number) && !asked.has(block)
      return isFirst && asked.add(block) ? { result: null } : undefined
    })
    for (let rounds = 0; rounds < 4; rounds++) {
      asked.clear()
      await watcher.round()
      await chain.service.jobs.runDue()
      expect(await chain.shown(user)).toMatchObject({ own: eur, items: [{ status: 'approved' }] })
    }
    expect(await taken()).toBe(before)
    one.tellTruth()
    await tryOften(watcher)
    await chain.assertBooks(user)
  })

  test('whose logs come from a machine that does not have the block yet loses no deposit: they are read again when they are final', async () => {
    const user = await chain.service.newUser()
    const watcher = await watchBy(one)
    await tryOften(watcher)
    one.lie(({ method }) => (method === 'eth_getLogs' ? { result: [] } : undefined))
    await chain.mint(user.accountAddress, eur)
    await tryOften(watcher)
    expect(await chain.shown(user)).toMatchObject({ own: 0n, processing: 0n, items: [] })
    one.tellTruth()
    await chain.mine(finality)
    await tryOften(watcher)
    expect(await chain.shown(user)).toMatchObject({ own: eur, items: [{ status: 'approved', amount: String(eur) }] })
    await chain.assertBooks(user)
  })

  test('that has pruned the past is asked for it only where nothing else tells the fork', async () => {
    for (let i = 0; i < 6; i++) await paid(1n)
    const watcher = await watchBy(one)
    await tryOften(watcher)
    const head = Number(await chain.anvil.client.getBlockNumber())
    await chain.service.ctx.db.query('delete from watched_block where number < $1', [head - 1])
    const snapshot = await chain.anvil.rpc('evm_snapshot')
    await chain.mine(2)
    await tryOften(watcher)
    await chain.anvil.rpc('evm_revert', [snapshot])
    await chain.anvil.rpc('evm_increaseTime', [100])
    await chain.mine(3)
    one.lie(({ method, params: [block] }) =>
      method === 'eth_getBlockByNumber' && Number(block) < head - 1
        ? { error: { code: 4444, message: 'pruned history unavailable' } }
        : undefined,
    )
    const user = await paid()
    await tryOften(watcher, 12)
    expect(await chain.shown(user)).toMatchObject({ own: eur, items: [{ status: 'approved' }] })
  })

  test('that says everything twice is believed once', async () => {
    const user = await paid()
    one.lie(({ method }, logs) => (method === 'eth_getLogs' ? { result: [...logs, ...logs] } : undefined))
    await tryOften(await watchBy(one))
    expect((await chain.shown(user)).items).toHaveLength(1)
    expect(await chain.shown(user)).toMatchObject({ own: eur })
  })

  test('that is on another chain is not asked further', async () => {
    const user = await paid()
    one.lie(({ method }) => (method === 'eth_chainId' ? { result: '0x1' } : undefined))
    await tryOften(await watchBy(one), 3)
    expect(await chain.shown(user)).toMatchObject({ own: 0n, items: [] })
    expect(new Set(one.asked.slice(-3).map(({ method }) => method))).toEqual(new Set(['eth_chainId']))
  })

  test('that refuses wide ranges is asked for less', async () => {
    const user = await paid()
    await chain.mine(40)
    one.lie(({ method, params }) => {
      const [filter] = params
      const isWide = method === 'eth_getLogs' && Number(filter.toBlock) - Number(filter.fromBlock) > 3
      return isWide ? { error: { code: -32005, message: 'query returned more than 10000 results' } } : undefined
    })
    const watcher = await watchBy(one)
    await tryOften(watcher, 60)
    expect(await chain.shown(user)).toMatchObject({ own: eur })
  })

  test('without the state of a block leaves its deposits pending until one has it', async () => {
    const user = await paid()
    one.lie(({ method }) =>
      method === 'eth_call' ? { error: { code: -32000, message: 'missing trie node' } } : undefined,
    )
    const watcher = await watchBy(one)
    await tryOften(watcher)
    expect(await chain.shown(user)).toMatchObject({ own: 0n, processing: eur, items: [{ status: 'pending' }] })
    expect(await chain.alarms('arrival_untold')).toBeGreaterThan(0)
    one.tellTruth()
    await chain.service.sandbox('POST', '/clock', { advanceSeconds: 120 })
    await tryOften(watcher)
    expect(await chain.shown(user)).toMatchObject({ own: eur, processing: 0n, items: [{ status: 'approved' }] })
    await chain.assertBooks(user)
  })
})

test('what a process tells of a block that another has made final meanwhile is final, too', async () => {
  const user = await chain.service.newUser()
  await chain.mint(user.accountAddress, eur)
  const withoutState = ({ method }: { method: string }) =>
    method === 'eth_call' ? { error: { code: -32000, message: 'missing trie node' } } : undefined
  one.lie(withoutState)
  other.lie(withoutState)
  const slow = await watchBy(one)
  await tryOften(slow)
  const fast = chain.newWatcher([other.url])
  const later = () => chain.service.sandbox('POST', '/clock', { advanceSeconds: 120 })
  let isHeld = false
  one.lie(async ({ method }) => {
    if (method !== 'eth_getLogs' || isHeld) return undefined
    isHeld = true
    await chain.mine(finality)
    await later()
    await tryOften(fast)
    return undefined
  })
  await later()
  await slow.round()
  expect(isHeld).toBe(true)
  await chain.service.jobs.runDue()
  expect(await chain.shown(user)).toMatchObject({ own: eur, items: [{ status: 'approved' }] })
})

test('two processes watch one chain: one of them works, and the other takes over what a killed one left', async () => {
  const user = await paid()
  const [first, second] = [await watchBy(one), chain.newWatcher([other.url])]
  while (await first.round());
  const asked = other.asked.length
  expect(await second.round()).toBe(false)
  expect(other.asked).toHaveLength(asked)
  await chain.service.sandbox('POST', '/clock', { advanceSeconds: 60 })
  await chain.mint(user.accountAddress, eur)
  await chain.mine(finality)
  // Both believe that the chain is theirs now: what one has written, the other cannot write again.
  await Promise.all([second.round(), first.round(), second.round()])
  await tryOften(second)
  expect(await chain.shown(user)).toMatchObject({ own: 2n * eur })
  expect((await chain.shown(user)).items).toHaveLength(2)
  await chain.assertBooks(user)
})
