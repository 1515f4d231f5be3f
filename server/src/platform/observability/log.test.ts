import { expect, test } from 'vitest'
import { createLog } from './log.ts'

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

test('a line keeps what it is about, and of secrets only that they were there', () => {
  const line = logged((log) =>
    log.info({ route: '/cards', token: 'a', request: { phone: '+49', attempts: 2 } }, 'done'),
  )
  const request = { phone: '[redacted]', attempts: 2 }
  expect(line).toMatchObject({ msg: 'done', route: '/cards', token: '[redacted]', request })
})

test('an error is told with its cause and stack, without the secrets it carries', () => {
  const error = Object.assign(new Error('refused', { cause: new Error('late') }), { signature: '0xabc', code: 'E1' })
  const line = logged((log) => log.error({ err: error }, 'unexpected'))
  expect(line).toMatchObject({ err: { message: 'refused: late', code: 'E1', signature: '[redacted]' } })
  expect(JSON.stringify(line)).toContain('log.test.ts')
  expect(JSON.stringify(line)).not.toContain('0xabc')
})

test('what PostgreSQL quotes of the row that broke a rule stays out of the log', () => {
  const detail = 'Failing row contains (01a1fc4e, active, ada@example.org, Ada, Lovelace, 1815-12-10).'
  const error = Object.assign(new Error('violates check constraint'), { code: '23514', table: 'app_user', detail })
  const line = logged((log) => log.error({ err: error }, 'unexpected'))
  expect(line).toMatchObject({ err: { code: '23514', table: 'app_user' } })
  expect(JSON.stringify(line)).not.toContain('ada@example.org')
})

test('nor of what is given to a logger for all of its lines, or comes without a prototype, as a parsed query does', () => {
  const query = Object.assign(Object.create(null), { otp: '1', limit: 2 })
  const line = logged((log) => log.child({ email: 'a@b.c', query }).info({ asked: query }, 'done'))
  const shown = { otp: '[redacted]', limit: 2 }
  expect(line).toMatchObject({ email: '[redacted]', query: shown, asked: shown })
})

test("a request's own logger names the request in each line", () => {
  const line = logged((log) => log.child({ reqId: 'r-1' }).info({ secret: 's' }))
  expect(line).toMatchObject({ reqId: 'r-1', secret: '[redacted]' })
})
