import { concatHex } from 'viem/utils'
import { finishReview, listReviews, type Review } from './card-transactions/reviews.ts'
import { eraseUser } from './closing/closing.ts'
import { type Config, ConfigError, readConfig } from './config.ts'
import { type Db, isConnectionFailure, openDb } from './db/db.ts'
import { embeddedConnection } from './db/embedded.ts'
import { returnDeposit } from './deposits/deposits.ts'
import type { ChainConfig } from './lib/chains.ts'
import { type Clock, systemClock } from './lib/clock.ts'
import { create2Deployer, factoryAddress, factoryDeployment } from './lib/deposit-address.ts'
import { createLog } from './lib/log.ts'
import { createMetrics } from './lib/metrics.ts'
import { formatMajor, minorDigits } from './lib/money.ts'
import { InvalidInput, Refusal } from './lib/refusal.ts'
import { listDomains, registerDomain, removeDomain } from './partners/domains.ts'
import { createSandboxClock } from './providers/clock/sandbox.ts'
import { type KeyHolder, listKeys, retireKey, rotateKeys } from './tokens/keys.ts'

/**
 * What an operator does beside a running service, with the service's own environment. Every process takes notice within
 * about a second.
 */
const usage = `Usage: npm run operator -- <command>

  domain list               registered sign-in domains (localhost needs none)
  domain add <domain>       lets sign-in messages and browsers name app.example.com or app.example.com:8443
  domain remove <domain>
  deposits return <id>      a refused deposit goes back: its refusal stands from now on; says what to pay, and to whom
  deposits returned <id>    that payment is final on its chain: the money is no longer the user's
  factory list              the contract of the deposit addresses on each chain, and how to deploy it from any wallet
  reviews list              the newest 100 card payments that a person should look at, such as over-cleared ones, and
                            kept messages that match nothing
  reviews done <id>         somebody has looked: it is no longer listed; who (OPERATOR) and when is kept
  user erase <userId>       forgets who a closed user was, before the time has come; the books stay
  keys list                 the keys that sign access tokens
  keys rotate               publishes a new key now, which signs in 10 minutes; tokens of the old one stay valid
  keys retire <kid>         for a compromised key: its tokens are refused from now on
`

/** A command: its words, and what it says when done. A word in angle brackets is the operator's to choose. */
const commands: Readonly<Record<string, (ctx: KeyHolder, argument: string) => Promise<string>>> = {
  'domain list': async (ctx) => (await listDomains(ctx)).join('\n'),
  'domain add': async (ctx, domain) =>
    (await registerDomain(ctx, domain)) ? `${domain} is registered.` : `${domain} was registered already.`,
  'domain remove': async (ctx, domain) =>
    (await removeDomain(ctx, domain)) ? `${domain} is removed.` : `${domain} was not registered.`,
  'deposits return': async (ctx, id) => describeReturn(ctx, await changeReturn(ctx, id, 'signed')),
  'deposits returned': async (ctx, id) => `${(await changeReturn(ctx, id, 'returned')).depositId} is returned.`,
  'factory list': async ({ config }) => config.chains.map(describeFactory).join('\n'),
  'reviews list': async (ctx) => (await listReviews(ctx)).map(describeReview).join('\n'),
  'user erase': async (ctx, userId) => {
    await eraseUser(ctx, userId)
    return `${userId} is erased.`
  },
  'reviews done': async (ctx, id) =>
    (await finishReview(ctx, id, ctx.config.operator)) ? `${id} is done.` : `There is no open review of ${id}.`,
  'keys list': async (ctx) => (await listKeys(ctx)).map(describeKey).join('\n'),
  'keys rotate': async (ctx) => describeKey(await rotateKeys(ctx)),
  'keys retire': async (ctx, kid) =>
    (await retireKey(ctx, kid)) ? `${kid} is retired.` : `There is no key ${kid} to retire; see "keys list".`,
}
const withArgument = new Set([
  'domain add',
  'domain remove',
  'deposits return',
  'deposits returned',
  'reviews done',
  'user erase',
  'keys retire',
])

/** No chain is asked: the operator pays, and says so. */
function changeReturn(ctx: KeyHolder, id: string, state: 'signed' | 'returned') {
  const chain = { transferState: null }
  return returnDeposit({ ...ctx, chain, log: createLog('warn'), metrics: createMetrics() }, id, state)
}

type Returned = Awaited<ReturnType<typeof changeReturn>>

function describeReturn({ config }: KeyHolder, { token: address, amount, fromAddress, chainId }: Returned): string {
  const token = config.tokens.find((token) => token.address === address)
  const quantity = token ? `${formatMajor(amount, token.decimals)} ${token.symbol}` : `${amount} units`
  return `Pay ${quantity} (token ${address}) to ${fromAddress} on chain ${chainId}, then say "deposits returned".`
}

function describeFactory({ chainId, factory, treasury }: ChainConfig): string {
  if (factory === null || treasury === null) return `Chain ${chainId} has no treasury: no deposits arrive there.`
  if (factory !== factoryAddress(treasury)) return `Chain ${chainId}: ${factory}, as configured.`
  const { salt, code } = factoryDeployment(treasury)
  return `Chain ${chainId}: ${factory}, for the treasury ${treasury}. To deploy it, send this to ${create2Deployer}:
${concatHex([salt, code])}`
}

function describeReview({ createdAt, userId, refId, kind, status, currency, amountMinor }: Review): string {
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

async function operate(words: readonly string[]): Promise<void> {
  const name = words.slice(0, 2).join(' ')
  const command = commands[name]
  if (command === undefined || words.length !== (withArgument.has(name) ? 3 : 2)) {
    process.stderr.write(usage)
    process.exitCode = 2
    return
  }
  const config = readConfig(process.env)
  const connection =
    config.databaseUrl === null ? embeddedConnection(config.dataDir) : { connectionString: config.databaseUrl }
  const db = openDb(connection, config, () => {})
  try {
    const said = await command({ config, db, clock: await clockOf(config, db) }, words[2] ?? '')
    if (said !== '') process.stdout.write(`${said}\n`)
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
