import { noCardLimits } from './card-programme.ts'
import { type ChainConfig, chainConfig } from './chains.ts'
import { chainKind, checks } from './checks.ts'
import { concealSecrets, keepConcealed } from './conceal.ts'
import { groups, type KnownValues, type Values } from './groups.ts'
import { mailConfig } from './mail.ts'
import { findMisspelled, type Misspelled } from './misspelled.ts'
import { isExposed, modeProblems } from './mode.ts'
import { modeValues } from './mode-values.ts'
import { sandboxOperator } from './operators.ts'
import { Reader } from './read.ts'
import type { Env } from './setting.ts'
import { completeAmounts, minorUnitOf } from './stablecoins.ts'

/** The configuration: the values of all settings in `groups.ts`, and values derived from several of them. */
export type Config = Readonly<ReturnType<typeof assemble>>

export class ConfigError extends Error {
  readonly problems: readonly string[]

  constructor(problems: readonly string[], hints: readonly string[] = []) {
    const lines = [...problems, ...hints].map((line) => `  - ${line}`)
    super(`The configuration has ${problems.length} problem(s):\n${lines.join('\n')}`)
    this.name = 'ConfigError'
    this.problems = problems
  }
}

/**
 * Reads the configuration from an environment. Throws `ConfigError` with all problems at once. Printing the result with
 * `console.log` or `JSON.stringify` shows no secret.
 */
export function readConfig(env: Env): Config {
  const mode = env['MODE']?.trim() === 'production' ? 'production' : 'sandbox'
  const reader = new Reader(env, mode)
  const known = readGroups(reader)
  const problems = [
    ...new Set([
      ...reader.problems,
      ...checks.flatMap((check) => check(known, mode)),
      ...modeProblems(env, mode, reader.secrets),
    ]),
  ]
  const misspelled = findMisspelled(env)
  if (problems.length > 0) throw new ConfigError(problems, misspelled.map(describeMisspelled))
  // A setting without a problem has a value.
  return Object.freeze(concealSecrets(assemble(known as Values, misspelled), [...reader.secrets.values()]))
}

function readGroups(reader: Reader): KnownValues {
  const known = Object.entries(groups).map(([name, group]) => [name, reader.readGroup(group)])
  return Object.fromEntries(known)
}

function assemble(values: Values, misspelled: readonly Misspelled[]) {
  const { baseUrl, apiUrl, authModuleUrl, pciUrl, ...service } = values.service
  const base = baseUrl ?? `http://localhost:${service.port}`
  const { consoleUrl, testOperator, ...operators } = values.operators
  const servers = {
    ...{ base, api: apiUrl ?? base, authModule: authModuleUrl ?? base, pci: pciUrl ?? base },
    /** The origin of the console, in the form in which browsers send it. */
    console: new URL(consoleUrl ?? base).origin,
  }
  const { tokens } = values.stablecoins
  const { withdrawalCaps, ...limits } = values.limits
  const chains: readonly ChainConfig[] = values.chains.chains.map(chainConfig)
  const { sweeps, cards, ibans } = values
  return {
    ...service,
    ...modeValues[service.mode],
    /** Variables that look like settings. The start logs them. */
    misspelled,
    servers,
    ...values.programme,
    ...values.database,
    ...values.secrets,
    tokenIssuer: values.secrets.tokenIssuer ?? servers.api,
    tokenAudience: values.secrets.tokenAudience ?? servers.base,
    ...values.stablecoins,
    depositNoticeMinimums: completeAmounts(tokens, values.stablecoins.depositNoticeMinimums, 0n),
    ...cards,
    cardLimits: cards.cardLimits ?? noCardLimits,
    ...limits,
    /** In token units. */
    withdrawalMinimums: Object.fromEntries(
      tokens.map((token) => [
        token.address,
        limits.withdrawalMinimums[token.address] ?? (service.mode === 'sandbox' ? 0n : minorUnitOf(token)),
      ]),
    ),
    /** In minor units. A currency that is absent has no cap. */
    dailyWithdrawalCaps: Object.fromEntries(withdrawalCaps.map(({ suffix, cap }) => [suffix, cap])),
    ...values.issuer,
    chain: chainKind(values.chains.chain, { tokens, chains, databaseUrl: values.database.databaseUrl }),
    /** The chains with nodes. The sandbox's own chain joins them once it has started. */
    chains,
    payouts: values.payouts,
    sweeps: { ...sweeps, minimums: completeAmounts(tokens, sweeps.minimums, 10n) },
    ...values.screening,
    ...values.kyc,
    ...ibans,
    ibanCountries: ibans.iban.kind === 'none' ? [] : ibans.ibanCountries,
    mail: mailConfig(values.mail.mail),
    ...values.partners,
    ...operators,
    /** Null for the default operator, whose key is public, if other machines can reach the service. */
    testOperator: testOperator === sandboxOperator && isExposed(values.service) ? null : testOperator,
    terms: values.partners.terms ?? [{ type: 'general', version: '1', url: `${base}/docs` }],
    ...values.books,
    traces: values.traces,
  }
}

function describeMisspelled({ variable, setting }: Misspelled): string {
  return `${variable} is not a setting. The closest one is ${setting}.`
}

/** Returns the configuration of a sandbox after its own chain has started or failed to start. */
export function withChain(config: Config, chain: Pick<Config, 'chain' | 'chains'>): Config {
  return Object.freeze(keepConcealed({ ...config, ...chain }, config))
}
