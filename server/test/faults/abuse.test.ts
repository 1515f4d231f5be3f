import { describe, expect, test } from 'vitest'
import { Refusal, UpstreamError } from '../../src/lib/errors.ts'
import { advanceDeposit, applyScreeningResultById, seeDeposit } from '../../src/money/deposits/deposits.ts'
import { controlsOf } from '../../src/sandbox/sandbox.ts'
import { eure, useWorld } from '../support/world.ts'

const { service, world } = useWorld({
  worker: false,
  env: {
    DAILY_WITHDRAWAL_CAP_EUR: '10000',
    CARD_LIMITS: JSON.stringify({ velocity: { authorizations: 20, seconds: 3600 } }),
  },
})

describe('deposits are never spendable before screening approves them', { tags: ['fault-16'] }, () => {
  async function newDeposit(sender: 'approved' | 'pending') {
    const { alice: holder } = await world({ card: true })
    const { chain, screening } = controlsOf(service.ctx)
    const transfer = chain.mineTransfer(holder.userId, {
      chainId: 31337,
      token: service.ctx.config.tokens[0]?.address ?? '',
      amount: eure(100),
      fromAddress: screening.senderFor(sender),
      toAddress: holder.accountAddress,
    })
    const { userId, depositId } = (await seeDeposit(service.ctx, transfer)) ?? { userId: '', depositId: '' }
    const key = { userId, id: depositId }
    const assertNotSpendable = async () => {
      const response = await holder.send('authorization', '0.01', { authorization_code: undefined })
      expect(response.body.denial_code).toBe('810')
    }
    return { holder, key, screening, assertNotSpendable }
  }

  test('a deposit is not spendable while screening is down, and is credited once after screening approves it', async () => {
    const { holder, key, screening, assertNotSpendable } = await newDeposit('approved')
    screening.failNext(3)
    for (let i = 0; i < 3; i++) {
      await expect(advanceDeposit(service.ctx, key)).rejects.toThrow(UpstreamError)
      await assertNotSpendable()
    }
    await Promise.all(Array.from({ length: 10 }, () => advanceDeposit(service.ctx, key)))
    expect(await holder.money()).toEqual({ own: 10_000n, held: 0n, network: 0n })
    await holder.assertBooks()
  })

  test('a deposit whose screening result changes to approved is credited once, even when each callback arrives ten times at once', async () => {
    const { holder, key, screening, assertNotSpendable } = await newDeposit('pending')
    await advanceDeposit(service.ctx, key)
    await assertNotSpendable()
    const callback = async (result: 'approved' | 'rejected') => {
      const report = screening.reportFor(result)
      try {
        return (await service.ctx.db.transaction((tx) => applyScreeningResultById(service.ctx, tx, key.id, report)))
          .status
      } catch (error) {
        if (error instanceof Refusal) return error.code
        throw error
      }
    }
    const tenTimes = (result: 'approved' | 'rejected') =>
      Promise.all(Array.from({ length: 10 }, () => callback(result)))
    expect(await tenTimes('rejected')).toEqual(Array(10).fill('rejected'))
    await assertNotSpendable()
    // Either order is valid, but a rejection must not replace an approval.
    const [approvals, rejections] = await Promise.all([tenTimes('approved'), tenTimes('rejected')])
    expect(approvals).toEqual(Array(10).fill('approved'))
    expect(new Set([...rejections, 'INVALID_DEPOSIT_STATUS', 'rejected']).size).toBe(2)
    expect(await holder.money()).toEqual({ own: 10_000n, held: 0n, network: 0n })
    await holder.assertBooks()
  })
})

describe('repeated requests and stolen access tokens have bounded effects', { tags: ['fault-18'] }, () => {
  const withdraw = (token: string, key: string, units = eure(10)) =>
    service.request('POST', '/user/withdrawal', {
      token,
      body: { tokenAddress: service.ctx.config.tokens[0]?.address, amount: String(units) },
      headers: { 'idempotency-key': key },
    })

  test('a double click and a later replay of the same request create one withdrawal', async () => {
    const { alice } = await world({ eur: 1000, card: true })
    const { token } = alice
    const clicks = await Promise.all([withdraw(token, 'click'), withdraw(token, 'click')])
    const replayed = await withdraw(token, 'click')
    expect(new Set([...clicks, replayed].map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(await alice.money()).toMatchObject({ own: 99_000n })
    await alice.assertBooks()
  })

  test('a stolen access token used in a loop cannot exceed the daily cap, change the payee or create more than five cards', async () => {
    const { alice } = await world({ eur: 1000, card: true })
    const { token, wallet } = alice
    const loop = await Promise.all(Array.from({ length: 30 }, (_, i) => withdraw(token, `loop ${i}`)))
    const rejected = loop.filter(({ status }) => status !== 201)
    expect(rejected.map(({ status, body }) => `${status} ${body.error}`)).toEqual(
      Array(20).fill('422 DAILY_LIMIT_EXCEEDED'),
    )
    const payees = await service.ctx.db.query(
      'select distinct to_address as payee from withdrawal where user_id = $1',
      [alice.userId],
    )
    expect(payees).toEqual([{ payee: wallet.address }])

    const cards = await Promise.all(
      Array.from({ length: 10 }, () =>
        service.request('POST', '/cards/virtual', { token, body: { cardName: 'Mine' } }),
      ),
    )
    expect(cards.filter(({ status }) => status === 201)).toHaveLength(4)
    await alice.assertBooks()
  })

  test('a stolen card number used in a loop is declined once the velocity limit is reached', async () => {
    const { alice } = await world({ eur: 1000, card: true })
    const loop = await Promise.all(
      Array.from({ length: 50 }, () => alice.try('authorization', '0.01', { authorization_code: undefined })),
    )
    const denied = loop.filter(({ body }) => body.status === 'denied')
    expect(denied.map(({ body }) => body.denial_code)).toEqual(Array(30).fill('VEL'))
    expect(await alice.money()).toMatchObject({ held: 20n })
    await alice.assertBooks()
  })
})
