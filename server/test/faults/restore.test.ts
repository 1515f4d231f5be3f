import { expect, test } from 'vitest'
import { Refusal } from '../../src/lib/errors.ts'
import { advanceWithdrawal } from '../../src/money/withdrawals/payouts.ts'
import { findLostPayouts } from '../../src/money/withdrawals/recover-payouts.ts'
import { ownerProof } from '../acceptance/client.ts'
import { usePayouts } from '../support/chain/payout-chain.ts'
import { startRpcProxy } from '../support/chain/rpc-proxy.ts'
import { newOperator, propose } from '../support/console.ts'
import { runMoneyCommand } from '../support/operator.ts'
import { newWallet, type TestUser, type Wallet } from '../support/service.ts'

const eur = 10n ** 18n

const { chain, service, backUp, restore, newFundedUser, withdraw, payAndFinalize, viewOf, ...actions } = usePayouts()

test('a service on a restored database recovers later payouts from the chain and pays nothing twice', {
  tags: ['fault-19'],
}, async () => {
  const [first, requested, lost, spent] = [
    await newFundedUser(),
    await newFundedUser(),
    await newFundedUser(),
    await newFundedUser(),
  ]
  await withdraw(first, eur)
  await payAndFinalize()
  await withdraw(requested, 20n * eur)
  const before = await backUp()

  // After the backup: one payout of a withdrawal in the backup, and two payouts of later withdrawals.
  await withdraw(lost, 30n * eur)
  await withdraw(spent, 40n * eur)
  await payAndFinalize()
  const users = [first, requested, lost, spent]
  const views = await Promise.all(users.map(viewOf))
  expect(views.map(({ statement }) => statement[0].status)).toEqual(users.map(() => 'completed'))

  await restore(before)
  // The user spends funds that a later payout already paid out, which leaves a debt.
  await withdraw(spent, 90n * eur)
  await findLostPayouts(service.ctx)
  await payAndFinalize()
  await payAndFinalize()
  expect(await Promise.all([first, requested, lost].map(viewOf))).toEqual(views.slice(0, 3))
  const { balances, statement } = await viewOf(spent)
  expect(balances.spendable).toBe('0')
  expect(statement.map(({ amount }: { amount: string }) => BigInt(amount) / eur)).toEqual([90n, 40n, 100n])
  const paid = await Promise.all(users.map(({ wallet }) => chain.paidTo(wallet.address)))
  expect(paid).toEqual([[eur], [20n * eur], [30n * eur], [40n * eur, 90n * eur]])
})

test('a withdrawal canceled after a restore is debited again once its earlier payout is found', async () => {
  const user = await newFundedUser()
  const id = await withdraw(user, 20n * eur)
  const before = await backUp()
  await payAndFinalize()

  await restore(before)
  await runMoneyCommand(service, 'payouts cancel <id> <reason>', id, 'the queue was emptied after the restore')
  expect((await viewOf(user)).statement[0]).toMatchObject({ id, status: 'failed' })
  await withdraw(user, 90n * eur)
  await payAndFinalize()
  await payAndFinalize()
  const { balances, statement } = await viewOf(user)
  expect(balances.spendable).toBe('0')
  expect(statement.slice(0, 2)).toMatchObject([{ status: 'completed' }, { id, status: 'completed' }])
  expect(await chain.paidTo(user.wallet.address)).toEqual([20n * eur, 90n * eur])
  const sql = 'select available, debt from ledger_balance where user_id = $1 and token = $2'
  expect(await service.ctx.db.query(sql, [user.userId, chain.token])).toEqual([{ available: 0n, debt: -10n * eur }])
})

