import { lookup } from 'node:dns/promises'
import { parseArgs } from 'node:util'
import { type Config, ConfigError, readConfig } from '../config/config.ts'
import { systemClock } from '../lib/clock.ts'
import { isConnectionFailure } from '../platform/db/db.ts'
import { isMigrated } from '../platform/db/migrate.ts'
import { createSigner } from '../providers/payout-signer/configured.ts'
import { createRpc } from '../providers/rpc/rpc.ts'
import { besideService } from './beside.ts'

/**
 * Checks an installation before it goes live: the configuration by the rules of production, and everything that it names.
 * Reads only. Each problem is a sentence that begins with its subject. The exit code is 0 without problems, else 1.
 */
type Finding = { readonly check: string; readonly problems: readonly string[] }

/** The difference between this clock and a node's newest block that a correct clock can show. */
const maxClockSeconds = 120

async function examine(env: NodeJS.ProcessEnv): Promise<Finding[]> {
  const [judged, own] = [configOf({ ...env, MODE: 'production' }), configOf(env)]
  const found = [{ check: 'configuration', problems: judged.problems }]
  const config = judged.config ?? own.config
  if (config === null) return found
  const checks = { database: checkDatabase, nodes: checkNodes, signer: checkSigner, names: checkNames }
  for (const [check, run] of Object.entries(checks)) found.push({ check, problems: await run(config) })
  return found
}

function configOf(env: NodeJS.ProcessEnv): { config: Config | null; problems: readonly string[] } {
  try {
    return { config: readConfig(env), problems: [] }
  } catch (error) {
    if (error instanceof ConfigError) return { config: null, problems: error.problems }
    throw error
  }
}

async function checkDatabase(config: Config): Promise<string[]> {
  if (config.databaseUrl === null) return []
  try {
    let isComplete = false
    await besideService(config, 'reader', async ({ db }) => {
      isComplete = await isMigrated(db)
    })
    return isComplete ? [] : ['DATABASE_URL names a database without all migrations. Run: npm run db:migrate']
  } catch (error) {
    if (isConnectionFailure(error)) return ['DATABASE_URL names a database that does not respond. Check host and port.']
    return [`DATABASE_URL names a database that cannot be used: ${messageOf(error)}`]
  }
}

async function checkNodes({ chains }: Config): Promise<string[]> {
  const nodes = chains.flatMap(({ chainId, rpcUrls }) => rpcUrls.map((url) => ({ chainId, url })))
  const problems = await Promise.all(nodes.map(({ chainId, url }) => checkNode(chainId, url)))
  return problems.flat()
}

async function checkNode(chainId: number, url: string): Promise<string[]> {
  // The path of a hosted node's URL may be an API key.
  const { origin } = new URL(url)
  try {
    const block: unknown = await createRpc({ chainId, urls: [url] }).request('eth_getBlockByNumber', ['latest', false])
    const seconds = Number(Object(block)['timestamp'])
    const age = Math.abs(systemClock.now().getTime() / 1000 - seconds)
    if (age <= maxClockSeconds) return []
    return [
      `RPC_URL_${chainId}: the newest block of ${origin} differs from this clock by ${Math.round(age)} s. Check the clock and the node.`,
    ]
  } catch (error) {
    return [`RPC_URL_${chainId}: ${origin} cannot be used: ${messageOf(error)}`]
  }
}

async function checkSigner({ payouts }: Config): Promise<string[]> {
  try {
    await (await createSigner(payouts.signer)).address()
    return []
  } catch (error) {
    return [`SIGNER cannot be used: ${messageOf(error)}`]
  }
}

/** Looks up the host of every address in the configuration. */
async function checkNames({ servers, issuer, screening, kyc, mail, iban }: Config): Promise<string[]> {
  const addresses = {
    BASE_URL: hostOf(servers.base),
    ...(issuer.kind === 'http' && { ISSUER_URL: hostOf(issuer.url) }),
    ...(screening.kind === 'chainalysis' && { CHAINALYSIS_URL: hostOf(screening.url) }),
    ...(kyc.kind === 'sumsub' && { SUMSUB_URL: hostOf(kyc.url) }),
    ...(iban.kind === 'monerium' && { MONERIUM_URL: hostOf(iban.url) }),
    ...(mail.kind === 'smtp' && { SMTP_HOST: mail.host }),
  }
  const problems = await Promise.all(
    Object.entries(addresses).map(async ([name, host]) => {
      const isKnown = await lookup(host).then(
        () => true,
        () => false,
      )
      return isKnown ? [] : [`${name} names the host ${host}, which the DNS does not know. Check its spelling.`]
    }),
  )
  return problems.flat()
}

const hostOf = (url: string) => new URL(url).hostname

function messageOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  return cause instanceof Error ? cause.message : String(cause)
}

const { json } = parseArgs({ options: { json: { type: 'boolean', default: false } } }).values
const findings = await examine(process.env)
const problems = findings.flatMap((each) => each.problems)
const lines = findings.flatMap(({ check, problems: found }) =>
  found.length === 0 ? [`ok       ${check}`] : found.map((problem) => `problem  ${check}: ${problem}`),
)
process.stdout.write(
  json ? `${JSON.stringify({ isReady: problems.length === 0, findings })}\n` : `${lines.join('\n')}\n`,
)
process.exitCode = problems.length === 0 ? 0 : 1
