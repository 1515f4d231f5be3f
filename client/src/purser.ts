import type { Auth } from './auth.ts'
import { Call, type ItemOf, List, type Page, type Reply } from './call.ts'
import { aliases, operations } from './operations.ts'
import type { Resources } from './resources.ts'
import { type Connection, type Hooks, type Outgoing, send, withoutQuery } from './transport.ts'
import type { CallOptions, Query } from './types.ts'

export type PurserOptions = Hooks & {
  /** The base URL of the service, such as `https://purser.example`. */
  readonly baseUrl: string
  /** The base URL of `/api/v1`, if the service has another one for it. */
  readonly apiUrl?: string
  /** The base URL of `/user/withdrawals`, if the service has another one for it. */
  readonly authModuleUrl?: string
  /** How to authenticate. Several authentications can cover different paths, such as those of the sandbox. */
  readonly auth?: Auth | readonly Auth[]
  /** The number of retries of each call: 2 by default. */
  readonly maxRetries?: number
  /** The longest `Retry-After` that a call waits for, in seconds: 60 by default. For longer ones, the call fails. */
  readonly maxRetryAfterSeconds?: number
  /** The time for each attempt: 30,000 by default. */
  readonly timeoutMilliseconds?: number
  /** Returns the W3C trace context for the next request. */
  readonly traceparent?: () => string | undefined
  /** Replaces the global `fetch`. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>
}

export type RawRequest = CallOptions & { readonly body?: unknown; readonly query?: Query }

export type Purser = Resources & {
  /**
   * Sends a request by its path, with the same authentication, retries and errors as every operation. A `POST` to an
   * operation that takes an idempotency key gets one. If this client does not know the operation, it sends only a key
   * that the caller passes, and sends a `POST` once.
   */
  request(method: string, path: string, request?: RawRequest): Call<unknown>
}

const defaultTimeoutMilliseconds = 30_000
const defaultMaxRetries = 2

/** Creates a client of one service. */
export function createPurser(options: PurserOptions): Purser {
  const {
    baseUrl,
    apiUrl = baseUrl,
    authModuleUrl = baseUrl,
    auth = [],
    traceparent,
    onRequest,
    onResponse,
    onRetry,
  } = options
  const [base, api, authModule] = [baseUrl, apiUrl, authModuleUrl].map((url) => url.replace(/\/+$/, ''))
  const hooks = { ...(onRequest && { onRequest }), ...(onResponse && { onResponse }), ...(onRetry && { onRetry }) }
  const connection: Connection = {
    serverOf: (path) =>
      (path.startsWith('/api/v1/') ? api : withoutQuery(path) === '/user/withdrawals' ? authModule : base) ?? '',
    fetch: options.fetch ?? ((url, init) => fetch(url, init)),
    auth: 'covers' in auth ? [auth] : auth,
    maxRetries: options.maxRetries ?? defaultMaxRetries,
    maxRetryAfterSeconds: options.maxRetryAfterSeconds,
    timeoutMilliseconds: options.timeoutMilliseconds ?? defaultTimeoutMilliseconds,
    hooks,
    traceparent: traceparent ?? null,
  }
  for (const each of connection.auth) {
    each.connect?.(async (method, path, body, callOptions = {}) => {
      const { takesText } = permissions(flagsOf(method, path))
      const outgoing = { method, path, body, options: callOptions, isOpen: true, takesKey: false, takesText }
      return (await send(connection, outgoing)).data
    })
  }
  const request = (verb: string, path: string, { body, query, ...rest }: RawRequest = {}) => {
    // Without the slash, the path could extend the host name.
    if (!path.startsWith('/')) throw new TypeError(`the path "${path}" must begin with /`)
    const method = verb.toUpperCase()
    const flags = flagsOf(method, path)
    const known = permissions(flags)
    const key = flags === undefined ? rest.idempotencyKey : undefined
    const options = key === undefined ? rest : { ...rest, headers: { ...rest.headers, 'idempotency-key': key } }
    return started(connection, { method, path, body, query, options, ...known, takesText: true })
  }
  // The same script writes the operations and the type of their methods.
  return { ...(resourcesOf(connection, operations) as Resources), request }
}

type Tree = { readonly [name: string]: Tree | string }
type Methods = { [name: string]: Methods | ((...given: unknown[]) => Call<unknown>) }

