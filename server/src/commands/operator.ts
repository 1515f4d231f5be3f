import { type CardReview, listReviews } from '../cards/transactions/reviews.ts'
import type { ChainConfig } from '../config/chains.ts'
import { type Config, ConfigError, readConfig } from '../config/config.ts'
import { listKeys } from '../identity/access-tokens/keys.ts'
import { type Clock, systemClock } from '../lib/clock.ts'
import { factoryTransaction } from '../lib/deposit-address.ts'
import { InvalidInput, Refusal, StartError } from '../lib/errors.ts'
import { formatMajor, minorDigits } from '../lib/money.ts'
import { describePartner } from '../operators/commands-people.ts'
import { listPartners } from '../partners/approval.ts'
import { listDomains } from '../partners/domains.ts'
import { createCaches } from '../platform/cache/caches.ts'
import { useSecrets } from '../platform/crypto/secrets-in-use.ts'
import { type Db, isConnectionFailure } from '../platform/db/db.ts'
import { createLog } from '../platform/observability/log.ts'
import { createMetrics } from '../platform/observability/metrics.ts'
import { createSandboxClock } from '../providers/clock/sandbox.ts'
import { besideService } from './beside.ts'
import { decide, moneyShellCommands, type ShellCommand } from './operator-money.ts'
import { peopleShellCommands } from './operator-people.ts'
import { secretCommands } from './operator-secrets.ts'
import { type Typed, usageOf } from './usage.ts'

/**
 * The commands of an operator. They run beside the service, with its environment. Every process of the service notices
 * a change within about a second.
 */
const commands: Readonly<Record<Typed, ShellCommand>> = {
  'domain list': async (ctx) => (await listDomains(ctx)).join('\n'),
  'domain add <domain> <reason>': (ctx, domain, reason) => decide(ctx, 'domain add', domain, reason),
  'domain remove <domain> <reason>': (ctx, domain, reason) => decide(ctx, 'domain remove', domain, reason),
  'partner list': async (ctx) => (await listPartners(ctx)).map(describePartner).join('\n'),
  'partner approve <partnerId> <reason>': (ctx, partnerId, reason) => decide(ctx, 'partner approve', partnerId, reason),
  'partner suspend <partnerId> <reason>': (ctx, partnerId, reason) => decide(ctx, 'partner suspend', partnerId, reason),
  'partner details <partnerId> <details> <reason>': (ctx, partnerId, details, reason) =>
    decide(ctx, 'partner details', partnerId, reason, { details }),
  ...moneyShellCommands,
  ...peopleShellCommands,
  'factory list': async ({ config }) => config.chains.map(describeFactory).join('\n'),
  'reviews list': async (ctx) => (await listReviews(ctx)).map(describeReview).join('\n'),
  'reviews done <id> <reason>': (ctx, id, reason) => decide(ctx, 'reviews done', id, reason),
  'webhooks resend <endpointId> <reason>': (ctx, id, reason) => decide(ctx, 'webhooks resend', id, reason),
  ...secretCommands,
  'user erase <userId> <reason>': (ctx, userId, reason) => decide(ctx, 'user erase', userId, reason),
  'keys list': async (ctx) => (await listKeys(ctx)).map(describeKey).join('\n'),
  'keys rotate <reason>': (ctx, reason) => decide(ctx, 'keys rotate', 'signing-keys', reason),
  'keys retire <kid> <reason>': (ctx, kid, reason) => decide(ctx, 'keys retire', kid, reason),
}

function describeFactory({ chainId, factory, treasury }: ChainConfig): string {
  if (factory === null || treasury === null) return `Chain ${chainId} has no treasury and takes no deposits.`
  const deployment = factoryTransaction(factory, treasury)
  if (deployment === null) return `Chain ${chainId}: ${factory}, as configured.`
  const { to, data } = deployment
  return `Chain ${chainId}: ${factory}, for the treasury ${treasury}. To deploy it, send this to ${to}:\n${data}`
}

function describeReview({ createdAt, userId, refId, kind, status, currency, amountMinor }: CardReview): string {
  const amount = amountMinor === null ? 'all' : formatMajor(amountMinor, minorDigits(currency))
  return `${createdAt.toISOString()}  user ${userId}  ${refId}  ${status} ${kind} of ${amount} ${currency}`
}

function describeKey({
  kid,
  activeFrom,
  retiredAt,
}: {
  kid: string
  activeFrom: Date
  retiredAt: Date | null
}): string {
  const retired = retiredAt === null ? '' : `, retired ${retiredAt.toISOString()}`
  return `${kid}  signs from ${activeFrom.toISOString()}${retired}`
}

type Parsed = { readonly run: ShellCommand; readonly given: readonly string[] } | { readonly problem: string }

/**
 * Finds the command that was typed. A reason is the rest of the line. The name of an argument may precede its value, as
 * in `--role admin`.
 */
function parse(words: readonly string[]): Parsed {
  const [group = '', verb = ''] = words
  const entry = Object.entries(commands).find(([typed]) => `${typed} `.startsWith(`${group} ${verb} `))
  if (!entry) return { problem: unknownCommand(group, verb) }
  const [typed, run] = entry
  const names = typed.split(' ').slice(2)
  const hasReason = names.at(-1) === '<reason>'
  const flags = names.map((name) => `--${name.slice(1, -1)}`)
  const given = words.slice(2).filter((word) => !flags.includes(word))
  if (hasReason) given.push(given.splice(names.length - 1).join(' '))
  const missing = names.find((name, i) => name.startsWith('<') && (given[i] ?? '') === '')
  if (missing) return { problem: `"${group} ${verb}" needs ${missing}.\n\n${usageOf([typed])}` }
  const extra = given[names.length]
  if (extra !== undefined) return { problem: `"${group} ${verb}" does not take "${extra}".\n\n${usageOf([typed])}` }
  return { run, given }
}

function unknownCommand(group: string, verb: string): string {
  if (group === '') return usageOf()
  const related = Object.keys(commands).filter((typed) => typed.startsWith(`${group} `))
  return `"${`${group} ${verb}`.trim()}" is not a command.\n\n${usageOf(related.length > 0 ? related : undefined)}`
}

async function operate(words: readonly string[]): Promise<void> {
  const command = parse(words)
  if ('problem' in command) {
    process.stderr.write(command.problem)
    process.exitCode = 2
    return
  }
  await besideService(readConfig(process.env), 'operator', async ({ config, db }) => {
    await useSecrets(db, config.secrets, systemClock.now())
    const [clock, log, metrics] = [await clockOf(config, db), createLog('warn'), createMetrics()]
    const message = await command.run(
      { config, db, clock, log, metrics, caches: createCaches(), chain: { transferState: null } },
      ...command.given,
    )
    if (message === '') process.stderr.write('The list is empty.\n')
    else process.stdout.write(`${message}\n`)
  })
}

/** Returns the clock of the service. The sandbox's may have been moved. */
async function clockOf(config: Config, db: Db): Promise<Clock> {
  return config.mode === 'sandbox' ? createSandboxClock(db) : systemClock
}

await operate(process.argv.slice(2)).catch((error: unknown) => {
  process.exitCode = 1
  const known = [ConfigError, InvalidInput, Refusal, StartError]
  if (error instanceof Error && known.some((kind) => error instanceof kind)) process.stderr.write(`${error.message}\n`)
  else if (isConnectionFailure(error))
    process.stderr.write('The database does not respond. Start Purser, or check DATABASE_URL.\n')
  else throw error
})
