import { type Auth, ofUsers, type Send } from './auth.ts'
import type { ErrorCode } from './error-codes.ts'
import { PurserError } from './errors.ts'
import type { WalletAdapter } from './wallets.ts'

export type SessionOptions = {
  /** Host and port of the page, as registered with the service. In a browser: `location.host`, the default. */
  readonly domain?: string
  /** The URI of the application. In a browser: `location.origin`, the default. */
  readonly uri?: string
  /** The chain of the sign-in. It matters for contract wallets. By default the wallet's chain, else 1. */
  readonly chainId?: number
  /** A line of text that the wallet shows to its owner. */
  readonly statement?: string
  /** The lifetime of the access token: 3,600 (default) to 86,400. */
  readonly ttlInSeconds?: number
  /** An access token from an earlier sign-in. */
  readonly token?: string
  /** Called with each new access token, and with null at the end of the session. */
  readonly onToken?: (token: string | null) => void
}

export type WalletSession = Auth & {
  readonly wallet: WalletAdapter
  /** Returns the current access token; null: signed out. */
  token(): string | null
  /** Replaces the access token. */
  setToken(token: string | null): void
  /** Signs in now and returns the access token. Otherwise the first call that needs one signs in. */
  signIn(): Promise<string>
}

/** The codes of a 401 that a new sign-in can cure. */
const curable: ReadonlySet<ErrorCode> = new Set(['TOKEN_EXPIRED', 'INVALID_TOKEN', 'ACCESS_REVOKED'])
/** The codes of a 401 after which the same wallet can sign another message. */
const usedUp: ReadonlySet<ErrorCode> = new Set(['NONCE_USED', 'NONCE_EXPIRED', 'INVALID_NONCE'])
const endings = new Set(['/api/v1/auth/logout', '/api/v1/auth/logout-all', '/user/close'])

/**
 * Signs in with a wallet (EIP-4361): at the first call that needs an access token, and again after it has expired.
 * Concurrent calls share one sign-in. Registering the user replaces the token, as the service requires.
 */
export function walletSession(wallet: WalletAdapter, options: SessionOptions = {}): WalletSession {
  let token = options.token ?? null
  let send: Send | null = null
  let pending: Promise<string> | null = null

  function setToken(next: string | null): void {
    token = next
    options.onToken?.(next)
  }

  async function signInOnce(request: Send): Promise<string> {
    const message = await newMessage(request, wallet, options)
    const signature = await wallet.signMessage({ message })
    const body = { message, signature, ttlInSeconds: options.ttlInSeconds ?? 3600 }
    const exchange = async () => textOf(await request('POST', '/api/v1/auth/challenge', body), 'token')
    return exchange().catch((error: unknown) => {
      // The same message may be sent again. A lost response costs another signature at most.
      if (isPurser(error) && (error.kind === 'unavailable' || error.status === null)) return exchange()
      throw error
    })
  }

  function signIn(): Promise<string> {
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
    covers: ofUsers,
    connect(request) {
      send = request
    },
    authorization: () => (token === null ? signIn().then((next) => `Bearer ${next}`) : `Bearer ${token}`),
    async renew(rejected, code) {
      // Another call has renewed the token in the meantime.
      if (token !== null && rejected !== `Bearer ${token}`) return true
      if (!curable.has(code)) return false
      await signIn()
      return true
    },
    received(method, path, data) {
      if (method === 'POST' && path === '/user') setToken(textOf(data, 'accessToken'))
      if (method === 'POST' && endings.has(path)) setToken(null)
    },
    token: () => token,
    setToken,
    signIn,
  }
}

const isPurser = (error: unknown): error is PurserError => error instanceof PurserError

function textOf(data: unknown, name: string): string {
  const text: unknown = Object(data)[name]
  if (typeof text !== 'string') throw new TypeError(`the response has no ${name}`)
  return text
}

/** Builds the EIP-4361 message with a new nonce. */
async function newMessage(send: Send, wallet: WalletAdapter, options: SessionOptions): Promise<string> {
  const { domain = pageOf('host'), uri = pageOf('origin'), statement } = options
  const nonce = await send('GET', '/api/v1/auth/nonce')
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
  if (page === undefined) throw new TypeError('domain and uri are required outside of a page')
  return page[part]
}
