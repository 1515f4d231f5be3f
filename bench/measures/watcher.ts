import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { type Address, getAddress } from 'viem'
import { directoryKey } from '../../server/src/platform/db/directory.ts'
import { type Database, startDatabase } from '../database.ts'
import type { Settings } from '../ground.ts'
import { residentMegabytes } from '../machine.ts'
import { numberedId } from '../people.ts'
import type { Row } from '../report.ts'
import { finality, type Storm, startStorm } from '../storm.ts'

const receivers = 10_000
const manyAddresses = 1_000_000
const maxRunSeconds = 1800
const peer = fileURLToPath(new URL('../peers/ponder', import.meta.url))
const chainScript = fileURLToPath(new URL('../chain-process.ts', import.meta.url))
const ponder = join(peer, '../node_modules/ponder/dist/esm/bin/ponder.js')

/** One run of a process. `workSeconds` excludes its start. */
type Run = { readonly seconds: number; readonly workSeconds: number; readonly megabytes: number }

/**
 * Measures the time from the start of the process until all transfers to our addresses are stored durably. One in
 * eleven transfers goes to our addresses. Compares the time with Ponder on the same PostgreSQL, and with only reading
 * the logs.
 */
export async function measureWatcher({ transfers }: Settings): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'purser-bench-'))
  const addresses = Array.from({ length: receivers }, (_, number) => accountAddress(number))
  const storm = await startStorm(addresses, transfers)
  const database = await startDatabase(folder)
  try {
    await writeFile(join(folder, 'receivers.json'), JSON.stringify(addresses))
    await registerAccounts(database, 0, receivers)
    // The first run warms up the chain, so it must not be the watcher's.
    await readBare(storm)
    const bare = await readBare(storm)
    const few = await watch(database, storm, transfers)
    const books = await follow(database, storm, transfers)
    const peers = []
    for (const filter of ['topics', 'handler']) {
      peers.push(await runPonder(database, storm, { filter, transfers, folder }))
    }
    await forget(database)
    await registerAccounts(database, receivers, manyAddresses - receivers)
    const many = await watch(database, storm, transfers)
    const best = Math.min(...peers.map(({ seconds }) => seconds))
    const measure = 'watcher'
    const size = `${transfers} of ${storm.transfers} transfers`
    const ratio = (what: string, figure: number, goal: Row['goal']): Row =>
      goal ? { measure, what, figure, unit: '×', goal } : { measure, what, figure, unit: '×' }
    return [
      ratio(`Ponder ÷ watcher, ${size}`, best / few.seconds, { atLeast: 1 }),
      ratio('watcher, once started ÷ bare eth_getLogs', few.workSeconds / bare.seconds, { atMost: 2 }),
      ratio(`memory, ${manyAddresses} ÷ ${receivers} addresses`, many.megabytes / few.megabytes, { atMost: 1.1 }),
      ratio(`time, ${manyAddresses} ÷ ${receivers} addresses`, many.seconds / few.seconds, undefined),
      { measure, what: 'bare eth_getLogs', figure: bare.seconds, unit: 's' },
      { measure, what: 'watcher, from its start', figure: few.seconds, unit: 's' },
      { measure, what: 'watcher, once started', figure: few.workSeconds, unit: 's' },
      { measure, what: 'Ponder, filter by 10000 topics', figure: peers[0]?.seconds ?? Number.NaN, unit: 's' },
      { measure, what: 'Ponder, filter in its handler', figure: peers[1]?.seconds ?? Number.NaN, unit: 's' },
      { measure, what: 'watcher, highest resident memory', figure: few.megabytes, unit: 'MB' },
      { measure, what: 'then, until all deposits are credited', figure: books.seconds, unit: 's' },
      { measure, what: 'the same', figure: transfers / books.seconds, unit: '/s' },
    ]
  } finally {
    await database.stop()
    await storm.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

function accountAddress(number: number): Address {
  return getAddress(`0x${createHash('sha256').update(`bench account ${number}`).digest('hex').slice(0, 40)}`)
}

/** Inserts accounts as the rows that the watcher and the books read. */
async function registerAccounts({ client }: Database, from: number, count: number): Promise<void> {
  const lot = 10_000
  for (let first = from; first < from + count; first += lot) {
    const numbers = Array.from({ length: Math.min(lot, from + count - first) }, (_, i) => first + i)
    const ids = numbers.map((number) => numberedId('account', number))
    // These addresses need no checksum, since nobody is paid there.
    const addresses = numbers.map((number) =>
      number < receivers ? accountAddress(number) : `0x${ids[number - first]}`,
    )
    await client.query(
      `insert into app_user (user_id, status, kyc_status, created_at, updated_at)
       select id, 'active', 'approved', $2, $2 from unnest($1::uuid[]) id`,
      [ids, new Date(0)],
    )
    await client.query(
      `insert into account (user_id, account_id, address, currency, status, created_at, updated_at)
       select id, id, address, 'EUR', 'active', $3, $3 from unnest($1::uuid[], $2::text[]) as a (id, address)`,
      [ids, addresses, new Date(0)],
    )
    await client.query(
      `insert into directory (lookup_key, user_id)
       select key, id from unnest($1::uuid[], $2::uuid[]) as a (id, key)`,
      [ids, addresses.map((address) => directoryKey(`account:${address.toLowerCase()}`))],
    )
  }
  await client.query('vacuum analyze directory')
}

async function forget({ client }: Database): Promise<void> {
  await client.query(
    `truncate watched_chain, watched_block, incoming_transfer, unknown_transfer, deposit, statement_item, posting, movement,
       ledger_balance`,
  )
}

/** Reads the same ranges as the watcher, one after the other, and only parses the logs. */
async function readBare({ url, token, firstBlock, lastBlock }: Storm): Promise<{ seconds: number }> {
  const startedAt = performance.now()
  let logs = 0
  for (let from = firstBlock; from <= lastBlock; from += 10) {
    const [fromBlock, toBlock] = [from, Math.min(lastBlock, from + 9)].map((block) => `0x${block.toString(16)}`)
    const topics = ['0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef']
    const params = [{ fromBlock, toBlock, address: token, topics }]
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_getLogs', params }),
    })
    logs += JSON.parse(await answer.text()).result.length
  }
  if (logs !== (lastBlock - firstBlock + 1) * 1000) throw new Error(`${logs} logs were read`)
  return { seconds: (performance.now() - startedAt) / 1000 }
}

