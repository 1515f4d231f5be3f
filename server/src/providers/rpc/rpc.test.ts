import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { type RpcNode, startRpcNode, type Told } from '../../../test/support/chain/rpc-node.ts'
import { UpstreamError } from '../../lib/errors.ts'
import { createRpc, RpcRefusal } from './rpc.ts'

let one: RpcNode
let other: RpcNode

beforeAll(async () => {
  one = await startRpcNode()
  other = await startRpcNode()
})
beforeEach(() => {
  for (const node of [one, other]) {
    node.asked.length = 0
    node.answer(() => ({ result: '0x10' }))
  }
})
afterAll(() => Promise.all([one.stop(), other.stop()]))

const both = (limits: object = {}) => createRpc({ chainId: 1, urls: [one.url, other.url], ...limits })
const alone = (limits: object = {}) => createRpc({ chainId: 1, urls: [one.url], ...limits })
const packed = (answer: object) => gzipSync(JSON.stringify({ jsonrpc: '2.0', ...answer }))
const failureOf = (asked: Promise<unknown>) =>
  asked.then(
    () => 'no failure',
    (error: unknown) => error,
  )

describe('an answer that is none makes the next node be asked, and is a failure upstream when there is no other', () => {
  const answers: Record<string, Told> = {
    'not JSON': { text: '<html>' },
    'cut off': { text: '{"jsonrpc":"2.0","id":1,"result":' },
    'a status of failure': { text: 'no', status: 503 },
    'a rate limit, by status': { text: 'slow down', status: 429 },
    'a rate limit, by code': { error: { code: -32005, message: 'limit exceeded' } },
    'a rate limit, by words': { error: { code: -32000, message: 'Too Many Requests' } },
    'an internal error': { error: { code: -32603, message: 'Internal error' } },
    'an error without a code': { error: 'no' },
    'neither result nor error': { text: '{"jsonrpc":"2.0","id":1}' },
    'the answer to another request': { text: '{"jsonrpc":"2.0","id":999,"result":"0x1"}' },
    'too long': { result: 'x'.repeat(2000) },
    'long once it is unpacked': { packed: packed({ result: 'x'.repeat(2000) }) },
    'packed, and not': { packed: Buffer.from('{}') },
    'packed, and cut off': { packed: packed({ result: '0x10' }).subarray(0, -9) },
    'a redirection': { text: '', status: 307, headers: { location: 'http://127.0.0.1:1/' } },
  }
  for (const [name, told] of Object.entries(answers)) {
    test(name, async () => {
      one.answer(() => told)
      expect(await both({ largestBytes: 1000 }).request('eth_blockNumber', [])).toBe('0x10')
      expect(other.asked).toEqual(['eth_blockNumber'])
      expect(await failureOf(alone({ largestBytes: 1000 }).request('eth_blockNumber', []))).toBeInstanceOf(
        UpstreamError,
      )
    })
  }

  test('no answer at all: within the deadline, the next node has its share of it', async () => {
    one.answer(() => 'hang')
    const begun = performance.now()
    expect(await both({ timeoutMilliseconds: 400 }).request('eth_blockNumber', [])).toBe('0x10')
    expect(await failureOf(alone({ timeoutMilliseconds: 100 }).request('eth_blockNumber', []))).toBeInstanceOf(
      UpstreamError,
    )
    expect(performance.now() - begun).toBeLessThan(2500)
  })

  test('nobody listens', async () => {
    const rpc = createRpc({ chainId: 1, urls: ['http://127.0.0.1:1', other.url] })
    expect(await rpc.request('eth_blockNumber', [])).toBe('0x10')
  })
})

test('an answer may come packed', async () => {
  one.answer(({ id }) => ({ packed: packed({ id, result: '0x20' }) }))
  expect(await alone().request('eth_blockNumber', [])).toBe('0x20')
})

