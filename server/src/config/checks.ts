import { minorDigits } from '../lib/money.ts'
import { type ChainConfig, type ChainKind, chainConfig } from './chains.ts'
import type { KnownValues } from './groups.ts'
import { modeChecks } from './mode.ts'
import { isLocalHost } from './outbound.ts'
import type { Mode } from './setting.ts'

/**
 * A rule that involves several settings. Returns its problems. `known` lacks the settings that have a problem of their
 * own, and a rule skips every check that needs one of them.
 */
export type Check = (known: KnownValues, mode: Mode) => readonly string[]

/** A currency row must show its tokens exactly, and a token must be able to hold a minor unit. */
const tokensFitTheirCurrencies: Check = ({ stablecoins: { tokens = [], currencies } }) => {
  if (!currencies) return []
  return tokens.flatMap(({ symbol, currency, decimals }) => {
    const row = currencies.find((row) => row.currency === currency)
    if (!row) return [`TOKENS must use configured currencies: ${symbol} is in ${currency}. Add it to CURRENCIES.`]
    if (decimals > row.decimals) {
      return [
        `TOKENS must not have more decimals than CURRENCIES: ${symbol} has ${decimals}, ${currency} ${row.decimals}.`,
      ]
    }
    const digits = minorDigits(currency)
    if (decimals >= digits) return []
    return [
      `TOKENS must not have fewer decimals than a currency has minor digits: ${symbol} has ${decimals}, ${currency} ${digits}.`,
    ]
  })
}

const amountsNameTokens: Check = ({ stablecoins, sweeps, limits }) => {
  const { tokens, depositNoticeMinimums = {} } = stablecoins
  if (!tokens) return []
  const settings = {
    SWEEP_MINIMUMS: sweeps.minimums ?? {},
    DEPOSIT_NOTICE_MINIMUMS: depositNoticeMinimums,
    WITHDRAWAL_MINIMUMS: limits.withdrawalMinimums ?? {},
  }
  return Object.entries(settings).flatMap(([name, amounts]) =>
    Object.keys(amounts)
      .filter((address) => !tokens.some((token) => token.address === address))
      .map((address) => `${name} must name tokens of TOKENS, not ${address}.`),
  )
}

const capsNameCurrencies: Check = ({ stablecoins: { currencies }, limits: { withdrawalCaps = [] } }) => {
  if (!currencies) return []
  return withdrawalCaps
    .filter(({ suffix }) => !currencies.some(({ currency }) => currency === suffix))
    .map(({ suffix }) => `DAILY_WITHDRAWAL_CAP_${suffix} must end with a configured currency.`)
}

const needsNodes = 'CHAIN must be evm in production. Set RPC_URL_<chainId> for each chain of TOKENS.'

const chainSuitsTokens: Check = ({ stablecoins: { tokens }, chains, database }, mode) => {
  if (!chains.chains || chains.chain === undefined) return []
  const attached = chains.chains.map(chainConfig)
  if (!tokens) return mode === 'production' && attached.length === 0 ? [needsNodes] : []
  const facts = { tokens, chains: attached, databaseUrl: database.databaseUrl ?? null }
  const kind = chainKind(chains.chain, facts)
  if (kind === 'evm') return tokens.flatMap(({ chainId }) => findChainProblem(chainId, attached))
  if (mode === 'production') return [needsNodes]
  if (isReachable(facts)) return [`CHAIN must be evm when a chain of TOKENS has an RPC_URL, not "${kind}".`]
  if (kind === 'anvil' && !liveOnOneChain(facts)) return ['CHAIN must not be anvil when TOKENS live on several chains.']
  return []
}

function findChainProblem(chainId: number, attached: readonly ChainConfig[]): string[] {
  const chain = attached.find((chain) => chain.chainId === chainId)
  if (!chain)
    return [`RPC_URL_${chainId} must be set, because tokens live on this chain. Use the URL of one of its nodes.`]
  return chain.treasury === null
    ? [`TREASURY_${chainId} must be set, because tokens live on this chain. Use the address that deposits go to.`]
    : []
}

/** Deposits on a chain that the provider cannot name would stay pending forever. */
const everyChainIsScreened: Check = ({ screening: { screening }, stablecoins: { tokens = [] } }, mode) => {
  if (mode === 'sandbox' || screening?.kind !== 'chainalysis') return []
  const unnamed = new Set(tokens.map(({ chainId }) => chainId).filter((chainId) => !screening.networks[chainId]))
  return [...unnamed].map(
    (chainId) =>
      `CHAINALYSIS_NETWORKS must name chain ${chainId}, because tokens live on it. Use Chainalysis' name of the chain.`,
  )
}

/** An account has one address on all chains. Another factory would derive another address. */
const factoriesAreTheSame: Check = ({ chains: { chains = [] } }) => {
  const configured = chains.map(chainConfig)
  const factories = new Set(configured.flatMap(({ factory }) => factory ?? []))
  if (factories.size <= 1) return []
  return configured.map(
    ({ chainId }) =>
      `FACTORY_${chainId} must be the same on every chain. If it is not set, TREASURY_${chainId} must be the same.`,
  )
}

const issuerKeysDiffer: Check = ({ issuer: { issuer, issuerKeys = [] } }) => {
  if (issuer?.kind !== 'http' || !issuerKeys.some(({ secret }) => secret === issuer.key.secret)) return []
  return ['ISSUER_OUTBOUND_KEY must not have the secret of a key in ISSUER_KEYS.']
}

const answersFollowDecisions: Check = ({ issuer }) => {
  const { issuerDecisionMilliseconds: decision, issuerAnswerMilliseconds: answer } = issuer
  if (decision === undefined || answer === undefined || answer >= decision) return []
  return [`ISSUER_ANSWER_MILLISECONDS must be at least ISSUER_DECISION_MILLISECONDS (${decision}), not ${answer}.`]
}

const mailIsProtected: Check = ({ mail: { mail } }, mode) => {
  if (mail?.kind !== 'smtp') return []
  const problems: string[] = []
  if ((mail.user === null) !== (mail.password === null)) {
    problems.push('SMTP_PASSWORD and SMTP_USER must be set together.')
  }
  if (mode === 'production' && mail.security === 'none' && !isLocalHost(mail.host)) {
    problems.push('SMTP_SECURITY must be starttls or tls in production, unless SMTP_HOST is this machine.')
  }
  return problems
}

export const checks: readonly Check[] = [
  tokensFitTheirCurrencies,
  amountsNameTokens,
  capsNameCurrencies,
  chainSuitsTokens,
  everyChainIsScreened,
  factoriesAreTheSame,
  issuerKeysDiffer,
  answersFollowDecisions,
  mailIsProtected,
  ...modeChecks,
]

type ChainFacts = {
  readonly tokens: readonly { readonly chainId: number }[]
  readonly chains: readonly { readonly chainId: number }[]
  readonly databaseUrl: string | null
}

/** Returns the configured kind of chain, or the default that follows from tokens, nodes and database. */
export function chainKind(configured: ChainKind | null, facts: ChainFacts): ChainKind {
  if (configured !== null) return configured
  if (isReachable(facts)) return 'evm'
  // Several processes may share an external database, and each would start a chain of its own.
  return facts.databaseUrl === null && liveOnOneChain(facts) ? 'anvil' : 'simulated'
}

function isReachable({ tokens, chains }: ChainFacts): boolean {
  return tokens.some((token) => chains.some(({ chainId }) => chainId === token.chainId))
}

function liveOnOneChain({ tokens }: ChainFacts): boolean {
  return new Set(tokens.map(({ chainId }) => chainId)).size === 1
}
