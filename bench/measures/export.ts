import type { Ground } from '../ground.ts'
import { maxMegabytesDuring } from '../machine.ts'
import { insertMovements } from '../movements.ts'
import { insertPeople, issueTokens, makePeople } from '../people.ts'
import type { Row } from '../report.ts'

type Export = { readonly rows: number; readonly cpuSeconds: number; readonly maxMegabytes: number }

/**
 * Measures the CSV of a statement over HTTP: the service's CPU for a row, and its memory for a short and a long one.
 */
export async function measureExport(ground: Ground): Promise<Row[]> {
  const { config, settings, db } = ground
  const people = makePeople(settings.users + 4).slice(settings.users + 2)
  const [few, many] = people
  if (few === undefined || many === undefined) throw new Error('makePeople returned too few users')
  await insertPeople(ground.database.client, people, config)
  await insertMovements(ground.database.client, [few.userId], settings.rows / 10)
  await insertMovements(ground.database.client, [many.userId], settings.rows)
  const [shortToken = '', longToken = ''] = await issueTokens(db, config, people)
  // The first export loads code and fills the heap.
  await exportOf(ground, shortToken)
  const short = await exportOf(ground, shortToken)
  const long = await exportOf(ground, longToken)
  if (long.rows !== settings.rows) throw new Error(`the export has ${long.rows} of ${settings.rows} rows`)
  const measure = 'export'
  return [
    {
      measure,
      what: `CSV of ${settings.rows} rows: rows for each second of the service's CPU`,
      figure: long.rows / long.cpuSeconds,
      unit: '/s',
      goal: { atLeast: 200_000 },
    },
    {
      measure,
      what: `resident memory, CSV of ${long.rows} ÷ of ${short.rows} rows`,
      figure: long.maxMegabytes / short.maxMegabytes,
      unit: '×',
      goal: { atMost: 1.1 },
    },
    { measure, what: `resident memory, CSV of ${long.rows} rows`, figure: long.maxMegabytes, unit: 'MB' },
  ]
}

async function exportOf({ service, clocks }: Ground, token: string): Promise<Export> {
  const clock = clocks(service).server
  const before = clock()
  const headers = { authorization: `Bearer ${token}`, accept: 'text/csv' }
  const [lines, maxMegabytes] = await maxMegabytesDuring(service.pid, async () => {
    const response = await fetch(`${service.url}/user/statement`, { headers })
    if (response.status !== 200 || response.body === null) throw new Error(`the export responded ${response.status}`)
    return countLines(response.body)
  })
  // The first line has the names of the columns.
  return { rows: lines - 1, cpuSeconds: clock() - before, maxMegabytes }
}

async function countLines(body: ReadableStream<Uint8Array>): Promise<number> {
  let lines = 0
  const reader = body.getReader()
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    for (const byte of read.value) if (byte === 10) lines++
  }
  return lines
}
