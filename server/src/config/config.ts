import { isIP } from 'node:net'
import { isAbsolute, resolve } from 'node:path'
import { isCountry } from '../lib/countries.ts'
import type { Currency } from '../lib/money.ts'
import type { SigningKey } from '../lib/signing-key.ts'
import {
  type CardLimits,
  type ClearingTolerance,
  defaultClearingTolerance,
  defaultHoldDays,
  type FigureByMerchantType,
  readCardLimits,
  readClearingTolerance,
  readHoldDays,
} from './card-programme.ts'
import { type ChainConfig, type ChainKind, readChains, sandboxTreasury } from './chains.ts'
import { type PayoutConfig, readPayouts } from './payouts.ts'
import { checkForProduction, type ProviderConfig, readProviderConfig } from './providers.ts'
import { productionRateLimits, type RateLimit, readRateLimits } from './rate-limits.ts'
import type { Reader } from './reader.ts'
import {
  type CurrencyRow,
  checkChains,
  checkScales,
  readCurrencies,
  readJson,
  readTokens,
  type Token,
} from './stablecoins.ts'
import { readSweeps, type SweepConfig } from './sweeps.ts'
import { readTokenAmounts } from './token-amounts.ts'

type Mode = 'sandbox' | 'production'
type Role = 'api' | 'worker' | 'watcher'

export type Config = ProviderConfig & {
  readonly mode: Mode
  readonly roles: readonly Role[]
  readonly host: string
  readonly port: number
  /** Whether other processes of the service listen on the same port: the kernel spreads connections over them. */
  readonly sharesPort: boolean
  /** Where this process alone tells of its health and its metrics, beside `port`; null: nowhere. */
  readonly metricsPort: number | null
  readonly dataDir: string
  /** null: Purser runs a PostgreSQL of its own in `dataDir`. */
  readonly databaseUrl: string | null
  readonly databasePoolSize: number
  readonly databasePrepared: boolean
  readonly logLevel: string
  /** Who uses the operator command, for what it writes down. */
  readonly operator: string
  /** The three address groups of the interface, and where card numbers are shown; one origin unless configured apart. */
  readonly servers: {
    readonly base: string
    readonly api: string
    readonly authModule: string
    readonly pci: string
  }
  /** Master secret: the keys for nonces, cursors and stored signing keys are derived from it. */
  readonly secret: string
  readonly tokenIssuer: string
  readonly tokenAudience: string
  readonly sandboxPassword: string
  readonly tokens: readonly Token[]
  readonly chain: ChainKind
  /** Those with an RPC_URL; the sandbox's own chain joins them when it has started. */
  readonly chains: readonly ChainConfig[]
  /** How withdrawals are signed, and what they may cost. */
  readonly payouts: PayoutConfig
  readonly sweeps: SweepConfig
  /** By token: a smaller deposit is like any other, and partners are not told of it. */
  readonly depositNoticeMinimums: Readonly<Record<string, bigint>>
  readonly currencies: readonly CurrencyRow[]
  /** How often a worker checks the books; 0: never by itself. */
  readonly reconcileEverySeconds: number
  readonly cardLimit: number
  /** How long it is kept who a closed user was. */
  readonly personalRetentionDays: number
  /** Codes that are sent to one mail address within an hour, whoever asks; 0: any number. */
  readonly emailCodesPerHour: number
  /** How often somebody may ask; empty: as often as they like. */
  readonly rateLimits: readonly RateLimit[]
  /** Proxies whose word on a client's network address counts: addresses or ranges. */
  readonly trustedProxies: readonly string[]
  /** What authorizations are refused for, besides card, account and funds. */
  readonly cardLimits: CardLimits
  /** When a hold ends unless it is cleared: days from the last approval. */
  readonly holdDays: FigureByMerchantType
  readonly clearingTolerance: ClearingTolerance
  /** Keys that the card processor signs with: several while it changes from one to the next. */
  readonly issuerKeys: readonly SigningKey[]
  /** The card processor that cards are made at; null: the sandbox's. */
  readonly issuer: { readonly url: string; readonly key: SigningKey } | null
  /** A card decision not made by then is a decline … */
  readonly issuerDecisionMilliseconds: number
  /** … and is answered at the latest then. */
  readonly issuerAnswerMilliseconds: number
  /** Rolling 24 h cap of withdrawals per user, in minor units of the currency; absent: none. */
  readonly dailyWithdrawalCaps: Readonly<Record<Currency, bigint>>
  readonly ibanCountries: readonly string[]
  readonly kycClients: readonly string[]
  /** How a partner's claim to a domain is checked. */
  readonly domainProof: 'sandbox' | 'public'
  /** What users must accept, each document in its current version; a new version asks all of them again. */
  readonly terms: readonly { readonly type: string; readonly version: string; readonly url: string }[]
}

