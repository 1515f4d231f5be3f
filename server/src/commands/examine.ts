import { lookup } from 'node:dns/promises'
import { type Config, ConfigError, readConfig } from '../config/config.ts'
import { findMisspelled } from '../config/misspelled.ts'
import { systemClock } from '../lib/clock.ts'
import { StartError } from '../lib/errors.ts'
import { isConnectionFailure } from '../platform/db/db.ts'
import { requireDistribution } from '../platform/db/distribute.ts'
import { isMigrated } from '../platform/db/migrate.ts'
import { verifySmtp } from '../providers/mail/smtp.ts'
import { createSigner } from '../providers/payout-signer/configured.ts'
import { createRpc } from '../providers/rpc/rpc.ts'
import { besideService } from './beside.ts'
import { type Finding, messageOf } from './findings.ts'

/** The maximum difference between a correct clock and the time of a node's newest block. */
const maxClockSeconds = 120
const reachMilliseconds = 5_000

/**
 * Judges an environment by the rules of production. Checks its database, nodes, signer, host names, card processor,
 * vendors and mail server. Sends no mail and changes nothing.
 */
export async function examine(env: Readonly<Record<string, string | undefined>>): Promise<Finding[]> {
  const [judged, own] = [configOf({ ...env, MODE: 'production' }), configOf(env)]
  const misspelled = findMisspelled(env).map(
    ({ variable, setting }) => `${variable} is not a setting. Rename it to ${setting}, or remove it.`,
  )
  const found = [{ check: 'configuration', problems: [...judged.problems, ...misspelled] }]
  const config = judged.config ?? own.config
  if (config === null) return found
  const checks = {
    database: checkDatabase,
    nodes: checkNodes,
    signer: checkSigner,
    names: checkNames,
    issuer: checkIssuer,
    vendors: checkVendors,
    mail: checkMail,
  }
  const rest = Object.entries(checks).map(async ([check, run]) => ({ check, problems: await run(config) }))
  return [...found, ...(await Promise.all(rest))]
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
    await requireDistribution({ connectionString: config.databaseUrl }, config.databaseDistributed)
    let isComplete = false
    await besideService(config, 'reader', async ({ db }) => {
      isComplete = await isMigrated(db)
    })
    return isComplete ? [] : ['DATABASE_URL names a database that lacks migrations. Run: purser migrate']
  } catch (error) {
    if (isConnectionFailure(error)) return ['DATABASE_URL names a database that does not respond. Check host and port.']
    // The message of this error names the problem and the fix.
    if (error instanceof StartError) return [error.message]
    return [
      `DATABASE_URL names a database that cannot be used: ${messageOf(error)}. Check the user, the password and the name of the database.`,
    ]
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
    return [`RPC_URL_${chainId}: ${origin} cannot be used: ${messageOf(error)}. Check the URL and its key.`]
  }
}

async function checkSigner({ payouts }: Config): Promise<string[]> {
  try {
    await (await createSigner(payouts.signer)).address()
    return []
  } catch (error) {
    return [`SIGNER cannot be used: ${messageOf(error)}. Check KMS_KEY_ID, KMS_REGION and the credentials.`]
  }
}

/** Looks up the hosts of BASE_URL, PCI_URL, CONSOLE_URL, the card processor, the vendors and the mail server. */
async function checkNames({ servers, issuer, screening, kyc, mail, iban }: Config): Promise<string[]> {
  const addresses = {
    BASE_URL: hostOf(servers.base),
    PCI_URL: hostOf(servers.pci),
    CONSOLE_URL: hostOf(servers.console),
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
      return isKnown ? [] : [`${name} names the host ${host}, which does not resolve. Check its spelling.`]
    }),
  )
  return problems.flat()
}

const hostOf = (url: string) => new URL(url).hostname.replace(/^\[(.*)\]$/, '$1')

async function checkIssuer({ issuer }: Config): Promise<string[]> {
  return issuer.kind === 'http' ? checkReach('ISSUER_URL', issuer.url) : []
}

async function checkVendors({ screening, kyc, iban }: Config): Promise<string[]> {
  const problems = await Promise.all([
    screening.kind === 'chainalysis' ? checkReach('CHAINALYSIS_URL', screening.url) : [],
    kyc.kind === 'sumsub' ? checkReach('SUMSUB_URL', kyc.url) : [],
    iban.kind === 'monerium' ? checkReach('MONERIUM_URL', iban.url) : [],
  ])
  return problems.flat()
}

/** Any response shows that the name, the route and the certificate are right. The request carries no credential. */
async function checkReach(name: string, url: string): Promise<string[]> {
  const { origin } = new URL(url)
  try {
    const signal = AbortSignal.timeout(reachMilliseconds)
    const response = await fetch(origin, { method: 'HEAD', redirect: 'manual', signal })
    await response.body?.cancel()
    return []
  } catch (error) {
    return [`${name}: ${origin} cannot be reached: ${messageOf(error)}. Check the URL and any firewall in between.`]
  }
}

/** Connects, encrypts and logs in as the configuration says. */
async function checkMail({ mail }: Config): Promise<string[]> {
  if (mail.kind !== 'smtp') return []
  try {
    await verifySmtp(mail)
    return []
  } catch (error) {
    const { host, port } = mail
    const isLogin = Object(error).code === 'EAUTH'
    const fix = isLogin ? 'Check SMTP_USER and SMTP_PASSWORD.' : 'Check SMTP_HOST, SMTP_PORT and SMTP_SECURITY.'
    return [`SMTP_HOST: ${host}:${port} cannot be used: ${messageOf(error)}. ${fix}`]
  }
}