test('a withdrawal of an account blocked after a restore is not refunded before earlier payouts are known', async () => {
  const user = await newFundedUser()
  const id = await withdraw(user, 20n * eur)
  const before = await backUp()
  await service.jobs.runDue()

  await restore(before)
  await service.sandbox('PATCH', `/users/${user.userId}`, { accountStatus: 'blocked' })
  await service.jobs.runDue()
  const waiting = await viewOf(user)
  expect(waiting.statement[0]).toMatchObject({ id, status: 'pending' })
  expect(waiting.balances.spendable).toBe(String(80n * eur))
  await payAndFinalize()
  await payAndFinalize()
  expect((await viewOf(user)).statement[0]).toMatchObject({ id, status: 'completed' })
  expect(await chain.paidTo(user.wallet.address)).toEqual([20n * eur])
})

test('a lost pending payout that the node omits from its nonce count is recovered, and the withdrawal with the same nonce is refunded', async () => {
  const [kept, lost] = [await newFundedUser(), await newFundedUser()]
  const before = await backUp()
  await withdraw(lost, 30n * eur)
  await service.jobs.runDue()

  const node = await startForgetfulNode()
  await restore(before, node.url)
  await withdraw(kept, 20n * eur)
  await payAndFinalize()
  await payAndFinalize()
  await node.stop()
  const [keptView, lostView] = [await viewOf(kept), await viewOf(lost)]
  // The withdrawal was not paid, so the user may request it again.
  expect(keptView.balances.spendable).toBe(String(100n * eur))
  expect(keptView.statement[0]).toMatchObject({ type: 'withdrawal', status: 'failed' })
  expect(await chain.paidTo(kept.wallet.address)).toEqual([])
  expect(lostView.balances.spendable).toBe(String(70n * eur))
  expect(lostView.statement[0]).toMatchObject({ type: 'withdrawal', status: 'completed', amount: String(30n * eur) })
  expect(await chain.paidTo(lost.wallet.address)).toEqual([30n * eur])
  await restore(service.connection)
})

test('a lost pending payout that only one of two nodes counts is recovered before the next payout is signed', async () => {
  const [kept, lost] = [await newFundedUser(), await newFundedUser()]
  const before = await backUp()
  await withdraw(lost, 30n * eur)
  await service.jobs.runDue()

  const node = await startForgetfulNode()
  await restore(before, node.url, chain.anvil.url)
  await withdraw(kept, 20n * eur)
  for (let i = 0; i < 3; i++) await payAndFinalize()
  await restore(service.connection)
  await node.stop()
  expect((await viewOf(kept)).statement[0]).toMatchObject({ status: 'completed', amount: String(20n * eur) })
  expect((await viewOf(lost)).statement[0]).toMatchObject({ status: 'completed', amount: String(30n * eur) })
  expect(await chain.paidTo(kept.wallet.address)).toEqual([20n * eur])
  expect(await chain.paidTo(lost.wallet.address)).toEqual([30n * eur])
})

const pay = ({ userId }: TestUser, id: string) => advanceWithdrawal(service.ctx, { userId, id })
const paidTwice = () => service.metric('payoutAlarms', { reason: 'paid_twice' })

/** Ends all payouts and repeats the search for lost ones, as the chore does. */
async function finish(): Promise<void> {
  for (let i = 0; i < 3; i++) {
    await payAndFinalize()
    await findLostPayouts(service.ctx)
  }
}

/** Returns the ids of the payouts that the console lists as unassigned, and their number in its overview. */
async function unassigned(): Promise<{ ids: string[]; count: number }> {
  const { ask } = await newOperator(service, 'money')
  const { data } = (await ask('GET', '/payouts?state=unassigned')).body
  const { data: works } = (await ask('GET', '/overview')).body
  const { count } = works.find(({ work }: { work: string }) => work === 'payoutsUnassigned')
  return { ids: data.map(({ withdrawalId }: { withdrawalId: string }) => withdrawalId), count }
}

