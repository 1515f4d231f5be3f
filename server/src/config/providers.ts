import { getAddress, isAddress } from 'viem/utils'
import type { SigningKey } from '../lib/signing-key.ts'
import { fieldsOf, parseFields } from './json-fields.ts'
import type { Reader } from './reader.ts'
import type { ScreeningRules } from './screening-rules.ts'

export const alertLevels = ['LOW', 'MEDIUM', 'HIGH', 'SEVERE'] as const
export type AlertLevel = (typeof alertLevels)[number]

export type ChainalysisConfig = {
  readonly url: string
  readonly apiKey: string
  /** What Chainalysis calls each chain. */
  readonly networks: Readonly<Record<number, string>>
  /** Alerts of this level and above refuse a deposit. */
  readonly refusedFrom: AlertLevel
}

export type SmtpConfig = {
  readonly host: string
  readonly port: number
  /** `starttls`: encrypted before anything is said; `tls`: from the first byte */
  readonly security: 'starttls' | 'tls' | 'none'
  readonly login: { readonly user: string; readonly password: string } | null
  /** `Name <mail@example.org>` */
  readonly from: string
}

export type SumsubConfig = {
  readonly url: string
  readonly appToken: string
  readonly secretKey: string
  readonly webhookSecret: string
  /** The verification level, by its name at Sumsub; it must ask for the address as well. */
  readonly level: string
}

const moneriumChains = ['ethereum', 'gnosis', 'polygon', 'arbitrum', 'base', 'linea', 'scroll'] as const

export type MoneriumConfig = {
  readonly url: string
  readonly clientId: string
  readonly clientSecret: string
  /** where euros are minted */
  readonly chain: (typeof moneriumChains)[number]
  /** Monerium's client id at Sumsub, to which verified people are shared; null: they are described in words. */
  readonly sumsubClientId: string | null
}

/** Who stands behind the ports of compliance; null: the sandbox's. */
export type ProviderConfig = {
  readonly screening: ChainalysisConfig | null
  /** Keys that verdicts on deposits may be signed with when they are brought to us. */
  readonly screeningKeys: readonly SigningKey[]
  readonly screeningRules: ScreeningRules
  readonly mail: SmtpConfig | null
  readonly kyc: SumsubConfig | null
  readonly iban: MoneriumConfig | null
  /** A programme without bank account numbers asks no provider, and nobody is eligible. */
  readonly offersIbans: boolean
}

const defaultNetworks: Readonly<Record<number, string>> = {
  1: 'Ethereum',
  10: 'Optimism',
  56: 'Binance Smart Chain',
  100: 'Gnosis',
  137: 'Polygon',
  8453: 'Base',
  42161: 'Arbitrum',
  43114: 'Avalanche',
}

export function readProviderConfig(read: Reader): ProviderConfig {
  return {
    screening: readScreening(read),
    screeningKeys: read.keys('SCREENING_KEYS'),
    screeningRules: readScreeningRules(read),
    mail: readMail(read),
    kyc: readKyc(read),
    ...readIban(read),
  }
}

/** A value that an adapter cannot do without. */
function required(read: Reader, name: string, wanted: string): string {
  const given = read.text(name, '')
  if (given === '') read.problem(name, wanted)
  return given
}

function readScreening(read: Reader): ChainalysisConfig | null {
  if (read.oneOf('SCREENING', ['sandbox', 'chainalysis'], 'sandbox') === 'sandbox') return null
  return {
    url: read.url('CHAINALYSIS_URL', 'https://api.chainalysis.com/api/kyt'),
    apiKey: required(read, 'CHAINALYSIS_API_KEY', 'must be the key of your Chainalysis account'),
    refusedFrom: read.oneOf('CHAINALYSIS_REFUSED_FROM', alertLevels, 'HIGH'),
    networks: { ...defaultNetworks, ...readNetworks(read) },
  }
}

function readNetworks(read: Reader): Record<number, string> {
  const entries = Object.entries(readObject(read, 'CHAINALYSIS_NETWORKS'))
  const networks: Record<number, string> = {}
  for (const [chainId, name] of entries) {
    if (/^[1-9][0-9]{0,14}$/.test(chainId) && typeof name === 'string' && name !== '') networks[Number(chainId)] = name
    else read.problem('CHAINALYSIS_NETWORKS', `${chainId} must be a chain id, and its value a name`)
  }
  return networks
}

