import { expect, test } from 'vitest'
import { readConfig } from './config/config.ts'
import { exampleCommand, welcome } from './welcome.ts'

function banner(env: Record<string, string> = {}, url = 'http://localhost:8080'): string {
  return welcome({ config: readConfig(env), url, metricsUrl: null })
}

test('the banner prints the example command that reaches this service', () => {
  expect(banner()).toContain('\n  npm run example\n')
  expect(banner({ PORT: '9090' })).toContain('\n  BASE_URL=http://localhost:9090 npm run example\n')
  expect(banner({ PORT: '0' }, 'http://127.0.0.1:40123')).toContain('BASE_URL=http://127.0.0.1:40123 npm run example')
  const own = banner({ SANDBOX_PASSWORD: 'of my own' })
  expect(own).toContain('\n  SANDBOX_PASSWORD=<your password> npm run example\n')
  expect(own).not.toContain('of my own')
})

test('the banner names the port that the system chose, unless BASE_URL is set', () => {
  const own = banner({ PORT: '0' }, 'http://127.0.0.1:40123')
  expect(own).toContain('Playground  http://127.0.0.1:40123/console/')
  expect(own).not.toContain('localhost:0')
  const behind = banner({ PORT: '0', BASE_URL: 'http://localhost:9090' }, 'http://127.0.0.1:40123')
  expect(behind).toContain('Playground  http://localhost:9090/console/')
})

test('the banner of a sandbox says that 127.0.0.1 is not a sign-in domain', () => {
  expect(banner()).toContain('127.0.0.1 is not a sign-in domain')
})

test('the banner names the chain, and says when it is simulated', () => {
  expect(banner({ CHAIN: 'simulated' })).toMatch(/^ {2}Chain {7}simulated/m)
  expect(banner({ DATABASE_URL: 'postgres://localhost/purser' })).toMatch(/^ {2}Chain {7}simulated$/m)
})

test('the banner of the package names a command that the package has', () => {
  const config = readConfig({ PORT: '9090', SANDBOX_PASSWORD: 'of my own' })
  expect(exampleCommand({ config, url: null }, false)).toBe(
    'PURSER_URL=http://localhost:9090 PURSER_SANDBOX_PASSWORD=<your password> npx purser trigger tip',
  )
})