export class ConfigError extends Error {
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(`The configuration has ${problems.length} problem(s):\n${problems.map((p) => `  - ${p}`).join('\n')}`)
    this.name = 'ConfigError'
    this.problems = problems
  }
}

const sandboxSecret = 'purser-sandbox-secret-never-use-in-production'
const sandboxPassword = 'sandbox'
const sandboxIssuerKey: SigningKey = { id: 'sandbox', secret: 'purser-sandbox-issuer-key-never-in-production' }

/** Members of the European Economic Area, ISO 3166 alpha-2. */
const eeaCountries = 'AT,BE,BG,HR,CY,CZ,DK,EE,FI,FR,DE,GR,HU,IS,IE,IT,LV,LI,LT,LU,MT,NL,NO,PL,PT,RO,SK,SI,ES,SE'

const capPrefix = 'DAILY_WITHDRAWAL_CAP_'

/**
 * Reads the environment once. Throws `ConfigError` with every problem at once, each naming its variable.
 * No other file reads `process.env`.
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const problems: string[] = []
  const problem = (name: string, wanted: string) => problems.push(`${name}: ${wanted}`)
  const text = (name: string, fallback: string) => env[name]?.trim() || fallback

  const list = (name: string, fallback: string) => listed(text(name, fallback))

  function oneOf<T extends string>(name: string, values: readonly T[], fallback: T): T {
    const given = text(name, fallback)
    const found = values.find((value) => value === given)
    if (found === undefined) problem(name, `must be one of ${values.join(', ')}`)
    return found ?? fallback
  }

  function integer(name: string, fallback: number, least: number, most: number): number {
    const given = text(name, String(fallback))
    const value = Number(given)
    if (/^[0-9]{1,9}$/.test(given) && value >= least && value <= most) return value
    problem(name, `must be an integer from ${least} to ${most}`)
    return fallback
  }

  function url(name: string, fallback: string): string {
    const given = text(name, '')
    if (given === '') return fallback
    const parsed = URL.canParse(given) ? new URL(given) : null
    if (!parsed || !['http:', 'https:'].includes(parsed.protocol)) problem(name, 'must be an http or https URL')
    else if (parsed.search + parsed.hash !== '') problem(name, 'must end before any ? or #: paths are put behind it')
    return given.replace(/\/+$/, '')
  }

  const mode = oneOf<Mode>('MODE', ['sandbox', 'production'], 'sandbox')
  const host = text('HOST', 'localhost')
  const port = integer('PORT', 8080, 0, 65535)
  const base = url('BASE_URL', `http://localhost:${port}`)
  const servers = {
    base,
    api: url('API_URL', base),
    authModule: url('AUTH_MODULE_URL', base),
    pci: url('PCI_URL', base),
  }

  const roles = list('ROLES', 'api,worker,watcher')
  const knownRoles = (['api', 'worker', 'watcher'] as const).filter((role) => roles.includes(role))
  if (knownRoles.length === 0 || knownRoles.length !== new Set(roles).size) {
    problem('ROLES', 'must be a comma-separated list of api, worker, watcher')
  }

  const databaseUrl = env['DATABASE_URL']?.trim() || null
  if (databaseUrl !== null && !/^postgres(ql)?:\/\//.test(databaseUrl)) {
    problem('DATABASE_URL', 'must begin with postgres:// or postgresql://')
  }

  const secret = text('SECRET', sandboxSecret)
  if (secret.length < 32) problem('SECRET', 'must have at least 32 characters')
  const password = text('SANDBOX_PASSWORD', sandboxPassword)
  const dataDir = text('DATA_DIR', 'data')

  const tokens = readTokens(env['TOKENS'], (wanted) => problem('TOKENS', wanted))
  const currencies = readCurrencies(env['CURRENCIES'], (wanted) => problem('CURRENCIES', wanted))
  checkScales(tokens, currencies, (wanted) => problem('TOKENS', wanted))
  const terms = readTerms(env['TERMS'], base, (wanted) => problem('TERMS', wanted))

  const dailyWithdrawalCaps: Record<Currency, bigint> = {}
  for (const name of Object.keys(env).filter((name) => name.startsWith(capPrefix))) {
    const currency = name.slice(capPrefix.length)
    const given = text(name, '')
    if (given === '') continue
    if (!currencies.some((row) => row.currency === currency)) problem(name, 'must end with a configured currency')
    else if (/^[0-9]{1,30}$/.test(given)) dailyWithdrawalCaps[currency] = BigInt(given)
    else problem(name, "must be an integer in the currency's minor unit")
  }

  const trustedProxies = list('TRUSTED_PROXIES', '')
  for (const range of trustedProxies) {
    const [address = '', bits] = range.split('/')
    const most = isIP(address) === 6 ? 128 : 32
    if (isIP(address) === 0 || (bits !== undefined && !(/^\d{1,3}$/.test(bits) && Number(bits) <= most))) {
      problem('TRUSTED_PROXIES', `"${range}" is not an IP address or a range such as 10.0.0.0/8`)
    }
  }

  const issuerKeys = readKeys(env['ISSUER_KEYS'], (wanted) => problem('ISSUER_KEYS', wanted))
  const issuerName = oneOf('ISSUER', ['sandbox', 'http'], 'sandbox')
  const issuer = issuerName === 'http' ? readIssuer() : null

  function readIssuer(): Config['issuer'] {
    const address = url('ISSUER_URL', '')
    const [key, ...more] = readKeys(env['ISSUER_OUTBOUND_KEY'], (wanted) => problem('ISSUER_OUTBOUND_KEY', wanted))
    if (address === '') problem('ISSUER_URL', 'must be the address of the card processor')
    if (!key || more.length > 0) problem('ISSUER_OUTBOUND_KEY', 'must be one key, id:secret')
    if (key && issuerKeys.some(({ secret }) => secret === key.secret)) {
      problem('ISSUER_OUTBOUND_KEY', 'must not be a key that the processor signs with')
    }
    return key ? { url: address, key } : null
  }

  const read: Reader = {
    text,
    url,
    integer,
    oneOf,
    problem,
    keys: (name) => readKeys(env[name], (wanted) => problem(name, wanted)),
  }
  const providers = readProviderConfig(read)
  const ibanCountries = list('IBAN_COUNTRIES', eeaCountries)
  for (const country of ibanCountries) {
    if (!isCountry(country)) problem('IBAN_COUNTRIES', `"${country}" is not a country code of two letters (ISO 3166)`)
  }
  const proofByDefault = mode === 'production' ? 'public' : 'sandbox'
  const domainProof = oneOf<Config['domainProof']>('DOMAIN_PROOF', ['sandbox', 'public'], proofByDefault)
  const chains = readChains(env, mode === 'sandbox' ? sandboxTreasury : null, problem)
  const isReachable = tokens.some((token) => chains.some(({ chainId }) => chainId === token.chainId))
  // A database of yours may serve several processes, and a chain of our own would be another one for each.
  const areTogether = new Set(tokens.map(({ chainId }) => chainId)).size === 1
  const ownChain = databaseUrl === null && areTogether ? 'anvil' : 'simulated'
  const chain = oneOf<ChainKind>('CHAIN', ['simulated', 'anvil', 'evm'], isReachable ? 'evm' : ownChain)
  if (chain === 'evm') checkChains(tokens, chains, problem)
  else if (isReachable) problem('CHAIN', 'must be evm where a chain of the tokens has an RPC_URL')
  else if (chain === 'anvil' && !areTogether) problem('CHAIN', 'cannot be anvil: the tokens live on several chains')

  if (mode === 'production') {
    if (secret === sandboxSecret) problem('SECRET', 'production needs a secret of its own')
    if (env['SANDBOX_PASSWORD']) problem('SANDBOX_PASSWORD', 'has no place in production')
    if (databaseUrl === null) problem('DATABASE_URL', 'production needs a PostgreSQL that you run and back up')
    if (env['TOKENS'] === undefined) problem('TOKENS', 'production needs its own list of tokens')
    if (env['TERMS'] === undefined) problem('TERMS', 'production needs its own list of terms')
    for (const [name, value] of [
      ['BASE_URL', base],
      ['API_URL', servers.api],
      ['AUTH_MODULE_URL', servers.authModule],
      ['PCI_URL', servers.pci],
    ] as const) {
      // Those that are not set are BASE_URL's, and so is their problem.
      if (!value.startsWith('https://') && (name === 'BASE_URL' || value !== base)) {
        problem(name, 'production needs a public https address')
      }
    }
    if (issuerKeys.length === 0) problem('ISSUER_KEYS', 'production needs keys that the card processor signs with')
    if (issuerName === 'sandbox') problem('ISSUER', 'production needs http')
    if (domainProof === 'sandbox') problem('DOMAIN_PROOF', 'production needs public')
    if (issuer && !isSafe(issuer.url)) problem('ISSUER_URL', 'production needs an https address')
    checkForProduction(providers, read, isSafe)
    if (chain !== 'evm')
      problem('CHAIN', 'production needs evm: an RPC_URL_<chainId> for each chain that TOKENS live on')
  }

  const config: Config = {
    ...providers,
    mode,
    roles: knownRoles,
    host,
    port,
    metricsPort: text('METRICS_PORT', '') === '' ? null : integer('METRICS_PORT', 9090, 1, 65535),
    sharesPort: oneOf('SHARED_PORT', ['on', 'off'], 'off') === 'on',
    servers,
    databaseUrl,
    secret,
    tokens,
    chain,
    chains,
    sweeps: readSweeps(read, { tokens, isSandbox: mode === 'sandbox' }),
    depositNoticeMinimums: readTokenAmounts(text('DEPOSIT_NOTICE_MINIMUMS', '{}'), { tokens, usual: 0n }, (wanted) =>
      problem('DEPOSIT_NOTICE_MINIMUMS', wanted),
    ),
    payouts: readPayouts(read, mode === 'production'),
    currencies,
    dailyWithdrawalCaps,
    dataDir: isAbsolute(dataDir) ? dataDir : resolve(env['INIT_CWD'] ?? process.cwd(), dataDir),
    databasePoolSize: integer('DATABASE_POOL_SIZE', 8, 1, 200),
    databasePrepared: oneOf('DATABASE_PREPARED', ['on', 'off'], 'on') === 'on',
    logLevel: oneOf('LOG_LEVEL', ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], 'info'),
    operator: text('OPERATOR', env['SUDO_USER'] ?? env['USER'] ?? 'unknown'),
    tokenIssuer: text('TOKEN_ISSUER', servers.api),
    tokenAudience: text('TOKEN_AUDIENCE', servers.base),
    sandboxPassword: password,
    issuerKeys: issuerKeys.length === 0 && mode === 'sandbox' ? [sandboxIssuerKey] : issuerKeys,
    issuer,
    issuerDecisionMilliseconds: integer('ISSUER_DECISION_MILLISECONDS', 1000, 1, 60_000),
    issuerAnswerMilliseconds: integer('ISSUER_ANSWER_MILLISECONDS', 1500, 1, 60_000),
    reconcileEverySeconds: integer('RECONCILE_EVERY_SECONDS', 3600, 0, 604_800),
    personalRetentionDays: integer('PERSONAL_RETENTION_DAYS', 1827, 0, 36_500),
    cardLimit: integer('CARD_LIMIT', 5, 1, 1000),
    emailCodesPerHour: integer('EMAIL_CODES_PER_HOUR', mode === 'sandbox' ? 0 : 5, 0, 1000),
    rateLimits: readRateLimits(text('RATE_LIMITS', mode === 'sandbox' ? '' : productionRateLimits), (wanted) =>
      problem('RATE_LIMITS', wanted),
    ),
    trustedProxies,
    cardLimits: readCardLimits(env['CARD_LIMITS']?.trim(), (wanted) => problem('CARD_LIMITS', wanted)),
    holdDays: readHoldDays(text('HOLD_DAYS', defaultHoldDays), (wanted) => problem('HOLD_DAYS', wanted)),
    clearingTolerance: readClearingTolerance(text('CLEARING_TOLERANCE', defaultClearingTolerance), (wanted) =>
      problem('CLEARING_TOLERANCE', wanted),
    ),
    ibanCountries: providers.offersIbans ? ibanCountries : [],
    kycClients: list('KYC_CLIENTS', mode === 'sandbox' ? 'partner.example_1' : ''),
    domainProof,
    terms,
  }
  if (config.issuerAnswerMilliseconds < config.issuerDecisionMilliseconds) {
    problem('ISSUER_ANSWER_MILLISECONDS', 'must not be before ISSUER_DECISION_MILLISECONDS')
  }
  if (problems.length > 0) throw new ConfigError(problems)
  return Object.freeze(config)
}

/** What stands between commas. */
function listed(given: string): string[] {
  return given
    .split(',')
    .map((text) => text.trim())
    .filter(Boolean)
}

