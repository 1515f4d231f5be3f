import { expect, test } from 'vitest'
import { createLog, withoutRedaction } from './log.ts'

function logged(write: (log: ReturnType<typeof createLog>) => void): object {
  let line = ''
  write(
    createLog('info', {
      write: (text) => {
        line += text
      },
    }),
  )
  return JSON.parse(line)
}

test('a log line contains its fields and redacts secrets at two levels', () => {
  const line = logged((log) =>
    log.info({ route: '/cards', token: 'a', request: { phone: '+49', attempts: 2 } }, 'card created'),
  )
  const request = { phone: '[redacted]', attempts: 2 }
  expect(line).toMatchObject({ msg: 'card created', route: '/cards', token: '[redacted]', request })
})

test('a logged error contains its cause and stack but not its secrets', () => {
  const error = Object.assign(new Error('refused', { cause: new Error('late') }), { signature: '0xabc', code: 'E1' })
  const line = logged((log) => log.error({ err: error }, 'request failed'))
  expect(line).toMatchObject({ err: { message: 'refused: late', code: 'E1', signature: '[redacted]' } })
  expect(JSON.stringify(line)).toContain('log.test.ts')
  expect(JSON.stringify(line)).not.toContain('0xabc')
})

test('the row that PostgreSQL quotes in a constraint violation is not logged', () => {
  const detail = 'Failing row contains (01a1fc4e, active, ada@example.org, Ada, Lovelace, 1815-12-10).'
  const error = Object.assign(new Error('violates check constraint'), { code: '23514', table: 'app_user', detail })
  const line = logged((log) => log.error({ err: error }, 'request failed'))
  expect(line).toMatchObject({ err: { code: '23514', table: 'app_user' } })
  expect(JSON.stringify(line)).not.toContain('ada@example.org')
})

test('secrets in the fields of a child logger and in objects without a prototype are redacted', () => {
  const query = Object.assign(Object.create(null), { otp: '1', limit: 2 })
  const line = logged((log) => log.child({ email: 'a@b.c', query }).info({ asked: query }, 'query parsed'))
  const shown = { otp: '[redacted]', limit: 2 }
  expect(line).toMatchObject({ email: '[redacted]', query: shown, asked: shown })
})

test("a child logger's request id appears in each of its lines", () => {
  const line = logged((log) => log.child({ reqId: 'r-1' }).info({ secret: 's' }))
  expect(line).toMatchObject({ reqId: 'r-1', secret: '[redacted]' })
})

test('only a logger made for safe lines omits the redaction', () => {
  const line = logged((log) => withoutRedaction(log).info({ route: '/cards', token: 'a' }))
  expect(line).toMatchObject({ route: '/cards', token: 'a' })
})
