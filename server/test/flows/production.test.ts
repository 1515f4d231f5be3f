import { once } from 'node:events'
import { request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { getAddress } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { depositAddress, factoryAddress } from '../../src/lib/deposit-address.ts'
import { type Process, startProcess } from '../proof/processes.ts'
import { send } from '../support/chain/anvil.ts'
import { type PayoutChain, startPayoutChain } from '../support/chain/payout-chain.ts'
import { nowhere, productionEnv } from '../support/production-env.ts'
import { createTestDatabase, httpClient, startService, type TestService } from '../support/service.ts'
import { type Kms, startKms } from '../support/vendors/kms.ts'
import { type LocalRequest, startLocalServer } from '../support/vendors/local-server.ts'
import { checkBooks } from '../support/world.ts'

/**
 * The service in production mode, with local servers for the chain, AWS KMS and Chainalysis. A sandbox on the same
 * database creates the users, because no identity verification is available.
 */
const eur = 10n ** 18n
const treasury = getAddress(`0x${'fe'.repeat(20)}`)
const secret = 'a-secret-of-this-production-alone-32'
const patienceMilliseconds = 300_000

let kms: Kms
let chain: PayoutChain
let screening: Awaited<ReturnType<typeof startLocalServer>>
let observer: TestService
let production: Process
const screened: LocalRequest[] = []

beforeAll(async () => {
  kms = await startKms()
  chain = await startPayoutChain(getAddress(kms.address))
  await chain.anvil.rpc('evm_setAutomine', [true])
  screening = await startLocalServer((request) => {
    screened.push(request)
    if (request.method === 'POST') return { status: 202, body: { externalId: 'one' } }
    if (request.path.endsWith('/alerts')) return { status: 200, body: { alerts: [] } }
    return { status: 200, body: { updatedAt: '2026-01-31T09:31:00.000000' } }
  })
  const connection = await createTestDatabase()
  observer = await startService({
    connection,
    worker: false,
    env: { ...chain.env, SECRET: secret },
    alter: (ctx) => ({
      ...ctx,
      chain: { ...ctx.chain, depositAddress: (userId) => depositAddress(factoryAddress(treasury), userId) },
    }),
  })
  production = await startProcess(connection, ownEnv())
})
afterAll(async () => {
  await production?.kill('SIGTERM')
  await observer?.stop()
  await screening?.stop()
  await chain?.anvil.stop()
  await kms?.stop()
})

function ownEnv(): Record<string, string> {
  const { chainId, url } = chain.anvil
  return {
    ...productionEnv,
    SECRET: secret,
    TOKENS: chain.env['TOKENS'] ?? '',
    RPC_URL_100: '',
    [`RPC_URL_${chainId}`]: url,
    [`FINALITY_${chainId}`]: '2',
    [`TREASURY_${chainId}`]: treasury,
    KMS_KEY_ID: kms.keyId,
    KMS_REGION: kms.region,
    KMS_ENDPOINT: kms.url,
    ...kms.env,
    CHAINALYSIS_URL: screening.url,
    CHAINALYSIS_NETWORKS: JSON.stringify({ [chainId]: 'Gnosis' }),
    OPERATOR_API: 'on',
    CONSOLE_URL: 'https://console.purser.test',
  }
}

/** Mines blocks until the condition holds. */
async function reached(isReached: () => Promise<boolean>): Promise<void> {
  for (const until = performance.now() + patienceMilliseconds; performance.now() < until; await delay(100)) {
    await chain.mineToFinality()
    if (await isReached()) return
  }
  throw new Error('the condition did not hold in time')
}

test('in production a wallet signs in, its deposit is screened, and its withdrawal is paid with the KMS key', async () => {
  const client = httpClient(production.url)
  const { wallet, accountAddress } = await observer.newUser()
  const token = await client.signIn(wallet)
  const get = async (path: string) => (await client.request('GET', path, { token })).body.data

  await send(chain.anvil, 'TestToken', { to: chain.token, call: 'mint', args: [accountAddress, 50n * eur] })
  await reached(async () => (await get('/user/balances/v2'))[0].spendable === String(50n * eur))
  expect(screened[0]?.headers['token']).toBe('key-of-the-account')

  const body = { tokenAddress: chain.token, amount: String(20n * eur) }
  expect((await client.request('POST', '/user/withdrawal', { token, body })).status).toBe(201)
  await reached(async () => (await get('/user/statement'))[0].status === 'completed')
  expect(await chain.paidTo(wallet.address)).toEqual([20n * eur])
  expect((await get('/user/balances/v2'))[0]).toMatchObject({
    spendable: String(30n * eur),
    processingWithdrawals: '0',
  })
  expect(kms.rejections).toEqual([])
  await checkBooks(observer)
})

async function statusOf(method: string, path: string, host: string): Promise<number> {
  // fetch does not send a Host header of the caller's choice.
  const sent = request(new URL(path, production.url), { method, headers: { host } }).end()
  const [response] = await once(sent, 'response')
  response.resume()
  return response.statusCode
}

test('in production the secure frame responds only to the host of PCI_URL', async () => {
  for (const other of ['purser.test', 'console.purser.test', 'cards.purser.test.evil.test']) {
    for (const method of ['GET', 'POST']) expect(await statusOf(method, '/pci/frame', other), other).toBe(404)
  }
  expect(await statusOf('GET', '/pci/frame', 'cards.purser.test')).toBe(200)
  expect(await statusOf('PUT', '/pci/frame', 'cards.purser.test')).toBe(405)
})

test('in production the API of operators responds only to the host of the console', async () => {
  for (const [method, path] of [
    ['GET', '/operator/overview'],
    ['GET', '/operator/openapi.json'],
    ['POST', '/operator/session'],
  ] as const) {
    for (const other of ['purser.test', 'cards.purser.test']) expect(await statusOf(method, path, other)).toBe(404)
    expect(await statusOf(method, path, 'console.purser.test')).not.toBe(404)
  }
  expect(await statusOf('PUT', '/operator/overview', 'purser.test')).toBe(404)
  expect(await statusOf('PUT', '/operator/overview', 'console.purser.test')).toBe(405)
})

test('a start with an unreachable KMS or node fails with an error that names the setting', async () => {
  const node = `RPC_URL_${chain.anvil.chainId}`
  const starts = [
    { env: { ...ownEnv(), KMS_ENDPOINT: nowhere }, what: 'The key that signs payouts', setting: 'KMS_KEY_ID' },
    { env: { ...chain.env, CHAIN: 'evm', [node]: nowhere }, what: `Chain ${chain.anvil.chainId}`, setting: node },
  ]
  for (const { env, what, setting } of starts) {
    const refused = await startProcess(await createTestDatabase(), env).then(
      (started) => started.kill('SIGTERM').then(() => 'it started'),
      (error: Error) => error.message,
    )
    expect(refused).toMatch(new RegExp(`${what} cannot be used: .*ECONNREFUSED.*\\. Check ${setting}\\.`))
    expect(refused).not.toContain('chain-providers.ts')
  }
})

test('production does not serve the simulator', async () => {
  const client = httpClient(production.url)
  expect((await client.sandbox('POST', '/users', { address: kms.address })).status).toBe(404)
  expect((await client.sandbox('GET', '/clock')).status).toBe(404)
})
