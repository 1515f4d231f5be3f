import createClient, { type Client } from 'openapi-fetch'
import type { paths } from './api.ts'
import { type SignInOptions, signIn, type Wallet } from './sign-in.ts'

export type PurserOptions = {
  /** Where the service is, such as `https://purser.example`. */
  readonly baseUrl: string
  /** A token from an earlier sign-in. */
  readonly token?: string
  readonly fetch?: (request: Request) => Promise<Response>
}

export type Purser = {
  /** Every operation of the service, typed from its OpenAPI document: `api.GET('/user/balances/v2')`. */
  readonly api: Client<paths>
  /**
   * Signs in with the wallet: nonce, message, signature, token. The token goes with every request from then on.
   * Throws `SignInRefused` with the service's code; after a refusal ask the wallet again, which makes a new nonce.
   */
  signIn(wallet: Wallet, options: SignInOptions): Promise<string>
  /** The token that goes with every request; null: signed out. `POST /user` answers a new one: hand it to `setToken`. */
  token(): string | null
  setToken(token: string | null): void
}

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
