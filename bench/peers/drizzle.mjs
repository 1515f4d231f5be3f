import { hash } from 'node:crypto'
import { and, desc, eq, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import { unionAll } from 'drizzle-orm/pg-core'
import Fastify from 'fastify'
import { createLocalJWKSet, jwtVerify } from 'jose'
import pg from 'pg'
import { toItem } from './drizzle-items.mjs'
import { pageSchema } from './drizzle-schemas.mjs'
import { branchColumns, cards, deposits, withdrawals } from './drizzle-tables.mjs'

/**
 * Serves the statement as a careful team would write it with Fastify and Drizzle: three typed tables, one prepared UNION
 * ALL with keyset pagination, rows mapped to items, and serialization by the response schema. Each token is verified once
 * and then cached. It does less than Purser: it neither checks that the wallet still owns the user nor seals the cursor.
 */
const db = drizzle(new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 8 }))
const keys = createLocalJWKSet(await (await fetch(`${process.env.JWKS_URL}`)).json())

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

const verified = new Map()
async function userOf(authorization = '') {
  const token = authorization.slice('Bearer '.length)
  const fingerprint = hash('sha256', token, 'base64')
  const known = verified.get(fingerprint)
  if (known && Date.now() < known.exp * 1000) return known.userId
  const { payload } = await jwtVerify(token, keys, { algorithms: ['ES256'] })
  verified.set(fingerprint, payload)
  return payload.userId
}

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
    const [beforeAt, beforeId] = cursor
      ? JSON.parse(Buffer.from(cursor, 'base64url'))
      : ['9999-12-31T00:00:00.000Z', '00000000-0000-0000-0000-000000000000']
    const rows = await page.execute({ userId, beforeAt, beforeId, most: limit + 1 })
    const hasNext = rows.length > limit
    const data = (hasNext ? rows.slice(0, limit) : rows).map(toItem)
    const last = data.at(-1)
    const nextCursor =
      hasNext && last ? Buffer.from(JSON.stringify([last.createdAt, last.id])).toString('base64url') : null
    return { data, pagination: { nextCursor, hasNext } }
  },
)
await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT) })
