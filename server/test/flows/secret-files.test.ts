import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { allSettings } from '../../src/config/document.ts'
import { databaseUrl, startProcess } from '../proof/processes.ts'
import { bundled } from '../support/bundle.ts'
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
