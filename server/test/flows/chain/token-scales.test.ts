import { afterAll, beforeAll, expect, test } from 'vitest'
import { requestWithdrawal } from '../../../src/money/withdrawals/withdrawals.ts'
import { type Anvil, deploy } from '../../support/chain/anvil.ts'
import { startWatched, type Watched } from '../../support/chain/watched-chain.ts'
import { callerOf } from '../../support/service.ts'
import { populate } from '../../support/world.ts'

/** A token with 36 decimals, and one with the fewest decimals that its currency allows. */
const fine = { symbol: 'EURF', currency: 'EUR', decimals: 36 }
const whole = { symbol: 'JPYW', currency: 'JPY', decimals: 0 }

let chain: Watched
let addresses: { fine: `0x${string}`; whole: `0x${string}` }
beforeAll(async () => {
  chain = await startWatched({
    tokens: async (anvil: Anvil) => {
      addresses = {
        fine: await deploy(anvil, 'TestToken', [fine.symbol, fine.decimals]),
        whole: await deploy(anvil, 'TestToken', [whole.symbol, whole.decimals]),
      }
      return [
        { ...fine, address: addresses.fine },
        { ...whole, address: addresses.whole },
      ]
    },
    env: {
      CURRENCIES: JSON.stringify([
        { currency: 'EUR', decimals: 36 },
        { currency: 'JPY', decimals: 0 },
      ]),
    },
  })
})
afterAll(() => chain.stop())

test('tokens with 0 and with 36 decimals are credited, and can be withdrawn, to the last unit', async () => {
  const { service } = chain
  const { alice } = await populate(service, { card: true })
  const units = 12n * 10n ** 36n + 1n
  await chain.mint(alice.accountAddress, units, addresses.fine)
  await chain.mint(alice.accountAddress, 1500n, addresses.whole)
  await chain.settle()
  const read = async () => (await service.request('GET', '/user/balances/v2', { token: alice.token })).body.data
  const [eur, jpy] = await read()
  expect(eur).toMatchObject({
    decimals: 36,
    spendable: String(12n * 10n ** 36n),
    tokens: [{ spendable: String(units) }],
  })
  expect(jpy).toMatchObject({ decimals: 0, spendable: '1500', tokens: [{ spendable: '1500' }] })

  const paid = await service.sandbox('POST', '/transactions', {
    transaction_type: 'authorization',
    card_id: alice.cardId,
    amount: '11.99',
    currency: 'EUR',
  })
  expect(paid).toMatchObject({ status: 200, body: { status: 'approved' } })
  const left = 10n ** 34n + 1n
  expect((await read())[0]).toMatchObject({ spendable: String(10n ** 34n), tokens: [{ spendable: String(left) }] })

  const { ctx } = service
  const caller = callerOf(alice.token)
  for (const [tokenAddress, amount] of [
    [addresses.fine, left],
    [addresses.whole, 1500n],
  ] as const) {
    await ctx.db.transaction((tx) => requestWithdrawal(ctx, tx, caller, { tokenAddress, amount }))
  }
  expect(await read()).toMatchObject([
    { spendable: '0', processingWithdrawals: String(left), tokens: [{ spendable: '0' }] },
    { spendable: '0', processingWithdrawals: '1500', tokens: [{ spendable: '0' }] },
  ])
  await chain.assertBooks(alice)
})