function resourcesOf(connection: Connection, tree: Tree): Methods {
  const resources: Methods = {}
  for (const [name, node] of Object.entries(tree)) {
    resources[name] = typeof node === 'string' ? methodOf(connection, node) : resourcesOf(connection, node)
  }
  return resources
}

const permissions = (kinds = '') => ({
  isOpen: kinds.includes('o'),
  takesKey: kinds.includes('k'),
  takesText: kinds.includes('t'),
})

/** Returns the method of one operation. It takes the path's parameters, then the body or the query, then options. */
function methodOf(connection: Connection, operation: string) {
  const [method = '', template = '', flags = ''] = operation.split(' ')
  const parts = template.split(/\{\w+\}/)
  const [kinds = '', place] = flags.split(':')
  const isList = /[lcp]/.test(kinds)
  const [hasBody, hasQuery] = [kinds.includes('b'), kinds.includes('q')]
  const known = permissions(kinds)
  return (...given: unknown[]): Call<unknown> => {
    let path = parts[0] ?? ''
    for (let index = 1; index < parts.length; index++) {
      path += segmentOf(given[index - 1]) + parts[index]
    }
    let next = parts.length - 1
    // Some bodies are optional, but the service requires a JSON object.
    const body = hasBody ? (given[next++] ?? {}) : undefined
    const query = hasQuery ? (given[next++] as Query | undefined) : undefined
    const options = optionsOf<CallOptions>(given[next])
    const outgoing = { method, path, body, query, options, ...known }
    return isList ? listOf(connection, outgoing, place) : started(connection, outgoing)
  }
}

/**
 * Encodes a parameter of a path. Rejects an empty segment, `.` and `..`, because they could lead to another operation.
 */
function segmentOf(given: unknown): string {
  const text = String(given)
  if (/^\.{0,2}$/.test(text)) throw new TypeError(`"${text}" cannot be a part of a path`)
  return encodeURIComponent(text)
}

/** The generated types guarantee the shape of an argument. */
const optionsOf = <T>(given: unknown): T => (given ?? {}) as T

/** Sends at once, even if nobody awaits the call. */
function started(connection: Connection, outgoing: Outgoing): Call<unknown> {
  const reply = send(connection, outgoing)
  return new Call(() => reply)
}

function listOf(connection: Connection, outgoing: Outgoing, place: string | undefined): List<unknown> {
  // The service decides the shape of its pages. The generated types describe it.
  const page = (asked: Outgoing) => send(connection, asked) as Promise<Reply<Page>>
  const first = outgoing.query ?? {}
  let reply: ReturnType<typeof page> | undefined
  async function* items(): AsyncGenerator<ItemOf<Page>> {
    let query: Query | null = first
    while (query !== null) {
      const { data }: { data: Page } = await (query === first && reply ? reply : page({ ...outgoing, query }))
      yield* data.data
      query = nextQuery(query, data, place)
    }
  }
  return new List<Page>(() => {
    reply ??= page(outgoing)
    return reply
  }, items)
}

/**
 * Returns the query of the next page; null: there is none. `place`, such as `after=seq`, names a query parameter and
 * the field of the last item that supplies its value.
 */
function nextQuery(query: Query, { data, pagination }: Page, place: string | undefined): Query | null {
  const { nextCursor, hasNext }: { nextCursor?: string | null; hasNext?: boolean } = pagination ?? {}
  if (nextCursor) return { ...query, cursor: nextCursor }
  const [parameter, field = ''] = place?.split('=') ?? []
  const last: unknown = Object(data.at(-1))[field]
  return hasNext === true && parameter !== undefined && last !== undefined
    ? { ...query, [parameter]: String(last) }
    : null
}

/** Finds the flags of an operation by its path, so that raw requests are retried by the same rules. */
function flagsOf(method: string, path: string, tree: Tree = { operations, aliases }): string | undefined {
  for (const node of Object.values(tree)) {
    if (typeof node !== 'string') {
      const found = flagsOf(method, path, node)
      if (found !== undefined) return found
      continue
    }
    const [verb, template = '', flags = ''] = node.split(' ')
    const pattern = new RegExp(`^${template.replace(/[.]/g, '\\.').replace(/\{\w+\}/g, '[^/]+')}$`)
    if (verb === method && pattern.test(withoutQuery(path))) return flags.split(':', 1)[0] ?? ''
  }
  return undefined
}
