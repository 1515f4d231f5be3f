import type pg from 'pg'
import type { Position } from '../../server/src/money/statement/rules.ts'
import { eachReadableItem } from '../../server/src/money/statement/sql.ts'
import type { Ground } from '../ground.ts'
import { insertMovements } from '../movements.ts'
import { insertPeople, makePeople, type Person, sessionOf } from '../people.ts'
import type { Row } from '../report.ts'
import { median } from '../rounds.ts'
import { type Statement, statementOf } from '../statements.ts'

const limit = 100
const deepPage = 5000
const fewMovements = 1000
const runs = 60

type Reading = { readonly milliseconds: number; readonly buffers: number }

/** Compares the cost of long and short statements, and of deep and first pages, in PostgreSQL's time and buffers. */
export async function measureFlatness(ground: Ground): Promise<Row[]> {
  const { config, settings } = ground
  const { client } = ground.database
  const [few, many] = makePeople(settings.users + 2).slice(settings.users)
  if (few === undefined || many === undefined) throw new Error('makePeople returned fewer than two users')
  await insertPeople(client, [few, many], config)
  await insertMovements(client, [few.userId], fewMovements)
  await insertMovements(client, [many.userId], settings.rows)

  const depth = Math.min((deepPage - 1) * limit, settings.rows - limit - 1)
  const statements = {
    few: await pageOf(few, null),
    many: await pageOf(many, null),
    deep: await pageOf(many, await positionOf(client, many, depth)),
  }
  const readings = await readInTurn(client, statements)
  const measure = 'flatness'
  const at = `page ${depth / limit + 1}`
  const { few: small, many: first, deep } = readings
  return [
    {
      measure,
      what: `${at} ÷ page 1 of ${settings.rows} rows, PostgreSQL time`,
      figure: deep.milliseconds / first.milliseconds,
      unit: '×',
      goal: { atMost: 1.1 },
    },
    { measure, what: 'the same, buffers', figure: deep.buffers / first.buffers, unit: '×', goal: { atMost: 1.1 } },
    {
      measure,
      what: `page 1 of ${settings.rows} ÷ of ${fewMovements} rows, buffers`,
      figure: first.buffers / small.buffers,
      unit: '×',
      goal: { atMost: 1.1 },
    },
    {
      measure,
      what: 'the same, PostgreSQL time',
      figure: first.milliseconds / small.milliseconds,
      unit: '×',
      goal: { atMost: 1.1 },
    },
    { measure, what: 'page 1', figure: first.milliseconds, unit: 'ms' },
    { measure, what: 'page 1', figure: first.buffers, unit: 'buffers' },
  ]
}

function pageOf({ userId }: Person, after: Position | null): Promise<Statement> {
  const caller = sessionOf(userId)
  const filters = { start: null, end: null, type: null, cardId: null }
  return statementOf((db) => eachReadableItem(db, caller, { filters, after, limit: limit + 1 }, () => {}))
}

async function positionOf(client: pg.Client, { userId }: Person, offset: number): Promise<Position> {
  const { rows } = await client.query(
    `select created_at as "createdAt", item_id as "itemId" from statement_item where user_id = $1
     order by created_at desc, item_id desc offset $2 limit 1`,
    [userId, offset],
  )
  return rows[0]
}

/** Returns the medians of many runs in turn. The first runs only load the pages into memory. */
async function readInTurn<Name extends string>(
  client: pg.Client,
  statements: Readonly<Record<Name, Statement>>,
): Promise<Record<Name, Reading>> {
  const names = Object.keys(statements) as Name[]
  const read = Object.fromEntries(names.map((name) => [name, [] as Reading[]])) as Record<Name, Reading[]>
  for (let run = -10; run < runs; run++) {
    for (const name of names) {
      const reading = await explain(client, statements[name])
      if (run >= 0) read[name].push(reading)
    }
  }
  const medians = names.map((name) => {
    const milliseconds = median(read[name].map((reading) => reading.milliseconds))
    return [name, { milliseconds, buffers: median(read[name].map((reading) => reading.buffers)) }]
  })
  return Object.fromEntries(medians)
}

async function explain(client: pg.Client, { text, values }: Statement): Promise<Reading> {
  const { rows } = await client.query(`explain (analyze, buffers, timing off, format json) ${text}`, [...values])
  const [{ Plan: plan, 'Execution Time': milliseconds }] = rows[0]['QUERY PLAN']
  return { milliseconds, buffers: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'] }
}
