import { encodeEventTopics, keccak256, numberToHex, parseAbiItem } from 'viem'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { UpstreamError } from '../../src/lib/errors.ts'
import { type PayoutChain, payoutActions, startPayoutChain } from '../support/chain/payout-chain.ts'
import { type RpcProxy, startRpcProxy } from '../support/chain/rpc-proxy.ts'
import { startService, type TestService, type TestUser } from '../support/service.ts'
import { checkBooks } from '../support/world.ts'

/** Two nodes: the one that the service queries first lies about the outcome of payouts. */
const eur = 10n ** 18n
const transfer = parseAbiItem('event Transfer(address indexed from, address indexed to, uint256 amount)')

let chain: PayoutChain
let liar: RpcProxy
let other: RpcProxy
let service: TestService
const { newFundedUser, withdraw, work, viewOf, withEmptyWallet } = payoutActions(() => ({ service, chain }))

beforeAll(async () => {
  chain = await startPayoutChain()
  liar = await startRpcProxy(chain.anvil.url)
  other = await startRpcProxy(chain.anvil.url)
})
beforeEach(async () => {
  liar.forwardAll()
  other.forwardAll()
  service = await startService({
    worker: false,
    env: chain.env,
    alter: (ctx) => chain.alter(ctx, liar.url, other.url),
  })
})
afterEach(async () => {
  await checkBooks(service)
  other.cutWhen(() => false)
  await service.stop()
})
afterAll(async () => {
  await Promise.all([liar.stop(), other.stop(), chain.anvil.stop()])
})

async function summaryOf(user: TestUser) {
  const { balances, statement } = await viewOf(user)
  return { spendable: BigInt(balances.spendable), status: statement[0].status }
}

const alarms = (reason: string) => service.metric('payoutAlarms', { reason })

async function nonceOf({ userId }: TestUser): Promise<bigint> {
  const [row] = await service.ctx.db.query<{ nonce: bigint }>(
    'select payout_nonce as nonce from withdrawal where user_id = $1',
    [userId],
  )
  return row?.nonce ?? -1n
}

async function newUserWithPayout(): Promise<TestUser> {
  const user = await newFundedUser()
  await withdraw(user, 40n * eur)
  await service.jobs.runDue()
  return user
}

async function assertCompletedOnce(user: TestUser): Promise<void> {
  await work()
  expect(await summaryOf(user)).toEqual({ spendable: 60n * eur, status: 'completed' })
  expect(await chain.paidTo(user.wallet.address)).toEqual([40n * eur])
}

/** Makes the lying node report a transaction with this nonce that was never sent. */
function inventUse(nonce: bigint, block: bigint): void {
  const hash = `0x${'ab'.repeat(32)}`
  const invented = {
    ...{ hash, from: chain.signer, to: chain.token, nonce: numberToHex(nonce), blockNumber: numberToHex(block) },
    ...{ input: '0x', type: '0x2' },
  }
  const lies: Record<string, unknown> = {
    eth_getTransactionReceipt: null,
    eth_getTransactionCount: numberToHex(nonce + 1n),
    ots_getTransactionBySenderAndNonce: hash,
    eth_getTransactionByHash: invented,
  }
  liar.lie(({ method }) => (method in lies ? { result: lies[method] } : undefined))
}

test('a node that reports a paid withdrawal as reverted does not cause a second payout', async () => {
  const user = await newUserWithPayout()
  liar.lie(({ method }, receipt) =>
    method === 'eth_getTransactionReceipt' && receipt ? { result: { ...receipt, status: '0x0', logs: [] } } : undefined,
  )
  await chain.mineToFinality()
  await work()
  expect(await summaryOf(user)).toEqual({ spendable: 60n * eur, status: 'processing' })
  expect(await alarms('nodes_disagree')).toBe(1)
  liar.forwardAll()
  await assertCompletedOnce(user)
})

test('a node that reports a paid withdrawal as unpaid is not believed while the other node is unreachable', async () => {
  const user = await newUserWithPayout()
  liar.lie(({ method }, receipt) =>
    method === 'eth_getTransactionReceipt' && receipt ? { result: { ...receipt, logs: [] } } : undefined,
  )
  await chain.mineToFinality()
  other.cutWhen(() => true)
  await work()
  expect(await alarms('unpaid')).toBe(0)
  expect(await summaryOf(user)).toEqual({ spendable: 60n * eur, status: 'processing' })
  liar.forwardAll()
  other.cutWhen(() => false)
  await work(3600)
  await assertCompletedOnce(user)
})

