import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { useCli } from '../support/cli.ts'
import { databaseUrl } from '../support/database-url.ts'
import { useService } from '../support/service.ts'

const service = useService()
const cli = useCli(() => ({ DATABASE_URL: databaseUrl(service.connection) }))

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

test('reconcile and migrate run beside the service, and their failure gives exit code 1', async () => {
  expect(await cli('reconcile')).toMatchObject({ code: 0, stdout: expect.stringContaining('The books are correct') })
  expect(await cli('migrate')).toMatchObject({ code: 0, stdout: 'All migrations are applied.\n' })
  expect((await cli('migrate', { env: { DATABASE_URL: '' } })).code).toBe(1)
})

test('with --json, the commands beside the service print their results and problems as JSON', async () => {
  await service.deposit({ userId: (await service.newUser()).userId }, 10n ** 18n)
  const report = await cli.json('reconcile')
  expect(report).toMatchObject({
    isCorrect: true,
    users: expect.any(Number),
    badRows: 0,
    firstBadRows: [],
    custody: [],
  })
  expect(report.totals).toContainEqual(expect.objectContaining({ available: String(10n ** 18n), debt: '0' }))
  expect(await cli.json('migrate')).toEqual({ isMigrated: true })
  const env = { DATABASE_URL: 'postgresql://nobody@127.0.0.1:1/none' }
  for (const words of ['reconcile', 'migrate', 'backup check']) {
    const { code, stdout, stderr } = await cli(`${words} --json`, { env })
    const problem = { error: expect.stringMatching(/Start .+, or .+ DATABASE_URL\.$/) }
    expect([code, stdout, JSON.parse(stderr)], words).toEqual([1, '', problem])
  }
})

test('a backup check passes for correct books, and fails for a newer schema, incorrect books or a database that does not respond', async () => {
  const { userId } = await service.newUser()
  await service.deposit({ userId }, 7n * 10n ** 18n)
  const good = await cli('backup check')
  expect([good.code, good.stdout]).toEqual([0, 'ok       schema\nok       age\nok       books\n'])

  const { db } = service.ctx
  const unknown = `insert into applied_migration (name, run_on) values ('9999-future', '2026-01-01')`
  await db.query(unknown)
  const newer = await cli('backup check')
  expect([newer.code, newer.stdout]).toEqual([
    1,
    expect.stringMatching(/^problem {2}schema: .+ 9999-future\. Check it with that version\.\n$/),
  ])
  await db.query(`delete from applied_migration where name = '9999-future'`)

  await db.query(`update statement_item set item = replace(item, '"approved"', '"rejected"') where user_id = $1`, [
    userId,
  ])
  const { code, stdout } = await cli('backup check --json')
  const bad = JSON.parse(stdout)
  expect(code).toBe(1)
  expect(bad).toMatchObject({ isReady: false, findings: [{ problems: [] }, { problems: [] }, { check: 'books' }] })
  expect(bad.findings[2].problems[0]).toContain('The books are NOT correct')
  expect(await cli('backup check', { env: { DATABASE_URL: 'postgresql://nobody@127.0.0.1:1/none' } })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('does not respond'),
  })
})

test('up starts the service with the settings of its options', async () => {
  const folder = join(cli.home(), 'installation')
  for (const part of ['bin', 'server']) await mkdir(join(folder, part), { recursive: true })
  const program = join(folder, 'bin/purser')
  await writeFile(program, '#!/bin/sh\necho "$PORT $DATA_DIR $MODE"\n', { mode: 0o755 })
  const env = { PURSER_HOME: folder, PORT: '1', DATA_DIR: 'old', MODE: 'production' }
  const given = await cli('up --port 9090 --data ./new --mode sandbox', { env })
  expect(given).toEqual({ code: 0, stdout: '9090 ./new sandbox\n', stderr: '' })
  expect((await cli('up', { env })).stdout).toBe('1 old production\n')
  expect(await cli('up --mode test', { env })).toMatchObject({ code: 2, stdout: '' })
  await writeFile(program, '#!/bin/sh\nexit 3\n')
  expect((await cli('up', { env })).code).toBe(1)
})

test('evidence that is authentic but incomplete is reported as incomplete, and its decisions are checked', async () => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const [bundle, keys] = [join(cli.home(), 'evidence.ndjson'), join(cli.home(), 'keys.json')]
  await writeFile(keys, JSON.stringify([{ kid: 'k', publicJwk: publicKey.export({ format: 'jwk' }) }]))
  const verifyWith = async (decision: object) => {
    const text = `{"kind":"evidence"}\n${JSON.stringify(decision)}\n`
    const sha256 = createHash('sha256').update(text).digest('hex')
    const [header, payload] = [{ typ: 'purser-evidence' }, { sha256, records: 1, isComplete: false }].map((part) =>
      Buffer.from(JSON.stringify(part)).toString('base64url'),
    )
    const content = Buffer.from(`${header}.${payload}`)
    const signature = sign('sha256', content, { key: privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url')
    await writeFile(bundle, `${text}${JSON.stringify({ kid: 'k', jws: `${content}.${signature}` })}\n`)
    return cli(`verify evidence ${bundle} --keys ${keys}`)
  }
  expect(await verifyWith({ seq: '1', proof: null, decidedBy: 'Ada' })).toEqual({
    code: 1,
    stdout: expect.stringMatching(/^No decision has a problem\. /),
    stderr:
      'The evidence is authentic but incomplete: the period has more records than a bundle contains. Request a shorter period.\n',
  })
  const forged = await verifyWith({ seq: '1', proof: {}, decidedBy: 'Ada' })
  expect([forged.code, forged.stderr]).toEqual([1, expect.stringMatching(/^The decisions are not authentic\./m)])
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
  expect(await cli.json(`verify webhook ${file} --key ${key} ${headers}`)).toEqual({
    ...{ isValid: true, id: 'evt_1', type: 'deposit.approved' },
  })
  await writeFile(file, body.replace('approved', 'rejected'))
  expect(await cli(`verify webhook ${file} --key ${key} ${headers}`)).toMatchObject({ code: 1, stdout: '' })
  expect(await cli(`verify webhook ${file} --key secret ${headers}`)).toMatchObject({ code: 2 })
})
