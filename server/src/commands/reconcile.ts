import { open } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { ownChain } from '../config/chains.ts'
import { type Config, ConfigError, readConfig } from '../config/config.ts'
import { tryEach } from '../lib/attempts.ts'
import { systemClock } from '../lib/clock.ts'
import { InvalidInput, StartError, UpstreamError } from '../lib/errors.ts'
import type { LoggedHead } from '../money/reconcile/check-hash-chain.ts'
import { logEndMessage } from '../money/reconcile/check-logs.ts'
import { type Custody, checkCustodyOf } from '../money/reconcile/custody.ts'
import { checkAll } from '../money/reconcile/reconcile.ts'
import { isCorrect, renderCustody, renderReport, reportRecord } from '../money/reconcile/report.ts'
import { sealLogMessage } from '../money/reconcile/seals.ts'
import { isConnectionFailure } from '../platform/db/db.ts'
import { findOwnChain } from '../providers/anvil/own-chain.ts'
import type { CustodyChain } from '../providers/chain/custody.ts'
import { custodyChains } from '../providers/chain/evm-custody.ts'
import { createSigner } from '../providers/payout-signer/configured.ts'
import { besideService } from './beside.ts'
import { isWrongOption, reportProblem } from './findings.ts'

/**
 * Checks the ledger, and the funds on chain, beside a running service and with its environment. Reads only. The exit
 * code is 0 if the books are correct, 1 if they are not, and 2 if nothing is wrong but not everything could be checked.
 */
const usage = `Usage: npm run reconcile -- [--log <file>] [--json]

  --log <file>   Also compares the ledger and the sealed logs with a log of the service (JSON lines).
  --json         Prints the report as JSON.
`
/** The number of users checked at the same time. */
const concurrency = 4

async function reconcile(logFile: string | undefined, isJson: boolean): Promise<void> {
  const { users, logs } = await readLoggedHeads(logFile)
  await besideService(readConfig(process.env), 'reader', async ({ config, db }) => {
    const startedAt = systemClock.now()
    const report = await checkAll({ config, db }, { concurrency, logged: users, loggedEnds: logs })
    if (!isJson) process.stdout.write(renderReport(report, config.tokens))
    const custody: Custody[] = []
    let isComplete = false
    try {
      await tryEach(await chainsOf(config), async (chain) => {
        custody.push(...(await checkCustodyOf({ config, db }, chain, { totals: report.totals, startedAt })))
      })
      isComplete = true
    } catch (error) {
      // A chain that fails must not hide the results of the ledger and of the other chains.
      reportFailure(error, isJson)
    }
    const record = () => `${JSON.stringify(reportRecord(report, custody, isComplete))}\n`
    process.stdout.write(isJson ? record() : renderCustody(custody, config.tokens, isComplete))
    const verdict = isCorrect(report, custody, isComplete)
    if (verdict !== null) process.exitCode = verdict ? 0 : 1
  })
}

/** Returns the configured chains, and the sandbox's own chain while the service runs it. */
async function chainsOf(config: Config): Promise<CustodyChain[]> {
  const own = config.chain === 'anvil' ? await findOwnChain(config.dataDir) : null
  const chains = own === null ? config.chains : [...config.chains, ownChain(config.tokens[0]?.chainId ?? 0, own)]
  if (chains.length === 0) return []
  return custodyChains({ ...config, chains }, await createSigner(config.payouts.signer))
}

type LoggedHeads = Map<string, LoggedHead[]>

/** Reads the logged seals by user, and the ends of sealed logs by log. Other lines and truncated lines are skipped. */
async function readLoggedHeads(path: string | undefined): Promise<{ users: LoggedHeads; logs: LoggedHeads }> {
  const found = { users: new Map<string, LoggedHead[]>(), logs: new Map<string, LoggedHead[]>() }
  if (path === undefined) return found
  const file = await open(path).catch((error: Error) => {
    throw new InvalidInput(`The log cannot be read: ${error.message}. Check the path after --log.`)
  })
  for await (const line of file.readLines()) {
    if (!line.includes(sealLogMessage) && !line.includes(logEndMessage)) continue
    const { msg, userId, log, seq, head } = parseLine(line)
    if (typeof seq !== 'string' || typeof head !== 'string') continue
    if (msg === sealLogMessage && typeof userId === 'string') add(found.users, userId, { seq: BigInt(seq), head })
    if (msg === logEndMessage && typeof log === 'string') add(found.logs, log, { seq: BigInt(seq), head })
  }
  return found
}

function add(heads: LoggedHeads, name: string, head: LoggedHead): void {
  const known = heads.get(name) ?? []
  known.push(head)
  heads.set(name, known)
}

function parseLine(line: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(line))
  } catch {
    return {}
  }
}

function describeFailure({ port, cause }: UpstreamError): string {
  return port === 'payout signer'
    ? `The payout signer cannot be reached: ${cause}. Check SIGNER and its settings.`
    : `The chain cannot be read: ${cause}. Check RPC_URL_<chainId>.`
}

/** Prints why something could not be checked, and sets the exit code to 2. */
function reportFailure(error: unknown, isJson: boolean): void {
  process.exitCode = 2
  if (error instanceof ConfigError || error instanceof InvalidInput || error instanceof StartError)
    reportProblem(error.message, isJson)
  else if (isWrongOption(error)) process.stderr.write(usage)
  else if (error instanceof UpstreamError) reportProblem(describeFailure(error), isJson)
  else if (isConnectionFailure(error))
    reportProblem('The database does not respond. Start Purser, or check DATABASE_URL.', isJson)
  else process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`)
}

try {
  const { log, json } = parseArgs({ options: { log: { type: 'string' }, json: { type: 'boolean' } } }).values
  await reconcile(log, json === true)
} catch (error) {
  reportFailure(error, process.argv.includes('--json'))
}
