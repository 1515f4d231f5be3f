import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { lockAccount } from '../../src/identity/users/users.ts'
import type { Reply } from '../support/service.ts'
import { eure, type Person, useWorld } from '../support/world.ts'

/** Faults caused by the card network, a merchant or a user. `flows` and `proof` test the other faults of this kind. */
const { service, cardholder } = useWorld({ worker: false })

const advance = (days: number) => service.advance(days * 86_400)

test('two of three racing debits are approved when the funds cover two', { tags: ['fault-4'] }, async () => {
  const withdraw = (user: Person) => {
    const tokenAddress = service.ctx.config.tokens[0]?.address
    const body = { tokenAddress, amount: String(eure(40)) }
    return service.request('POST', '/user/withdrawal', { token: user.token, body })
  }
  const isAccepted = ({ status, body }: Reply) => status === 201 || body.status === 'approved'
  for (let round = 0; round < 10; round++) {
    const holder = await cardholder(100)
    const replies = await Promise.all([
      holder.try('authorization', '40.00', { authorization_code: 'FIRST1' }),
      withdraw(holder),
      holder.try('authorization', '40.00', { authorization_code: 'SECOND' }),
    ])
    expect(replies.filter(isAccepted)).toHaveLength(2)
    const rejected = replies.find((reply) => !isAccepted(reply))?.body
    expect(rejected.denial_code ?? rejected.error).toMatch(/^(810|INSUFFICIENT_FUNDS)$/)
    expect((await holder.money()).own).toBe(2000n)
    await holder.assertBooks()
  }
})

describe("responses after the network's deadline leave no hold behind", { tags: ['fault-7'] }, () => {
  // The simulator has no deadline. The default deadline of the issuer gateway, 1500 ms, is between the two delays.
  test.each([300, 1700])(
    'an authorization and its reversal leave no hold after the account was locked for %i ms',
    async (milliseconds) => {
      for (const types of [
        ['authorization', 'reversal'],
        ['reversal', 'authorization'],
      ]) {
        const holder = await cardholder(100)
        const sent: Promise<Reply>[] = []
        await service.ctx.db.transaction(async (tx) => {
          await lockAccount(tx, holder.userId)
          for (const type of types) {
            sent.push(holder.try(type, type === 'authorization' ? '60.00' : null))
            await delay(50)
          }
          await delay(milliseconds)
        })
        const replies = await Promise.all(sent)
        expect(replies.map(({ status }) => status)).toEqual([200, 200])
        expect(await holder.money()).toEqual({ own: 10_000n, held: 0n, network: 0n })
        expect((await holder.cardRows()).map(({ isPending }) => isPending)).toEqual([false])
        await holder.assertBooks()
      }
    },
  )
})

describe('late clearings are posted once', { tags: ['fault-10'] }, () => {
  const clearTwice = async (holder: Person) => {
    const [first, again] = [
      await holder.send('clearing', '20.00', { event_id: 'late' }),
      await holder.send('clearing', '20.00', { event_id: 'late' }),
    ]
    expect(again.text).toBe(first.text)
    expect(await holder.money()).toEqual({ own: 3000n, held: 0n, network: 2000n })
  }

  test('a clearing that arrives 31 days after its hold expired is posted once', async () => {
    const holder = await cardholder(50)
    await holder.send('authorization', '20.00')
    await advance(8)
    expect(await holder.cardLines()).toEqual(['Payment cancelled 2000'])
    await advance(31)
    await clearTwice(holder)
    expect(await holder.cardLines()).toEqual(['Payment settled 2000'])
  })

  test('a clearing that arrives after a full reversal is posted once', async () => {
    const holder = await cardholder(50)
    await holder.send('authorization', '20.00')
    await holder.send('reversal', '20.00')
    await advance(31)
    await clearTwice(holder)
    expect(await holder.cardLines()).toEqual(['Payment settled 2000'])
  })

  test('a clearing of a declined authorization is posted once, as a separate statement item', async () => {
    const holder = await cardholder(50)
    expect((await holder.send('authorization', '70.00')).body.denial_code).toBe('810')
    await advance(31)
    await clearTwice(holder)
    expect(await holder.cardLines()).toEqual(['Payment declined 7000', 'Payment settled 2000'])
  })
})

test('a refund larger than the payment pays the debt first, even on a canceled card of a closed account', {
  tags: ['fault-13'],
}, async () => {
  const holder = await cardholder(10)
  await holder.send('clearing', '50.00')
  expect(await holder.money()).toEqual({ own: -4000n, held: 0n, network: 5000n })
  const { token } = holder
  expect((await service.request('POST', `/cards/${holder.cardId}/cancel`, { token })).status).toBe(200)
  const closed = await service.sandbox('PATCH', `/users/${holder.userId}`, { accountStatus: 'closed' })
  expect(closed.status).toBe(200)

  expect((await holder.send('refund', '30.00')).body.status).toBe('approved')
  expect(await holder.money()).toEqual({ own: -1000n, held: 0n, network: 2000n })
  expect((await holder.send('refund', '60.00')).body.status).toBe('approved')
  expect(await holder.money()).toEqual({ own: 5000n, held: 0n, network: -4000n })
  expect((await holder.send('refund', '1.00', { authorization_code: undefined })).body.status).toBe('approved')
  const rows = ['Payment settled 5000', 'Refund settled 3000', 'Refund settled 6000', 'Refund settled 100']
  expect(await holder.cardLines()).toEqual(rows)
})
