import { UpstreamError } from '../../lib/errors.ts'
import { retryAfterSeconds } from '../../platform/net/retry-after.ts'
import { postJson } from './post-json.ts'
import { createTurns } from './turns.ts'

/**
 * One chain's nodes, asked over JSON-RPC. Whoever is at the other end, an answer is bounded in size and time, no redirect
 * is followed, and the node must be on the chain that it is configured for. A node that fails, is late, limits the rate or
 * answers garbage makes the next one be asked, and one that says when it may be asked again is left alone until then. What
 * a node states about the request itself is final, a `RpcRefusal`.
 */
export type Rpc = {
  readonly chainId: number
  /** The `result`, unchecked: its shape is the caller's to judge. */
  request(method: string, params: readonly unknown[], limits?: RequestLimits): Promise<unknown>
}

type RequestLimits = {
  readonly signal?: AbortSignal
  /** for the whole request, all nodes together */
  readonly timeoutMilliseconds?: number
  readonly largestBytes?: number
}

type RpcOptions = {
  readonly chainId: number
  readonly urls: readonly string[]
  readonly timeoutMilliseconds?: number
  readonly largestBytes?: number
  readonly mostInFlight?: number
}

/** What a node states about a request: it reverts, its nonce is too low, its range too wide. */
export class RpcRefusal extends Error {
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.name = 'RpcRefusal'
    this.code = code
  }
}

/** Codes and words by which a node says that it cannot answer now, not that the request is wrong. */
const unableCodes: ReadonlySet<number> = new Set([-32700, -32603, -32005, -32016, -32029, 429])
const unableWords = /rate.?limit|too many requests|quota|throttl|exceeded.*capacity|try again|unavailable/i

export function createRpc({
  chainId,
  urls,
  timeoutMilliseconds = 5_000,
  largestBytes = 16 * 1024 * 1024,
  mostInFlight = 64,
}: RpcOptions): Rpc {
  const nodes = urls.map((url) => createNode(url, chainId))
  const takeTurn = createTurns(mostInFlight)
  /** The node that answered last is asked first. */
  let preferred = 0

  async function request(method: string, params: readonly unknown[], limits: RequestLimits = {}): Promise<unknown> {
    const until = performance.now() + (limits.timeoutMilliseconds ?? timeoutMilliseconds)
    const deadline = AbortSignal.timeout(limits.timeoutMilliseconds ?? timeoutMilliseconds)
    const signal = limits.signal ? AbortSignal.any([limits.signal, deadline]) : deadline
    let failure: unknown = new Error(`no node is configured for chain ${chainId}`)
    const endTurn = await takeTurn(signal).catch((error: unknown) =>
      Promise.reject(new UpstreamError('rpc', 'unavailable', error)),
    )
    try {
      for (let tries = 0; tries < nodes.length && !signal.aborted; tries++) {
        const position = (preferred + tries) % nodes.length
        // A node that hangs leaves the others their share of the time.
        const share = Math.max(1, Math.ceil((until - performance.now()) / (nodes.length - tries)))
        try {
          const late = AbortSignal.timeout(share)
          const ask = { method, params, signal: limits.signal ? AbortSignal.any([limits.signal, late]) : late }
          const result = await nodes[position]?.ask({ ...ask, largestBytes: limits.largestBytes ?? largestBytes })
          preferred = position
          return result
        } catch (error) {
          if (error instanceof RpcRefusal) throw error
          failure = error
        }
      }
      throw new UpstreamError('rpc', 'unavailable', failure)
    } finally {
      endTurn()
    }
  }

  return { chainId, request }
}

type Ask = {
  readonly method: string
  readonly params: readonly unknown[]
  readonly signal: AbortSignal
  readonly largestBytes: number
}

const longestRestSeconds = 60

/** One node. Its address can hold a key, so that errors name the host alone. */
function createNode(url: string, chainId: number) {
  const address = new URL(url)
  const { host } = address
  let lastId = 0
  /** Whether the node is on our chain: asked first, and again after a failure, when another may answer there. */
  let checked = false
  /** Until then it wants no requests, as it has said. */
  let restsUntil = 0

  async function call({ method, params, signal, largestBytes }: Ask): Promise<unknown> {
    if (performance.now() < restsUntil) throw new Error('it has limited the rate, and is left alone')
    const id = ++lastId
    const body = JSON.stringify({ jsonrpc: '2.0', id, method, params })
    const { status, text, retryAfter } = await postJson(address, { body, signal, maxBytes: largestBytes })
    if (status === 429 || status === 503) {
      restsUntil = performance.now() + 1000 * Math.min(retryAfterSeconds(retryAfter) ?? 0, longestRestSeconds)
    }
    return readAnswer(text, id, status)
  }

  async function ask(asked: Ask): Promise<unknown> {
    try {
      if (!checked) {
        const id = Number(await call({ ...asked, method: 'eth_chainId', params: [] }))
        if (id !== chainId) throw new Error(`the node is on chain ${id}, not on ${chainId} as configured`)
        checked = true
      }
      return await call(asked)
    } catch (error) {
      if (error instanceof RpcRefusal) throw error
      checked = false
      throw new Error(`${asked.method} at ${host}: ${reasonOf(error)}`)
    }
  }

  return { ask }
}

function readAnswer(text: string, id: number, status: number): unknown {
  let answer: unknown
  try {
    answer = JSON.parse(text)
  } catch {
    throw new Error(status === 200 ? 'the answer is not JSON' : `answered ${status}`)
  }
  const { id: answered, result, error } = Object(answer)
  if (error !== undefined && error !== null) {
    const { code, message } = Object(error)
    if (typeof code !== 'number' || typeof message !== 'string') throw new Error(`answered ${status} with an error`)
    // The words of a revert are the contract's own, and may be chosen to look like a failure of the node.
    const isRevert = code === 3 || /revert/i.test(message)
    const isUnable = status === 429 || status >= 500 || unableCodes.has(code) || unableWords.test(message)
    if (answered !== id || (isUnable && !isRevert)) throw new Error(`answered ${code}: ${message.slice(0, 200)}`)
    throw new RpcRefusal(code, message)
  }
  if (status !== 200) throw new Error(`answered ${status}`)
  if (answered !== id || result === undefined) throw new Error('the answer is not one to the request')
  return result
}

/** Why an postJson was cut off stands in the error's cause; of a name with several addresses, one failure stands for all. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const inner = error instanceof AggregateError ? error.errors[0] : error.cause
  return inner instanceof Error ? [error.message, inner.message].filter(Boolean).join(': ') : error.message
}