test('a withdrawal that is paid again, because no node knew its lost pending payout, raises one alarm and needs no operator', async () => {
  const [kept, lost] = [await newFundedUser(), await newFundedUser()]
  const [keptId, lostId] = [await withdraw(kept, 20n * eur), await withdraw(lost, 30n * eur)]
  const before = await backUp()
  await pay(lost, lostId)

  const node = await startForgetfulNode()
  await restore(before, node.url)
  // The nonce of the lost payout goes to another withdrawal.
  await pay(kept, keptId)
  await pay(lost, lostId)
  await chain.mineToFinality()
  await pay(kept, keptId)
  // The lost payout is stored, and waits until the other payout of its withdrawal has ended. No operator must assign
  // it.
  expect(await runMoneyCommand(service, 'payouts list')).not.toContain('PAID FOR NO KNOWN USER')
  expect(await unassigned()).toEqual({ ids: [], count: 0 })
  await finish()
  expect(await chain.paidTo(lost.wallet.address)).toEqual([30n * eur, 30n * eur])
  expect(await paidTwice()).toBe(1)
  expect((await viewOf(lost)).statement[0]).toMatchObject({ id: lostId, status: 'completed' })
  expect((await viewOf(kept)).balances.spendable).toBe(String(100n * eur))
  expect(await runMoneyCommand(service, 'payouts list')).toBe('')
  await restore(service.connection)
  await node.stop()
})

test('two lost pending payouts are recovered, although each withdrawal was signed again with the nonce of the other', async () => {
  const [one, other] = [await newFundedUser(), await newFundedUser()]
  const [oneId, otherId] = [await withdraw(one, 20n * eur), await withdraw(other, 30n * eur)]
  const before = await backUp()
  await pay(one, oneId)
  await pay(other, otherId)

  const node = await startForgetfulNode()
  await restore(before, node.url)
  await pay(other, otherId)
  await pay(one, oneId)
  await finish()
  const [oneView, otherView] = [await viewOf(one), await viewOf(other)]
  expect(oneView.statement[0]).toMatchObject({ id: oneId, status: 'completed' })
  expect(otherView.statement[0]).toMatchObject({ id: otherId, status: 'completed' })
  expect([oneView, otherView].map(({ balances }) => BigInt(balances.spendable) / eur)).toEqual([80n, 70n])
  expect(await chain.paidTo(one.wallet.address)).toEqual([20n * eur])
  expect(await chain.paidTo(other.wallet.address)).toEqual([30n * eur])
  expect(await paidTwice()).toBe(0)
  await restore(service.connection)
  await node.stop()
})

/** Starts a node that omits pending transactions from its nonce count. */
async function startForgetfulNode() {
  const node = await startRpcProxy(chain.anvil.url)
  node.lie(async ({ method, params: [signer, block] }) =>
    method === 'eth_getTransactionCount' && block === 'pending'
      ? { result: await chain.anvil.rpc(method, [signer, 'latest']) }
      : undefined,
  )
  return node
}

/** Orders the return of a deposit and sends its payout, without mining it. */
async function sendReturn(depositId: string): Promise<void> {
  await runMoneyCommand(service, 'deposits return <id> <reason>', depositId, 'refused by screening')
  await service.jobs.runDue()
}

test.each(['is unknown to', 'has failed in'])(
  'a lost pending return that %s the restored database is not paid again, although a withdrawal has its nonce',
  async (known) => {
    const [kept, refused] = [await newFundedUser(), await service.newUser()]
    const depositId = await actions.deposit(refused, 30n * eur, 'rejected')
    const sender = (await viewOf(refused)).statement[0].fromAddress
    const paidBefore = (await chain.paidTo(sender)).length
    if (known === 'has failed in') {
      await sendReturn(depositId)
      await actions.withEmptyWallet(() => chain.mineToFinality())
      await actions.work()
      await actions.work()
    }
    const before = await backUp()
    await sendReturn(depositId)

    const node = await startForgetfulNode()
    await restore(before, node.url)
    await withdraw(kept, 20n * eur)
    await payAndFinalize()
    await payAndFinalize()
    await restore(service.connection)
    await node.stop()
    expect((await viewOf(kept)).statement[0]).toMatchObject({ type: 'withdrawal', status: 'failed' })
    expect((await viewOf(kept)).balances.spendable).toBe(String(100n * eur))
    expect(await chain.paidTo(kept.wallet.address)).toEqual([])

    await findLostPayouts(service.ctx)
    await payAndFinalize()
    await payAndFinalize()
    expect((await viewOf(refused)).statement[0]).toMatchObject({ description: 'Deposit of EURe (RETURNED)' })
    expect((await chain.paidTo(sender)).slice(paidBefore)).toEqual([30n * eur])
  },
)

