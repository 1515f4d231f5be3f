import { afterEach, expect, test } from 'vitest'
import { newWallet, ownerProof, ownerRemoval } from '../acceptance/client.ts'
import { usePayouts } from '../support/chain/payout-chain.ts'
import { runMoneyCommand } from '../support/operator.ts'
import type { TestUser, Wallet } from '../support/service.ts'

/** Withdrawals whose account is blocked, or whose payee is no longer an owner, before they are signed. */
const eur = 10n ** 18n

/** Runs after a payout is signed and before it is stored. */
let meanwhile = async () => {}
const { chain, service, withdraw, newFundedUser, work, withEmptyWallet, payAndFinalize, viewOf } = usePayouts({
  alter: (ctx) => ({
    ...ctx,
    chain: {
      ...ctx.chain,
      async signPayout(payout) {
        const signed = await ctx.chain.signPayout(payout)
        await meanwhile()
        return signed
      },
    },
  }),
})
afterEach(() => {
  meanwhile = async () => {}
})

const block = ({ userId }: TestUser) => runMoneyCommand(service, 'user block <userId> <reason>', userId, 'a stolen key')
const unblock = ({ userId }: TestUser) =>
  runMoneyCommand(service, 'user unblock <userId> <reason>', userId, 'a new key')
const nonces = { nonce: async () => (await service.request('GET', '/api/v1/auth/nonce')).text }

/** Creates a user with a second owner. */
async function withSecond(): Promise<{ user: TestUser; second: Wallet }> {
  const [user, second] = [await newFundedUser(), newWallet()]
  const body = await ownerProof(nonces, user, second)
  expect((await service.request('POST', '/user/owners', { token: user.token, body })).status).toBe(201)
  return { user, second }
}

/** Removes an owner. The wallet `by` stays. */
async function remove({ userId }: TestUser, address: string, by: Wallet): Promise<void> {
  const token = await service.signIn(by)
  const body = await ownerRemoval(nonces, { userId, wallet: by }, address)
  expect((await service.request('POST', `/user/owners/${address}/remove`, { token, body })).status).toBe(200)
}

async function summaryOf(user: TestUser, by: Wallet = user.wallet) {
  const { balances, statement } = await viewOf({ ...user, wallet: by })
  const { spendable, processingWithdrawals } = balances
  return { status: statement[0].status, own: BigInt(spendable) / eur, processing: BigInt(processingWithdrawals) / eur }
}

test('a queued withdrawal of a blocked account fails, and is not paid after the block ends', async () => {
  const user = await newFundedUser()
  await withEmptyWallet(async () => {
    await withdraw(user, 40n * eur)
    await work()
    expect(await summaryOf(user)).toEqual({ status: 'pending', own: 60n, processing: 40n })
    await block(user)
    await work()
  })
  expect(await summaryOf(user)).toEqual({ status: 'failed', own: 100n, processing: 0n })
  await unblock(user)
  await payAndFinalize()
  expect(await chain.paidTo(user.wallet.address)).toEqual([])
  await withdraw(user, 10n * eur)
  await payAndFinalize()
  expect(await chain.paidTo(user.wallet.address)).toEqual([10n * eur])
})

test('blocking an account while its payout is signed stops the payout, and blocking it after the payout is stored does not', async () => {
  const [early, late] = [await newFundedUser(), await newFundedUser()]
  meanwhile = async () => {
    await block(early)
  }
  await withdraw(early, 40n * eur)
  await payAndFinalize()
  expect(await chain.paidTo(early.wallet.address)).toEqual([])
  expect(await summaryOf(early)).toEqual({ status: 'failed', own: 100n, processing: 0n })

  meanwhile = async () => {}
  await withdraw(late, 40n * eur)
  await service.jobs.runDue()
  await block(late)
  await payAndFinalize()
  await work()
  expect(await chain.paidTo(late.wallet.address)).toEqual([40n * eur])
  expect(await summaryOf(late)).toEqual({ status: 'completed', own: 60n, processing: 0n })
})

test('an unsigned withdrawal is not paid to a removed owner', async () => {
  const { user, second: stolen } = await withSecond()
  await withEmptyWallet(async () => {
    await withdraw({ ...user, wallet: stolen }, 40n * eur)
    await work()
    await remove(user, stolen.address, user.wallet)
  })
  await payAndFinalize()
  expect(await chain.paidTo(stolen.address)).toEqual([])
  expect(await summaryOf(user)).toEqual({ status: 'failed', own: 100n, processing: 0n })
})

test('a withdrawal is not paid to an owner removed while it is signed, and those of other owners are paid', async () => {
  const { user, second } = await withSecond()
  meanwhile = () => {
    meanwhile = async () => {}
    return remove(user, user.wallet.address, second)
  }
  await withdraw(user, 40n * eur)
  await payAndFinalize()
  expect(await chain.paidTo(user.wallet.address)).toEqual([])
  await withdraw({ ...user, wallet: second }, 30n * eur)
  await payAndFinalize()
  await work()
  expect(await chain.paidTo(second.address)).toEqual([30n * eur])
  expect(await summaryOf(user, second)).toEqual({ status: 'completed', own: 70n, processing: 0n })
})
