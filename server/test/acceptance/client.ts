import { randomBytes } from 'node:crypto'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { type Document, parseJson, readDocument } from './document.ts'
import { findService, type Service } from './service.ts'
import { problemOfError } from './shapes.ts'

export type Wallet = PrivateKeyAccount
export type User = { userId: string; accountAddress: string; wallet: Wallet; token: string }
export type Reply = {
  status: number
  headers: Headers
  text: string
  /** Loosely typed, because tests assert its whole shape. */
  body: any
}
export type RequestOptions = { token?: string | undefined; body?: unknown; headers?: Record<string, string> }
export type Client = {
  url: string
  document: Document
  /** Each operation with each status that it returned, such as `GET /cards 200`. */
  seen: Set<string>
  request(method: string, path: string, options?: RequestOptions): Promise<Reply>
  sandbox(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>
  nonce(): Promise<string>
  signIn(wallet: Wallet, more?: { ttlInSeconds?: number }): Promise<string>
  newUser(more?: { country?: string; kyc?: 'approved'; email?: string }): Promise<User>
  /** Registers a new wallet as a user, without an account. */
  register(email?: string): Promise<Omit<User, 'accountAddress'>>
  stop(): Promise<void>
}

export const newWallet = (): Wallet => privateKeyToAccount(generatePrivateKey())

/** Returns a name that is unique even on a shared service. */
export const newName = (prefix: string) => `${prefix}${randomBytes(9).toString('hex')}`

/** Returns a client that checks every response against openapi.json, and errors also against the interface. */
export async function connect(service?: Service): Promise<Client> {
  const { url, sandboxPassword, stop } = service ?? (await findService())
  const document = await readDocument(url)
  const seen = new Set<string>()
  const basic = `Basic ${Buffer.from(`simulator:${sandboxPassword}`).toString('base64')}`

  async function request(method: string, path: string, { token, body, headers }: RequestOptions = {}): Promise<Reply> {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    const answer = { status: response.status, contentType: response.headers.get('content-type') ?? '', text }
    const operation = document.find(method, path)
    if (operation) seen.add(`${operation.method} ${operation.path} ${response.status}`)
    const problem =
      (operation && document.problemOf(operation, answer)) ??
      (response.status >= 400 ? problemOfError(path, response.status, parseJson(text)) : null)
    if (problem) throw new Error(`${method} ${path}: ${problem}`)
    return { status: response.status, headers: response.headers, text, body: parseJson(text) }
  }

  const sandbox: Client['sandbox'] = (method, path, body, headers = {}) =>
    request(method, `/sandbox${path}`, { body, headers: { authorization: basic, ...headers } })

  const nonce = async () => (await request('GET', '/api/v1/auth/nonce')).text

  async function signIn(wallet: Wallet, more: { ttlInSeconds?: number } = {}): Promise<string> {
    const message = signInMessage({ address: wallet.address, nonce: await nonce() })
    const signature = await wallet.signMessage({ message })
    const answer = await request('POST', '/api/v1/auth/challenge', { body: { message, signature, ...more } })
    if (answer.status !== 200) throw new Error(`sign-in failed: ${answer.status} ${answer.text}`)
    return answer.body.token
  }

  async function newUser(more: { country?: string; kyc?: 'approved'; email?: string } = {}): Promise<User> {
    const wallet = newWallet()
    const made = await sandbox('POST', '/users', { address: wallet.address, kyc: 'approved', ...more })
    if (made.status !== 201) throw new Error(`no user: ${made.status} ${made.text}`)
    return { ...made.body, wallet, token: await signIn(wallet) }
  }

  async function register(email = `${newName('a')}@example.org`) {
    const wallet = newWallet()
    const token = await signIn(wallet)
    await request('POST', '/email-verification', { token, body: { email } })
    const { status, body } = await request('POST', '/user', { token, body: { email, otp: '123456' } })
    if (status !== 201) throw new Error(`not registered: ${status} ${JSON.stringify(body)}`)
    return { userId: body.userId, wallet, token: body.accessToken }
  }

  return { url, document, seen, request, sandbox, nonce, signIn, newUser, register, stop }
}

export type MessageFields = {
  address: string
  nonce: string
  domain?: string
  statement?: string
  uri?: string
  version?: string
  chainId?: string
  issuedAt?: string
  expirationTime?: string
  notBefore?: string
}

/** Writes an EIP-4361 message line by line, so that a test can make any line invalid. */
export function signInMessage(fields: MessageFields): string {
  const { address, nonce, domain = 'localhost', uri = 'http://localhost/', version = '1', chainId = '1' } = fields
  return [
    `${domain} wants you to sign in with your Ethereum account:`,
    address,
    ...(fields.statement === undefined ? ['', ''] : ['', fields.statement, '']),
    `URI: ${uri}`,
    `Version: ${version}`,
    `Chain ID: ${chainId}`,
    `Nonce: ${nonce}`,
    `Issued At: ${fields.issuedAt ?? new Date().toISOString()}`,
    ...(fields.expirationTime === undefined ? [] : [`Expiration Time: ${fields.expirationTime}`]),
    ...(fields.notBefore === undefined ? [] : [`Not Before: ${fields.notBefore}`]),
  ].join('\n')
}

async function signed(client: Pick<Client, 'nonce'>, { address, signMessage }: Wallet, statement: string) {
  const message = signInMessage({ address, nonce: await client.nonce(), statement })
  return { message, signature: await signMessage({ message }) }
}

/** Returns the body that adds a wallet as an owner, signed by that wallet and by the user's wallet. */
export async function ownerProof(client: Pick<Client, 'nonce'>, { userId, wallet: owner }: User, wallet: Wallet) {
  return {
    ...(await signed(client, wallet, `Add this wallet as an owner of user ${userId}.`)),
    approval: await signed(client, owner, `Add wallet ${wallet.address} as an owner of user ${userId}.`),
  }
}

/** Returns the body that closes the user, signed by the user's wallet or another one. */
export async function closure(
  client: Pick<Client, 'nonce'>,
  { userId, wallet }: Pick<User, 'userId' | 'wallet'>,
  signer = wallet,
) {
  return { approval: await signed(client, signer, `Close user ${userId} permanently.`) }
}

/** Returns the body that removes an owner. */
export async function ownerRemoval(
  client: Pick<Client, 'nonce'>,
  { userId, wallet }: Pick<User, 'userId' | 'wallet'>,
  address: string,
) {
  return { approval: await signed(client, wallet, `Remove wallet ${address} as an owner of user ${userId}.`) }
}