test('a foreign transaction from the payout wallet is not mistaken for a payout, and the next withdrawal is still paid', async () => {
  const user = await newFundedUser()
  const { client, rpc } = chain.anvil
  await client.impersonateAccount({ address: chain.signer })
  await rpc('eth_sendTransaction', [{ from: chain.signer, to: chain.signer }])
  await withdraw(user, eur)
  await service.jobs.runDue()
  const waiting = await viewOf(user)
  expect(waiting.statement[0]).toMatchObject({ status: 'pending' })
  await client.mine({ blocks: 1 })
  await service.advance(60)
  await payAndFinalize()
  expect((await viewOf(user)).statement[0]).toMatchObject({ status: 'completed' })
  expect(await chain.paidTo(user.wallet.address)).toEqual([eur])
})

test('a payout to a wallet that was added after the backup stays unassigned until an operator assigns it', async () => {
  const user = await newFundedUser()
  const before = await backUp()
  const second = newWallet()
  await addWallet(user, second)
  await withdraw({ ...user, wallet: second }, 30n * eur)
  await payAndFinalize()
  const item = (await viewOf(user)).statement[0]
  expect(item).toMatchObject({ status: 'completed', toAddress: second.address })

  await restore(before)
  await findLostPayouts(service.ctx)
  expect((await viewOf(user)).balances.spendable).toBe(String(100n * eur))
  const list = () => runMoneyCommand(service, 'payouts list')
  expect(await list()).toMatch(
    new RegExp(`${item.id}  30.0* EURe to ${second.address} .*${item.txHash}: PAID FOR NO KNOWN USER`),
  )
  expect(await unassigned()).toEqual({ ids: [item.id], count: 1 })
  const assign = (...given: string[]) => runMoneyCommand(service, 'payouts assign <id> <userId> <reason>', ...given)
  await expect(assign(item.id, 'somebody', 'ticket 7')).rejects.toThrow('must be the id of a user')
  await expect(assign(user.userId, user.userId, 'ticket 7')).rejects.toThrow('is not an unassigned payout')
  await expect(assign(item.id, item.id, 'ticket 7')).rejects.toThrow(Refusal)
  const change = { command: 'payouts assign', subject: item.id, arguments: { userId: user.userId }, reason: 'ticket 7' }
  const { outcome } = (await propose(await newOperator(service, 'money'), change)).body
  expect(outcome).toContain(`EURe to ${second.address} is assigned to user`)
  await payAndFinalize()

  const { balances, statement } = await viewOf(user)
  expect(statement[0]).toEqual(item)
  expect(balances).toMatchObject({ spendable: String(70n * eur), processingWithdrawals: '0' })
  expect(await chain.paidTo(second.address)).toEqual([30n * eur])
  expect(await list()).toBe('')
  expect(await unassigned()).toEqual({ ids: [], count: 0 })
  await expect(assign(item.id, user.userId, 'again')).rejects.toThrow('is not an unassigned payout')
  expect(await runMoneyCommand(service, 'decisions list')).toMatch(
    new RegExp(`payouts assign ${user.userId}  ${item.id}  ticket 7 `, 'm'),
  )
})

async function addWallet(user: TestUser, second: Wallet): Promise<void> {
  const nonce = async () => (await service.request('GET', '/api/v1/auth/nonce')).text
  const [token, body] = [await service.signIn(user.wallet), await ownerProof({ nonce }, user, second)]
  expect((await service.request('POST', '/user/owners', { token, body })).status).toBe(201)
}
