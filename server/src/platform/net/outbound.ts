import { Resolver } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import { Agent, request } from 'undici'
import { isPublicAddress, isSandboxAddress } from './public-address.ts'
import { readText } from './read-text.ts'

/**
 * Sends requests to untrusted URLs, such as webhook endpoints. Guards against server-side request forgery:
 * every address of a name is checked, and the connection goes to a checked address, so that a second DNS response
 * cannot redirect it. HTTP redirects are not followed. Time and size are limited.
 */
export type Channel = {
  send(url: string, request: OutboundRequest): Promise<OutboundResponse>
  close(): void
}

type OutboundRequest = {
  readonly method: 'GET' | 'POST'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

type OutboundResponse = {
  readonly status: number
  /** The header's text: seconds or a date. */
  readonly retryAfter: string | null
  /** Truncated to the limit of the channel. */
  readonly text: string
}

export type ChannelOptions = {
  /** True in the sandbox, where partners run on the developer's own machine. */
  readonly mayReachPrivate: boolean
  /** Maximum concurrent connections to one origin. They stay open for later requests. */
  readonly maxConnections: number
  /** For the whole request, from name resolution to the last byte of the response. */
  readonly deadlineMilliseconds: number
  /** Maximum number of bytes to read from a response. */
  readonly maxBytes: number
  readonly resolve?: Resolve
}

/** Returns all addresses of a name; none when it does not exist. */
type Resolve = (name: string) => Promise<readonly string[]>

/** A failed request. Its message is safe to show to the person who chose the URL. */
export class OutboundError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'OutboundError'
  }
}

export function openChannel(options: ChannelOptions): Channel {
  const { deadlineMilliseconds, maxBytes, maxConnections } = options
  const dispatcher = new Agent({
    connections: maxConnections,
    pipelining: 1,
    allowH2: false,
    connect: { lookup: checkedLookup(options), timeout: deadlineMilliseconds },
  })

  async function attempt(url: URL, request: OutboundRequest, signal: AbortSignal): Promise<OutboundResponse> {
    const { method, headers = {}, body = null } = request
    const response = await send(url, { method, headers, body, signal })
    const retryAfter = response.headers['retry-after']
    const text = await readText(response.body, { maxBytes, onExcess: 'truncate' })
    return { status: response.statusCode, retryAfter: retryAfter === undefined ? null : String(retryAfter), text }
  }

  const send = (url: URL, settings: Omit<Parameters<typeof request>[1], 'dispatcher'>) =>
    request(url, { ...settings, dispatcher })

  return {
    async send(address, request) {
      const url = new URL(address)
      if (url.protocol !== 'http:' && url.protocol !== 'https:') {
        throw new OutboundError('the URL must begin with http: or https:')
      }
      // A socket does not look up a host that already is an address.
      const literal = url.hostname.replace(/^\[|\]$/g, '')
      if (isIP(literal) !== 0 && !mayReach(literal, options)) throw new OutboundError(privateAddress)
      const signal = AbortSignal.timeout(deadlineMilliseconds)
      try {
        // A server may close an idle connection just before its reuse. Receivers must tolerate repeats anyway.
        return await attempt(url, request, signal).catch((error: unknown) => {
          if (isConnectionLost(error) && !signal.aborted) return attempt(url, request, signal)
          throw error
        })
      } catch (error) {
        throw error instanceof OutboundError ? error : new OutboundError(reasonOf(error, signal), error)
      }
    },
    close() {
      void dispatcher.destroy()
    },
  }
}

const privateAddress = 'the host has a private address'

function mayReach(address: string, { mayReachPrivate }: ChannelOptions): boolean {
  return mayReachPrivate ? isSandboxAddress(address) : isPublicAddress(address)
}

/** Returns the lookup that sockets use. It fails unless all addresses of the name may be reached. */
function checkedLookup(options: ChannelOptions): LookupFunction {
  return (name, { all }, callback) => {
    checkedAddresses(name, options).then(
      (found) => (all ? callback(null, found) : callback(null, found[0]?.address ?? '', found[0]?.family)),
      (error: Error) => callback(error, '', 0),
    )
  }
}

async function checkedAddresses(name: string, options: ChannelOptions) {
  const { resolve = resolveName } = options
  const addresses = await resolve(name)
  if (addresses.length === 0) throw new OutboundError('the host name has no address')
  if (!addresses.every((address) => mayReach(address, options))) throw new OutboundError(privateAddress)
  return addresses.map((address) => ({ address, family: isIP(address) }))
}

const resolver = new Resolver({ timeout: 2000, tries: 2 })

/**
 * Resolves a name with its own DNS queries. The system's lookup runs in a pool of four threads, which four unresponsive
 * names would block for all requests.
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
  UND_ERR_SOCKET: 'connection reset',
  EHOSTUNREACH: 'host not reachable',
  ENETUNREACH: 'host not reachable',
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}

function isConnectionLost(error: unknown): boolean {
  return reasons[codeOf(error)] === 'connection reset'
}

function reasonOf(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return 'no complete response in time'
  const code = codeOf(error)
  return reasons[code] ?? (/^(ERR_TLS|CERT_|DEPTH_|SELF_|UNABLE_)/.test(code) ? `TLS: ${code}` : code || 'failed')
}
