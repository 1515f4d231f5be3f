import { once } from 'node:events'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { beforeAll, describe, expect, test } from 'vitest'
import { commands } from '../../../cli/src/commands.ts'
import { verifyDecision as verifyOffline } from '../../../cli/src/decisions.ts'
import { operatorOperations } from '../../../cli/src/operator-table.ts'
import { verifyDecision as verifyInConsole } from '../../../web/src/console/operator/decisions/verify.ts'
import { decisionRouteTable } from '../../src/operators/decision-route-table.ts'
import { hashDecision, hashState, verifyProof } from '../../src/operators/decision-signature.ts'
import { messageToSign, useCli } from '../support/cli.ts'
import { newOperator, testOperator, twoPeople, withSeparateHosts } from '../support/console.ts'
import { waitUntil } from '../support/vendors/webhook-receiver.ts'
import { useWorld } from '../support/world.ts'

const { service, world } = useWorld(async () => ({ ...(await withSeparateHosts(twoPeople)), worker: false }))
const apiUrl = () => service.ctx.config.servers.base
const cli = useCli(() => ({ PURSER_URL: apiUrl(), PURSER_CONSOLE_URL: service.url }))

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

test('a list without a limit is shown completely', async () => {
  const { env, wallet } = await newPerson()
  const listed = Array.from({ length: 51 }, (_, number) => ({ kid: String(number) }))
  const server = createServer((_request, response) =>
    response
      .writeHead(200, { 'content-type': 'application/json', 'x-request-id': 'one' })
      .end(JSON.stringify({ data: listed })),
  )
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const stored = { operators: { [url]: { [wallet.address]: 'token' } } }
  await writeFile(env.PURSER_CONFIG, JSON.stringify(stored), { mode: 0o600 })
  const shown = await cli.json('operator signing-keys list', { env: { ...env, PURSER_CONSOLE_URL: url } })
  server.close()
  expect(shown).toHaveLength(51)
})

test('a command says that it cannot store the session, and still does its work', async () => {
  const { env } = await newPerson()
  const { code, stdout, stderr } = await cli('operator me --json', {
    env: { ...env, PURSER_CONFIG: '/dev/null/config.json' },
  })
  expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ role: 'admin' })])
  expect(stderr).toMatch(
    /^Your session is not stored, because \/dev\/null\/config\.json cannot be written \(\w+\)\. Check the path and its permissions\.\n$/,
  )
})

test('a sign-in fails if its session cannot be stored', async () => {
  const { env } = await newPerson()
  const { code, stdout, stderr } = await cli('operator sign-in', {
    env: { ...env, PURSER_CONFIG: '/dev/null/config.json' },
  })
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr.match(/Your session is not stored/g)).toHaveLength(1)
})

test('a line break cannot forge what an operator confirms, and the question repeats the change', async () => {
  const { alice } = await world()
  const { stderr } = await cli(`operator users block ${alice.userId} --reason 'one\n  people       two have signed'`, {
    env: people.ada.env,
    input: 'no\n',
  })
  expect(stderr).toMatch(/^ {2}reason {7}one\? {2}people {7}two have signed$/m)
  expect(stderr).toContain(`Type yes to sign "user block" of ${alice.userId}: \n`)
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

test('a command takes its arguments after its subject, and a wrong argument is a usage error', async () => {
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

test('requests of operators go only to the console, and those of users only to the base URL', async () => {
  const { env } = people.ada
  const { token, userId } = (await world()).alice
  const at = (PURSER_URL: string, PURSER_CONSOLE_URL: string) => ({ env: { ...env, PURSER_URL, PURSER_CONSOLE_URL } })
  const nowhere = 'http://127.0.0.1:1'
  expect((await fetch(`${apiUrl()}/operator/me`)).status).toBe(404)
  expect(await cli.json('operator me', at(nowhere, service.url))).toMatchObject({ role: 'admin' })
  expect(await cli.json('api GET /operator/me', at(nowhere, service.url))).toMatchObject({ role: 'admin' })
  const user = { env: { PURSER_TOKEN: token, PURSER_CONSOLE_URL: nowhere } }
  expect(JSON.stringify(await cli.json('api GET /user', user))).toContain(userId)
  expect(await cli('operator me', at(apiUrl(), nowhere))).toEqual({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^No service responds at http:\/\/127\.0\.0\.1:1: .+, or set PURSER_CONSOLE_URL\.$/m),
  })
  expect(await cli('operator me', at(apiUrl(), 'http://console.example'))).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^PURSER_CONSOLE_URL must begin with https, not "http:\/\/console\.example"/),
  })
})

test('the session of one console is not sent to another one', async () => {
  const { env } = await newPerson()
  await cli('operator sign-in', { env })
  const authorizations: (string | undefined)[] = []
  const stranger = createServer(({ headers }, response) => {
    authorizations.push(headers.authorization)
    response.writeHead(503).end()
  })
  await once(stranger.listen(0, '127.0.0.1'), 'listening')
  const { port } = stranger.address() as AddressInfo
  const other = { ...env, PURSER_CONSOLE_URL: `http://127.0.0.1:${port}` }
  expect((await cli('operator me', { env: other })).code).toBe(1)
  stranger.close()
  expect(authorizations.length).toBeGreaterThan(0)
  expect(authorizations.filter((each) => each !== undefined)).toEqual([])
})

