import createClient, { type Client } from 'openapi-fetch'
import type { paths } from './api.ts'
import { type SignInOptions, signIn, type Wallet } from './sign-in.ts'

export type PurserOptions = {
  /** The base URL of the service, such as `https://purser.example`. */
  readonly baseUrl: string
  /** An access token from an earlier sign-in. */
  readonly token?: string
  readonly fetch?: (request: Request) => Promise<Response>
}

export type Purser = {
  /** Calls any operation, typed by the OpenAPI document: `api.GET('/user/balances/v2')`. */
  readonly api: Client<paths>
  /**
   * Signs in with a wallet and returns the access token, which every later request carries. Throws `SignInRefused` with
   * the service's error code. To retry, call it again: each attempt uses a new nonce.
   */
  signIn(wallet: Wallet, options: SignInOptions): Promise<string>
  /** Returns the current access token; null: signed out. */
  token(): string | null
  /** Replaces the access token, for example with the one that `POST /user` returns. */
  setToken(token: string | null): void
}

/** Creates a client of one service. */
export function createPurser({ baseUrl, token: first, fetch }: PurserOptions): Purser {
  let token = first ?? null
  const api = createClient<paths>({ baseUrl, ...(fetch ? { fetch } : {}) })
  api.use({
    onRequest({ request }) {
      if (token !== null && !request.headers.has('authorization'))
        request.headers.set('authorization', `Bearer ${token}`)
      return request
    },
  })
  return {
    api,
    async signIn(wallet, options) {
      token = await signIn(api, wallet, options)
      return token
    },
    token: () => token,
    setToken(next) {
      token = next
    },
  }
}
