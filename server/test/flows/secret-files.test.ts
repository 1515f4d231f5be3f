import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { allSettings } from '../../src/config/document.ts'
import { startProcess } from '../proof/processes.ts'
import { bundled } from '../support/bundle.ts'
import { databaseUrl } from '../support/database-url.ts'
import { processEnv } from '../support/process-env.ts'
import { nowhere, productionEnv } from '../support/production-env.ts'
import { createTestDatabase, httpClient } from '../support/service.ts'

const folder = mkdtempSync(join(tmpdir(), 'purser-secrets-'))
afterAll(() => rmSync(folder, { recursive: true }))

const isSecret = (name: string) =>
  allSettings.some((setting) => setting.isSecret && setting.name.replace('<chainId>', '100') === name)

/** Returns the environment with each secret in a file, as Docker and Kubernetes mount it, and none as a variable. */
function withFiles(env: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => {
      if (!isSecret(name)) return [[name, value]]
      const file = join(folder, name.toLowerCase())
      writeFileSync(file, `${value}\n`, { mode: 0o600 })
      return [
        [name, ''],
        [`${name}_FILE`, file],
      ]
    }),
  )
}

test('a production process and a command start with every secret in a file, and none in the environment', async () => {
  const connection = await createTestDatabase()
  const token = 'a token for the metrics of this test alone'
  const plain = {
    ...productionEnv,
    ROLES: 'api',
    DATABASE_URL: databaseUrl(connection),
    METRICS_TOKEN: token,
    RPC_URL_100: `${nowhere}/key-of-the-node`,
    SUMSUB_APP_TOKEN: 'token-of-sumsub',
    SUMSUB_SECRET_KEY: 'key-of-sumsub',
  }
  const env = withFiles(plain)
  const secrets = Object.entries(plain).flatMap(([name, value]) => (isSecret(name) ? [value] : []))
  expect(secrets.length).toBeGreaterThan(8)
  const service = await startProcess(connection, env)
  try {
    expect(Object.values(env).filter((value) => secrets.some((secret) => value.includes(secret)))).toEqual([])
    const { request } = httpClient(service.url)
    expect((await request('GET', '/health/ready')).status).toBe(200)
    expect((await request('GET', '/metrics')).status).toBe(401)
    expect((await request('GET', '/metrics', { token })).status).toBe(200)
    const command = [bundled('operator'), 'domain', 'list']
    await promisify(execFile)(process.execPath, command, {
      env: { ...processEnv, ...env, DATABASE_ROLES: 'on', OPERATOR: 'ada' },
    })
  } finally {
    await service.kill('SIGTERM')
  }
})

test('neither the log at its lowest level nor the output of a command has a secret, while every vendor is unreachable', async () => {
  const connection = await createTestDatabase()
  const marked = Object.fromEntries(
    Object.entries({ ...productionEnv, METRICS_TOKEN: 'of-the-metrics' })
      .filter(([name]) => isSecret(name))
      .map(([name]) => [name, `marked-secret-in-the-setting-${name.toLowerCase()}`]),
  )
  const env: Record<string, string> = {
    ...productionEnv,
    ...marked,
    DATABASE_URL: databaseUrl(connection).replace('@', ':marked-secret-of-the-database@'),
    RPC_URL_100: `${nowhere}/marked-secret-of-the-node`,
    RPC_URL_1: `${nowhere}/?key=marked-secret-of-another-node`,
    ISSUER_KEYS: 'them:marked-secret-of-the-processor-0123456789',
    ISSUER_OUTBOUND_KEY: 'us:marked-secret-of-the-programme-0123456789',
    SMTP_PORT: '1',
    SMTP_USER: 'purser',
    SMTP_PASSWORD: 'marked-secret-of-the-mail-server',
    ROLES: 'api,watcher',
    LOG_LEVEL: 'trace',
    SECERT: 'marked-secret-in-a-misspelled-variable',
  }
  const service = await startProcess(connection, env)
  let output = ''
  for (const stream of [service.child.stdout, service.child.stderr]) stream?.on('data', (chunk) => (output += chunk))
  try {
    const { request } = httpClient(service.url)
    const headers = { origin: 'https://marked-secret.example', 'x-forwarded-for': 'marked-secret' }
    const token = 'marked-secret.of-a.caller'
    await request('GET', '/user?email=marked-secret@example.org', { token, headers })
    await request('GET', '/partner', { token: 'psk_marked-secret-of-a-partner' })
    await request('GET', '/marked-secret-in-a-path')
    await request('POST', '/issuer/v1/authorizations', { body: { cardId: 'marked-secret' } })
    await request('POST', '/email-verification', { token, body: { email: 'marked-secret@example.org' } })
    await expect.poll(() => output).toContain('rpc failed')
  } finally {
    await service.kill('SIGTERM')
  }
  for (const name of ['doctor', 'reconcile'] as const) {
    const command = promisify(execFile)(process.execPath, [bundled(name)], { env: { ...processEnv, ...env } })
    const { stdout, stderr } = await command.catch((error: { stdout: string; stderr: string }) => error)
    expect(stdout + stderr, name).toMatch(/node|chain/)
    output += stdout + stderr
  }
  expect(output).toContain('access_denied')
  expect(output.split('\n').filter((line) => line.includes('marked-secret'))).toEqual([])
})
