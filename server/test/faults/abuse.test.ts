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

describe('deposits', { tags: ['fault-16'] }, () => {
  async function arrive(sender: 'approved' | 'pending') {
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
    const cannotSpend = async () => {
      const asked = await holder.send('authorization', '0.01', { authorization_code: undefined })
      expect(asked.body.denial_code).toBe('810')
    }
    return { holder, key, screening, cannotSpend }
  }

  test('while screening is down, nor when it is back before it has spoken; then once', async () => {
    const { holder, key, screening, cannotSpend } = await arrive('approved')
    screening.failNext(3)
    for (let i = 0; i < 3; i++) {
      await expect(advanceDeposit(service.ctx, key)).rejects.toThrow(UpstreamError)
      await cannotSpend()
    }
    await Promise.all(Array.from({ length: 10 }, () => advanceDeposit(service.ctx, key)))
    expect(await holder.money()).toEqual({ own: 10_000n, held: 0n, network: 0n })
    await holder.assertBooks()
  })

  test('when it changes its mind, with each callback ten times at once', async () => {
    const { holder, key, screening, cannotSpend } = await arrive('pending')
    await advanceDeposit(service.ctx, key)
    await cannotSpend()
    const callback = async (result: 'approved' | 'rejected') => {
      const verdict = screening.verdictFor(result)
      try {
        return (await service.ctx.db.transaction((tx) => applyScreeningResultById(service.ctx, tx, key.id, verdict)))
          .status
      } catch (error) {
        if (error instanceof Refusal) return error.code
        throw error
      }
    }
    const tenTimes = (result: 'approved' | 'rejected') =>
      Promise.all(Array.from({ length: 10 }, () => callback(result)))
    expect(await tenTimes('rejected')).toEqual(Array(10).fill('rejected'))
    await cannotSpend()
    // Whichever comes first: an approval stands, and a refusal does not come after it.
    const [approvals, refusals] = await Promise.all([tenTimes('approved'), tenTimes('rejected')])
    expect(approvals).toEqual(Array(10).fill('approved'))
    expect(new Set([...refusals, 'INVALID_DEPOSIT_STATUS', 'rejected']).size).toBe(2)
    expect(await holder.money()).toEqual({ own: 10_000n, held: 0n, network: 0n })
    await holder.assertBooks()
  })
})

describe('repeated requests and stolen access tokens', { tags: ['fault-18'] }, () => {
  const withdraw = (token: string, key: string, units = eure(10)) =>
    service.request('POST', '/user/withdrawal', {
      token,
      body: { tokenAddress: service.ctx.config.tokens[0]?.address, amount: String(units) },
      headers: { 'idempotency-key': key },
    })

  test('a double click, and the request replayed later, are one withdrawal', async () => {
    const { alice } = await world({ eur: 1000, card: true })
    const { token } = alice
    const clicks = await Promise.all([withdraw(token, 'click'), withdraw(token, 'click')])
    const replayed = await withdraw(token, 'click')
    expect(new Set([...clicks, replayed].map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(await alice.money()).toMatchObject({ own: 99_000n })
    await alice.assertBooks()
  })

  test('a stolen token in a loop gets the daily cap, paid to its owner, and five cards', async () => {
    const { alice } = await world({ eur: 1000, card: true })
    const { token, wallet } = alice
    const loop = await Promise.all(Array.from({ length: 30 }, (_, i) => withdraw(token, `loop ${i}`)))
    const refused = loop.filter(({ status }) => status !== 201)
    expect(refused.map(({ status, body }) => `${status} ${body.error}`)).toEqual(
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

  test('a card number in a loop gets as many purchases as the window allows', async () => {
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