test('what a node states about the request is final: no other node is asked', async () => {
  one.answer(() => ({ error: { code: 3, message: 'execution reverted: no', data: '0x08c379a0' } }))
  const refusal = await failureOf(both().request('eth_call', [{}]))
  expect(refusal).toBeInstanceOf(RpcRefusal)
  expect(refusal).toMatchObject({ code: 3, message: 'execution reverted: no' })
  expect(other.asked).toEqual([])
  one.answer(() => ({ error: { code: 3, message: 'execution reverted: too many requests, try again' } }))
  expect(await failureOf(both().request('eth_call', [{}]))).toBeInstanceOf(RpcRefusal)
})

test('the node that answered last is asked first', async () => {
  const rpc = both()
  one.answer(() => ({ text: 'down', status: 500 }))
  await rpc.request('eth_blockNumber', [])
  await rpc.request('eth_blockNumber', [])
  expect(one.asked).toHaveLength(1)
  expect(other.asked).toHaveLength(2)
})

test('a node that says when it may be asked again is left alone until then, for a minute at most', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  try {
    const rpc = alone()
    const busy = (seconds: string) => ({ text: 'busy', status: 429, headers: { 'retry-after': seconds } })
    const blockNumber = () => rpc.request('eth_blockNumber', [])
    await blockNumber()
    for (const [said, seconds] of [
      ['7', 7],
      ['86400', 60],
    ] as const) {
      one.answer(() => busy(said))
      await failureOf(blockNumber())
      one.answer(() => ({ result: '0x11' }))
      one.asked.length = 0
      vi.advanceTimersByTime(1000 * seconds - 1)
      expect(await failureOf(blockNumber())).toBeInstanceOf(UpstreamError)
      expect(one.asked).toEqual([])
      vi.advanceTimersByTime(1)
      expect(await blockNumber()).toBe('0x11')
    }
    // A date needs a clock that is right.
    one.answer(() => busy('Wed, 21 Oct 2099 07:28:00 GMT'))
    await failureOf(blockNumber())
    one.answer(() => ({ result: '0x12' }))
    expect(await blockNumber()).toBe('0x12')
  } finally {
    vi.useRealTimers()
  }
})

test('a node on another chain is never asked anything, and the error says which chain it is on', async () => {
  const stranger = await startRpcNode(137)
  try {
    const rpc = createRpc({ chainId: 1, urls: [stranger.url] })
    const failure = await failureOf(rpc.request('eth_sendRawTransaction', ['0x']))
    expect(failure).toBeInstanceOf(UpstreamError)
    expect(String((failure as Error).cause)).toContain('on chain 137, not on 1')
    const pair = createRpc({ chainId: 1, urls: [stranger.url, one.url] })
    expect(await pair.request('eth_blockNumber', [])).toBe('0x10')
    expect(stranger.asked).toEqual([])
  } finally {
    await stranger.stop()
  }
})

test('an address with a key in it stays out of the errors', async () => {
  one.answer(() => ({ text: 'no', status: 500 }))
  const failure = await failureOf(createRpc({ chainId: 1, urls: [`${one.url}/v2/secret-key`] }).request('eth_call', []))
  expect(String((failure as Error).cause)).toContain('127.0.0.1')
  expect(String((failure as Error).cause)).not.toContain('secret-key')
})

test('so many requests at a time; who waits too long is turned away, who leaves is not waited for', async () => {
  const rpc = alone({ mostInFlight: 1, timeoutMilliseconds: 150 })
  one.answer(({ method }) => (method === 'slow' ? 'hang' : { result: '0x1' }))
  const slow = failureOf(rpc.request('slow', []))
  const left = failureOf(rpc.request('eth_blockNumber', [], { signal: AbortSignal.timeout(20) }))
  const patient = rpc.request('eth_blockNumber', [], { timeoutMilliseconds: 2000 })
  expect(await left).toBeInstanceOf(UpstreamError)
  expect(await slow).toBeInstanceOf(UpstreamError)
  expect(await patient).toBe('0x1')
  expect(one.asked).toEqual(['slow', 'eth_blockNumber'])
})
