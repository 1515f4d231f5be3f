import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { expect } from 'vitest'
import { type Connection, startPostgres } from '../proof/processes.ts'
import { checkBooks } from './books.ts'
import { startGround } from './ground.ts'
import { startLoad } from './load.ts'
import { drill, say } from './needs.ts'
import { failedDecisions, report } from './report.ts'

/** The clock of one of two API processes jumps: forward and back by 45 seconds, then by an hour. */
const library = '/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1'

drill('clocks that jump cause no wrong decision', { programs: ['/usr/bin/faketime'] }, async () => {
  const ground = await startGround()
  try {
    const postgres = await startPostgres()
    ground.onStop(() => postgres.remove())
    const file = join(ground.folder, 'time')
    const setClock = (offset: string) => writeFile(file, offset)
    await setClock('+0')
    const { connection } = postgres
    const right = await ground.start(connection, { ROLES: 'api' })
    await ground.start(connection, { ROLES: 'worker,watcher' })
    const wrong = await ground.start(connection, {
      ROLES: 'api',
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    })
    const targets = [{ url: right.url }, { url: wrong.url }]
    const load = await startLoad(ground, right.url, () => targets)
    await load.more(100)
    for (const offset of ['+45', '-45', '+0']) {
      say(`the clock of a process is at ${offset} seconds`)
      await setClock(offset)
      await load.more(100)
    }
    expect(failedDecisions(load.seen)).toEqual([])
    say('the clock of a process is an hour fast')
    await setClock('+3600')
    // The processor gets 401 ISSUER_TIMESTAMP_REFUSED from this process, and repeats the message at the other one.
    await expect.poll(() => load.seen.filter(({ result }) => result.startsWith('401')).length).toBeGreaterThan(20)
    say('the operator takes the process out')
    targets.pop()
    await load.more(50)
    await load.stop()
    const ahead = await makeDue(connection)
    const books = await checkBooks(ground, load, { connection })
    await report('clock-step', {
      load,
      books,
      figures: { 'Withdrawals that were dated ahead, and that the operator made due': ahead },
    })
  } finally {
    await ground.stop()
  }
})

/** Returns the number of withdrawals that the process with the fast clock has accepted: due in an hour, unless somebody acts. */
async function makeDue(connection: Connection): Promise<string> {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    const { rowCount } = await client.query(
      "update withdrawal set due_at = now() where due_at > now() + interval '5 minutes'",
    )
    return String(rowCount)
  } finally {
    await client.end()
  }
}
