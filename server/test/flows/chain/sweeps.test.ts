import { type Address, getAddress, parseGwei } from 'viem'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { accountSalt, factoryAddress } from '../../../src/lib/deposit-address.ts'
import { UpstreamError } from '../../../src/lib/errors.ts'
import { checkUser } from '../../../src/money/reconcile/reconcile.ts'
import { sweepDeposits } from '../../../src/money/sweeps/sweeps.ts'
import { type Anvil, deploy, send, setTokenBalance, startAnvil } from '../../support/chain/anvil.ts'
import { chainEnv, heldBy, mintDeposit, onNodes, treasury } from '../../support/chain/swept-chain.ts'
import { startService, type TestService, type TestUser } from '../../support/service.ts'

const finality = 2

let anvil: Anvil
let service: TestService
let euro: Address
/** A token that reverts every transfer. */
let stubborn: Address
let env: Record<string, string>

beforeAll(async () => {
  anvil = await startAnvil()
  euro = await deploy(anvil, 'TestToken', ['EURe', 18])
  stubborn = await deploy(anvil, 'SweptToken', [2])
  env = chainEnv(anvil, { finality, tokens: { EURe: euro, EURs: stubborn } })
  service = await startService({ env, worker: false, alter: await onNodes(env) })
})
afterAll(async () => {
  await service?.stop()
  await anvil.stop()
})
beforeEach(settle)

/**
 * Sweeps, and mines the transaction if it is still pending, because the node mines after it has responded. Mines
 * nothing while automining is off.
 */
async function sweep(ctx = service.ctx): Promise<void> {
  await sweepDeposits(ctx)
  const { pending } = await anvil.rpc('txpool_status')
  if (pending !== '0x0' && (await anvil.rpc('anvil_getAutomine'))) await mine(1)
}

const mine = (blocks: number) => anvil.client.mine({ blocks })

/** Completes pending sweeps and lets the sweeper find the empty addresses. */
async function settle(): Promise<void> {
  await anvil.rpc('evm_setAutomine', [true])
  for (let rounds = 0; rounds < 3; rounds++) {
    await mine(finality + 1)
    await sweepDeposits(service.ctx)
  }
}

/** Mints tokens at the user's address and records a deposit of them. */
async function deposit(user: TestUser, amount: bigint, token = euro): Promise<void> {
  const contract = token === euro ? 'TestToken' : 'SweptToken'
  await mintDeposit(service, anvil, user, { token, amount, contract })
  await service.jobs.runDue()
}

const balance = (holder: string) => heldBy(anvil, euro, holder)

const sweeps = (where = 'true') =>
  service.ctx.db.query<any>(`select *, cardinality(tx_hashes) as bids from sweep where ${where} order by nonce`)
const unswept = async () =>
  Number((await service.ctx.db.query<any>('-- scanDue\nselect count(*) as n from deposit where swept_at is null'))[0].n)

test('deposits of several accounts are swept in one transaction without a change to the balances', async () => {
  const users = await Promise.all([service.newUser(), service.newUser(), service.newUser()])
  for (const user of users) await deposit(user, 150n)
  const before = await service.request('GET', '/user/balances/v2', { token: users[0]?.token ?? '' })
  const first = (await sweeps()).length
  const held = BigInt(String(await balance(treasury)))
  await sweep()
  expect(await balance(treasury)).toBe(held + 450n)
  for (const user of users) expect(await balance(user.accountAddress)).toBe(0n)

  // A sweep does not count until it is final, and no other sweep starts before then.
  await sweep()
  expect(await sweeps("status = 'sent'")).toHaveLength(1)
  await mine(finality)
  await sweep()
  const made = (await sweeps()).slice(first)
  expect(made).toMatchObject([{ status: 'done', accounts: 3, tokens: [euro], not_swept: [], bids: 1 }])
  expect(made[0].fee).toBeGreaterThan(0n)

  const after = await service.request('GET', '/user/balances/v2', { token: users[0]?.token ?? '' })
  expect(after.text).toBe(before.text)
  for (const { userId } of users) expect(await checkUser(service.ctx, userId)).toEqual([])
  await settle()
  expect(await unswept()).toBe(0)
  expect((await sweeps()).length).toBe(first + 1)
})

