import { type Address, getAddress, keccak256, stringToHex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { accountSalt } from '../../src/lib/deposit-address.ts'
import { Refusal } from '../../src/lib/errors.ts'
import { checkCustodyOf } from '../../src/money/reconcile/custody.ts'
import { checkAll } from '../../src/money/reconcile/reconcile.ts'
import { createWatcher, type Watcher } from '../../src/money/watcher/watcher.ts'
import { findLostPayouts } from '../../src/money/withdrawals/recover-payouts.ts'
import { createEvmNodes } from '../../src/providers/chain/evm-transfers.ts'
import { type Anvil, deploy, send, startAnvil } from '../support/chain/anvil.ts'
import { chainEnv, heldBy, onNodes, treasury } from '../support/chain/swept-chain.ts'
import { runMoneyCommand } from '../support/operator.ts'
import { createTestDatabase, startService, type TestService, type TestUser } from '../support/service.ts'
import { checkBooks } from '../support/world.ts'

/** Deposits found by a watcher, on a restored database: the restore also sets back the watcher's cursor. */
const eur = 10n ** 18n
const finality = 3

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

async function start(connection?: TestService['connection'], rules: Record<string, string> = {}): Promise<void> {
  const env = { ...chainEnv(anvil, { finality, tokens: { EURe: token } }), ...rules }
  const alter = await onNodes(env)
  service = await startService({ worker: false, env, alter, ...(connection ? { connection } : {}) })
  const [watched] = service.ctx.config.chains
  if (!watched) throw new Error('no chain is configured')
  watcher = createWatcher(service.as('watcher'), watched, createEvmNodes(watched))
  // Let the lease of the previous watcher expire.
  await service.advance(60)
}

/** Transfers tokens from any given sender, in a separate block. */
const pay = (to: TestUser, amount: bigint, from: string = treasury) =>
  send(anvil, 'TestToken', {
    to: token,
    call: 'pay',
    args: [keccak256(stringToHex(`${to.userId} ${amount}`)), from, to.accountAddress, amount],
  })

const readAll = async () => {
  while (await watcher.round());
}

/** Makes all transfers final and runs the work that follows from them. */
async function settle(): Promise<void> {
  for (let i = 0; i < 2; i++) {
    await anvil.client.mine({ blocks: finality })
    await readAll()
    await service.jobs.runDue()
    await service.advance(60)
  }
}

/** Returns a user's balances and statement without ids and times, which a restored database assigns again. */
async function viewOf(user: TestUser) {
  const session = await service.signIn(user.wallet)
  const get = async (path: string) => (await service.request('GET', path, { token: session })).body.data
  const [balances] = await get('/user/balances/v2')
  const items: { type: string; id: string; createdAt: string; txHash: string }[] = await get('/user/statement')
  const shown = items.map(({ id: _, createdAt: __, ...item }) => item)
  return { balances, items: shown.sort((one, other) => (one.txHash < other.txHash ? -1 : 1)) }
}

/** Returns the chain's funds above the books. A restore leaves it unchanged if nothing was lost or counted twice. */
async function surplus(): Promise<bigint[]> {
  const startedAt = service.ctx.clock.now()
  const { totals } = await checkAll(service.ctx)
  const { custody } = service.ctx
  const checks = await Promise.all(custody.map((chain) => checkCustodyOf(service.ctx, chain, { totals, startedAt })))
  return checks.flat().map((check) => check.surplus)
}

test('a restored database credits each deposit and records each return exactly once, and its books match the chain', async () => {
  const [early, during, late, rejected] = await Promise.all([1, 2, 3, 4].map(() => service.newUser()))
  if (!early || !during || !late || !rejected) throw new Error('four users')
  const users = [early, during, late, rejected]
  const sender = service.ctx.sandbox?.screening.senderFor('rejected') ?? ''
  await pay(early, 10n * eur)
  await settle()
  const body = { tokenAddress: token, amount: String(eur) }
  expect((await service.request('POST', '/user/withdrawal', { token: early.token, body })).status).toBe(201)
  await settle()
  // One deposit is seen but not final. The other is read by the watcher but not yet recorded.
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
  await pay(rejected, 6n * eur, sender)
  await settle()
  const [{ id: depositId }] = (await service.request('GET', '/user/statement', { token: rejected.token })).body.data
  await runMoneyCommand(service, 'deposits return <id> <reason>', depositId, 'refused by screening')
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
  expect(await heldBy(anvil, token, sender)).toBe(6n * eur)
  await checkBooks(service)
  // No work is left for an operator.
  expect(await runMoneyCommand(service, 'payouts list')).toBe('')
  await expect(
    runMoneyCommand(service, 'deposits return <id> <reason>', depositId, 'refused by screening'),
  ).rejects.toThrow('No deposit has this id')
})

test('deposits and payouts of a user who registered after the backup are posted to nobody, and the funds stay at the old address', async () => {
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
  // The same wallet registers before the search for lost payouts.
  // The test advances the clock, because the backup has restored an earlier time.
  await service.advance(3600)
  const made = await service.sandbox('POST', '/users', { address: newcomer.wallet.address })
  expect(made.status).toBe(201)
  expect(made.body.accountAddress).not.toBe(newcomer.accountAddress)
  const again = { ...newcomer, ...made.body }
  await findLostPayouts(service.ctx)
  await settle()
  expect(await viewOf(again)).toMatchObject({ balances: { spendable: '0' }, items: [] })
  expect(await heldBy(anvil, token, newcomer.wallet.address)).toBe(eur)

  // The payout wallet lacks the paid amount. The deposit is still at the old address, from which anyone can sweep it.
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

test('a deposit that was returned after the backup is not credited, even if screening approves it this time', async () => {
  const [polled, judged] = [await service.newUser(), await service.newUser()]
  const { connection } = service
  await service.stop()
  const backup = await createTestDatabase(connection.database)
  const refused = getAddress('0x00000000000000000000000000000000000000b1')
  await start(connection, { SCREENING_RULES: JSON.stringify({ refusedSenders: [refused] }) })
  await pay(polled, 7n * eur, refused)
  await pay(judged, 8n * eur, service.ctx.sandbox?.screening.senderFor('pending'))
  await settle()
  const idOf = async (user: TestUser) =>
    (await service.request('GET', '/user/statement', { token: await service.signIn(user.wallet) })).body.data[0].id
  const judge = async (result: string) =>
    (await service.sandbox('POST', `/deposits/${await idOf(judged)}/screening`, { result })).body.status
  expect(await judge('rejected')).toBe('rejected')
  for (const user of [polled, judged]) {
    await runMoneyCommand(service, 'deposits return <id> <reason>', await idOf(user), 'refused by screening')
  }
  await settle()
  const views = await Promise.all([polled, judged].map(viewOf))
  expect(views.map(({ items }) => items)).toMatchObject([
    [{ description: 'Deposit of EURe (RETURNED)' }],
    [{ description: 'Deposit of EURe (RETURNED)' }],
  ])
  const more = await surplus()
  await service.stop()

  await start(backup)
  await findLostPayouts(service.ctx)
  await settle()
  expect(await judge('approved')).toBe('rejected')
  await findLostPayouts(service.ctx)
  await settle()
  expect(await Promise.all([polled, judged].map(viewOf))).toEqual(views)
  expect(await surplus()).toEqual(more)
  await checkBooks(service)
})

/**
 * Returns a rejected deposit to its sender. Then restores a backup that is older than the deposit, without the
 * screening rule. So the deposit is credited, although its return is on the chain.
 */
async function creditReturnedDeposit(refused: Address, amount: bigint): Promise<TestUser> {
  const [user, { connection }] = [await service.newUser(), service]
  await service.stop()
  const backup = await createTestDatabase(connection.database)
  await start(connection, { SCREENING_RULES: JSON.stringify({ refusedSenders: [refused] }) })
  await pay(user, amount, refused)
  await settle()
  const session = await service.signIn(user.wallet)
  const [{ id }] = (await service.request('GET', '/user/statement', { token: session })).body.data
  await runMoneyCommand(service, 'deposits return <id> <reason>', id, 'refused by screening')
  await settle()
  await service.stop()

  await start(backup)
  await settle()
  return user
}

test('a deposit that was credited before its return was found raises an alarm, and its return by an operator debits the user once', async () => {
  const refused = getAddress('0x00000000000000000000000000000000000000b2')
  const user = await creditReturnedDeposit(refused, 9n * eur)
  expect((await viewOf(user)).balances.spendable).toBe(String(9n * eur))
  await findLostPayouts(service.ctx)
  await findLostPayouts(service.ctx)
  expect(await service.metric('payoutAlarms', { reason: 'credited_return' })).toBe(1)

  // The user spends some of it before an operator acts, and owes that amount afterwards.
  const session = await service.signIn(user.wallet)
  const body = { tokenAddress: token, amount: String(4n * eur) }
  expect((await service.request('POST', '/user/withdrawal', { token: session, body })).status).toBe(201)
  await settle()
  const items = (await service.request('GET', '/user/statement', { token: session })).body.data
  const credited = items.find(({ type }: { type: string }) => type === 'deposit').id
  const giveBack = () => runMoneyCommand(service, 'deposits return <id> <reason>', credited, 'the sender has it')
  await giveBack()
  await settle()
  await checkBooks(service)
  const returned = await viewOf(user)
  expect(returned.balances.spendable).toBe('0')
  expect(returned.items).toContainEqual(
    expect.objectContaining({ status: 'rejected', description: 'Deposit of EURe (RETURNED)' }),
  )
  expect(await heldBy(anvil, token, refused)).toBe(9n * eur)
  await expect(giveBack()).rejects.toThrow(new Refusal('INVALID_DEPOSIT_STATUS'))

  await pay(user, 10n * eur)
  await settle()
  expect((await viewOf(user)).balances.spendable).toBe(String(6n * eur))
  const [{ id: spendable }] = (await service.request('GET', '/user/statement', { token: session })).body.data
  await expect(
    runMoneyCommand(service, 'deposits return <id> <reason>', spendable, 'no return is on the chain'),
  ).rejects.toThrow(new Refusal('INVALID_DEPOSIT_STATUS'))
  await checkBooks(service)
})

test('a return whose deposit cannot be searched for raises an alarm, because the search is never repeated', async () => {
  const refused = getAddress('0x00000000000000000000000000000000000000b3')
  await creditReturnedDeposit(refused, 8n * eur)
  const { db } = service.ctx
  await db.query('alter table deposit rename to deposit_away')
  await expect(findLostPayouts(service.ctx)).rejects.toThrow('deposit')
  await db.query('alter table deposit_away rename to deposit')
  await findLostPayouts(service.ctx)
  expect(await service.metric('payoutAlarms', { reason: 'credited_return' })).toBe(1)
})