test('nothing is signed for a console that the operator did not name', async () => {
  const { alice } = await world()
  const { env, wallet } = await newPerson()
  await cli('operator sign-in', { env })
  // A relay passes requests to the console. The operator's configuration has a session for the URL of the relay.
  const relay = createServer(async (request, response) => {
    const body = await text(request)
    const {
      status,
      headers,
      text: answer,
    } = await service.request(request.method ?? '', request.url ?? '', {
      token: request.headers.authorization?.replace('Bearer ', '') ?? '',
      ...(body === '' ? {} : { body: JSON.parse(body) }),
    })
    const type = headers.get('content-type') ?? ''
    response.writeHead(status, { 'content-type': type, 'x-request-id': 'relayed' }).end(answer)
  })
  await once(relay.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(relay.address() as AddressInfo).port}`
  const kept = JSON.parse(await readFile(env.PURSER_CONFIG, 'utf8'))
  kept.operators[url] = { [wallet.address]: kept.operators[service.url][wallet.address] }
  await writeFile(env.PURSER_CONFIG, JSON.stringify(kept))
  const words = `operator users block ${alice.userId} --reason x --yes`
  const { code, stderr } = await cli(words, { env: { ...env, PURSER_CONSOLE_URL: url } })
  const stranger = await newPerson()
  const signIn = await cli('operator me', { env: { ...stranger.env, PURSER_CONSOLE_URL: url } })
  relay.close()
  expect(signIn).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      /^The service allows no sign-in from this domain\. Set PURSER_DOMAIN .+ or PURSER_CONSOLE_URL/,
    ),
  })
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
    ...{ isValid: true, signed: 1, breakGlass: 0, contracts: 0, onePerson: 0, problems: [] },
  })
  // A proof that repeats the signed reason does not hide the change.
  const [decision] = JSON.parse(list)
  for (const proof of [decision.proof, { ...decision.proof, reason: 'a test' }]) {
    await writeFile(decisions, JSON.stringify({ ...decision, reason: 'a lie', proof }))
    const forged = await cli(`decisions verify ${decisions}`, offline)
    expect([forged.code, forged.stdout]).toEqual([
      1,
      expect.stringMatching(/^decision \d+: the signature of 0x\w+ is invalid$/m),
    ])
  }

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

test('verification counts decisions of one person whose command needs two by default, whatever their proofs say', async () => {
  const file = join(cli.home(), 'alone.json')
  const decisions = ['user block', 'payouts decide paid'].map((command) => signedDecision(command))
  await writeFile(file, JSON.stringify(await Promise.all(decisions)))
  expect(await cli.json(`decisions verify ${file}`)).toMatchObject({ isValid: true, signed: 2, onePerson: 1 })
  expect((await cli(`decisions verify ${file}`)).stdout).toMatch(
    / Decisions that one person signed, although their command needs two people by default: 1\. OPERATOR_POLICIES may allow that\.\n$/,
  )
})

const [ada, bob] = [privateKeyToAccount(generatePrivateKey()), privateKeyToAccount(generatePrivateKey())]

async function signedDecision(command: string, wallets = [ada]) {
  const proof = { origin: 'https://console.example', stateHash: hashState({}), expires: 2_000_000_000 }
  const terms = { command, subject: 'x', reason: 'a test' }
  const hash = hashDecision({ ...terms, ...proof })
  const signers = wallets.map(async ({ address, sign }) => ({
    address,
    personId: address,
    contractChainId: null,
    signature: await sign({ hash }),
  }))
  return {
    ...{ ...terms, seq: '1', decidedBy: ada.address, decidedAt: '2026-01-01T00:00:00Z' },
    approvedBy: wallets.length > 1 ? bob.address : null,
    proof: { ...proof, state: {}, needed: wallets.length, signers: await Promise.all(signers) },
  }
}

const verifiers: Readonly<Record<string, (decision: any) => Promise<{ readonly problems: readonly string[] }>>> = {
  service: (decision) => verifyProof({ ...decision, decidedAt: new Date(decision.decidedAt) }),
  'command line': verifyOffline,
  console: verifyInConsole,
}

describe.each(Object.entries(verifiers))('verification by the %s', (name, verify) => {
  const isRejected = (decision: any) =>
    verify(decision).then(
      ({ problems }) => problems.length > 0,
      () => true,
    )

  test(`the ${name} accepts decisions of one and of two people`, async () => {
    expect(await verify(await signedDecision('user block'))).toMatchObject({ problems: [] })
    expect(await verify(await signedDecision('user block', [ada, bob]))).toMatchObject({ problems: [] })
  })

  test.each(['', null])(`the ${name} rejects a decision without signatures by the operator %j`, async (decidedBy) => {
    const { proof, ...decision } = await signedDecision('user block')
    expect(await isRejected({ ...decision, decidedBy, proof: { ...proof, needed: 0, signers: [] } })).toBe(true)
  })

  test.each(['', null])(`the ${name} rejects a decision whose signer has the address %j`, async (address) => {
    const { proof, ...decision } = await signedDecision('user block')
    const signers = [{ ...proof.signers[0], address, signature: '0x' }]
    expect(await isRejected({ ...decision, decidedBy: address, proof: { ...proof, signers } })).toBe(true)
  })

  test(`the ${name} rejects a decision that names both signers in one field`, async () => {
    const decision = await signedDecision('user block', [ada, bob])
    const decidedBy = `${decision.decidedBy},${decision.approvedBy}`
    expect(await isRejected({ ...decision, decidedBy, approvedBy: null })).toBe(true)
  })

  test(`the ${name} rejects a decision that lacks a signature`, async () => {
    const { proof, ...decision } = await signedDecision('user block')
    expect(await isRejected({ ...decision, proof: { ...proof, needed: 2 } })).toBe(true)
  })

  test(`the ${name} rejects a decision whose time is unreadable`, async () => {
    expect(await isRejected({ ...(await signedDecision('user block')), decidedAt: 'soon' })).toBe(true)
  })
})
