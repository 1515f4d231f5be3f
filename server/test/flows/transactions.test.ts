import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { type Db, openDb, type Tx } from '../../src/platform/db/db.ts'
import { createLog } from '../../src/platform/observability/log.ts'
import { createTestDatabase } from '../support/service.ts'

/** One connection, so that a transaction runs on the connection of the previous one. */
let db: Db
beforeAll(async () => {
  db = openDb(await createTestDatabase(), readConfig({ DATABASE_POOL_SIZE: '1' }), () => {})
})
afterAll(() => db.stop())

const insert = (tx: Tx, domain: string) =>
  tx.query('insert into sign_in_domain (domain, created_at) values ($1, $2)', [domain, new Date(0)])
const domains = async () =>
  (await db.query<{ domain: string }>('select domain from sign_in_domain order by domain')).map(({ domain }) => domain)
const count = async (tx: Tx) =>
  (await tx.query<{ count: bigint }>('select count(*) as count from sign_in_domain'))[0]?.count

test('concurrent statements of a transaction run in the order of the calls', async () => {
  const counts = await db.transaction((tx) => Promise.all([insert(tx, 'a'), count(tx), insert(tx, 'b'), count(tx)]))
  expect(counts).toEqual([[], 1n, [], 2n])
  expect(await domains()).toEqual(['a', 'b'])
})

test('a failed statement rolls back its transaction with its own error, and the connection stays usable', async () => {
  const remove = (tx: Tx) => tx.query('delete from sign_in_domain where domain = $1', ['a'])
  for (const _again of [1, 2]) {
    // The statement after the failure is prepared for the first time. PostgreSQL rejects even that.
    const failed = db.transaction((tx) => Promise.all([insert(tx, 'c'), insert(tx, 'a'), remove(tx), insert(tx, 'd')]))
    await expect(failed).rejects.toMatchObject({ code: '23505' })
    expect(await domains()).toEqual(['a', 'b'])
  }
  await db.transaction((tx) => Promise.all([remove(tx), insert(tx, 'c')]))
  expect(await domains()).toEqual(['b', 'c'])
})

test('a savepoint rolls back the statements within it, and only those', async () => {
  await db.transaction(async (tx) => {
    await insert(tx, 'e')
    const undone = tx.savepoint(() => Promise.all([insert(tx, 'f'), insert(tx, 'b'), insert(tx, 'g')]))
    await expect(undone).rejects.toMatchObject({ code: '23505' })
    await insert(tx, 'h')
  })
  expect(await domains()).toEqual(['b', 'c', 'e', 'h'])
})

test('the loss of an idle connection is logged without the secrets of the driver', async () => {
  const heard: Error[] = []
  const idle = openDb(await createTestDatabase(), readConfig({ DATABASE_POOL_SIZE: '1' }), (error) => heard.push(error))
  try {
    const [connection] = await idle.query<{ pid: number }>('select pg_backend_pid() as pid')
    await db.query('select pg_terminate_backend($1::int)', [connection?.pid])
    await expect
      .poll(() => heard.map(({ message }) => message))
      .toContain('terminating connection due to administrator command')
    const lines: string[] = []
    const log = createLog('warn', { write: (line) => lines.push(line) })
    for (const error of heard) log.warn({ err: error })
    expect(lines.join('')).not.toMatch(/secretKey|connectionParameters/)
    expect(await idle.query('select 1 as one')).toEqual([{ one: 1 }])
  } finally {
    await idle.stop()
  }
})

test('concurrent statements also keep their order without prepared statements', async () => {
  const plain = openDb(await createTestDatabase(), readConfig({ DATABASE_PREPARED: 'off' }), () => {})
  try {
    expect(await plain.transaction((tx) => Promise.all([insert(tx, 'a'), count(tx)]))).toEqual([[], 1n])
  } finally {
    await plain.stop()
  }
})

test('a connection that the server ends in the same packet as its first response fails the transaction, not the process', async () => {
  const connection = await createTestDatabase()
  const farewell = Buffer.from('SFATAL\0C57P01\0Mterminating connection\0\0')
  const message = Buffer.concat([Buffer.from('E\0\0\0'), Buffer.from([farewell.length + 4]), farewell])
  const proxy = createServer((service) => {
    const { host, port } = connection
    const postgres = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)
    service.on('error', () => postgres.destroy()).on('close', () => postgres.destroy())
    service.on('data', (chunk) => postgres.write(chunk))
    postgres.on('error', () => service.destroy())
    postgres.on('data', (chunk) => {
      const isReady = chunk.subarray(-6).equals(Buffer.from('Z\0\0\0\x05I'))
      if (isReady) service.end(Buffer.concat([chunk, message]))
      else service.write(chunk)
    })
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const { port } = proxy.address() as AddressInfo
  const heard: Error[] = []
  const cut = openDb({ ...connection, host: '127.0.0.1', port }, readConfig({}), (error) => heard.push(error))
  await expect(cut.transaction((tx) => tx.query('select 1'))).rejects.toThrow()
  expect(heard.map(({ message }) => message)).toContain('terminating connection')
  await cut.stop()
  proxy.close()
})
