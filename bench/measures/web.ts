import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { readConfig } from '../../server/src/config/config.ts'
import { openDb } from '../../server/src/platform/db/db.ts'
import { useLongStatement } from '../../web/test/statement-speed.ts'
import { startDatabase } from '../database.ts'
import { quiet, type Settings } from '../ground.ts'
import { insertMovements } from '../movements.ts'
import { insertPeople, issueTokens, makePeople } from '../people.ts'
import { startService } from '../processes.ts'
import type { Row } from '../report.ts'
import { quantile } from '../rounds.ts'

const measure = 'web'
const requests = 600
const filesPerSecond = 100

/** Measures the pages: interactions with a long statement, and API requests while browsers load files. */
export async function measureWeb({ rounds, statementRows }: Settings): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'purser-bench-'))
  const stops: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })]
  try {
    const database = await startDatabase(folder)
    stops.push(() => database.stop())
    const service = await startService({ ...quiet, ROLES: 'api', DATABASE_URL: database.url })
    stops.push(() => service.stop())
    const { port } = new URL(service.url)
    const config = readConfig({ PORT: port })
    const db = openDb(database.connection, config, () => {})
    stops.push(() => db.stop())
    const [person] = makePeople(1)
    if (person === undefined) throw new Error('nobody owns the statement')
    await insertPeople(database.client, [person], config)
    const [token = ''] = await issueTokens(db, config, [person])

    const account = privateKeyToAccount(generatePrivateKey())
    await insertMovements(database.client, [await onboard(service.url, account.address)], statementRows)
    const { loading, using } = await useLongStatement(`http://localhost:${port}`, account)
    const interactionRow = (what: string, durations: readonly number[]): Row => ({
      ...{ measure, what: `${what}: interaction to next paint, p98`, figure: quantile(durations, 0.98) },
      ...{ unit: 'ms', goal: { atMost: 200 } },
    })
    return [
      interactionRow(`loading ${statementRows} rows`, loading),
      interactionRow(`using a statement of ${statementRows} rows`, using),
      ...(await fileRows(service.url, token, rounds)),
    ]
  } finally {
    for (const stop of stops.reverse()) await stop()
  }
}

/** Creates a user who may use the app, and returns its id. */
async function onboard(url: string, address: string): Promise<string> {
  const response = await fetch(`${url}/sandbox/users`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa('simulator:sandbox')}`, 'content-type': 'application/json' },
    body: JSON.stringify({ address, country: 'DE' }),
  })
  const { userId }: { userId?: string } = await response.json()
  if (userId === undefined) throw new Error(`${response.status} from ${response.url}`)
  return userId
}

/** Compares API requests alone with API requests while files load, in turn. */
async function fileRows(url: string, token: string, rounds: number): Promise<Row[]> {
  const names = await readdir(fileURLToPath(new URL('../../web/dist/assets', import.meta.url)))
  const files = names.filter((name) => name.endsWith('.js')).map((name) => `${url}/assets/${name}`)
  const [alone, busy]: [number[], number[]] = [[], []]
  for (let round = 0; round <= rounds; round++) {
    const first = await times(url, token)
    const stop = loadFiles(files)
    const second = await times(url, token)
    await stop()
    // The first round loads pages and compiles code.
    if (round > 0) {
      alone.push(...first)
      busy.push(...second)
    }
  }
  const ratio = (share: number) => quantile(busy, share) / quantile(alone, share)
  const what = `balances while ${filesPerSecond} files/s load ÷ balances alone`
  return [
    { measure, what: `${what}, p50`, figure: ratio(0.5), unit: '×', goal: { atMost: 1.25 } },
    { measure, what: `${what}, p99`, figure: ratio(0.99), unit: '×', goal: { atMost: 2 } },
    { measure, what: 'balances alone, p99', figure: quantile(alone, 0.99), unit: 'ms' },
  ]
}

async function times(url: string, token: string): Promise<number[]> {
  const all: number[] = []
  for (let i = 0; i < requests; i++) {
    const startedAt = performance.now()
    const response = await fetch(`${url}/user/balances/v2`, { headers: { authorization: `Bearer ${token}` } })
    if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`)
    await response.arrayBuffer()
    all.push(performance.now() - startedAt)
  }
  return all
}

/** Requests files at a fixed rate, until the returned function is called. */
function loadFiles(files: readonly string[]): () => Promise<void> {
  const open = new Set<Promise<unknown>>()
  let number = 0
  const timer = setInterval(() => {
    const file = files[number++ % files.length] ?? ''
    const loading = fetch(file, { headers: { 'accept-encoding': 'br' } })
      .then((response) => response.arrayBuffer())
      .finally(() => open.delete(loading))
    open.add(loading)
  }, 1000 / filesPerSecond)
  return async () => {
    clearInterval(timer)
    await Promise.all(open)
  }
}
