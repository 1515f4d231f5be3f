import type { Client } from 'openapi-fetch'
import type { paths } from './api.ts'

/** What signs: an account of viem is one; of a browser wallet, its address and `personal_sign`. */
export type Wallet = {
  /** EIP-55 */
  readonly address: string
  signMessage(request: { message: string }): Promise<string>
}

export type SignInOptions = {
  /** Host and port of the page that asks, as the service's list of domains has it: `location.host` in a browser. */
  readonly domain: string
  /** What is signed in to: `location.origin` in a browser. */
  readonly uri: string
  readonly chainId: number
  /** Shown to the person who signs; one line. */
  readonly statement?: string
  /** 3,600 to 86,400 */
  readonly ttlInSeconds?: number
}

/** The service would not let the wallet in; `code` says why, such as `DOMAIN_NOT_ALLOWED`. */
export class SignInRefused extends Error {
  readonly status: number
  readonly code: string

  constructor(status: number, code: string) {
    super(`sign-in refused: ${code}`)
    this.name = 'SignInRefused'
    this.status = status
    this.code = code
  }
}

export async function signIn(api: Client<paths>, wallet: Wallet, options: SignInOptions): Promise<string> {
  const asked = await api.GET('/api/v1/auth/nonce', { parseAs: 'text' })
  if (asked.data === undefined) throw new SignInRefused(asked.response.status, codeOf(asked.error))
  const message = messageOf(wallet.address, asked.data, options)
  const signature = await wallet.signMessage({ message })
  const { data, error, response } = await api.POST('/api/v1/auth/challenge', {
    body: { message, signature, ttlInSeconds: options.ttlInSeconds ?? 3600 },
  })
  if (data === undefined) throw new SignInRefused(response.status, codeOf(error))
  return data.token
}

/** The lines of EIP-4361. */
function messageOf(address: string, nonce: string, { domain, uri, chainId, statement }: SignInOptions): string {
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

function codeOf(body: unknown): string {
  const error: unknown = typeof body === 'object' && body !== null && 'error' in body ? body.error : null
  return typeof error === 'string' ? error : 'UNKNOWN'
}
