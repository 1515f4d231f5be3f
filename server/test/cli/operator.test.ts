import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { beforeAll, expect, test } from 'vitest'
import { commands } from '../../../cli/src/commands.ts'
import { operatorOperations } from '../../../cli/src/operator-table.ts'
import { decisionRouteTable } from '../../src/operators/decision-route-table.ts'
import { messageToSign, useCli } from '../support/cli.ts'
import { consoleOrigin, newOperator, testOperator, twoPeople } from '../support/console.ts'
import { waitUntil } from '../support/vendors/webhook-receiver.ts'
import { useWorld } from '../support/world.ts'

const { service, world } = useWorld({ env: twoPeople, worker: false })
const cli = useCli(() => ({ PURSER_URL: service.url, PURSER_CONSOLE_URL: consoleOrigin }))

/** Adds an operator whose key is in a file, and returns the environment of this person. */
async function newPerson(role: 'admin' | 'viewer' = 'admin') {
  const key = generatePrivateKey()
  const wallet = privateKeyToAccount(key)
  await newOperator(service, role, { wallet })
  const [keyFile, config] = ['key', 'config.json'].map((name) => join(cli.home(), `${wallet.address}.${name}`))
  await writeFile(keyFile ?? '', `${key}\n`, { mode: 0o600 })
  return { wallet, env: { PURSER_WALLET_KEY_FILE: keyFile ?? '', PURSER_CONFIG: config ?? '' } }
}

type Person = Awaited<ReturnType<typeof newPerson>>
let people: { ada: Person; bob: Person }
beforeAll(async () => {
  people = { ada: await newPerson(), bob: await newPerson() }
})

test('every operation of the operator API is a command', () => {
  const names = commands.map(({ name }) => name).filter((name) => name.startsWith('operator '))
  expect(names.length).toBe(operatorOperations.length + decisionRouteTable.length + 3)
  expect(new Set(names).size).toBe(names.length)
})

test('an operator signs in once, and the session is kept in a file that only the operator can read', async () => {
  const { env, wallet } = people.ada
  expect(await cli('operator sign-in', { env })).toEqual({
    code: 0,
    stdout: `Person with admin is signed in as admin with ${wallet.address}.\n`,
    stderr: '',
  })
  expect((await stat(env.PURSER_CONFIG)).mode & 0o777).toBe(0o600)
  const sessions = async () => (await cli.json('operator sessions list', { env })).length
  const before = await sessions()
  expect(await cli.json('operator me', { env })).toMatchObject({ role: 'admin' })
  expect(await sessions()).toBe(before)
  const token = JSON.parse(await readFile(env.PURSER_CONFIG, 'utf8')).operators[service.url][wallet.address]
  const shown = await cli('config show', { env })
  expect(shown.stdout + shown.stderr).not.toContain(token)
  expect(await cli.json('operator sign-out', { env })).toEqual({ isSignedIn: false })
  const gone = await service.request('GET', '/operator/me', { token })
  expect(gone.status).toBe(401)
  expect(await cli.json('operator me', { env })).toMatchObject({ role: 'admin' })
})

test('an operator signs in with the key in PURSER_WALLET_KEY', async () => {
  const { wallet, env } = await newPerson()
  const key = (await readFile(env.PURSER_WALLET_KEY_FILE, 'utf8')).trim()
  const own = { PURSER_WALLET_KEY: key, PURSER_CONFIG: env.PURSER_CONFIG }
  expect(await cli('operator sign-in', { env: own })).toEqual({
    code: 0,
    stdout: `Person with admin is signed in as admin with ${wallet.address}.\n`,
    stderr: '',
  })
  expect(await readFile(env.PURSER_CONFIG, 'utf8')).not.toContain(key.slice(2))
})

test('a command whose session has ended signs in again, and makes its change once', async () => {
  const { alice } = await world()
  const { env, wallet } = await newPerson()
  await cli('operator sign-in', { env })
  const token = JSON.parse(await readFile(env.PURSER_CONFIG, 'utf8')).operators[service.url][wallet.address]
  expect((await service.request('DELETE', '/operator/sessions', { token })).status).toBeLessThan(300)
  const words = `operator users block ${alice.userId} --reason 'stolen phone' --yes`
  expect(await cli(words, { env })).toMatchObject({ code: 0, stdout: expect.stringMatching(/^executed: /) })
  expect(await cli.json(`operator decisions list --subject ${alice.userId}`, { env })).toHaveLength(1)
})

