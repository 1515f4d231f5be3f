import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { type Address, getAddress } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Anvil, deploy, startAnvil } from '../support/chain/anvil.ts'
import { messageToSign, useCli } from '../support/cli.ts'
import { newOperator, operatorMessage, propose, signDecision, withSeparateHosts } from '../support/console.ts'
import { runOperator } from '../support/operator.ts'
import { newWallet, startService, type TestService, type Wallet } from '../support/service.ts'

const [home, abroad] = [100, 137]
const [ada, eve] = [newWallet(), newWallet()]
let chains: Anvil[] = []
let service: TestService
/** Owned by Ada on chain 100. On chain 137, the same address is Eve's contract. */
let shared: Address
const env: Record<string, string> = {}

const cli = useCli(() => ({ PURSER_URL: service.url }))

beforeAll(async () => {
  const [one, two] = await Promise.all([startAnvil({ chainId: home }), startAnvil({ chainId: abroad })])
  chains = [one, two]
  shared = getAddress(await deploy(one, 'SmartWallet', [[ada.address]]))
  if (getAddress(await deploy(two, 'SmartWallet', [[eve.address]])) !== shared) throw new Error('not the same address')
  Object.assign(env, { [`RPC_URL_${home}`]: one.url, [`RPC_URL_${abroad}`]: two.url })
  service = await startService({ ...(await withSeparateHosts(env)), worker: false })
  const admin = await newOperator(service, 'admin')
  const arguments_ = { role: 'admin', person: 'Ada' }
  const added = await propose(admin, {
    command: 'operator add',
    subject: `eip155:${home}:${shared}`,
    arguments: arguments_,
  })
  if (added.body.status !== 'executed') throw new Error(added.text)
})
afterAll(async () => {
  await service?.stop()
  await Promise.all(chains.map((chain) => chain.stop()))
})

async function signIn(by: Wallet, chainId = home) {
  const { message } = await operatorMessage(service, by, { address: shared, chainId })
  const signature = await by.signMessage({ message })
  return service.request('POST', '/operator/session', { body: { message, signature } })
}

test('a contract signs in on its own chain only', async () => {
  expect((await signIn(ada)).status).toBe(200)
  for (const [by, chainId] of [
    [eve, home],
    [eve, abroad],
    [ada, abroad],
    [ada, 5],
  ] as const)
    expect((await signIn(by, chainId)).body.error, `${chainId}`).toBe('NOT_AN_OPERATOR')
})

test('a contract signs decisions, and the shell counts its signatures', async () => {
  const { token } = (await signIn(ada)).body
  const { userId } = await service.newUser()
  const body = { reason: 'a test' }
  const path = `/operator/users/${userId}/block`
  const { typedData, stateHash, expires } = (await service.request('POST', path, { token, body })).body
  const send = async (by: Wallet) => {
    const signature = await signDecision(by, typedData)
    return service.request('POST', path, { token, body: { ...body, signed: { stateHash, expires, signature } } })
  }
  expect((await send(eve)).body.error).toBe('DECISION_NOT_SIGNED')
  expect((await send(ada)).body).toMatchObject({ status: 'executed', proposedBy: shared })
  const { code, output } = await runOperator(service, ['decisions', 'verify'], env)
  expect([code, output]).toEqual([0, expect.stringContaining('Signatures from contract wallets: 1.')])
})

test.each([
  { chainId: home, code: 0, stderr: '' },
  {
    ...{ chainId: abroad, code: 1 },
    stderr: expect.stringMatching(
      /^The wallet is not an operator of this service, or signs for another chain\. Check .+ PURSER_CHAIN_ID\. \(request \S+\)\n$/,
    ),
  },
])('a sign-in with the command line as a contract of chain $chainId ends with exit code $code', async (expected) => {
  const chainId = String(expected.chainId)
  const own = { PURSER_WALLET_ADDRESS: shared, PURSER_CHAIN_ID: chainId, PURSER_CONFIG: join(cli.home(), chainId) }
  const signing = cli.interact('operator sign-in', { env: own })
  const message = await messageToSign(signing)
  const asked = signing.stderr().length
  signing.type(`${await ada.signMessage({ message })}\n`)
  const { code, stderr } = await signing.ended
  expect({ code, stderr: stderr.slice(asked) }).toEqual({ code: expected.code, stderr: expected.stderr })
})

test('every request with the signature of a contract gets 502 while no node of its chain responds', async () => {
  const { token } = (await signIn(ada)).body
  const admin = await newOperator(service, 'admin')
  const change = { command: 'operator add', subject: newWallet().address, arguments: { role: 'viewer', person: 'Eve' } }
  const { proposalId } = (await propose(admin, change)).body
  const { message } = await operatorMessage(service, ada, { address: shared, chainId: home })
  const signature = await ada.signMessage({ message })
  await chains[0]?.stop()

  const { paths } = (await service.request('GET', '/operator/openapi.json')).body
  const failing = Object.entries<Record<string, any>>(paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, { responses }]) => responses?.['502'])
      .map(([method]) => [method.toUpperCase(), path] as const),
  )
  expect(failing.length).toBeGreaterThan(25)
  const [id, { address }] = [randomUUID(), newWallet()]
  const subjects: Readonly<Record<string, string>> = {
    ...{ proposalId, address, domain: 'app.example.com', kid: 'a-key', transfer: `100:0x${'7'.repeat(64)}:3` },
  }
  // Each route ignores the fields that its schema does not define.
  const body = {
    ...{ message, signature, reason: 'a test', command: 'user block', subject: id, userId: id, wallet: address },
    ...{ amount: '0', decision: 'paid', details: 'on', role: 'viewer', person: 'Eve', domain: 'app.example.com' },
    ...{ token: address, payee: address },
    signed: { stateHash: `0x${'0'.repeat(64)}`, expires: 4_000_000_000, signature },
  }
  for (const [method, path] of failing) {
    const url = path.replaceAll(/\{(\w+)\}/g, (_all, name) => subjects[name] ?? id)
    const { status, text } = await service.request(method, url, { token, body })
    expect(status, `${method} ${path}: ${text}`).toBe(502)
  }
})
