import { Resolver } from 'node:dns/promises'
import http, { type IncomingMessage, type RequestOptions } from 'node:http'
import https from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { isLinkLocal, isPublicAddress } from './public-address.ts'

/**
 * Requests to addresses that somebody else has named. A name is resolved once and the connection goes to what was found
 * and checked, so that no second answer of the DNS can lead elsewhere; redirects are not followed; time and size end.
 */
export type Channel = {
  send(url: string, request: OutboundRequest): Promise<OutboundAnswer>
  close(): void
}

type OutboundRequest = {
  readonly method: 'GET' | 'POST'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

type OutboundAnswer = {
  readonly status: number
  /** seconds or a date, as the header has it */
  readonly retryAfter: string | null
  /** the beginning of it, when it is longer than is read */
  readonly text: string
}

export type ChannelOptions = {
  /** In the sandbox, partners run on the developer's own machine. */
  readonly mayReachPrivate: boolean
  /** connections at a time, kept open for the next request */
  readonly mostSockets: number
  /** for the whole exchange, the name's resolution and the last byte of the answer included */
  readonly deadlineMilliseconds: number
  /** of the answer */
  readonly mostBytes: number
  readonly resolve?: Resolve
}

/** All addresses of a name; none when it does not exist. */
type Resolve = (name: string) => Promise<readonly string[]>

/** Says why a request did not happen or found no end, in words that may be shown to whoever named the address. */
export class OutboundError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'OutboundError'
  }
}

export function openChannel(options: ChannelOptions): Channel {
  const lookup = checkedLookup(options)
  const settings = {
    keepAlive: true,
    maxSockets: options.mostSockets,
    maxFreeSockets: options.mostSockets,
    timeout: 60_000,
  }
  const agents = { 'http:': new http.Agent(settings), 'https:': new https.Agent(settings) }

  async function send(address: string, request: OutboundRequest, isAgain = false): Promise<OutboundAnswer> {
    const url = new URL(address)
    const { protocol } = url
    if (protocol !== 'http:' && protocol !== 'https:') throw new OutboundError('only http and https are spoken')
    // The lookup is not asked for what is an address already.
    const literal = url.hostname.replace(/^\[|\]$/g, '')
    if (isIP(literal) !== 0 && !mayReach(literal, options)) throw new OutboundError('a private address')
    const signal = AbortSignal.timeout(options.deadlineMilliseconds)
    const { method, headers = {}, body = '' } = request
    const length = method === 'POST' ? { 'content-length': String(Buffer.byteLength(body)) } : {}
    const settings = { method, headers: { ...headers, ...length }, agent: agents[protocol], lookup, signal }
    try {
      return await exchange(protocol === 'http:' ? http : https, url, settings, body, options.mostBytes)
    } catch (error) {
      if (error instanceof StaleSocket && !isAgain) return send(address, request, true)
      throw error instanceof OutboundError ? error : new OutboundError(reasonOf(error, signal), error)
    }
  }

  return {
    send: (url, request) => send(url, request),
    close() {
      for (const agent of Object.values(agents)) agent.destroy()
    },
  }
}

/** A connection that was kept open had ended when it was used again: the request was not read. */
class StaleSocket extends Error {}

function exchange(
  { request }: Pick<typeof http, 'request'>,
  url: URL,
  settings: RequestOptions,
  body: string,
  mostBytes: number,
): Promise<OutboundAnswer> {
  return new Promise((resolve, reject) => {
    const sent = request(url, settings, (response) => read(response, mostBytes).then(resolve, reject))
    sent.on('error', (error: NodeJS.ErrnoException) => {
      reject(sent.reusedSocket && error.code === 'ECONNRESET' ? new StaleSocket() : error)
    })
    sent.end(body)
  })
}

/** What is more than anybody needs is cut off, and the connection with it. */
function read(response: IncomingMessage, mostBytes: number): Promise<OutboundAnswer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    function end(): void {
      const text = Buffer.concat(chunks).subarray(0, mostBytes).toString('utf8')
      resolve({ status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'] ?? null, text })
    }
    response.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      size += chunk.length
      if (size <= mostBytes) return
      end()
      response.destroy()
    })
    response.on('end', end)
    response.on('error', reject)
  })
}

function mayReach(address: string, { mayReachPrivate }: ChannelOptions): boolean {
  return mayReachPrivate ? !isLinkLocal(address) : isPublicAddress(address)
}

/** What the socket asks for a name. */
function checkedLookup(options: ChannelOptions): LookupFunction {
  return (name, { all }, callback) => {
    checkedAddresses(name, options).then(
      (found) => (all ? callback(null, found) : callback(null, found[0]?.address ?? '', found[0]?.family)),
      (error: Error) => callback(error, '', 0),
    )
  }
}

/** The addresses of a name, if every one of them may be reached. */
async function checkedAddresses(name: string, options: ChannelOptions) {
  const { resolve = resolveName } = options
  const addresses = await resolve(name)
  if (addresses.length === 0) throw new OutboundError('the name has no address')
  if (!addresses.every((address) => mayReach(address, options))) throw new OutboundError('a private address')
  return addresses.map((address) => ({ address, family: isIP(address) }))
}

const resolver = new Resolver({ timeout: 2000, tries: 2 })

/**
 * Asks the DNS itself. The system's own lookup runs in a pool of four threads, which four names that nobody answers for
 * would hold up for all others.
 */
async function resolveName(name: string): Promise<readonly string[]> {
  if (name === 'localhost') return ['127.0.0.1']
  const [four, six] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
  return [four, six].flatMap((found) => (found.status === 'fulfilled' ? found.value : []))
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  EPIPE: 'connection reset',
  EHOSTUNREACH: 'host not reachable',
  ENETUNREACH: 'host not reachable',
}

function reasonOf(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return 'no whole answer in time'
  if (!(error instanceof Error)) return 'failed'
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  return reasons[code] ?? (/^(ERR_TLS|CERT_|DEPTH_|SELF_|UNABLE_)/.test(code) ? `TLS: ${code}` : code || 'failed')
}
