import { type Address, type Hex, keccak256, numberToHex, pad } from 'viem'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { UpstreamError } from '../../src/lib/errors.ts'
import { sweepDeposits } from '../../src/money/sweeps/sweeps.ts'
import { type Anvil, deploy, startAnvil } from '../support/chain/anvil.ts'
import { type RpcProxy, startRpcProxy } from '../support/chain/rpc-proxy.ts'
import { chainEnv, heldBy, mintDeposit, onNodes } from '../support/chain/swept-chain.ts'
import { startService, type TestService, type TestUser } from '../support/service.ts'

/** Two nodes: the one that the service queries first lies about deposit balances and the outcome of sweeps. */
const finality = 2

let anvil: Anvil
let euro: Address
let liar: RpcProxy
let other: RpcProxy
let service: TestService

beforeAll(async () => {
  anvil = await startAnvil()
  euro = await deploy(anvil, 'TestToken', ['EURe', 18])
  liar = await startRpcProxy(anvil.url)
  other = await startRpcProxy(anvil.url)
  const env = chainEnv(anvil, { finality, tokens: { EURe: euro }, urls: [liar.url, other.url] })
  service = await startService({ env, worker: false, alter: await onNodes(env) })
})
beforeEach(settle)
afterEach(() => {
  liar.forwardAll()
  other.forwardAll()
  other.cutWhen(() => false)
})
afterAll(async () => {
  await service.stop()
  await Promise.all([liar.stop(), other.stop(), anvil.stop()])
})

const mine = (blocks: number) => anvil.client.mine({ blocks })
const sweep = () => sweepDeposits(service.ctx)
/** Asserts that a round fails with an upstream error. */
const assertSweepFails = () => expect(sweep()).rejects.toThrow(UpstreamError)
const sweeps = () => service.ctx.db.query<any>('select * from sweep order by nonce')

/** Runs rounds until all sweeps are final and empty addresses are recorded as empty. */
async function settle(): Promise<void> {
  await service.advance(3601)
  for (let rounds = 0; rounds < 3; rounds++) {
    await sweep()
    await mine(finality + 1)
  }
  await sweep()
}

/** Creates a user with a final deposit above the sweep minimum. */
async function newDepositor(): Promise<TestUser> {
  const user = await service.newUser()
  await mintDeposit(service, anvil, user, { token: euro, amount: 150n })
  return user
}

/** Makes the lying node honest, then asserts that the deposit is swept. */
async function assertSwept(user: TestUser): Promise<void> {
  liar.forwardAll()
  await settle()
  expect(await heldBy(anvil, euro, user.accountAddress)).toBe(0n)
  const sql = 'select swept_at from deposit where user_id = $1 and swept_at is null'
  expect(await service.ctx.db.query(sql, [user.userId])).toEqual([])
}

const asBalance = (amount: bigint) => () => pad(numberToHex(amount))

test('a node that reports a funded address as empty does not stop its sweep', async () => {
  const user = await newDepositor()
  liar.intercept({ eth_call: asBalance(0n) })
  for (let rounds = 0; rounds < 3; rounds++) await sweep()
  await assertSwept(user)
})

test('no sweep round succeeds while one node reports a funded address as empty and the other is unreachable', async () => {
  const user = await newDepositor()
  liar.intercept({ eth_call: asBalance(0n) })
  other.cutWhen(() => true)
  await assertSweepFails()
  other.cutWhen(() => false)
  await assertSwept(user)
})

test('a node that reports an empty address as funded does not cause a sweep', async () => {
  const user = await newDepositor()
  await sweep()
  await mine(finality + 1)
  liar.intercept({ eth_call: asBalance(1000n) })
  const before = (await sweeps()).length
  for (let rounds = 0; rounds < 3; rounds++) {
    await sweep()
    await mine(finality + 1)
  }
  expect((await sweeps()).length).toBe(before)
  await assertSwept(user)
})