function purser({ url: DATABASE_URL }: Database, storm: Storm, ROLES: string): ChildProcess {
  const { chainId, token, url, firstBlock } = storm
  const tokens = [{ address: token, symbol: 'EURe', currency: 'EUR', decimals: 18, chainId }]
  return spawn(process.execPath, [chainScript], {
    env: {
      PATH: process.env['PATH'],
      NODE_ENV: 'production',
      MODE: 'sandbox',
      LOG_LEVEL: 'warn',
      ROLES,
      DATABASE_URL,
      CHAIN: 'evm',
      TOKENS: JSON.stringify(tokens),
      [`RPC_URL_${chainId}`]: url,
      [`TREASURY_${chainId}`]: accountAddress(-1),
      [`FINALITY_${chainId}`]: String(finality),
      [`START_BLOCK_${chainId}`]: String(firstBlock),
      // The peer is configured for this token only.
      [`UNKNOWN_TOKENS_${chainId}`]: 'ignore',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}

function watch(database: Database, storm: Storm, transfers: number): Promise<Run> {
  return untilStored(purser(database, storm, 'watcher'), async () => {
    const { rows } = await database.client.query(
      `select case when final_block >= $1 then (select count(*)::int from incoming_transfer) end as stored
       from watched_chain`,
      [storm.lastBlock],
    )
    return { hasBegun: rows.length > 0, isDone: rows[0]?.stored === transfers }
  })
}

/** Measures the booking: deposits are screened and credited, with their postings and statement rows. */
function follow(database: Database, storm: Storm, transfers: number): Promise<Run> {
  return untilStored(purser(database, storm, 'worker'), async () => {
    const { rows } = await database.client.query(
      `select count(*)::int as stored from deposit where status = 'approved'`,
    )
    return { hasBegun: true, isDone: rows[0].stored === transfers }
  })
}

async function runPonder(
  database: Database,
  { url, token, firstBlock, lastBlock }: Storm,
  { filter, transfers, folder }: { filter: string; transfers: number; folder: string },
): Promise<Run> {
  const connectionString = await database.createPeerDatabase(`ponder_${filter}`)
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    const child = spawn(process.execPath, [ponder, 'start', '--schema', 'peer', '--port', '42069'], {
      cwd: peer,
      env: {
        PATH: process.env['PATH'],
        HOME: folder,
        PONDER_TELEMETRY_DISABLED: '1',
        PONDER_LOG_LEVEL: 'error',
        DATABASE_URL: connectionString,
        URL_OF_NODE: url,
        TOKEN: token,
        FIRST_BLOCK: String(firstBlock),
        LAST_BLOCK: String(lastBlock),
        RECEIVERS: join(folder, 'receivers.json'),
        FILTER: filter,
      },
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    return await untilStored(child, async () => {
      const answer = await client.query('select count(*)::int as stored from peer.incoming').catch(() => null)
      return { hasBegun: true, isDone: answer?.rows[0].stored === transfers }
    })
  } finally {
    await client.end()
  }
}

/** Returns the time from the start of the process until all is stored, and its highest memory. */
async function untilStored(
  child: ChildProcess,
  look: () => Promise<{ hasBegun: boolean; isDone: boolean }>,
): Promise<Run> {
  const startedAt = performance.now()
  let megabytes = 0
  let begunAt: number | undefined
  try {
    for (;;) {
      if (child.exitCode !== null || child.signalCode !== null) throw new Error(`${child.spawnargs.join(' ')} ended`)
      megabytes = Math.max(megabytes, residentMegabytes(child.pid ?? 0))
      const { hasBegun, isDone } = await look()
      if (hasBegun) begunAt ??= performance.now()
      if (isDone) break
      const seconds = (performance.now() - startedAt) / 1000
      if (seconds > maxRunSeconds) throw new Error(`${child.spawnargs.join(' ')} is too slow`)
      await delay(50)
    }
    const endedAt = performance.now()
    const workSeconds = (endedAt - (begunAt ?? startedAt)) / 1000
    return { seconds: (endedAt - startedAt) / 1000, workSeconds, megabytes }
  } finally {
    child.kill('SIGTERM')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  }
}
