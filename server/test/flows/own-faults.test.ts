import { afterAll, beforeAll, expect, test } from 'vitest'
import { createLog } from '../../src/platform/observability/log.ts'
import { startService, type TestService, type TestUser } from '../support/service.ts'

/** Renames tables of the database, so that requests fail with internal errors. */
let service: TestService
let user: TestUser
let logged = ''

beforeAll(async () => {
  const write = (line: string) => {
    logged += line
  }
  service = await startService({
    worker: false,
    alter: (ctx) => ({ ...ctx, log: createLog('info', { write }) }),
  })
  user = await service.newUser()
  for (const table of ['statement_item', 'ledger_balance', 'deposit', 'card', 'iban', 'kyc_applicant']) {
    await service.ctx.db.query(`alter table ${table} rename to lost_${table}`)
  }
})
afterAll(() => service.stop())

const plain = '{"success":false,"error":"INTERNAL_ERROR"}'
const short = '{"error":"Internal server error"}'

test.each([
  ['GET', '/user/statement', undefined, plain],
  ['GET', '/user/balances/v2', undefined, plain],
  ['GET', '/user/deposits', undefined, plain],
  ['POST', '/cards/virtual', { cardName: 'Travel', phone: '+4915123456789' }, plain],
  ['POST', '/api/v1/kyc/import-partner-applicant', { forClientId: 'partner.example_1' }, short],
  ['GET', '/api/v1/ibans/details', undefined, short],
])(
  'an internal error in %s %s returns 500 in the shape of its route, without the cause',
  async (method, path, body, text) => {
    logged = ''
    const answer = await service.request(method, path, { token: user.token, ...(body && { body }) })
    expect([answer.status, answer.text]).toEqual([500, text])
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
    const line = logged.split('\n').find((text) => text.includes('request failed unexpectedly')) ?? '{}'
    expect(JSON.parse(line)).toMatchObject({ level: 50, reqId: answer.headers.get('x-request-id') })
    expect(line).toContain('42P01')
  },
)
