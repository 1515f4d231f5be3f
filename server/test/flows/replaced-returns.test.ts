import { beforeEach, expect, test } from 'vitest'
import { lockAccount } from '../../src/identity/users/users.ts'
import { followTransfers, type Sighting } from '../../src/money/deposits/deposits.ts'
import type { ChainState } from '../../src/money/deposits/rules.ts'
import { usePayouts } from '../support/chain/payout-chain.ts'
import { runMoneyCommand } from '../support/operator.ts'
import type { TestUser } from '../support/service.ts'

/**
 * A reorganization replaces a refused deposit with another transfer while its return is signed or paid. Payouts are on
 * a real chain. Each test mines the blocks, and sets the state of the deposits itself.
 */
const eur = 10n ** 18n

const { chain, service, deposit, work, withEmptyWallet } = usePayouts()

let user: TestUser
let refused: Omit<Sighting, 'chainState'>
let other: Omit<Sighting, 'chainState'>
let depositId: string
beforeEach(async () => {
  user = await service.newUser()
  depositId = await deposit(user, 30n * eur, 'rejected')
  const [{ txHash, fromAddress, chainId }] = await items()
  refused = {
    txHash,
    fromAddress,
    chainId,
    logPosition: 0,
    token: chain.token,
    toAddress: user.accountAddress,
    amount: 30n * eur,
  }
  other = { ...refused, amount: 20n * eur, fromAddress: senderOf('approved') }
})

const items = async () => (await service.request('GET', '/user/statement', { token: user.token })).body.data
const summaryOf = async () =>
  (await items()).map((item: any) => `${BigInt(item.amount) / eur} ${item.status} ${item.description}`)
const senderOf = (result: 'approved' | 'rejected') => service.controls().screening.senderFor(result)

async function money(): Promise<Record<string, bigint>> {
  const rows = await service.ctx.db.query<Record<string, bigint>>(
    `select available, frozen, deposit_processing as processing, unfinal, chain, loss from ledger_balance
     where user_id = $1 and token = $2`,
    [user.userId, chain.token],
  )
  return Object.fromEntries(Object.entries(rows[0] ?? {}).map(([name, amount]) => [name, amount / eur]))
}

/** Reports a transfer as the watcher does when the blocks change. */
async function mined(transfer: Omit<Sighting, 'chainState'>, chainState: ChainState = 'final'): Promise<void> {
  await service.ctx.db.transaction(async (tx) => {
    await followTransfers(service.ctx, tx, await lockAccount(tx, user.userId), [{ ...transfer, chainState }])
  })
  await service.jobs.runDue()
}

/** Orders and signs the return. It can no longer be canceled. */
async function signed(): Promise<void> {
  await runMoneyCommand(service, 'deposits return <id> <reason>', depositId, 'refused by screening')
  await service.jobs.runDue()
}

async function ended(): Promise<void> {
  await chain.mineToFinality()
  await work()
  await work()
}

test('a signed return of a replaced deposit is paid as a loss, and the replacing deposit is screened as a new one', async () => {
  await signed()
  await mined(other)
  expect(await money()).toMatchObject({ available: 20n, frozen: 0n, processing: 0n, chain: -20n, loss: 0n })
  const before = (await chain.paidTo(refused.fromAddress)).length
  await ended()
  expect((await chain.paidTo(refused.fromAddress)).slice(before)).toEqual([30n * eur])
  expect(await money()).toEqual({ available: 20n, frozen: 0n, processing: 0n, unfinal: 0n, chain: 10n, loss: -30n })
  expect(await summaryOf()).toEqual(['20 approved Deposit of EURe', '30 rejected Deposit of EURe (REORGED)'])
})

test('a failed return of a replaced deposit causes no loss, and the replacing deposit can be returned by itself', async () => {
  await signed()
  await mined({ ...other, fromAddress: senderOf('rejected') })
  expect(await money()).toMatchObject({ available: 0n, frozen: 20n })
  await withEmptyWallet(() => chain.mineToFinality())
  await work()
  expect(await money()).toMatchObject({ frozen: 20n, chain: -20n, loss: 0n })
  const [{ id }] = await items()
  expect(id).not.toBe(depositId)
  await expect(
    runMoneyCommand(service, 'deposits return <id> <reason>', depositId, 'refused by screening'),
  ).rejects.toThrow('does not allow')
  await runMoneyCommand(service, 'deposits return <id> <reason>', id, 'refused by screening')
  const before = (await chain.paidTo(refused.fromAddress)).length
  await service.jobs.runDue()
  await ended()
  expect((await chain.paidTo(refused.fromAddress)).slice(before)).toEqual([20n * eur])
  expect(await money()).toEqual({ available: 0n, frozen: 0n, processing: 0n, unfinal: 0n, chain: 0n, loss: 0n })
})

test.each(['before', 'after'])(
  'a refused deposit that is mined again %s its return is final causes no loss and is not paid twice',
  async (when) => {
    await signed()
    await mined(other)
    if (when === 'after') await ended()
    await mined(refused, 'unfinal')
    await mined(refused)
    if (when === 'before') await ended()
    expect(await money()).toEqual({ available: 0n, frozen: 0n, processing: 0n, unfinal: 0n, chain: 0n, loss: 0n })
    expect(await summaryOf()).toEqual([
      '20 rejected Deposit of EURe (REORGED)',
      '30 rejected Deposit of EURe (RETURNED)',
    ])
  },
)

test('a deposit that replaces a returned one is credited in full, and the loss ends when the original is mined again', async () => {
  await signed()
  await ended()
  expect(await money()).toMatchObject({ chain: 0n, loss: 0n })
  await mined(other)
  expect(await money()).toMatchObject({ available: 20n, chain: 10n, loss: -30n })
  await mined(refused)
  expect(await money()).toEqual({ available: 0n, frozen: 0n, processing: 0n, unfinal: 0n, chain: 0n, loss: 0n })
})
