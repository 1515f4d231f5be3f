import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { type NodeResponse, type RpcNode, startRpcNode } from '../../../test/support/chain/rpc-node.ts'
import { UpstreamError } from '../../lib/errors.ts'
import { createRpc, RpcRejection } from './rpc.ts'

let one: RpcNode
let other: RpcNode

beforeAll(async () => {
  one = await startRpcNode()
  other = await startRpcNode()
})
beforeEach(() => {
  for (const node of [one, other]) {
    node.received.length = 0
    node.respondWith(() => ({ result: '0x10' }))
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

describe('failover between nodes', () => {
  const answers: Record<string, NodeResponse> = {
    'invalid JSON': { text: '<html>' },
    'truncated JSON': { text: '{"jsonrpc":"2.0","id":1,"result":' },
    'a failure status': { text: 'no', status: 503 },
    'a rate limit in the status': { text: 'slow down', status: 429 },
    'a rate limit in the code': { error: { code: -32005, message: 'limit exceeded' } },
    'a rate limit in the message': { error: { code: -32000, message: 'Too Many Requests' } },
    'an internal error': { error: { code: -32603, message: 'Internal error' } },
    'an error without a code': { error: 'no' },
    'a response without result or error': { text: '{"jsonrpc":"2.0","id":1}' },
    'a response to another request': { text: '{"jsonrpc":"2.0","id":999,"result":"0x1"}' },
    'a response over the size limit': { result: 'x'.repeat(2000) },
    'a gzip response over the size limit once unpacked': { packed: packed({ result: 'x'.repeat(2000) }) },
    'a plain response with a gzip header': { packed: Buffer.from('{}') },
    'a truncated gzip response': { packed: packed({ result: '0x10' }).subarray(0, -9) },
    'a redirect': { text: '', status: 307, headers: { location: 'http://127.0.0.1:1/' } },
  }
  for (const [name, response] of Object.entries(answers)) {
    test(`a request fails over after this response: ${name}`, async () => {
      one.respondWith(() => response)
      expect(await both({ maxBytes: 1000 }).request('eth_blockNumber', [])).toBe('0x10')
      expect(other.received).toEqual(['eth_blockNumber'])
      expect(await failureOf(alone({ maxBytes: 1000 }).request('eth_blockNumber', []))).toBeInstanceOf(UpstreamError)
    })
  }

  test('within its deadline, a request fails over from a node that hangs', async () => {
    one.respondWith(() => 'hang')
    expect(await both({ timeoutMilliseconds: 4_000 }).request('eth_blockNumber', [])).toBe('0x10')
    const begun = performance.now()
    expect(await failureOf(alone({ timeoutMilliseconds: 100 }).request('eth_blockNumber', []))).toBeInstanceOf(
      UpstreamError,
    )
    // The default is five seconds.
    expect(performance.now() - begun).toBeLessThan(5_000)
  })

  test('a request for a state that one node has pruned fails over to the next node', async () => {
    const pruned = { error: { code: -32000, message: 'missing trie node 5d2a (path )' } }
    one.respondWith(() => pruned)
    expect(await both().request('eth_getTransactionCount', [])).toBe('0x10')
    other.respondWith(() => pruned)
    expect(await failureOf(both().request('eth_getTransactionCount', []))).toBeInstanceOf(RpcRejection)
  })

  test('a request fails over from a node that refuses connections', async () => {
    const rpc = createRpc({ chainId: 1, urls: ['http://127.0.0.1:1', other.url] })
    expect(await rpc.request('eth_blockNumber', [])).toBe('0x10')
  })
})

test('a gzip response is decompressed', async () => {
  one.respondWith(({ id }) => ({ packed: packed({ id, result: '0x20' }) }))
  expect(await alone().request('eth_blockNumber', [])).toBe('0x20')
})

test('an error about the request is final and does not fail over', async () => {
  one.respondWith(() => ({ error: { code: 3, message: 'execution reverted: no', data: '0x08c379a0' } }))
  const refusal = await failureOf(both().request('eth_call', [{}]))
  expect(refusal).toBeInstanceOf(RpcRejection)
  expect(refusal).toMatchObject({ code: 3, message: 'execution reverted: no' })
  expect(other.received).toEqual([])
  one.respondWith(() => ({ error: { code: 3, message: 'execution reverted: too many requests, try again' } }))
  expect(await failureOf(both().request('eth_call', [{}]))).toBeInstanceOf(RpcRejection)
})

test('a very long error of a node is cut before it is searched', async () => {
  one.respondWith(() => ({ error: { code: -32000, message: 'exceeded state '.repeat(500_000) } }))
  const refusal = await failureOf(alone().request('eth_blockNumber', []))
  expect(refusal).toBeInstanceOf(RpcRejection)
  expect(String(refusal).length).toBeLessThan(1_100)
})

test('a response may have 16 MiB by default, and no more', async () => {
  const mebibytes = (count: number) => ({ result: 'x'.repeat(count * 1024 * 1024) })
  const patient = { timeoutMilliseconds: 60_000 }
  one.respondWith(() => mebibytes(15))
  expect(await alone(patient).request('eth_getLogs', [])).toHaveLength(15 * 1024 * 1024)
  one.respondWith(() => mebibytes(17))
  expect(await failureOf(alone(patient).request('eth_getLogs', []))).toMatchObject({
    cause: { message: expect.stringContaining('the response is longer than 16777216 bytes') },
  })
})

test('the node that responded last gets the next request first', async () => {
  const rpc = both()
  one.respondWith(() => ({ text: 'down', status: 500 }))
  await rpc.request('eth_blockNumber', [])
  await rpc.request('eth_blockNumber', [])
  expect(one.received).toHaveLength(1)
  expect(other.received).toHaveLength(2)
})

test('a node with Retry-After gets no requests until then, for at most a minute', async () => {
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
      one.respondWith(() => busy(said))
      await failureOf(blockNumber())
      one.respondWith(() => ({ result: '0x11' }))
      one.received.length = 0
      vi.advanceTimersByTime(1000 * seconds - 1)
      expect(await failureOf(blockNumber())).toBeInstanceOf(UpstreamError)
      expect(one.received).toEqual([])
      vi.advanceTimersByTime(1)
      expect(await blockNumber()).toBe('0x11')
    }
    // A date would need a correct clock, so it is ignored.
    one.respondWith(() => busy('Wed, 21 Oct 2099 07:28:00 GMT'))
    await failureOf(blockNumber())
    one.respondWith(() => ({ result: '0x12' }))
    expect(await blockNumber()).toBe('0x12')
  } finally {
    vi.useRealTimers()
  }
})

test('a node on another chain gets no requests, and the error names its chain', async () => {
  const stranger = await startRpcNode(137)
  try {
    const rpc = createRpc({ chainId: 1, urls: [stranger.url] })
    const failure = await failureOf(rpc.request('eth_sendRawTransaction', ['0x']))
    expect(failure).toBeInstanceOf(UpstreamError)
    expect(String((failure as Error).cause)).toContain('on chain 137, not on 1')
    const pair = createRpc({ chainId: 1, urls: [stranger.url, one.url] })
    expect(await pair.request('eth_blockNumber', [])).toBe('0x10')
    expect(stranger.received).toEqual([])
  } finally {
    await stranger.stop()
  }
})

test('errors do not contain the key in the URL of a node', async () => {
  one.respondWith(() => ({ text: 'no', status: 500 }))
  const failure = await failureOf(createRpc({ chainId: 1, urls: [`${one.url}/v2/secret-key`] }).request('eth_call', []))
  expect(String((failure as Error).cause)).toContain('127.0.0.1')
  expect(String((failure as Error).cause)).not.toContain('secret-key')
})

test('requests above the concurrency limit wait for a turn, at most until their deadline or abort', async () => {
  const rpc = alone({ maxInFlight: 1, timeoutMilliseconds: 150 })
  one.respondWith(({ method }) => (method === 'slow' ? 'hang' : { result: '0x1' }))
  const slow = failureOf(rpc.request('slow', []))
  const left = failureOf(rpc.request('eth_blockNumber', [], { signal: AbortSignal.timeout(20) }))
  const patient = rpc.request('eth_blockNumber', [], { timeoutMilliseconds: 2000 })
  expect(await left).toBeInstanceOf(UpstreamError)
  expect(await slow).toBeInstanceOf(UpstreamError)
  expect(await patient).toBe('0x1')
  expect(one.received).toEqual(['slow', 'eth_blockNumber'])
})
