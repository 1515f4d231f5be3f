import pg from 'pg'
import { expect, test } from 'vitest'
import { isConnectionFailure } from './db.ts'

function systemError(code: string): Error {
  return Object.assign(new Error(`connect ${code} 192.0.2.1:5432`), { code })
}

function databaseError(code: string): Error {
  return Object.assign(new pg.DatabaseError('by a test', 0, 'error'), { code })
}

test.each([
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENETDOWN',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT',
  'EPIPE',
])('%s on the way to the database is a connection failure', (code) => {
  expect(isConnectionFailure(systemError(code))).toBe(true)
})

test.each([
  ['08006', 'is'],
  ['57P01', 'is'],
  ['57014', 'is'],
  ['53300', 'is'],
  ['23505', 'is not'],
  ['22P02', 'is not'],
  ['42501', 'is not'],
])('SQLSTATE %s %s a connection failure', (state, verb) => {
  expect(isConnectionFailure(databaseError(state))).toBe(verb === 'is')
})

test('an error of our own code is no connection failure', () => {
  expect(isConnectionFailure(new TypeError('x is not a function'))).toBe(false)
  expect(isConnectionFailure(systemError('EACCES'))).toBe(false)
})