test('lists are tables with a header, and records are lines', async () => {
  const { alice } = await world()
  const { env } = people.ada
  const list = await cli('operator users list --limit 1', { env })
  const [head = '', row = '', ...rest] = list.stdout.trim().split('\n')
  expect(head).toMatch(/^USER ID +STATUS +ACCOUNT STATUS +KYC STATUS +COUNTRY +CREATED AT$/)
  expect(row.indexOf('active')).toBe(head.indexOf('STATUS'))
  expect(rest).toEqual([])
  const one = await cli(`operator users get ${alice.userId}`, { env })
  expect(one.stdout).toContain(alice.userId)
  expect(await cli.json(`operator search ${alice.userId}`, { env })).toMatchObject([{ kind: 'user' }])
  expect(await cli.json('operator deposits list --state waiting', { env })).toEqual([])
  const evidence = await cli('operator evidence --from 2026-01-01 --to 2026-02-01', { env })
  const lines = evidence.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).kind)
  expect([lines[0], lines.at(-1)]).toEqual(['evidence', 'signature'])
})

test('one person proposes with a key, another one approves, and the change is made once', async () => {
  const { alice } = await world()
  const { ada: proposer, bob: approver } = people
  const block = await cli(`operator users block ${alice.userId} --reason 'stolen phone'`, {
    env: proposer.env,
    input: 'yes\n',
  })
  expect(block).toMatchObject({ code: 0, stdout: `executed: The account of ${alice.userId} is blocked.\n` })
  expect(block.stderr).toContain('account is   active')
  const refused = await cli(`operator users unblock ${alice.userId} --reason 'found again'`, { env: proposer.env })
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('Nothing was signed.') })
  const open = await cli.json(`operator users unblock ${alice.userId} --reason 'found again' --yes`, {
    env: proposer.env,
  })
  expect(open).toMatchObject({ status: 'open', needed: 2 })
  const own = await cli(`operator proposals approve ${open.proposalId} --yes`, { env: proposer.env })
  expect(own).toMatchObject({ code: 1, stderr: expect.stringContaining('SECOND_PERSON_REQUIRED') })
  const done = await cli(`operator proposals approve ${open.proposalId} --yes`, { env: approver.env })
  expect(done).toMatchObject({ code: 0, stdout: expect.stringMatching(/^executed: /) })
  expect(await cli.json(`operator decisions list --subject ${alice.userId}`, approver)).toHaveLength(2)
})

test('a proposal is rejected with a reason', async () => {
  const { alice } = await world()
  const { env } = people.ada
  await cli.json(`operator users block ${alice.userId} --reason test --yes`, { env })
  const open = await cli.json(`operator users unblock ${alice.userId} --reason test --yes`, { env })
  expect(await cli(`operator proposals reject ${open.proposalId}`, { env })).toMatchObject({ code: 2 })
  const rejected = await cli.json(`operator proposals reject ${open.proposalId} --reason 'not yet'`, { env })
  expect(rejected).toMatchObject({ status: 'rejected', outcome: 'not yet' })
})

test('an argument is typed after its subject, and a wrong one is a usage error', async () => {
  const { env } = people.ada
  const address = '0x1111111111111111111111111111111111111111'
  const added = await cli.json(
    `operator operators add ${address} viewer 'Grace Hopper' --reason 'new colleague' --yes`,
    {
      env,
    },
  )
  expect(added).toMatchObject({ status: 'open', arguments: { role: 'viewer', person: 'Grace Hopper' } })
  expect(await cli(`operator payouts decide ${crypto.randomUUID()} maybe --reason x --yes`, { env })).toMatchObject({
    code: 2,
  })
  expect(await cli('operator users block', { env })).toMatchObject({ code: 2 })
})

