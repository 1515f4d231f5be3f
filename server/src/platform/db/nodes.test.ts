import pg from 'pg'
import { expect, test } from 'vitest'
import { connectionAt } from './nodes.ts'

const node = { host: 'worker-1', port: 5433 }

const generic = '-c plan_cache_mode=force_generic_plan'

function reached(connection: pg.ClientConfig) {
  const { host, port, user, password, database, ssl } = new pg.Client(connectionAt(connection, node, generic))
  return { host, port, user, password, database, hasTls: Boolean(ssl) }
}

test('a node is reached as the same user, with the same database and TLS', () => {
  const expected = { host: 'worker-1', port: 5433, user: 'purser', password: 'p@ss', database: 'books', hasTls: false }
  const url = Object.assign(new URL('postgres://purser@coordinator:5432/books'), { password: 'p@ss' }).href
  expect(reached({ connectionString: url })).toEqual(expected)
  expect(reached({ connectionString: `${url}?sslmode=verify-full` })).toEqual({ ...expected, hasTls: true })
  expect(reached({ connectionString: `${url}?host=%2Frun%2Fpostgresql&port=5555` })).toEqual(expected)
  const fields = { host: 'coordinator', port: 5432, user: 'purser', password: 'p@ss', database: 'books' }
  expect(reached(fields)).toEqual(expected)
})

test('a node is reached under the same role, with the options that are added', () => {
  const url = 'postgres://purser@coordinator/books'
  const optionsOf = (connection: pg.ClientConfig) => {
    const { connectionString = '', options } = connectionAt(connection, node, generic)
    return connectionString ? new URL(connectionString).searchParams.get('options') : options
  }
  expect(optionsOf({ connectionString: url })).toBe(generic)
  const role = '-c role=purser_worker'
  expect(optionsOf({ connectionString: url, options: role })).toBe(`${role} ${generic}`)
  expect(optionsOf({ connectionString: `${url}?options=-c%20role%3Dpurser_worker` })).toBe(`${role} ${generic}`)
  expect(optionsOf({ host: 'coordinator', user: 'purser_worker' })).toBe(generic)
})