test('a balance below the sweep minimum is not swept until it reaches the minimum', async () => {
  const user = await service.newUser()
  await deposit(user, 60n)
  await sweep()
  expect(await balance(user.accountAddress)).toBe(60n)
  await deposit(user, 40n)
  await sweep()
  expect(await balance(user.accountAddress)).toBe(0n)
})

test('an unreachable chain does not prevent the sweep of another chain', async () => {
  const user = await service.newUser()
  await deposit(user, 100n)
  const { config } = service.ctx
  const [[chain], [token]] = [config.chains, config.tokens]
  if (!chain || !token) throw new Error('no chain with a token')
  const chains = [{ ...chain, chainId: 1 }, ...config.chains]
  const tokens = [{ ...token, chainId: 1 }, ...config.tokens]
  await expect(sweep({ ...service.ctx, config: { ...config, chains, tokens } })).rejects.toThrow(UpstreamError)
  await mine(1)
  expect(await balance(user.accountAddress)).toBe(0n)
})

test('no sweep is signed while the gas price is too high', async () => {
  const user = await service.newUser()
  await deposit(user, 100n)
  await anvil.client.setNextBlockBaseFeePerGas({ baseFeePerGas: parseGwei('60') })
  await mine(1)
  const before = (await sweeps()).length
  await sweep()
  expect((await sweeps()).length).toBe(before)
  expect(await balance(user.accountAddress)).toBe(100n)
  await anvil.client.setNextBlockBaseFeePerGas({ baseFeePerGas: parseGwei('1') })
})

test('a deposit that another wallet has swept is not swept again', async () => {
  const user = await service.newUser()
  await deposit(user, 100n)
  const args = [[accountSalt(user.userId)], [euro]]
  await send(anvil, 'ForwarderFactory', { to: factoryAddress(treasury), call: 'sweep', args, from: 6 })
  const before = (await sweeps()).length
  await sweep()
  expect((await sweeps()).length).toBe(before)
  expect(await unswept()).toBe(0)
})

test('after a sweep, only later deposits count as unswept, even if they are below the minimum', async () => {
  const user = await service.newUser()
  await deposit(user, 150n)
  await sweep()
  await mine(finality)
  await sweep()
  await deposit(user, 1n)
  await settle()
  expect(await balance(user.accountAddress)).toBe(1n)
  const left = await service.ctx.db.query<any>('select amount from deposit where user_id = $1 and swept_at is null', [
    user.userId,
  ])
  expect(left).toEqual([{ amount: 1n }])
})

test('an address whose transfer fails is not swept for an hour, and does not delay other addresses', async () => {
  const [frozen, other, later] = [await service.newUser(), await service.newUser(), await service.newUser()]
  await send(anvil, 'TestToken', { to: euro, call: 'mint', args: [treasury, 1n] })
  await deposit(frozen, 150n)
  const holder = getAddress(frozen.accountAddress)
  // A transfer of this amount overflows, so it fails like one from an address that the token's contract has frozen.
  await setTokenBalance(anvil, { token: euro, holder, amount: 2n ** 256n - 1n })
  await deposit(other, 150n)
  await sweep()
  await mine(finality)
  await sweep()
  expect((await sweeps()).at(-1)).toMatchObject({
    status: 'done',
    accounts: 2,
    not_swept: [euro],
    not_swept_at: [holder],
  })
  expect(await balance(other.accountAddress)).toBe(0n)

  await deposit(later, 150n)
  await sweep()
  expect((await sweeps()).at(-1)).toMatchObject({ status: 'sent', accounts: 1 })
  expect(await balance(later.accountAddress)).toBe(0n)
  await settle()
  await setTokenBalance(anvil, { token: euro, holder, amount: 150n })
  await sweep()
  expect(await balance(holder)).toBe(150n)
  await service.advance(3601)
  await sweep()
  expect(await balance(holder)).toBe(0n)
})

