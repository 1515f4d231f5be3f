import { type Address, getAddress, keccak256, stringToHex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { accountSalt } from '../../src/lib/deposit-address.ts'
import { checkCustody } from '../../src/money/reconcile/custody.ts'
import { checkAll } from '../../src/money/reconcile/reconcile.ts'
import { createWatcher, type Watcher } from '../../src/money/watcher/watcher.ts'
import { findLostPayouts } from '../../src/money/withdrawals/recover-payouts.ts'
import { createLog } from '../../src/platform/observability/log.ts'
import { createEvmNodes } from '../../src/providers/chain/evm-transfers.ts'
import { chainProviders } from '../../src/providers/chain-providers.ts'
import { type Anvil, artifactOf, deploy, send, startAnvil } from '../support/chain/anvil.ts'
import { order } from '../support/operator.ts'
import { createTestDatabase, startService, type TestService, type TestUser } from '../support/service.ts'
import { checkBooks } from '../support/world.ts'

/** Case 19: a database that is set back, and deposits that a watcher finds: its cursor is set back with them. */
const eur = 10n ** 18n
const finality = 3
const treasury = getAddress('0x7ea5000000000000000000000000000000000001')

let anvil: Anvil
let token: Address
let service: TestService
let watcher: Watcher

beforeAll(async () => {
  anvil = await startAnvil()
  token = await deploy(anvil, 'TestToken', ['EURe', 18])
  await start()
})
afterAll(async () => {
  await service.stop()
  await anvil.stop()
})

async function start(connection?: TestService['connection']): Promise<void> {
  const { chainId } = anvil
  const env = {
    TOKENS: JSON.stringify([{ address: token, symbol: 'EURe', currency: 'EUR', decimals: 18, chainId }]),
    CHAIN: 'evm',
    [`RPC_URL_${chainId}`]: anvil.url,
    [`TREASURY_${chainId}`]: treasury,
    [`FINALITY_${chainId}`]: String(finality),
  }
  const { chain, custody } = await chainProviders(readConfig(env), createLog('silent'))
  const alter = (ctx: TestService['ctx']) => ({ ...ctx, chain, custody })
  service = await startService({ worker: false, env, alter, ...(connection ? { connection } : {}) })
  const [watched] = service.ctx.config.chains
  if (!watched) throw new Error('no chain is configured')
  watcher = createWatcher(service.ctx, watched, createEvmNodes(watched))
  // Whoever watched before is gone: its lease has ended.
  await service.sandbox('POST', '/clock', { advanceSeconds: 60 })
}

/** A transfer from whom the test likes, in a block of its own. */
const pay = (to: TestUser, amount: bigint, from: string = treasury) =>
  send(anvil, 'TestToken', {
    to: token,
    call: 'pay',
    args: [keccak256(stringToHex(`${to.userId} ${amount}`)), from, to.accountAddress, amount],
  })

const readAll = async () => {
  while (await watcher.round());
}

/** All that was sent so far is final, and all has followed. */
async function settle(): Promise<void> {
  for (let i = 0; i < 2; i++) {
    await anvil.client.mine({ blocks: finality })
    await readAll()
    await service.jobs.runDue()
    await service.sandbox('POST', '/clock', { advanceSeconds: 60 })
  }
}

/** What a user sees, but for what a database gives a deposit that it reads for the first time: its id, and when. */
async function viewOf(user: TestUser) {
  const session = await service.signIn(user.wallet)
  const get = async (path: string) => (await service.request('GET', path, { token: session })).body.data
  const [balances] = await get('/user/balances/v2')
  const items: { type: string; id: string; createdAt: string; txHash: string }[] = await get('/user/statement')
  const shown = items.map(({ id: _, createdAt: __, ...item }) => item)
  return { balances, items: shown.sort((one, other) => (one.txHash < other.txHash ? -1 : 1)) }
}

const heldBy = (holder: string) =>
  anvil.client.readContract({
    abi: artifactOf('TestToken').abi,
    address: token,
    functionName: 'balanceOf',
    args: [holder],
  })

/** What the chain holds beyond what the books say: the same before and after, if nothing was lost or counted twice. */
async function surplus(): Promise<bigint[]> {
  const startedAt = service.ctx.clock.now()
  const { totals } = await checkAll(service.ctx)
  return (await checkCustody(service.ctx, { totals, startedAt })).map((custody) => custody.surplus)
}

test('each deposit stands exactly once, whenever it came, and so does one that was returned; the books equal the chain', async () => {
  const [early, during, late, refused] = await Promise.all([1, 2, 3, 4].map(() => service.newUser()))
  if (!early || !during || !late || !refused) throw new Error('four users')
  const users = [early, during, late, refused]
  const sender = service.ctx.sandbox?.screening.senderFor('rejected') ?? ''
  await pay(early, 10n * eur)
  await settle()
  const body = { tokenAddress: token, amount: String(eur) }
  expect((await service.request('POST', '/user/withdrawal', { token: early.token, body })).status).toBe(201)
  await settle()
  // One is seen and not final, of another the books have not heard from the watcher yet.
  await pay(during, 2n * eur)
  await readAll()
  await service.jobs.runDue()
  await pay(during, 3n * eur)
  await readAll()
  const { connection } = service
  await service.stop()
  const backup = await createTestDatabase(connection.database)

  await start(connection)
  await pay(late, 4n * eur)
  await pay(early, 5n * eur)
  await pay(refused, 6n * eur, sender)
  await settle()
  const [{ id: depositId }] = (await service.request('GET', '/user/statement', { token: refused.token })).body.data
  await order(service, 'deposits return <id>', depositId)
  await settle()
  const views = await Promise.all(users.map(viewOf))
  expect(views.map(({ balances }) => BigInt(balances.spendable) / eur)).toEqual([14n, 5n, 4n, 0n])
  expect(views[3]?.items).toMatchObject([{ description: 'Deposit of EURe (RETURNED)' }])
  const more = await surplus()
  await checkBooks(service)
  await service.stop()

  await start(backup)
  expect((await viewOf(late)).items).toEqual([])
  await findLostPayouts(service.ctx)
  await settle()
  await findLostPayouts(service.ctx)
  await settle()
  expect(await Promise.all(users.map(viewOf))).toEqual(views)
  expect(await surplus()).toEqual(more)
  expect(await heldBy(sender)).toBe(6n * eur)
  await checkBooks(service)
  // And nothing is left over that a person would have to do.
  expect(await order(service, 'payouts list')).toBe('')
  await expect(order(service, 'deposits return <id>', depositId)).rejects.toThrow('No deposit has this id')
})

test('of a user who registered after the backup nothing is booked to anybody, also when he is back: his money is found at his old address', async () => {
  const { connection } = service
  await service.stop()
  const backup = await createTestDatabase(connection.database)
  await start(connection)
  const newcomer = await service.newUser()
  await pay(newcomer, 4n * eur)
  await settle()
  const body = { tokenAddress: token, amount: String(eur) }
  expect((await service.request('POST', '/user/withdrawal', { token: newcomer.token, body })).status).toBe(201)
  await settle()
  expect((await viewOf(newcomer)).balances.spendable).toBe(String(3n * eur))
  const more = await surplus()
  await service.stop()

  await start(backup)
  expect((await service.request('GET', '/user/statement', { token: newcomer.token })).status).toBe(401)
  // The same wallet registers, before the chain was asked what the books have lost. Time has gone on, as no test's clock has.
  await service.sandbox('POST', '/clock', { advanceSeconds: 3600 })
  const made = await service.sandbox('POST', '/users', { address: newcomer.wallet.address })
  expect(made.status).toBe(201)
  expect(made.body.accountAddress).not.toBe(newcomer.accountAddress)
  const again = { ...newcomer, ...made.body }
  await findLostPayouts(service.ctx)
  await settle()
  expect(await viewOf(again)).toMatchObject({ balances: { spendable: '0' }, items: [] })
  expect(await heldBy(newcomer.wallet.address)).toBe(eur)

  // What he was paid is missing from the wallet; what he sent stands where anybody may sweep it to the treasury.
  expect(await surplus()).toEqual([(more[0] ?? 0n) - eur])
  const { factory } = service.ctx.config.chains[0] ?? {}
  if (!factory) throw new Error('no factory')
  const args = [[accountSalt(newcomer.userId)], [token]]
  await send(anvil, 'ForwarderFactory', { to: factory, call: 'sweep', args })
  await settle()
  expect(await surplus()).toEqual([(more[0] ?? 0n) + 3n * eur])
  await pay(again, 2n * eur)
  await settle()
  expect((await viewOf(again)).balances.spendable).toBe(String(2n * eur))
  await checkBooks(service)
})
