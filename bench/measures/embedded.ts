import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { readConfig } from '../../server/src/config/config.ts'
import { openDb } from '../../server/src/platform/db/db.ts'
import { embeddedConnection } from '../../server/src/sandbox/embedded-postgres.ts'
import { quiet, type Settings } from '../ground.ts'
import { loadHttp } from '../load.ts'
import { maxMegabytesDuring, residentMegabytes } from '../machine.ts'
import { insertMovements } from '../movements.ts'
import { insertPeople, issueTokens, makePeople } from '../people.ts'
import { type Server, startService } from '../processes.ts'
import type { Row } from '../report.ts'

/** The time without requests after which memory is read. Worker and watcher continue to run. */
const restSeconds = 30

/** Measures `npm start` with a new data folder: the time to the first response, and the memory of the service. */
export async function measureEmbedded(settings: Settings): Promise<Row[]> {
  const dataDir = await mkdtemp(join(tmpdir(), 'purser-bench-'))
  const start = () => startService({ ...quiet, DATA_DIR: dataDir })
  const measure = 'embedded'
  try {
    const first = await start()
    await first.stop()
    const service = await start()
    try {
      await delay(restSeconds * 1000)
      const atRest = residentMegabytes(service.pid)
      const underLoad = await maxResidentUnderLoad(service, dataDir, settings)
      return [
        {
          measure,
          what: 'first start to first response',
          figure: first.readyAfterSeconds,
          unit: 's',
          goal: { atMost: 8 },
        },
        {
          measure,
          what: 'warm start to first response',
          figure: service.readyAfterSeconds,
          unit: 's',
          goal: { atMost: 2 },
        },
        { measure, what: 'resident memory at rest', figure: atRest, unit: 'MB', goal: { atMost: 150 } },
        { measure, what: 'resident memory under load', figure: underLoad, unit: 'MB', goal: { atMost: 300 } },
      ]
    } finally {
      await service.stop()
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
}

/** Returns the highest memory while statements and balances are read at full load. */
async function maxResidentUnderLoad(service: Server, dataDir: string, settings: Settings): Promise<number> {
  const tokens = await populate(service, dataDir, settings)
  const [, max] = await maxMegabytesDuring(service.pid, async () => {
    for (const path of ['/user/statement', '/user/balances/v2']) {
      await loadHttp(`${service.url}${path}`, tokens, settings.seconds * 2)
    }
  })
  return max
}

async function populate(service: Server, dataDir: string, settings: Settings): Promise<string[]> {
  const config = readConfig({ PORT: new URL(service.url).port })
  const client = new pg.Client(embeddedConnection(dataDir))
  const db = openDb(embeddedConnection(dataDir), config, () => {})
  await client.connect()
  try {
    const people = makePeople(settings.users)
    await insertPeople(client, people, config)
    await insertMovements(
      client,
      people.map(({ userId }) => userId),
      settings.movements,
    )
    return await issueTokens(db, config, people)
  } finally {
    await client.end()
    await db.stop()
  }
}