describe('interrupted and concurrent sweeps', () => {
  test('a stored sweep that was not sent is sent later with the same bytes', async () => {
    const user = await service.newUser()
    await deposit(user, 100n)
    const { sweeper } = service.ctx
    if (!sweeper) throw new Error('nobody sweeps')
    const cut = {
      ...sweeper,
      send: () => Promise.reject(new UpstreamError('chain', 'unavailable', new Error('cut off'))),
    }
    await expect(sweepDeposits({ ...service.ctx, sweeper: cut })).rejects.toThrow(UpstreamError)
    const [stored] = await sweeps("status = 'sent'")
    expect(await balance(user.accountAddress)).toBe(100n)
    await sweep()
    expect(await balance(user.accountAddress)).toBe(0n)
    await settle()
    expect(await sweeps(`nonce = ${stored.nonce}`)).toMatchObject([{ status: 'done', tx_hashes: stored.tx_hashes }])
  })

  test('two concurrent processes send one sweep', async () => {
    const other = await startService({ env, worker: false, connection: service.connection, alter: await onNodes(env) })
    try {
      const user = await service.newUser()
      await deposit(user, 100n)
      const before = (await sweeps()).length
      await Promise.all([sweepDeposits(service.ctx), sweepDeposits(other.ctx)])
      expect((await sweeps()).length).toBe(before + 1)
      await mine(finality)
      await Promise.all([sweepDeposits(service.ctx), sweepDeposits(other.ctx)])
      expect(await sweeps("status <> 'done'")).toEqual([])
      expect(await balance(user.accountAddress)).toBe(0n)
    } finally {
      await other.stop()
    }
  })

  test('a process that was overtaken by another process does not start a second sweep', async () => {
    const user = await service.newUser()
    await deposit(user, 100n)
    const { sweeper } = service.ctx
    if (!sweeper) throw new Error('nobody sweeps')
    const before = (await sweeps()).length
    const nextNonce = async (chainId: number) => {
      await sweepDeposits(service.ctx)
      return sweeper.nextNonce(chainId)
    }
    await sweepDeposits({ ...service.ctx, sweeper: { ...sweeper, nextNonce } })
    expect((await sweeps()).length).toBe(before + 1)
  })

  test('a sweep that is not mined gets a fee bump, and one of its transactions is mined', async () => {
    const user = await service.newUser()
    await deposit(user, 100n)
    await anvil.rpc('evm_setAutomine', [false])
    await sweep()
    await sweep()
    expect(await sweeps("status = 'sent'")).toMatchObject([{ bids: 1 }])
    await service.advance(121)
    await sweep()
    const [sent] = await sweeps("status = 'sent'")
    expect(sent.bids).toBe(2)
    await settle()
    expect(await sweeps(`nonce = ${sent.nonce}`)).toMatchObject([{ status: 'done', bids: 2 }])
    expect(await balance(user.accountAddress)).toBe(0n)
  })

  test('a mined sweep gets no fee bump while it waits for finality', async () => {
    const user = await service.newUser()
    await deposit(user, 100n)
    await sweep()
    await service.advance(121)
    await sweep()
    expect(await sweeps("status = 'sent'")).toMatchObject([{ bids: 1 }])
  })

  test('a transfer that a token rejects is counted and not repeated for an hour, and other tokens are swept', async () => {
    const rejected = () => service.metric('sweeps', { result: 'rejected' })
    const before = await rejected()
    const user = await service.newUser()
    await deposit(user, 100n)
    await deposit(user, 100n, stubborn)
    await sweep()
    await mine(finality)
    await sweep()
    const last = (await sweeps()).at(-1)
    expect(last).toMatchObject({ status: 'done', not_swept: [stubborn], not_swept_at: [user.accountAddress] })
    expect(await balance(user.accountAddress)).toBe(0n)
    expect(await rejected()).toBe(before + 1)

    await sweep()
    expect((await sweeps()).at(-1)).toEqual(last)
    // A sweep of another token in the meantime does not end the pause.
    await deposit(await service.newUser(), 100n)
    await sweep()
    await mine(finality)
    await sweep()
    await sweep()
    const later = (await sweeps()).at(-1)
    expect(later).toMatchObject({ status: 'done', tokens: [euro], not_swept: [] })
    await service.advance(3601)
    await sweep()
    expect((await sweeps()).at(-1)).toMatchObject({ status: 'sent', tokens: [stubborn] })
  })
})
