import { type Auth, bearer, type Credentials, ofOperators, ofUsers, type Send } from './auth.ts'
import type { ErrorCode } from './error-codes.ts'
import { PurserError, unexpected } from './errors.ts'
import type { WalletAdapter } from './wallets.ts'

type Common = {
  /** The chain of the sign-in. It matters for contract wallets. By default the wallet's chain, else 1. */
  readonly chainId?: number
  /** A line of text that the wallet shows to its owner. */
  readonly statement?: string
  /** A token from an earlier sign-in. */
  readonly token?: string
  /** Called with each new token, and with null at the end of the session. */
  readonly onToken?: (token: string | null) => void
}

export type SessionOptions = Common & {
  /** Host and port of the page, as registered with the service. In a browser: `location.host`, the default. */
  readonly domain?: string
  /** The URI of the application. In a browser: `location.origin`, the default. */
  readonly uri?: string
  /** The lifetime of the access token: 3,600 seconds (default) to 86,400. */
  readonly ttlInSeconds?: number
}

export type OperatorOptions = Common & {
  /** The public URL of the console (`CONSOLE_URL`). In a browser: `location.origin`, the default. */
  readonly consoleUrl?: string
  /**
   * `cookie`: the session is in a cookie, which only pages of the console can use. The page decides when to sign in.
   */
  readonly via?: 'bearer' | 'cookie'
}

export type WalletSession = Auth & {
  readonly wallet: WalletAdapter
  /** Returns the current token; null: signed out, or the token is in a cookie. */
  token(): string | null
  /** Replaces the token. */
  setToken(token: string | null): void
  /** Signs in now and returns the token. Otherwise the first call that needs one signs in. */
  signIn(): Promise<string | null>
}

/** The parts in which the sessions of users and of operators differ. */
type Kind = {
  readonly covers: (path: string) => boolean
  readonly domain: string | undefined
  readonly uri: string | undefined
  /** Exchanges the signed message for a token; null: the token is in a cookie. */
  readonly exchange: (send: Send, signed: { message: string; signature: string }) => Promise<string | null>
  /** The codes of a 401 that a new sign-in can cure. */
  readonly curable: readonly ErrorCode[]
  readonly cookieHeaders?: Credentials
}

/** The codes of a 401 after which the same wallet can sign another message. */
const usedUp: ReadonlySet<ErrorCode> = new Set(['NONCE_USED', 'NONCE_EXPIRED', 'INVALID_NONCE'])
/** Ends only the session of its token, so signing in for this call would be pointless. */
const logout = '/api/v1/auth/logout'
const endings: readonly string[] = [logout, '/api/v1/auth/logout-all', '/user/close']

/**
 * Signs in a user or a member of a partner (EIP-4361). The first call that needs an access token signs in, and so does
 * the next call after the token has expired. Concurrent calls share one sign-in. Registering the user replaces the
 * token, as the service requires. `logOut` never signs in: without a session, it fails with a 401.
 */
export function walletSession(wallet: WalletAdapter, options: SessionOptions = {}): WalletSession {
  const { ttlInSeconds = 3600 } = options
  const session = createSession(wallet, options, {
    covers: ofUsers,
    domain: options.domain,
    uri: options.uri,
    exchange: async (send, signed) =>
      textOf(await send('POST', '/api/v1/auth/challenge', { ...signed, ttlInSeconds }), 'token'),
    curable: ['TOKEN_EXPIRED', 'INVALID_TOKEN', 'ACCESS_REVOKED'],
  })
  return {
    ...session,
    received(method, path, data) {
      if (method === 'POST' && path === '/user') session.setToken(textOf(data, 'accessToken', 201))
      if (method === 'POST' && endings.includes(path)) session.setToken(null)
    },
    failed(method, path, { code, requestId }) {
      // The user may exist, but the token names no user. The next sign-in finds the user.
      const isUnknown = code === 'WALLET_IN_USE' || requestId === null
      if (method === 'POST' && path === '/user' && isUnknown) session.setToken(null)
    },
  }
}

