import { generateKeyPairSync, sign } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { useCli } from '../support/cli.ts'
import { useService } from '../support/service.ts'

const service = useService()
const databaseUrl = () => {
  const { host, port, user, database } = service.connection
  return `postgresql://${user}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`
}
const cli = useCli(() => ({ DATABASE_URL: databaseUrl() }))

test('doctor names each problem of the configuration and of the database', async () => {
  const { code, stdout } = await cli('doctor')
  expect(code).toBe(1)
  const lines = stdout.trim().split('\n')
  expect(lines).toContainEqual(expect.stringMatching(/^problem {2}configuration: SECRET must be set/))
  expect(lines).toContain('ok       database')
  for (const line of lines) expect(line).toMatch(/^ok +\w+$|^problem +\w+: .+\.$/)

  const broken = { DATABASE_URL: 'postgresql://nobody@127.0.0.1:1/none', RPC_URL_31337: 'http://127.0.0.1:1' }
  const result = await cli('doctor --json', { env: broken })
  const { isReady, findings } = JSON.parse(result.stdout)
  const problemsOf = (name: string) => findings.find(({ check }: any) => check === name).problems
  expect([result.code, isReady]).toEqual([1, false])
  expect(problemsOf('database')[0]).toMatch(/^DATABASE_URL names a database that/)
})

test('reconcile and migrate run beside the service and pass on their exit codes', async () => {
  expect(await cli('reconcile')).toMatchObject({ code: 0, stdout: expect.stringContaining('The books are correct') })
  expect(await cli('migrate')).toMatchObject({ code: 0, stdout: 'All migrations are applied.\n' })
  expect((await cli('migrate', { env: { DATABASE_URL: '' } })).code).toBe(1)
})

test('verify checks a stored delivery without a service', async () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const key = `whpk_${Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url').toString('base64')}`
  const body = '{"id":"evt_1","type":"deposit.approved","data":{}}'
  const signature = sign(null, Buffer.from(`evt_1.1700000000.${body}`), privateKey).toString('base64')
  await mkdir(cli.home(), { recursive: true })
  const file = join(cli.home(), 'body.json')
  await writeFile(file, body)
  const headers = `--header 'webhook-id: evt_1' --header 'webhook-timestamp: 1700000000' --header 'webhook-signature: v1a,${signature}'`
  const valid = await cli(`verify webhook ${file} --key ${key} ${headers}`)
  expect(valid).toEqual({ code: 0, stdout: 'valid: deposit.approved evt_1\n', stderr: '' })
  await writeFile(file, body.replace('approved', 'rejected'))
  expect(await cli(`verify webhook ${file} --key ${key} ${headers}`)).toMatchObject({ code: 1, stdout: '' })
  expect(await cli(`verify webhook ${file} --key secret ${headers}`)).toMatchObject({ code: 2 })
})
