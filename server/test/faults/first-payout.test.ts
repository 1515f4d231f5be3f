import { numberToHex } from 'viem'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { UpstreamError } from '../../src/lib/errors.ts'
import { measurePayouts } from '../../src/money/withdrawals/payout-wallet.ts'
import { findLostPayouts } from '../../src/money/withdrawals/recover-payouts.ts'
import { type PayoutChain, payoutActions, startPayoutChain } from '../support/chain/payout-chain.ts'
import { type RpcProxy, startRpcProxy } from '../support/chain/rpc-proxy.ts'
import { createTestDatabase, startService, type TestService } from '../support/service.ts'
import { checkBooks } from '../support/world.ts'

/** Databases without any payout: a new one, or one restored from a backup older than the first payout. */
const eur = 10n ** 18n

let chain: PayoutChain
let service: TestService
const { newFundedUser, withdraw, payAndFinalize, viewOf } = payoutActions(() => ({ service, chain }))
/** The nonces that any process looked up on the chain. */
let lookedUp: bigint[]

beforeEach(async () => {
  chain = await startPayoutChain()
  lookedUp = []
})
afterEach(async () => {
  await service.stop()
  await chain.anvil.stop()
})

async function start(
  connection?: TestService['connection'],
  change: Parameters<PayoutChain['alterWith']>[1] = {},
): Promise<void> {
  const alter = (before: TestService['ctx']) => {
    const ctx = chain.alterWith(before, change)
    const payoutAt: typeof ctx.chain.payoutAt = (chainId, nonce) => {
      lookedUp.push(nonce)
      return ctx.chain.payoutAt(chainId, nonce)
    }
    return { ...ctx, chain: { ...ctx.chain, payoutAt } }
  }
  service = await startService({ worker: false, env: chain.env, alter, ...(connection ? { connection } : {}) })
}

/** Sends transactions from the payout wallet that are not payouts, each in its own block. */
async function sendOthers(count: number): Promise<void> {
  const { client, rpc } = chain.anvil
  await client.impersonateAccount({ address: chain.signer })
  for (let i = 0; i < count; i++) {
    await rpc('eth_sendTransaction', [{ from: chain.signer, to: chain.signer }])
    await client.mine({ blocks: 1 })
  }
}

const alarms = () => service.metric('payoutAlarms', { reason: 'unknown_nonce' })

test("a database restored to before the wallet's first payout pays nothing twice", { tags: ['fault-19'] }, async () => {
  await sendOthers(2)
  await start()
  const [requested, lost] = [await newFundedUser(), await newFundedUser()]
  await withdraw(requested, 20n * eur)
  const { connection } = service
  await service.stop()
  const before = await createTestDatabase(connection.database)

  await start(connection)
  await withdraw(lost, 30n * eur)
  await payAndFinalize()
  const views = await Promise.all([requested, lost].map(viewOf))
  expect(views.map(({ statement }) => statement[0].status)).toEqual(['completed', 'completed'])
  await service.stop()

  await start(before)
  expect((await viewOf(requested)).statement[0].status).toBe('pending')
  await payAndFinalize()
  await payAndFinalize()
  expect(await Promise.all([requested, lost].map(viewOf))).toEqual(views)
  expect(await Promise.all([requested, lost].map(({ wallet }) => chain.paidTo(wallet.address)))).toEqual([
    [20n * eur],
    [30n * eur],
  ])
  await checkBooks(service)
})

test('a payout wallet with earlier transactions pays after each of them was checked once, without an alarm', async () => {
  const earlier = 60
  await sendOthers(earlier)
  await start()
  const user = await newFundedUser()
  await withdraw(user, eur)
  await service.jobs.runDue()
  expect((await viewOf(user)).statement[0].status).toBe('pending')
  expect(lookedUp.length).toBeLessThan(earlier)

  const { connection } = service
  await service.stop()
  await start(connection)
  await service.advance(60)
  await payAndFinalize()
  expect((await viewOf(user)).statement[0].status).toBe('completed')
  expect(lookedUp).toEqual(Array.from({ length: earlier }, (_, nonce) => BigInt(nonce)))
  expect(await alarms()).toBe(0)

  // From here on, a transaction that is not a payout raises one alarm.
  await sendOthers(1)
  await findLostPayouts(service.ctx)
  await findLostPayouts(service.ctx)
  expect(await alarms()).toBe(1)
  expect(lookedUp).toHaveLength(earlier + 1)
  await checkBooks(service)
})

test('an unreachable chain does not keep the payouts of another chain from being recovered and measured', async () => {
  await sendOthers(1)
  await start()
  const { config } = service.ctx
  const tokens = config.tokens.flatMap((token) => [{ ...token, chainId: 1 }, token])
  const ctx = { ...service.ctx, config: { ...config, tokens } }
  await expect(findLostPayouts(ctx)).rejects.toThrow(UpstreamError)
  expect(lookedUp).toEqual([0n])
  await expect(measurePayouts(ctx)).rejects.toThrow(UpstreamError)
  expect(await service.metric('payoutFunds')).toBe(1000)
})

/** Starts a node that has pruned the state of a block. */
async function startPruned(block: bigint): Promise<RpcProxy> {
  const node = await startRpcProxy(chain.anvil.url)
  const pruned = { error: { code: -32000, message: 'missing trie node' } }
  node.lie(({ method, params }) =>
    method === 'eth_getTransactionCount' && params[1] === numberToHex(block) ? pruned : undefined,
  )
  return node
}

test('a new payout wallet pays although the node has pruned the first watched block', async () => {
  const node = await startPruned(1n)
  await start(undefined, { startBlock: 2n, nodeUrls: [node.url] })
  const user = await newFundedUser()
  await withdraw(user, eur)
  await payAndFinalize()
  expect((await viewOf(user)).statement[0].status).toBe('completed')
  await node.stop()
})

test('the first nonce of a wallet with earlier transactions is read once, before a node prunes it', async () => {
  await sendOthers(2)
  const startBlock = (await chain.anvil.client.getBlockNumber()) + 1n
  await start(undefined, { startBlock })
  await findLostPayouts(service.ctx)
  const { connection } = service
  await service.stop()

  const node = await startPruned(startBlock - 1n)
  await start(connection, { startBlock, nodeUrls: [node.url] })
  const user = await newFundedUser()
  await withdraw(user, eur)
  await payAndFinalize()
  expect((await viewOf(user)).statement[0].status).toBe('completed')
  await node.stop()
})
