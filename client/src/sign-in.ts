import type { Client } from 'openapi-fetch'
import type { paths } from './api.ts'

/** A wallet that signs messages, such as a viem account. For a browser wallet, wrap its address and `personal_sign`. */
export type Wallet = {
  /** The address in EIP-55 form. */
  readonly address: string
  signMessage(request: { message: string }): Promise<string>
}

export type SignInOptions = {
  /** Host and port of the page, as registered with the service: `location.host` in a browser. */
  readonly domain: string
  /** The URI of the application: `location.origin` in a browser. */
  readonly uri: string
  readonly chainId: number
  /** A line of text that the wallet shows to its owner. */
  readonly statement?: string
  /** The lifetime of the token: 3,600 (default) to 86,400. */
  readonly ttlInSeconds?: number
}

/** Thrown when the service rejects the sign-in. `code` is its error code, such as `DOMAIN_NOT_ALLOWED`. */
export class SignInRefused extends Error {
  readonly status: number
  readonly code: string

  constructor(status: number, code: string) {
    super(`sign-in rejected: ${code}`)
    this.name = 'SignInRefused'
    this.status = status
    this.code = code
  }
}

export async function signIn(api: Client<paths>, wallet: Wallet, options: SignInOptions): Promise<string> {
  const nonce = await api.GET('/api/v1/auth/nonce', { parseAs: 'text' })
  if (nonce.data === undefined) throw new SignInRefused(nonce.response.status, codeOf(nonce.error))
  const message = messageOf(wallet.address, nonce.data, options)
  const signature = await wallet.signMessage({ message })
  const { data, error, response } = await api.POST('/api/v1/auth/challenge', {
    body: { message, signature, ttlInSeconds: options.ttlInSeconds ?? 3600 },
  })
  if (data === undefined) throw new SignInRefused(response.status, codeOf(error))
  return data.token
}

/** Builds the EIP-4361 message. */
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
