import type { Hooks, PurserError } from '../../client/src/index.ts'
import { operations } from '../../client/src/operations.ts'
import manifest from '../package.json' with { type: 'json' }
import { Failure } from './command.ts'

const probeMilliseconds = 5_000

/** A URL that requests go to, and the variable that sets it. */
export type Server = { readonly url: string; readonly variable: 'PURSER_URL' | 'PURSER_CONSOLE_URL' }

/** A call to the console, if one is set, or to the service. `hasKeyOption`: its command has the option `--key`. */
export type FailedCall = { readonly service: Server; readonly atConsole: Server | null; readonly hasKeyOption: boolean }

/** Returns the sentence for a failed call: what is wrong, and what to do. */
export async function describeFailure(error: PurserError, call: FailedCall): Promise<string> {
  const { kind, code, requestId, status } = error
  const { service, atConsole } = call
  const [, address = ''] = error.message.split(' ', 2)
  const server = atConsole !== null && address.startsWith(`${atConsole.url}/`) ? atConsole : service
  const { url, variable } = server
  const message = await withSentence(error)
  const request = requestId === null ? '' : ` (request ${requestId})`
  const repetition = repetitionOf(error, call)
  const outcome = isHarmless.test(message)
    ? null
    : `The outcome is unknown. ${repetition ?? 'Check it before you repeat the command.'}`
  // Only a response of Purser has the id of a request.
  const shown = `${message}${request}${code === 'UNKNOWN' && requestId !== null ? newerSentence : ''}`
  switch (kind) {
    case 'connection':
      if (outcome !== null && !isUnsent(error)) {
        return `The connection to the service at ${url} was lost: ${reasonOf(error)}. ${outcome}`
      }
      // An earlier attempt may have arrived, so the key matters even now.
      return joined(
        `No service responds at ${url}: ${reasonOf(error)}. Start one with "purser up", or set ${variable}.`,
        repetition,
      )
    case 'timeout':
      return `The service at ${url} did not respond in time. ${outcome ?? 'Try again, or check its log.'}`
    case 'unavailable':
      return joined(shown, requestId === null ? outcome : repetition)
    case 'authentication':
      return `${authenticationSentence(code) ?? message}${request}`
    case 'permission':
      return requestId === null ? proxySentence(error, server) : shown
    case 'not_found':
    case 'request':
      return (await explainStranger(error, server)) ?? (requestId === null ? proxySentence(error, server) : shown)
    case 'server':
      // A proxy may have given up while the service is still working.
      if (status !== 200 && requestId === null && outcome !== null) return joined(shown, outcome)
      return (await explainStranger(error, server)) ?? joined(shown, repetition)
    default:
      return joined(shown, error.retryable ? repetition : null)
  }
}

/** Matches a request that changes nothing when it is repeated: a read or a sign-in. */
const isHarmless = /^(GET |POST \S+\/(auth\/challenge|operator\/session): )/

const joined = (first: string, second: string | null) =>
  second === null ? first : `${first.replace(/\.$/, '')}. ${second}`

/** Returns how to repeat a request that must not act twice; null: the command cannot repeat it with its key. */
function repetitionOf({ idempotencyKey }: PurserError, { hasKeyOption }: FailedCall): string | null {
  return hasKeyOption && idempotencyKey !== null ? `Repeat the request with --key ${idempotencyKey}.` : null
}

const newerSentence = `. This command line, ${manifest.version}, does not know this error. The service runs a different version.`

/** Adds the sentence of the code to a message that ends with its code. */
async function withSentence({ message, code }: PurserError): Promise<string> {
  const { sentences } = await import('./sentences.ts')
  const sentence = sentences[code]
  return sentence === undefined || !message.endsWith(code) ? message : `${message}: ${sentence}`
}

function authenticationSentence(code: string): string | null {
  switch (code) {
    case 'TOKEN_EXPIRED':
    case 'INVALID_TOKEN':
    case 'ACCESS_REVOKED':
      return `The service rejects your access token (${code}). Set PURSER_TOKEN to a new one, or remove it and set PURSER_WALLET_KEY_FILE.`
    case 'UNAUTHORIZED':
      return 'The command needs a credential. Set PURSER_TOKEN, PURSER_API_KEY or PURSER_WALLET_KEY_FILE.'
    case 'DOMAIN_NOT_ALLOWED':
      return 'The service allows no sign-in from this domain. Set PURSER_DOMAIN to a domain of the service, or PURSER_CONSOLE_URL to its console.'
    case 'NOT_AN_OPERATOR':
      return 'The wallet is not an operator of this service, or signs for another chain. Check the wallet, PURSER_CONSOLE_URL and PURSER_CHAIN_ID.'
    case 'SANDBOX_UNAUTHORIZED':
      return 'The password of the simulator is wrong. Set PURSER_SANDBOX_PASSWORD to the SANDBOX_PASSWORD of the service.'
    default:
      return null
  }
}

