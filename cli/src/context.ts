import {
  type Auth,
  accessToken,
  apiKey,
  createPurser,
  operatorSession,
  type Purser,
  simulator,
  type WalletAdapter,
  type WalletSession,
  walletSession,
} from '../../client/src/index.ts'
import { Failure } from './command.ts'
import type { Output } from './output.ts'
import type { Configuration } from './settings.ts'

/** Everything that a command works with. */
export type Context = {
  readonly out: Output
  readonly configuration: Configuration
  /** Aborts at Ctrl-C. */
  readonly signal: AbortSignal
  /** Reads the whole standard input. */
  readonly readInput: () => Promise<string>
  /** Asks a person for a secret, which the terminal does not show. */
  readonly askSecret: (question: string) => Promise<string>
}

/** Returns a client that authenticates as the sandbox's simulator and, if the user is known, as the user. */
export async function userClient(context: Context): Promise<Purser> {
  return clientOf(context, [...(await userAuth(context)), ...(await commonAuth(context))])
}

/** Returns a client that authenticates as the partner. */
export async function partnerClient(context: Context): Promise<Purser> {
  const key = await context.configuration.get('apiKey')
  const auth = key === undefined ? await userAuth(context) : [apiKey(key)]
  if (auth.length === 0) {
    throw new Failure('No credential of a partner is set. Set PURSER_API_KEY, or run: purser config set api-key')
  }
  return clientOf(context, auth)
}

/** Returns a client for a path, with the credential that fits it. */
export async function clientFor(context: Context, path: string): Promise<Purser> {
  const hasKey = (await context.configuration.get('apiKey')) !== undefined
  return path.startsWith('/partner') && hasKey ? partnerClient(context) : userClient(context)
}

async function clientOf({ configuration }: Context, auth: readonly Auth[]): Promise<Purser> {
  return createPurser({ baseUrl: await configuration.get('url'), auth })
}

async function commonAuth({ configuration }: Context): Promise<Auth[]> {
  const url = await configuration.get('url')
  const key = await configuration.get('walletKey')
  const consoleUrl = (await configuration.get('consoleUrl')) ?? url
  const operators = key === undefined ? [] : [operatorSession(await walletOf(key), { consoleUrl })]
  return [...operators, simulator(await configuration.get('sandboxPassword'))]
}

/** Returns the credential of a user: a token, the wallet, or the wallet of the current sandbox user. */
async function userAuth(context: Context): Promise<Auth[]> {
  const token = await context.configuration.get('token')
  if (token !== undefined) return [accessToken(token)]
  const session = await sessionOf(context)
  return session === null ? [] : [session]
}

/** Signs in with the wallet, and returns the access token. */
export async function userToken(context: Context): Promise<string> {
  const session = await sessionOf(context)
  if (session === null) {
    throw new Failure('No wallet is set. Set PURSER_WALLET_KEY, or run: purser sandbox user')
  }
  // The session signs in with the client that it belongs to.
  createPurser({ baseUrl: await context.configuration.get('url'), auth: session })
  const token = await session.signIn()
  if (token === null) throw new Failure('The sign-in returned no token.')
  return token
}

/** Returns the session of the wallet, or of the current sandbox user; null: there is no wallet. */
async function sessionOf({ configuration }: Context): Promise<WalletSession | null> {
  const key = (await configuration.get('walletKey')) ?? (await configuration.sandboxUser())?.walletKey
  if (key === undefined) return null
  const domain = await configuration.get('domain')
  const uri = `${domain.split(':')[0] === 'localhost' ? 'http' : 'https'}://${domain}`
  return walletSession(await walletOf(key), { domain, uri })
}

async function walletOf(key: string): Promise<WalletAdapter> {
  const { privateKeyToAccount } = await import('viem/accounts')
  const hex = /^(?:0x)?([0-9a-fA-F]{64})$/.exec(key)?.[1]
  if (hex === undefined) throw new Failure('PURSER_WALLET_KEY must be a private key of 64 hex digits.')
  return privateKeyToAccount(`0x${hex}`)
}
