import { concatHex } from 'viem/utils'
import { type CardReview, finishReview, listReviews } from '../cards/transactions/reviews.ts'
import { eraseUser } from '../closing/closing.ts'
import type { ChainConfig } from '../config/chains.ts'
import { type Config, ConfigError, readConfig } from '../config/config.ts'
import { listKeys, retireKey, rotateKeys } from '../identity/access-tokens/keys.ts'
import { type Clock, systemClock } from '../lib/clock.ts'
import { create2Deployer, factoryAddress, factoryDeployment } from '../lib/deposit-address.ts'
import { InvalidInput, Refusal } from '../lib/errors.ts'
import { formatMajor, minorDigits } from '../lib/money.ts'
import { listDomains, registerDomain, removeDomain } from '../partners/domains.ts'
import { createCaches } from '../platform/cache/caches.ts'
import { type Db, isConnectionFailure, openDb } from '../platform/db/db.ts'
import { createLog } from '../platform/observability/log.ts'
import { createMetrics } from '../platform/observability/metrics.ts'
import { createSandboxClock } from '../providers/clock/sandbox.ts'
import { embeddedConnection } from '../sandbox/embedded-postgres.ts'
import { type Commands, moneyCommands } from './operator-money.ts'

/**
 * What an operator does beside a running service, with the service's own environment. Every process takes notice within
 * about a second.
 */
const usage = `Usage: npm run operator -- <command>

  domain list               registered sign-in domains (localhost needs none)
  domain add <domain>       lets sign-in messages and browsers name app.example.com or app.example.com:8443
  domain remove <domain>
  deposits return <id>      a refused deposit is sent back: its refusal stands from now on, unless that fails
  payouts list              withdrawals and returned deposits that are not ended, and what a person must decide
  payouts cancel <id> <reason>          calls one off that is pending: the money is where it was before
  payouts decide <id> <what> <reason>   of one that is mined, final and paid nobody; <what> is paid (the payee has the
                            money all the same), refund (the user has it again) or again (it is paid once more)
  payouts assign <id> <userId> <reason>   of one that the chain has seen and no user is known for, as after a restore: it
                            was paid to that user, who is debited
  transfers list            transfers to accounts of which no node can tell what arrived
  transfers tell <transfer> <amount> <reason>   says what arrived, in whole tokens: 0, 12.5
  user block <userId> <reason>     no new card payment, card or withdrawal; what is not signed yet is called off
  user unblock <userId> <reason>   the account is again what it was before
  decisions list            the newest 100 decisions about money and blocks: who, when, what and why
  factory list              the contract of the deposit addresses on each chain, and how to deploy it from any wallet
  reviews list              the newest 100 card payments that a person should look at, such as over-cleared ones, and
                            kept messages that match nothing
  reviews done <id>         somebody has looked: it is no longer listed; who (OPERATOR) and when is kept
  user erase <userId>       forgets who a closed user was, before the time has come; the books stay
  keys list                 the keys that sign access tokens
  keys rotate               publishes a new key now, which signs in 10 minutes; tokens of the old one stay valid
  keys retire <kid>         for a compromised key: its tokens are refused from now on
`

/** A command as it is typed, and what it says when done. Words in angle brackets are the operator's to choose. */
const commands: Commands = {
  'domain list': async (ctx) => (await listDomains(ctx)).join('\n'),
  'domain add <domain>': async (ctx, domain) =>
    (await registerDomain(ctx, domain)) ? `${domain} is registered.` : `${domain} was registered already.`,
  'domain remove <domain>': async (ctx, domain) =>
    (await removeDomain(ctx, domain)) ? `${domain} is removed.` : `${domain} was not registered.`,
  ...moneyCommands,
  'factory list': async ({ config }) => config.chains.map(describeFactory).join('\n'),
  'reviews list': async (ctx) => (await listReviews(ctx)).map(describeReview).join('\n'),
  'reviews done <id>': async (ctx, id) =>
    (await finishReview(ctx, id, ctx.config.operator)) ? `${id} is done.` : refuse(`There is no open review of ${id}.`),
  'user erase <userId>': async (ctx, userId) => {
    await eraseUser(ctx, userId)
    return `${userId} is erased.`
  },
  'keys list': async (ctx) => (await listKeys(ctx)).map(describeKey).join('\n'),
  'keys rotate': async (ctx) => describeKey(await rotateKeys(ctx)),
  'keys retire <kid>': async (ctx, kid) =>
    (await retireKey(ctx, kid)) ? `${kid} is retired.` : refuse(`There is no key ${kid} to retire; see "keys list".`),
}

function refuse(message: string): never {
  throw new InvalidInput(message)
}

function describeFactory({ chainId, factory, treasury }: ChainConfig): string {
  if (factory === null || treasury === null) return `Chain ${chainId} has no treasury: no deposits arrive there.`
  if (factory !== factoryAddress(treasury)) return `Chain ${chainId}: ${factory}, as configured.`
  const { salt, code } = factoryDeployment(treasury)
  return `Chain ${chainId}: ${factory}, for the treasury ${treasury}. To deploy it, send this to ${create2Deployer}:
${concatHex([salt, code])}`
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

/** The command that these words are, and what its brackets stand for; a reason is all that is left. */
function commandOf(words: readonly string[]) {
  for (const [typed, run] of Object.entries(commands)) {
    const [group, verb, ...names] = typed.split(' ')
    if (words[0] !== group || words[1] !== verb) continue
    const given = words.slice(2)
    if (names.at(-1) === '<reason>') given.push(given.splice(names.length - 1).join(' '))
    return given.length === names.length && !given.includes('') ? { run, given } : null
  }
  return null
}

async function operate(words: readonly string[]): Promise<void> {
  const command = commandOf(words)
  if (command === null) {
    process.stderr.write(usage)
    process.exitCode = 2
    return
  }
  const config = readConfig(process.env)
  const connection =
    config.databaseUrl === null ? embeddedConnection(config.dataDir) : { connectionString: config.databaseUrl }
  const db = openDb(connection, config, () => {})
  try {
    const [clock, log, metrics] = [await clockOf(config, db), createLog('warn'), createMetrics()]
    const said = await command.run(
      { config, db, clock, log, metrics, caches: createCaches(), chain: { transferState: null } },
      ...command.given,
    )
    if (said === '') process.stderr.write('There are none.\n')
    else process.stdout.write(`${said}\n`)
  } finally {
    await db.stop()
  }
}

/** The service's own clock: in the sandbox it may have been moved. */
async function clockOf(config: Config, db: Db): Promise<Clock> {
  return config.mode === 'sandbox' ? createSandboxClock(db) : systemClock
}

await operate(process.argv.slice(2)).catch((error: unknown) => {
  process.exitCode = 1
  if (error instanceof ConfigError || error instanceof InvalidInput || error instanceof Refusal)
    process.stderr.write(`${error.message}\n`)
  else if (isConnectionFailure(error)) process.stderr.write('The database does not answer. Is Purser running?\n')
  else throw error
})
