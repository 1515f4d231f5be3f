import { ofOperators } from '../../client/src/auth.ts'
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
import { fetchUntil } from './fetch-until.ts'
import type { Output } from './output.ts'
import { requirePurser, type Server } from './problems.ts'
import type { Configuration } from './settings.ts'
import { keyWallet, promptWallet } from './wallets.ts'

/** Everything that a command works with. */
export type Context = {
  readonly out: Output
  readonly configuration: Configuration
  /** Aborts at Ctrl-C. For an endless command, it also aborts when the reader of the output is gone. */
  readonly signal: AbortSignal
  /** Reads the whole standard input. */
  readonly readInput: () => Promise<string>
  /** Asks a person for a line. Without a terminal, the next line of standard input is the answer. */
  readonly ask: (question: string) => Promise<string>
  /** Asks for a secret, which the terminal does not show. */
  readonly askSecret: (question: string) => Promise<string>
}

/** Returns a client that authenticates as the sandbox's simulator and, if known, as the user. */
export async function userClient(context: Context): Promise<Purser> {
  return clientOf(context, [
    ...(await userAuth(context)),
    simulator(await context.configuration.get('sandboxPassword')),
  ])
}

/** Returns a client that authenticates as the partner. */
export async function partnerClient(context: Context): Promise<Purser> {
  const key = await context.configuration.get('apiKey')
  const auth = key === undefined ? await userAuth(context) : [sendable('PURSER_API_KEY', () => apiKey(key))]
  if (auth.length === 0) {
    throw new Failure('No credential of a partner is set. Set PURSER_API_KEY, or run: purser config set api-key')
  }
  return clientOf(context, auth)
}

function sendable(setting: string, create: () => Auth): Auth {
  try {
    return create()
  } catch {
    throw new Failure(`${setting} has a character that is not printable ASCII. Copy the credential again.`)
  }
}

/** Returns a client for a path, with the credential that fits it. */
export async function clientFor(context: Context, path: string): Promise<Purser> {
  if (ofOperators(path)) {
    const wallet = await operatorWallet(context)
    return consoleClient(context, wallet === null ? [] : [(await operatorAuth(context, wallet)).session])
  }
  const hasKey = (await context.configuration.get('apiKey')) !== undefined
  return path.startsWith('/partner') && hasKey ? partnerClient(context) : userClient(context)
}

/** Returns a client of the service with these credentials. */
export async function clientOf(context: Context, auth: readonly Auth[]): Promise<Purser> {
  return clientAt(context, await serviceOf(context.configuration), auth)
}

/**
 * In production, only the host of the console serves the operator API. The sign-in requests its nonce from this host,
 * too.
 */
async function consoleClient(context: Context, auth: readonly Auth[]): Promise<Purser> {
  return clientAt(context, await operatorServer(context.configuration), auth)
}

function clientAt({ signal }: Context, server: Server, auth: readonly Auth[]): Purser {
  return createPurser({ baseUrl: server.url, auth, fetch: fetchUntil(signal), onResponse: requirePurser(server) })
}

/** Returns the URL of the service. */
export async function serviceUrl(configuration: Configuration): Promise<string> {
  return (await serviceOf(configuration)).url
}

async function serviceOf(configuration: Configuration): Promise<Server> {
  return { url: safeUrl('PURSER_URL', await configuration.get('url')), variable: 'PURSER_URL' }
}

/** Returns the origin of the console; null: the service has one host for all, as a sandbox does. */
export async function consoleOf(configuration: Configuration): Promise<Server | null> {
  const variable = 'PURSER_CONSOLE_URL'
  const url = await configuration.get('consoleUrl')
  return url === undefined ? null : { url: new URL(safeUrl(variable, url)).origin, variable }
}

async function operatorServer(configuration: Configuration): Promise<Server> {
  return (await consoleOf(configuration)) ?? serviceOf(configuration)
}