test.each<[string, (hash: Hex) => Record<string, () => unknown>]>([
  ['pending sweep as failed', (hash) => ({ eth_getTransactionReceipt: () => receiptOf(hash, '0x0') })],
  ['pending sweep as mined', (hash) => ({ eth_getTransactionReceipt: () => receiptOf(hash, '0x1') })],
  [
    'pending sweep as replaced',
    () => ({ eth_getTransactionReceipt: () => null, eth_getTransactionCount: () => '0xffff' }),
  ],
])('a node that reports a %s does not cause a second sweep', async (_lie, lies) => {
  const user = await newDepositor()
  await anvil.rpc('evm_setAutomine', [false])
  await sweep()
  const [sent] = (await sweeps()).slice(-1)
  liar.intercept(lies(sent.tx_hashes[0]))
  await service.advance(3601)
  for (let rounds = 0; rounds < 3; rounds++) await sweep().catch(() => {})
  expect((await sweeps()).slice(-1)).toMatchObject([{ nonce: sent.nonce, status: 'sent' }])
  await anvil.rpc('evm_setAutomine', [true])
  await assertSwept(user)
  expect((await sweeps()).find(({ nonce }) => nonce === sent.nonce)).toMatchObject({ status: 'done' })
})

/** The block of an invented receipt, whose transaction was never mined. */
let genesis: Hex
beforeAll(async () => {
  genesis = (await anvil.client.getBlock({ blockNumber: 0n })).hash
})
const receiptOf = (transactionHash: Hex, status: Hex) => ({
  ...{ transactionHash, status, blockNumber: '0x0', blockHash: genesis, logs: [] },
  ...{ gasUsed: '0x5208', effectiveGasPrice: '0x1' },
})

test.each<[string, Record<string, () => unknown>]>([
  ['a nonce far ahead', { eth_getTransactionCount: () => '0xffff' }],
  ['a gas estimate above the block limit', { eth_estimateGas: () => '0xffffffffff' }],
  ['too low a gas estimate', { eth_estimateGas: () => '0x1' }],
])('a node that reports %s does not cause a sweep that cannot be mined or would revert', async (_lie, lies) => {
  const user = await newDepositor()
  const before = (await sweeps()).length
  liar.intercept(lies)
  await assertSweepFails()
  expect((await sweeps()).length).toBe(before)
  await assertSwept(user)
  expect((await sweeps()).slice(before)).toMatchObject([{ status: 'done' }])
})

test('a sweep with a gas limit that all nodes estimated too high is mined after its next fee bump', async () => {
  const user = await newDepositor()
  const tooMuch = { eth_estimateGas: () => '0xffffffffff' }
  liar.intercept(tooMuch)
  other.intercept(tooMuch)
  const limit = await anvil.client.getBlock().then(({ gasLimit }) => numberToHex(gasLimit))
  await anvil.rpc('evm_setBlockGasLimit', ['0xf00000'])
  await mine(1)
  await assertSweepFails()
  other.forwardAll()
  liar.forwardAll()
  await service.advance(121)
  await assertSwept(user)
  await anvil.rpc('evm_setBlockGasLimit', [limit])
  expect((await sweeps()).at(-1)).toMatchObject({ status: 'done', tx_hashes: { length: 2 } })
})

test('a node that accepts transactions without forwarding them does not stop a sweep', async () => {
  const user = await newDepositor()
  liar.intercept({ eth_sendRawTransaction: ({ params }) => keccak256(params[0]) })
  await sweep()
  await mine(1)
  expect(await heldBy(anvil, euro, user.accountAddress)).toBe(0n)
  await assertSwept(user)
})

test('a reverted sweep is not retried for an hour, even when all nodes still estimate too little gas', async () => {
  const user = await newDepositor()
  const tooLittle = { eth_estimateGas: () => '0x5208' }
  liar.intercept(tooLittle)
  other.intercept(tooLittle)
  await sweep()
  await mine(finality + 1)
  for (let rounds = 0; rounds < 3; rounds++) await sweep()
  const last = (await sweeps()).at(-1)
  expect(last.status).toBe('reverted')
  await service.advance(3601)
  other.forwardAll()
  await assertSwept(user)
})