/** Signs in an operator, and again after the session has ended. */
export function operatorSession(wallet: WalletAdapter, options: OperatorOptions = {}): WalletSession {
  const { via = 'bearer', consoleUrl = pageOf('origin') } = options
  const { host, origin } = new URL(consoleUrl)
  // Proves to the service that a page of the console sends the request.
  const cookieHeaders = { 'x-purser-console': '1' }
  return createSession(wallet, options, {
    covers: ofOperators,
    domain: host,
    uri: `${origin}/operator/session`,
    async exchange(send, signed) {
      const headers = via === 'cookie' ? cookieHeaders : {}
      const data = await send('POST', '/operator/session', { ...signed, via }, { headers })
      return via === 'cookie' ? null : textOf(data, 'token')
    },
    curable: via === 'cookie' ? [] : ['OPERATOR_UNAUTHORIZED'],
    ...(via === 'cookie' && { cookieHeaders }),
  })
}

function createSession(wallet: WalletAdapter, options: Common, kind: Kind): WalletSession {
  let token = options.token ?? null
  let send: Send | null = null
  let pending: Promise<string | null> | null = null

  function setToken(next: string | null): void {
    token = next
    options.onToken?.(next)
  }

  async function signInOnce(request: Send): Promise<string | null> {
    const message = await newMessage(request, wallet, { ...options, ...kind })
    const signed = { message, signature: await wallet.signMessage({ message }) }
    return kind.exchange(request, signed).catch((error: unknown) => {
      // The service accepts a nonce once. So a retry either is the first request to arrive, or is rejected. It never
      // creates a second session. A new message would ask the owner of the wallet to sign again
      // (docs/decisions/0022-sessions.md).
      if (isPurser(error) && (error.kind === 'unavailable' || error.status === null))
        return kind.exchange(request, signed)
      throw error
    })
  }

  function signIn(): Promise<string | null> {
    const request = send
    if (request === null) return Promise.reject(new TypeError('pass the session to createPurser first'))
    pending ??= signInOnce(request)
      .catch((error: unknown) => {
        if (isPurser(error) && usedUp.has(error.code)) return signInOnce(request)
        throw error
      })
      .then((next) => {
        setToken(next)
        return next
      })
      .finally(() => {
        pending = null
      })
    return pending
  }

  return {
    wallet,
    covers: kind.covers,
    connect(request) {
      send = request
    },
    headers(path) {
      if (kind.cookieHeaders !== undefined) return kind.cookieHeaders
      if (token !== null) return bearer(token)
      return path === logout ? {} : signIn().then((next) => bearer(next ?? ''))
    },
    async renew(rejected, code, path) {
      // Another call has renewed the token in the meantime.
      if (token !== null && rejected['authorization'] !== bearer(token)['authorization']) return true
      // The session has ended since the call began, so only a new call may sign in.
      if (token === null && pending === null) return false
      // The session that the call should end has ended already.
      if (path === logout) setToken(null)
      if (path === logout || !kind.curable.includes(code)) return false
      await signIn()
      return true
    },
    token: () => token,
    setToken,
    signIn,
  }
}

const isPurser = (error: unknown): error is PurserError => error instanceof PurserError

function textOf(data: unknown, name: string, status = 200): string {
  const text: unknown = Object(data)[name]
  if (typeof text !== 'string') throw unexpected(`the response has no ${name}`, status)
  return text
}

/** Builds the EIP-4361 message with a new nonce. */
async function newMessage(
  send: Send,
  wallet: WalletAdapter,
  options: Common & Pick<Kind, 'domain' | 'uri'>,
): Promise<string> {
  const { domain = pageOf('host'), uri = pageOf('origin'), statement } = options
  const nonce = await send('GET', '/api/v1/auth/nonce')
  // The wallet signs the nonce. Other text, such as the page of a wrong server, must not enter the message (EIP-4361).
  if (!/^[A-Za-z0-9]{8,}$/.test(String(nonce))) throw unexpected('the service returned no nonce. Check baseUrl.', 200)
  const address = typeof wallet.address === 'string' ? wallet.address : await wallet.address()
  const chainId = options.chainId ?? (await wallet.chainId?.()) ?? 1
  return [
    `${domain} wants you to sign in with your Ethereum account:`,
    address,
    '',
    ...(statement === undefined ? [] : [statement]),
    '',
    `URI: ${uri}`,
    'Version: 1',
    `Chain ID: ${chainId}`,
    `Nonce: ${nonce}`,
    `Issued At: ${new Date().toISOString()}`,
  ].join('\n')
}

function pageOf(part: 'host' | 'origin'): string {
  const page: Readonly<Record<typeof part, string>> | undefined = Object(globalThis)['location']
  if (page === undefined) throw new TypeError('outside of a page, pass domain and uri, or consoleUrl')
  return page[part]
}