/** Requires a URL. Every request may carry a credential, so only this machine is reached without TLS. */
function safeUrl(variable: Server['variable'], url: string): string {
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) {
    throw new Failure(`${variable} must be a URL such as https://purser.example, not "${url}".`)
  }
  if (new URL(url).protocol === 'http:' && !isLocal(url)) {
    throw new Failure(`${variable} must begin with https, not "${url}": requests carry credentials.`)
  }
  return url
}

/** Returns whether a URL names this machine. */
function isLocal(url: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(new URL(url).hostname)
}

/**
 * Returns the domain that a sign-in message names. Every service accepts `localhost`, so a hostile service could use
 * such a message elsewhere. A service on another machine therefore gets a message for its own host.
 */
export function defaultDomain(url: string): string {
  return isLocal(url) ? 'localhost' : new URL(url).host
}

/** A wallet of an operator. `isPrompting`: it shows a person what to sign. */
export type OperatorWallet = WalletAdapter & { readonly isPrompting: boolean }

async function operatorWallet(context: Context): Promise<OperatorWallet | null> {
  const { configuration } = context
  const key = await configuration.get('walletKey')
  if (key !== undefined) return { ...(await keyWallet(key)), isPrompting: false }
  const address = await configuration.get('walletAddress')
  if (address === undefined) return null
  const isContract = (await configuration.get('chainId')) !== undefined
  return { ...(await promptWallet(context, address, { isContract })), isPrompting: true }
}

/** Returns the session of an operator, which the configuration file keeps between commands. */
async function operatorAuth({ configuration }: Context, wallet: OperatorWallet) {
  const { url } = await operatorServer(configuration)
  const address = typeof wallet.address === 'string' ? wallet.address : await wallet.address()
  const token = await configuration.operatorToken(url, address)
  const chainId = await chainIdOf(configuration)
  const session = operatorSession(wallet, {
    consoleUrl: url,
    ...(chainId === undefined ? {} : { chainId }),
    ...(token === undefined ? {} : { token }),
    onToken(next) {
      configuration.keepOperatorToken(url, address, next)
    },
  })
  return { session, origin: new URL(url).origin }
}

async function chainIdOf(configuration: Configuration): Promise<number | undefined> {
  const text = await configuration.get('chainId')
  if (text === undefined) return undefined
  if (!/^[1-9]\d{0,9}$/.test(text)) throw new Failure(`PURSER_CHAIN_ID must be a number such as 100, not "${text}".`)
  return Number(text)
}

export type OperatorClient = {
  readonly purser: Purser
  readonly session: WalletSession
  readonly wallet: OperatorWallet
  /** The origin of the console, for which decisions are signed. */
  readonly origin: string
}

/** Returns a client that authenticates as the operator. */
export async function operatorClient(context: Context): Promise<OperatorClient> {
  const wallet = await operatorWallet(context)
  if (wallet === null) {
    throw new Failure(
      'No wallet of an operator is set. Set PURSER_WALLET_KEY_FILE, or PURSER_WALLET_ADDRESS for a hardware wallet, or run: purser config set wallet-key',
    )
  }
  const { session, origin } = await operatorAuth(context, wallet)
  return { purser: await consoleClient(context, [session]), session, wallet, origin }
}

/** Returns the credential of a user: a token, the wallet, or the wallet of the current sandbox user. */
async function userAuth(context: Context): Promise<Auth[]> {
  const token = await context.configuration.get('token')
  if (token !== undefined) return [sendable('PURSER_TOKEN', () => accessToken(token))]
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
  await clientOf(context, [session])
  const token = await session.signIn()
  if (token === null) throw new Failure('The sign-in returned no token.')
  return token
}

/** Returns the session of the wallet, or of the current sandbox user; null: there is no wallet. */
async function sessionOf({ configuration }: Context): Promise<WalletSession | null> {
  const key = (await configuration.get('walletKey')) ?? (await configuration.sandboxUser())?.walletKey
  if (key === undefined) return null
  const domain = (await configuration.get('domain')) ?? defaultDomain(await serviceUrl(configuration))
  const uri = `${domain.split(':')[0] === 'localhost' ? 'http' : 'https'}://${domain}`
  return walletSession(await keyWallet(key), { domain, uri })
}
