// pure
import type { Address } from 'viem'
import { getAddress, isAddress } from 'viem/utils'
import type { Config } from '../config/config.ts'
import { type ApprovalPolicy, type OperatorCommand, operatorCommands } from '../config/operators.ts'
import { findToken, type Token } from '../config/stablecoins.ts'
import { addSeconds } from '../lib/clock.ts'
import { InvalidInput } from '../lib/errors.ts'
import { firstIdAt, isId } from '../lib/id.ts'
import { unitsPerMinor } from '../lib/money.ts'
import type { SessionVia } from '../lib/operator-permission.ts'
import type { State } from './decision-signature.ts'

/** A session without requests ends after this time. */
export const idleSeconds = 15 * 60
/** The minimum time between two restarts of the idle time. A session ends too early by at most this time. */
export const touchSeconds = 10
/** Every session ends after this time. */
export const operatorSessionSeconds = 8 * 3600
/** One more sign-in ends the oldest session of the wallet. */
export const maxSessionsPerWallet = 20

const tokenPrefix = 'pso_'
const tokenPattern = /^pso_[A-Za-z0-9_-]{43}$/

/** Returns the token of 32 random bytes. */
export function tokenOfBytes(bytes: Buffer): string {
  return `${tokenPrefix}${bytes.toString('base64url')}`
}

export type Credentials = { readonly via: SessionVia; readonly token: string }

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>

/** Returns the token of a request. An Authorization header wins over a cookie, which browsers add by themselves. */
export function credentialsOf(headers: Headers, consoleOrigin: string): Credentials | null {
  const { authorization, cookie } = headers
  if (typeof authorization === 'string') return credentials('bearer', /^bearer (.*)$/i.exec(authorization)?.[1])
  const named = `${cookieName(consoleOrigin)}=`
  const found = typeof cookie === 'string' ? cookie.split('; ').filter((pair) => pair.startsWith(named)) : []
  // A second cookie of the same name comes from another host of the domain, so neither is trusted.
  return found.length === 1 ? credentials('cookie', found[0]?.slice(named.length)) : null
}

function credentials(via: SessionVia, token: string | undefined): Credentials | null {
  return token !== undefined && tokenPattern.test(token) ? { via, token } : null
}

/**
 * Returns the name of the cookie. Browsers accept the prefix `__Host-` only over https. Only a sandbox may have a
 * console without https, and its cookie then has neither the prefix nor the attribute `Secure`.
 */
function cookieName(consoleOrigin: string): string {
  return isEncrypted(consoleOrigin) ? '__Host-purser-operator' : 'purser-operator'
}

/** Returns the header that stores the token in the browser; an empty token deletes it. */
export function sessionCookie(consoleOrigin: string, token: string): string {
  const secure = isEncrypted(consoleOrigin) ? '; Secure' : ''
  const maxAge = token === '' ? 0 : operatorSessionSeconds
  return `${cookieName(consoleOrigin)}=${token}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Strict${secure}`
}

function isEncrypted(origin: string): boolean {
  return origin.startsWith('https://')
}

/** Browsers cannot send this header to another origin without its consent. */
const consoleHeader = 'x-purser-console'

/**
 * Returns whether a request with a cookie comes from a page of the console. SameSite=Strict alone would admit pages of
 * other hosts of the same site. With a request that changes something, every browser sends at least one of the two
 * headers that name the page.
 */
export function isFromConsole(method: string, headers: Headers, consoleOrigin: string): boolean {
  const { origin, 'sec-fetch-site': site } = headers
  if (origin !== undefined && origin !== consoleOrigin) return false
  const isRead = method === 'GET' || method === 'HEAD'
  if (site !== undefined && site !== 'same-origin' && !(isRead && site === 'none')) return false
  if (isRead) return true
  return headers[consoleHeader] === '1' && (origin !== undefined || site !== undefined)
}

/** Parses an address, or `eip155:<chain id>:<address>` (CAIP-10) for a wallet that is a contract on that chain. */
export function parseWallet(text: string): { readonly address: Address; readonly contractChainId: number | null } {
  const [, chainId, address = ''] = /^(?:eip155:([1-9][0-9]{0,9}):)?(0x[0-9a-fA-F]{40})$/.exec(text) ?? []
  if (!isAddress(address))
    throw new InvalidInput(`"${text}" is not a wallet. Use an address, or eip155:<chain id>:<address> for a contract.`)
  return { address: getAddress(address), contractChainId: chainId === undefined ? null : Number(chainId) }
}

/**
 * Returns the canonical form of a UUID or wallet, in which decisions are signed, stored and found. Returns any other
 * text unchanged.
 */
export function canonicalId(text: string): string {
  if (isId(text)) return text.toLowerCase()
  const [, chain = '', address = ''] = /^(eip155:[0-9]+:)?(0x[0-9a-fA-F]{40})$/.exec(text) ?? []
  return isAddress(address) ? chain + getAddress(address) : text
}

/** The time that operators have to sign a decision. */
export const proposalLifeSeconds = 24 * 3600

/** Returns the smallest id that an open proposal may have. */
export function oldestOpenProposal(now: Date): string {
  return firstIdAt(addSeconds(now, -proposalLifeSeconds))
}

export const maxReasonLength = 500

/** Returns the policy of a command: the configured one, or the default. */
export function policyOf(
  { oneOperatorSuffices, operatorPolicies }: Pick<Config, 'oneOperatorSuffices' | 'operatorPolicies'>,
  command: OperatorCommand,
): ApprovalPolicy {
  return operatorPolicies.get(command) ?? (oneOperatorSuffices ? 'one' : operatorCommands[command].policy)
}

/** Returns the command of signed words such as `payouts decide paid`; undefined: this version has no such command. */
export function commandOf(words: string): OperatorCommand | undefined {
  const names = Object.keys(operatorCommands) as OperatorCommand[]
  return names.find((name) => `${words} `.startsWith(`${name} `))
}

/** Returns the number of people who must sign a decision about a subject in this state. */
export function signaturesNeeded(policy: ApprovalPolicy, state: State, tokens: readonly Token[]): 1 | 2 {
  if (policy === 'one') return 1
  if (policy === 'two') return 2
  const token = findToken(tokens, state['token'] ?? '')
  const limit = token && policy[token.currency]
  if (!token || limit === undefined) return 2
  return BigInt(state['amount'] ?? 0) > limit * unitsPerMinor(token.decimals, token.currency) ? 2 : 1
}

/** Describes the differences between two states: `account: active, now blocked`. */
export function describeChanges(before: State, after: State): string {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort()
  const shown = (state: State, name: string) => state[name] ?? 'nothing'
  return names
    .filter((name) => before[name] !== after[name])
    .map((name) => `${name}: ${shown(before, name)}, now ${shown(after, name)}`)
    .join('; ')
}

/** Replaces control characters, which could rewrite the operator's terminal. Other people choose names and reasons. */
export function printable(text: string): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '?')
}