test('a hardware wallet signs what the terminal shows', async () => {
  const { alice } = await world()
  const env = {
    PURSER_WALLET_ADDRESS: testOperator.address.toLowerCase(),
    PURSER_CONFIG: join(cli.home(), 'hardware.json'),
  }
  const signing = cli.interact(`operator users block ${alice.userId} --reason 'a test' --json`, { env })
  const message = await messageToSign(signing)
  expect(signing.stderr()).toContain(message)
  signing.type(`${await testOperator.signMessage({ message })}\n`)
  await waitUntil(() => signing.stderr().includes('--data'), 'the decision')
  const typed = JSON.parse(/--data '(.+)'/.exec(signing.stderr())?.[1] ?? '')
  expect(typed.message).toMatchObject({ command: 'user block', subject: alice.userId })
  signing.type(`${await testOperator.signTypedData(typed)}\n`)
  const { code, stdout } = await signing.ended
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ status: 'executed', proposedBy: testOperator.address })

  const stranger = privateKeyToAccount(generatePrivateKey())
  const wrong = await cli('operator users list', {
    env: { ...env, PURSER_CONFIG: join(cli.home(), 'other.json') },
    input: `${await stranger.signMessage({ message })}\n`,
  })
  expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining('That is not a signature of 0x7099') })
})

test('nothing is signed for a console that the operator did not name', async () => {
  const { alice } = await world()
  const { env } = people.bob
  await cli('operator sign-in', { env })
  const other = { ...env, PURSER_CONSOLE_URL: 'https://console.example' }
  const { code, stderr } = await cli(`operator users block ${alice.userId} --reason x --yes`, { env: other })
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining('Set PURSER_CONSOLE_URL to the CONSOLE_URL of the service.'),
  ])
})

test('a command explains that it has no wallet, or that the wallet lacks the permission', async () => {
  expect(await cli('operator users list')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('PURSER_WALLET_KEY'),
  })
  const { env } = await newPerson('viewer')
  const { alice } = await world()
  const denied = await cli(`operator users block ${alice.userId} --reason x --yes`, { env })
  expect(denied).toMatchObject({ code: 1, stderr: expect.stringMatching(/403/) })
})

test('decisions and an evidence bundle are verified without a service', async () => {
  const { alice } = await world()
  const { env } = people.ada
  const offline = { env: { PURSER_URL: 'http://127.0.0.1:1' } }
  await cli.json(`operator users block ${alice.userId} --reason 'a test' --yes`, { env })
  const [decisions, keys, bundle] = ['decisions.json', 'keys.json', 'evidence.ndjson'].map((name) =>
    join(cli.home(), name),
  ) as [string, string, string]
  const list = (await cli(`operator decisions list --subject ${alice.userId} --json`, { env })).stdout
  await writeFile(decisions, list)
  expect(await cli.json(`decisions verify ${decisions}`, offline)).toEqual({
    ...{ isValid: true, signed: 1, breakGlass: 0, contracts: 0, problems: [] },
  })
  await writeFile(decisions, list.replace('a test', 'a lie'))
  const forged = await cli(`decisions verify ${decisions}`, offline)
  expect([forged.code, forged.stdout]).toEqual([
    1,
    expect.stringMatching(/^decision \d+: the signature of 0x\w+ is invalid$/m),
  ])

  await writeFile(keys, (await cli('operator signing-keys list --json', { env })).stdout)
  const [from, to] = [-1, 1].map((days) => new Date(Date.now() + days * 86_400_000).toISOString())
  const { stdout: evidence } = await cli(`operator evidence --from ${from} --to ${to}`, { env })
  await writeFile(bundle, evidence)
  expect(await cli.json(`verify evidence ${bundle} --keys ${keys}`, offline)).toMatchObject({
    ...{ isValid: true, breakGlass: 0, contracts: 0, problems: [] },
  })
  const verified = await cli(`verify evidence ${bundle} --keys ${keys}`, offline)
  expect(verified).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^No decision has a problem. Signed decisions: \d+\. /),
  })
  await writeFile(bundle, evidence.split('\n').toSpliced(1, 1).join('\n'))
  const cut = await cli(`verify evidence ${bundle} --keys ${keys}`, offline)
  expect(cut).toMatchObject({
    code: 1,
    stderr:
      'The evidence is not authentic: its lines were changed. Check the file and the keys, then see docs/incidents.md.\n',
  })
  const known = await readFile(keys, 'utf8')
  await writeFile(keys, known.replaceAll(/"kid":\s*"[^"]*"/g, '"kid":"other"'))
  expect(await cli(`verify evidence ${bundle} --keys ${keys}`, offline)).toMatchObject({
    code: 1,
    stderr:
      'The evidence is not authentic: none of the keys signed it. Check the file and the keys, then see docs/incidents.md.\n',
  })
  await writeFile(decisions, 'no json')
  expect(await cli(`decisions verify ${decisions}`)).toMatchObject({ code: 1 })
})