test('a node that accepts transactions without forwarding them does not stop a payout', async () => {
  liar.intercept({ eth_sendRawTransaction: ({ params }) => keccak256(params[0]) })
  const user = await newUserWithPayout()
  await chain.mineToFinality()
  await assertCompletedOnce(user)
})

test('a node that reports the nonce as used by another transaction does not cause a second payout', async () => {
  const user = await newUserWithPayout()
  await chain.mineToFinality()
  const head = await chain.anvil.client.getBlockNumber()
  inventUse(await nonceOf(user), head - 2n)
  await work()
  expect(await summaryOf(user)).toEqual({ spendable: 60n * eur, status: 'processing' })
  expect(await alarms('nodes_disagree')).toBe(1)
  liar.forwardAll()
  await assertCompletedOnce(user)
})

test('a node that reports a dropped transaction as mined does not complete the withdrawal', async () => {
  const user = await newUserWithPayout()
  const { txHash } = (await viewOf(user)).statement[0]
  await chain.anvil.rpc('anvil_dropTransaction', [txHash])
  await chain.mineToFinality()
  const block = await chain.anvil.client.getBlock({ blockNumber: (await chain.anvil.client.getBlockNumber()) - 2n })
  const log = {
    address: chain.token,
    topics: encodeEventTopics({ abi: [transfer], args: { from: chain.signer, to: user.wallet.address } }),
    data: numberToHex(40n * eur, { size: 32 }),
  }
  const receipt = {
    ...{ transactionHash: txHash, blockNumber: numberToHex(block.number), blockHash: block.hash, status: '0x1' },
    ...{ gasUsed: '0x1', effectiveGasPrice: '0x1', logs: [log] },
  }
  liar.lie(({ method }) => (method === 'eth_getTransactionReceipt' ? { result: receipt } : undefined))
  await work()
  expect(await summaryOf(user)).toEqual({ spendable: 60n * eur, status: 'processing' })
  expect(await alarms('nodes_disagree')).toBe(1)
  liar.forwardAll()
  await work()
  await chain.mineToFinality()
  await assertCompletedOnce(user)
})

test.each<[string, () => void]>([
  ['is unreachable', () => other.cutWhen(() => true)],
  ['lags behind', () => other.lie(({ method }) => (method === 'eth_blockNumber' ? { result: '0x1' } : undefined))],
])(
  'while one node %s, payouts complete by the report of the other, and no withdrawal is refunded',
  async (_state, fail) => {
    const [lucky, unlucky] = [await newUserWithPayout(), await newFundedUser()]
    await chain.mineToFinality()
    fail()
    await assertCompletedOnce(lucky)

    await withdraw(unlucky, 40n * eur)
    await service.jobs.runDue()
    await withEmptyWallet(() => chain.mineToFinality())
    await work()
    expect(await summaryOf(unlucky)).toEqual({ spendable: 60n * eur, status: 'processing' })
    other.cutWhen(() => false)
    other.forwardAll()
    await work(3600)
    await work()
    expect(await summaryOf(unlucky)).toEqual({ spendable: 100n * eur, status: 'failed' })
    expect(await chain.paidTo(unlucky.wallet.address)).toEqual([])
  },
)

test('a payout found by its nonce is accepted only if both nodes report it', async () => {
  const user = await newUserWithPayout()
  await chain.mineToFinality()
  await assertCompletedOnce(user)
  const nonce = await nonceOf(user)
  const lookUp = () => service.ctx.chain.payoutAt(chain.anvil.chainId, nonce)
  const paid = await lookUp()
  expect(paid).toMatchObject({ payout: { toAddress: user.wallet.address, amount: 40n * eur } })
  inventUse(nonce, await chain.anvil.client.getBlockNumber())
  await expect(lookUp()).rejects.toThrow(UpstreamError)
  liar.forwardAll()
  other.cutWhen(() => true)
  await expect(lookUp()).rejects.toThrow(UpstreamError)
  other.cutWhen(() => false)
  expect(await lookUp()).toEqual(paid)
})