/** `id:secret,id2:secret2` */
function readKeys(given: string | undefined, problem: (wanted: string) => void): readonly SigningKey[] {
  const keys = listed(given ?? '').map((text) => /^([A-Za-z0-9_-]{1,64}):(.{32,})$/.exec(text))
  if (keys.includes(null)) problem('each key is id:secret, the secret of at least 32 characters and without a comma')
  const known = keys.flatMap((match) => (match?.[1] && match[2] ? [{ id: match[1], secret: match[2] }] : []))
  if (new Set(known.map(({ id }) => id)).size !== known.length) problem('an id stands twice')
  if (known.some(({ secret }) => secret === sandboxIssuerKey.secret)) problem('a secret is the sandbox default')
  return known
}

/** Encrypted, or plain where that never leaves the machine, as beside a proxy that speaks TLS. */
function isSafe(address: string): boolean {
  if (address.startsWith('https://')) return true
  return URL.canParse(address) && ['localhost', '127.0.0.1', '[::1]'].includes(new URL(address).hostname)
}

function readTerms(given: string | undefined, base: string, problem: (wanted: string) => void): Config['terms'] {
  if (!given) return [{ type: 'general', version: '1', url: `${base}/docs` }]
  const terms = readJson(given, problem).flatMap((entry) => {
    const { type, version, url } = Object(entry)
    if (typeof type === 'string' && typeof version === 'string' && typeof url === 'string' && URL.canParse(url)) {
      return [{ type, version, url }]
    }
    problem(`an entry is not {type, version, url}: ${JSON.stringify(entry)}`)
    return []
  })
  if (new Set(terms.map(({ type }) => type)).size !== terms.length) problem('a type stands twice')
  return terms
}
