import { afterEach, expect, test } from 'vitest'
import { ConfigError, readConfig } from '../../src/config/config.ts'
import { startService, type TestService } from '../support/service.ts'

let stop = async () => {}
afterEach(() => stop())

async function start(env: Record<string, string> = {}): Promise<TestService> {
  const service = await startService({ env, worker: false })
  stop = async () => {
    stop = async () => {}
    await service.stop()
  }
  return service
}

const contacts = 'mailto:security@example.com,https://example.com/security'
const path = '/.well-known/security.txt'

test('security.txt names the contacts in order and never expires within the next five months', async () => {
  const service = await start({ SECURITY_CONTACT: contacts, BASE_URL: 'https://user.example', SANDBOX_PASSWORD: 'own' })
  for (const days of [0, 400]) {
    await service.sandbox('POST', '/clock', { advanceSeconds: days * 86_400 })
    const { status, text, headers } = await service.request('GET', path)
    expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8'])
    const fields = text.trimEnd().split('\n')
    const expires = fields.find((line) => line.startsWith('Expires: '))?.slice('Expires: '.length) ?? ''
    expect(fields).toEqual([
      'Contact: mailto:security@example.com',
      'Contact: https://example.com/security',
      `Expires: ${new Date(expires).toISOString()}`,
      'Preferred-Languages: en',
      'Canonical: https://user.example/.well-known/security.txt',
    ])
    const left = new Date(expires).getTime() - service.ctx.clock.now().getTime()
    expect(left / 86_400_000).toBeGreaterThan(150)
    expect(left / 86_400_000).toBeLessThan(365)
  }
})

test('without a contact there is no security.txt', async () => {
  const service = await start()
  const { status, body } = await service.request('GET', path)
  expect([status, body]).toEqual([404, { success: false, error: 'NOT_FOUND' }])
})

test('a contact without a scheme is rejected', () => {
  const read = () => readConfig({ SECURITY_CONTACT: 'security@example.com' })
  expect(read).toThrow(ConfigError)
  expect(read).toThrow('SECURITY_CONTACT[0] must be a contact such as mailto:security@example.com')
})
