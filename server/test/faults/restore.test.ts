import { afterAll, beforeAll, expect, test } from 'vitest'
import { findLostPayouts } from '../../src/withdrawals/recovery.ts'
import { checkBooks } from '../books.ts'
import { createTestDatabase, startService, type TestService } from '../harness.ts'
import { order } from '../operator.ts'
import { type PayoutChain, payoutStory, startPayoutChain } from '../payout-chain.ts'
import { startRpcProxy } from '../rpc-proxy.ts'

const eur = 10n ** 18n

let chain: PayoutChain
let service: TestService
const { funded, withdraw, settled, viewOf } = payoutStory(() => ({ service, chain }))
const start = (connection?: TestService['connection'], nodeUrl?: string) => {
  const { env, alter } = chain
  return startService({
    worker: false,
    env,
    alter: (ctx) => alter(ctx, nodeUrl),
    ...(connection ? { connection } : {}),
  })
}

beforeAll(async () => {
  chain = await startPayoutChain()
  service = await start()
})
afterAll(async () => {
  await service.stop()
  await chain.anvil.stop()
})

test('case 19: a database set back to before payouts learns of them from the chain, to equality, and pays nothing twice', async () => {
  const [first, requested, lost, spent] = [await funded(), await funded(), await funded(), await funded()]
  await withdraw(first, eur)
  await settled()
  await withdraw(requested, 20n * eur)
  const { connection } = service
  await service.stop()
  const before = await createTestDatabase(connection.database)

  // After the backup: one payout of what was requested, and two of what the backup has never heard of.
  service = await start(connection)
  await withdraw(lost, 30n * eur)
  await withdraw(spent, 40n * eur)
  await settled()
  const users = [first, requested, lost, spent]
  const views = await Promise.all(users.map(viewOf))
  expect(views.map(({ statement }) => statement[0].status)).toEqual(users.map(() => 'completed'))
  await service.stop()

  service = await start(before)
  // Who was paid may have less by now than what was paid: that is owed.
  await withdraw(spent, 90n * eur)
  await findLostPayouts(service.ctx)
  await settled()
  await settled()
  expect(await Promise.all([first, requested, lost].map(viewOf))).toEqual(views.slice(0, 3))
  const { balances, statement } = await viewOf(spent)
  expect(balances.spendable).toBe('0')
  expect(statement.map(({ amount }: { amount: string }) => BigInt(amount) / eur)).toEqual([90n, 40n, 100n])
  const paid = await Promise.all(users.map(({ wallet }) => chain.paidTo(wallet.address)))
  expect(paid).toEqual([[eur], [20n * eur], [30n * eur], [40n * eur, 90n * eur]])
  await checkBooks(service)
})

test('a withdrawal that was called off in a database that did not know yet that it was paid: what was given back is taken again', async () => {
  const user = await funded()
  const id = await withdraw(user, 20n * eur)
  const { connection } = service
  await service.stop()
  const before = await createTestDatabase(connection.database)
  service = await start(connection)
  await settled()
  await service.stop()

  service = await start(before)
  await order(service, 'payouts cancel <id> <reason>', id, 'the queue was emptied after the restore')
  expect((await viewOf(user)).statement[0]).toMatchObject({ id, status: 'failed' })
  await withdraw(user, 90n * eur)
  await settled()
  await settled()
  const { balances, statement } = await viewOf(user)
  expect(balances.spendable).toBe('0')
  expect(statement.slice(0, 2)).toMatchObject([{ status: 'completed' }, { id, status: 'completed' }])
  expect(await chain.paidTo(user.wallet.address)).toEqual([20n * eur, 90n * eur])
  const sql = 'select available, debt from ledger_balance where user_id = $1 and token = $2'
  expect(await service.ctx.db.query(sql, [user.userId, chain.token])).toEqual([{ available: 0n, debt: -10n * eur }])
  await checkBooks(service)
})

test('a lost payout that was still under way, and that the node does not count, is not forgotten when it takes the nonce', async () => {
  const [kept, lost] = [await funded(), await funded()]
  const { connection } = service
  await service.stop()
  const before = await createTestDatabase(connection.database)
  service = await start(connection)
  await withdraw(lost, 30n * eur)
  await service.jobs.runDue()
  await service.stop()

  const node = await startRpcProxy(chain.anvil.url)
  node.lie(async ({ method, params: [signer, block] }) =>
    method === 'eth_getTransactionCount' && block === 'pending'
      ? { result: await chain.anvil.rpc(method, [signer, 'latest']) }
      : undefined,
  )
  service = await start(before, node.url)
  await withdraw(kept, 20n * eur)
  await settled()
  await settled()
  await node.stop()
  const [keptView, lostView] = [await viewOf(kept), await viewOf(lost)]
  // It was not paid, and may be asked for again.
  expect(keptView.balances.spendable).toBe(String(100n * eur))
  expect(keptView.statement[0]).toMatchObject({ type: 'withdrawal', status: 'failed' })
  expect(await chain.paidTo(kept.wallet.address)).toEqual([])
  expect(lostView.balances.spendable).toBe(String(70n * eur))
  expect(lostView.statement[0]).toMatchObject({ type: 'withdrawal', status: 'completed', amount: String(30n * eur) })
  expect(await chain.paidTo(lost.wallet.address)).toEqual([30n * eur])
  await checkBooks(service)
  const { connection: last } = service
  await service.stop()
  service = await start(last)
})

test("a stranger's transaction from the wallet is no payout: it is alarmed, and the next withdrawal goes on behind it", async () => {
  const user = await funded()
  const { client, rpc } = chain.anvil
  await client.impersonateAccount({ address: chain.signer })
  await rpc('eth_sendTransaction', [{ from: chain.signer, to: chain.signer }])
  await withdraw(user, eur)
  await service.jobs.runDue()
  const waiting = await viewOf(user)
  expect(waiting.statement[0]).toMatchObject({ status: 'pending' })
  await client.mine({ blocks: 1 })
  await service.sandbox('POST', '/clock', { advanceSeconds: 60 })
  await settled()
  expect((await viewOf(user)).statement[0]).toMatchObject({ status: 'completed' })
  expect(await chain.paidTo(user.wallet.address)).toEqual([eur])
})
