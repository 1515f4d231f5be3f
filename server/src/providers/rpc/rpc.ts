import { UpstreamError } from '../../lib/errors.ts'
import { retryAfterSeconds } from '../../platform/net/retry-after.ts'
import { postJson } from './post-json.ts'
import { createSemaphore } from './semaphore.ts'

/**
 * Sends JSON-RPC requests to the nodes of one chain. Responses are limited in size and time, redirects are not
 * followed, and a node must be on its configured chain. A request fails over to the next node after an error, a
 * timeout, a rate limit or an invalid response, or if the node has pruned the state. A node that is rate limited or
 * unavailable and sends `Retry-After` gets no requests until then, for at most a minute. An error about the request
 * itself is final: an `RpcRejection`.
 */
export type Rpc = {
  readonly chainId: number
  /** Returns the unchecked `result`. The caller must validate it. */
  request(method: string, params: readonly unknown[], limits?: RequestLimits): Promise<unknown>
}

type RequestLimits = {
  readonly signal?: AbortSignal
  /** For the whole request, over all nodes. */
  readonly timeoutMilliseconds?: number
}

type RpcOptions = {
  readonly chainId: number
  readonly urls: readonly string[]
  readonly timeoutMilliseconds?: number
  readonly maxBytes?: number
  readonly maxInFlight?: number
}

/** A node's error about the request itself, such as a revert, a low nonce or a range that is too wide. */
export class RpcRejection extends Error {
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.name = 'RpcRejection'
    this.code = code
  }
}

/** The codes and words by which a node reports a temporary failure of its own, not an invalid request. */
const unableCodes: ReadonlySet<number> = new Set([-32700, -32603, -32005, -32016, -32029, 429])
const unableWords = /rate.?limit|too many requests|quota|throttl|exceeded.*capacity|try again|unavailable/i

/** Matches the errors of nodes that have pruned a block's state. Some report it as an internal error. */
export const missingState =
  /missing trie node|state .*(not available|unavailable|pruned|missing)|no state|pruned|archive|historical state|state histories/i

/** Expressions that search a text of a node can take quadratic time, so a longer text is cut first. */
const maxMessageLength = 1_000

export function createRpc({
  chainId,
  urls,
  timeoutMilliseconds = 5_000,
  maxBytes = 16 * 1024 * 1024,
  maxInFlight = 64,
}: RpcOptions): Rpc {
  const nodes = urls.map((url) => createNode(url, chainId))
  const acquire = createSemaphore(maxInFlight)
  /** The node that responded last gets the next request first. */
  let preferred = 0

  async function request(method: string, params: readonly unknown[], limits: RequestLimits = {}): Promise<unknown> {
    const until = performance.now() + (limits.timeoutMilliseconds ?? timeoutMilliseconds)
    const deadline = AbortSignal.timeout(limits.timeoutMilliseconds ?? timeoutMilliseconds)
    const signal = limits.signal ? AbortSignal.any([limits.signal, deadline]) : deadline
    let failure: unknown = new Error(`no node is configured for chain ${chainId}; set RPC_URL_${chainId}`)
    const release = await acquire(signal).catch((error: unknown) =>
      Promise.reject(new UpstreamError('rpc', 'unavailable', error)),
    )
    try {
      for (let tries = 0; tries < nodes.length && !signal.aborted; tries++) {
        const position = (preferred + tries) % nodes.length
        // Each node gets a share of the time, so that one that hangs cannot use all of it.
        const share = Math.max(1, Math.ceil((until - performance.now()) / (nodes.length - tries)))
        try {
          const late = AbortSignal.timeout(share)
          const shared = { method, params, signal: limits.signal ? AbortSignal.any([limits.signal, late]) : late }
          const result = await nodes[position]?.send({ ...shared, maxBytes })
          preferred = position
          return result
        } catch (error) {
          const isPruned = error instanceof RpcRejection && missingState.test(error.message)
          if (error instanceof RpcRejection && !(isPruned && tries < nodes.length - 1)) throw error
          failure = error
        }
      }
      throw new UpstreamError('rpc', 'unavailable', failure)
    } finally {
      release()
    }
  }

  return { chainId, request }
}

type NodeRequest = {
  readonly method: string
  readonly params: readonly unknown[]
  readonly signal: AbortSignal
  readonly maxBytes: number
}

const maxPauseSeconds = 60

/** Creates one node. Its URL can contain a key, so errors name only the host. */
function createNode(url: string, chainId: number) {
  const address = new URL(url)
  const { host } = address
  let lastId = 0
  /** Reset by a failure, since another node may respond at the URL afterwards. */
  let isChainVerified = false
  /** The end of the pause that the node requested with `Retry-After`. */
  let pausedUntil = 0

  async function call({ method, params, signal, maxBytes }: NodeRequest): Promise<unknown> {
    if (performance.now() < pausedUntil) throw new Error('no requests until its Retry-After has passed')
    const id = ++lastId
    const body = JSON.stringify({ jsonrpc: '2.0', id, method, params })
    const { status, text, retryAfter } = await postJson(address, { body, signal, maxBytes })
    if (status === 429 || status === 503) {
      pausedUntil = performance.now() + 1000 * Math.min(retryAfterSeconds(retryAfter) ?? 0, maxPauseSeconds)
    }
    return readResult(text, id, status)
  }

  async function send(request: NodeRequest): Promise<unknown> {
    try {
      if (!isChainVerified) {
        const id = Number(await call({ ...request, method: 'eth_chainId', params: [] }))
        if (id !== chainId) throw new Error(`the node is on chain ${id}, not on ${chainId} as configured`)
        isChainVerified = true
      }
      return await call(request)
    } catch (error) {
      if (error instanceof RpcRejection) throw error
      isChainVerified = false
      throw new Error(`${request.method} at ${host}: ${reasonOf(error)}`)
    }
  }

  return { send }
}

function readResult(text: string, id: number, status: number): unknown {
  let response: unknown
  try {
    response = JSON.parse(text)
  } catch {
    throw new Error(status === 200 ? 'the response is not JSON' : `responded ${status}`)
  }
  const { id: responseId, result, error } = Object(response)
  if (error !== undefined && error !== null) {
    const { code, message: text } = Object(error)
    if (typeof code !== 'number' || typeof text !== 'string')
      throw new Error(`responded ${status} with a malformed error`)
    const message = text.slice(0, maxMessageLength)
    // A contract chooses the text of its revert, and could imitate a failure of the node.
    const isRevert = code === 3 || /revert/i.test(message)
    const isUnable = status === 429 || status >= 500 || unableCodes.has(code) || unableWords.test(message)
    if (responseId !== id || (isUnable && !isRevert)) throw new Error(`responded ${code}: ${message.slice(0, 200)}`)
    throw new RpcRejection(code, message)
  }
  if (status !== 200) throw new Error(`responded ${status}`)
  if (responseId !== id || result === undefined) throw new Error('the response does not belong to the request')
  return result
}

/**
 * Describes an error by its message and its cause. A host name with several addresses causes one error for each
 * address; the first suffices.
 */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const inner = error instanceof AggregateError ? error.errors[0] : error.cause
  return inner instanceof Error ? [error.message, inner.message].filter(Boolean).join(': ') : error.message
}
