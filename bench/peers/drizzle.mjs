import { and, desc, eq, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import { unionAll } from 'drizzle-orm/pg-core'
import Fastify from 'fastify'
import pg from 'pg'
import { pageSchema } from './drizzle-schemas.mjs'
import { branchColumns, cards, deposits, withdrawals } from './drizzle-tables.mjs'
import { toItem } from './items.mjs'
import { readCursor, toPage } from './pages.mjs'
import { userOf } from './tokens.mjs'

/**
 * Serves the statement as a careful team would write it with Fastify and Drizzle: three typed tables, one prepared
 * UNION ALL with keyset pagination, rows mapped to items, and serialization by the response schema. Each token is
 * verified once and then cached. It does less than Purser: it neither checks that the wallet still owns the user nor
 * seals the cursor.
 */
const db = drizzle(new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 8 }))

const branch = (table) =>
  db
    .select(branchColumns(table))
    .from(table)
    .where(
      and(
        eq(table.userId, sql.placeholder('userId')),
        sql`(${table.createdAt}, ${table.id}) < (${sql.placeholder('beforeAt')}, ${sql.placeholder('beforeId')})`,
      ),
    )
    .orderBy(desc(table.createdAt), desc(table.id))
    .limit(sql.placeholder('most'))

const page = unionAll(branch(cards), branch(deposits), branch(withdrawals))
  .orderBy(sql`"createdAt" desc`, sql`"id" desc`)
  .limit(sql.placeholder('most'))
  .prepare('statement')

const app = Fastify()
app.get('/', async () => 'ready')
app.get(
  '/user/statement',
  {
    schema: {
      querystring: {
        type: 'object',
        properties: { limit: { type: 'integer', minimum: 1, maximum: 100, default: 100 }, cursor: { type: 'string' } },
      },
      response: { 200: pageSchema },
    },
  },
  async (request) => {
    const userId = await userOf(request.headers.authorization)
    const { limit, cursor } = request.query
    const [beforeAt, beforeId] = readCursor(cursor)
    const rows = await page.execute({ userId, beforeAt, beforeId, most: limit + 1 })
    return toPage(rows.map(toItem), limit)
  },
)
await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT) })