/** Explains a response that a Purser of this version never gives. */
async function explainStranger({ status, code, message }: PurserError, server: Server): Promise<string | null> {
  const { url } = server
  if (code !== 'NOT_FOUND' && code !== 'UNKNOWN') return null
  const paths = await documentedPaths(url, '/openapi.json', 'Purser')
  if (paths === null) return strangerSentence(server)
  if (status === 200) return otherVersionSentence(url)
  const [, method = '', address = ''] = /^(\w+) (\S+): /.exec(message) ?? []
  const path = URL.canParse(address) ? new URL(address).pathname : address
  if (path.startsWith('/operator/')) {
    const ofOperators = await documentedPaths(url, '/operator/openapi.json', 'Purser for operators')
    if (ofOperators === null)
      return `The service at ${url} has no API of operators. Set PURSER_CONSOLE_URL to the URL of its console.`
    paths.push(...ofOperators)
  }
  const template = templatesOf(operations).find(([verb, each]) => verb === method && patternOf(each).test(path))?.[1]
  if (template === undefined || paths.includes(template)) return null
  if (path.startsWith('/sandbox/')) return `The service at ${url} is not a sandbox, so nothing can be simulated there.`
  return `The service at ${url} has no ${method} ${template}. It runs a different version from this command line, ${manifest.version}.`
}

/** For a response without the fields that a command needs. */
export const otherVersionSentence = (url: string) =>
  `The service at ${url} responds in a form that this command line, ${manifest.version}, does not know. It runs a different version.`

const strangerSentence = ({ url, variable }: Server) => `${url} is not a Purser service. Check ${variable}.`

const proxySentence = ({ status }: PurserError, { url, variable }: Server) =>
  `A proxy at ${url} rejects the request with ${status}, before it reaches Purser. Check ${variable}, and the networks and paths that the proxy admits.`

/** Statuses with which a proxy itself rejects a network, a path, a method, a large body or too many requests. */
const statusesOfProxies: readonly number[] = [403, 404, 405, 413, 429]

/**
 * Returns a hook that fails a call if the response is not from Purser. It admits the statuses with which a proxy may
 * respond in place of Purser.
 */
export function requirePurser(server: Server): NonNullable<Hooks['onResponse']> {
  return (_attempt, { headers, status }) => {
    if (status >= 500 || statusesOfProxies.includes(status) || headers.has('x-request-id')) return
    throw new Failure(strangerSentence(server))
  }
}

/** Returns the paths of a document of the service; null: it has no such document. */
async function documentedPaths(url: string, file: string, title: string): Promise<string[] | null> {
  try {
    const response = await fetch(`${url.replace(/\/+$/, '')}${file}`, {
      signal: AbortSignal.timeout(probeMilliseconds),
    })
    const document = Object(await response.json())
    return Object(document.info).title === title ? Object.keys(Object(document.paths)) : null
  } catch {
    return null
  }
}

type Tree = { readonly [name: string]: Tree | string }

function templatesOf(tree: Tree): [method: string, template: string][] {
  return Object.values(tree).flatMap((node): [string, string][] => {
    if (typeof node !== 'string') return templatesOf(node)
    const [method = '', template = ''] = node.split(' ')
    return [[method, template]]
  })
}

const patternOf = (template: string) => new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`)

/** The reasons that Node.js gives, by their codes. */
const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was closed',
  ENOTFOUND: 'the host name does not resolve',
  EAI_AGAIN: 'the DNS does not respond',
  ETIMEDOUT: 'the connection timed out',
  UND_ERR_CONNECT_TIMEOUT: 'the connection timed out',
}

function reasonOf(error: PurserError): string {
  const cause = causeOf(error)
  return reasons[cause.code ?? ''] ?? cause.message
}

/** Returns whether the last attempt cannot have reached a service. */
const isUnsent = (error: PurserError) => {
  const { code = '', message } = causeOf(error)
  return unsentCodes.includes(code) || message === 'bad port'
}

const unsentCodes = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT']

/** Returns the first cause with a known code, or else the last one. */
function causeOf(error: PurserError): { readonly code?: string; readonly message: string } {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    const code: unknown = Object(cause).code
    if (typeof code === 'string' && code in reasons) return { code, message: cause.message }
    if (cause.cause === undefined) return { message: cause.message }
  }
  return error
}