/** `{"refusedSenders": […], "reviewedSenders": […], "refusedFrom": {"EUR": "…"}, "reviewedFrom": {…}}` */
function readScreeningRules(read: Reader): ScreeningRules {
  const name = 'SCREENING_RULES'
  const { refusedSenders, reviewedSenders, refusedFrom, reviewedFrom, ...unknown } = readObject(read, name)
  for (const part of Object.keys(unknown)) read.problem(name, `${part} is not a part of it`)

  function addresses(part: string, given: unknown): string[] {
    const list: unknown[] = Array.isArray(given) ? given : []
    const found = list.flatMap((text) => (typeof text === 'string' && isAddress(text) ? [getAddress(text)] : []))
    if (given !== undefined && (!Array.isArray(given) || found.length !== list.length)) {
      read.problem(name, `${part} must be a list of addresses`)
    }
    return found
  }

  function amounts(part: string, given: unknown): Record<string, bigint> {
    const found: Record<string, bigint> = {}
    const wrong = () => read.problem(name, `${part} must be amounts in minor units, as texts, by currency`)
    const fields = given === undefined ? {} : fieldsOf(given)
    if (fields === null) wrong()
    for (const [currency, amount] of Object.entries(fields ?? {})) {
      if (/^[A-Z]{3}$/.test(currency) && typeof amount === 'string' && /^[0-9]{1,30}$/.test(amount)) {
        found[currency] = BigInt(amount)
      } else wrong()
    }
    return found
  }

  return {
    refusedSenders: addresses('refusedSenders', refusedSenders),
    reviewedSenders: addresses('reviewedSenders', reviewedSenders),
    refusedFrom: amounts('refusedFrom', refusedFrom),
    reviewedFrom: amounts('reviewedFrom', reviewedFrom),
  }
}

function readKyc(read: Reader): SumsubConfig | null {
  if (read.oneOf('KYC', ['sandbox', 'sumsub'], 'sandbox') === 'sandbox') return null
  return {
    url: read.url('SUMSUB_URL', 'https://api.sumsub.com'),
    appToken: required(read, 'SUMSUB_APP_TOKEN', 'must be an app token of your Sumsub account'),
    secretKey: required(read, 'SUMSUB_SECRET_KEY', 'must be the secret key of the app token'),
    webhookSecret: required(read, 'SUMSUB_WEBHOOK_SECRET', 'must be the secret key of the webhook'),
    level: required(read, 'SUMSUB_LEVEL', 'must be the name of your verification level'),
  }
}

function readIban(read: Reader): Pick<ProviderConfig, 'iban' | 'offersIbans'> {
  const vendor = read.oneOf('IBAN', ['sandbox', 'monerium', 'none'], 'sandbox')
  return { iban: vendor === 'monerium' ? readMonerium(read) : null, offersIbans: vendor !== 'none' }
}

function readMonerium(read: Reader): MoneriumConfig {
  return {
    url: read.url('MONERIUM_URL', 'https://api.monerium.app'),
    clientId: required(read, 'MONERIUM_CLIENT_ID', 'must be the id of your Monerium application'),
    clientSecret: required(read, 'MONERIUM_CLIENT_SECRET', 'must be the secret of your Monerium application'),
    chain: read.oneOf('MONERIUM_CHAIN', moneriumChains, 'gnosis'),
    sumsubClientId: read.text('MONERIUM_SUMSUB_CLIENT_ID', '') || null,
  }
}

function readMail(read: Reader): SmtpConfig | null {
  if (read.oneOf('MAIL_VIA', ['sandbox', 'smtp'], 'sandbox') === 'sandbox') return null
  const security = read.oneOf('SMTP_SECURITY', ['starttls', 'tls', 'none'], 'starttls')
  const [user, password] = [read.text('SMTP_USER', ''), read.text('SMTP_PASSWORD', '')]
  if ((user === '') !== (password === '')) read.problem('SMTP_PASSWORD', 'goes with SMTP_USER: both or neither')
  const from = required(read, 'MAIL_FROM', 'must be the address that mail comes from')
  if (from !== '' && (/[\r\n]/.test(from) || !from.includes('@'))) read.problem('MAIL_FROM', 'must be one mail address')
  return {
    host: required(read, 'SMTP_HOST', 'must be the name of your mail server'),
    port: read.integer('SMTP_PORT', security === 'tls' ? 465 : 587, 1, 65535),
    security,
    login: user === '' ? null : { user, password },
    from,
  }
}

function readObject(read: Reader, name: string): Readonly<Record<string, unknown>> {
  const fields = parseFields(read.text(name, '{}'))
  if (fields === null) read.problem(name, 'must be a JSON object')
  return fields ?? {}
}

/** What is named as it must be in production: nothing simulated, nothing unencrypted beyond this machine. */
export function checkForProduction(config: ProviderConfig, read: Reader, isSafe: (url: string) => boolean): void {
  if (config.screening === null) read.problem('SCREENING', 'production needs chainalysis')
  else if (!isSafe(config.screening.url)) read.problem('CHAINALYSIS_URL', 'production needs an https address')
  if (config.kyc === null) read.problem('KYC', 'production needs sumsub')
  else if (!isSafe(config.kyc.url)) read.problem('SUMSUB_URL', 'production needs an https address')
  if (config.offersIbans && config.iban === null) {
    read.problem('IBAN', 'production needs monerium, or none')
  }
  if (config.iban && !isSafe(config.iban.url)) read.problem('MONERIUM_URL', 'production needs an https address')
  const { mail } = config
  if (mail === null) read.problem('MAIL_VIA', 'production needs smtp')
  else if (mail.security === 'none' && !isSafe(`http://${mail.host}`)) {
    read.problem('SMTP_SECURITY', 'production needs an encrypted way to a mail server elsewhere')
  }
}
