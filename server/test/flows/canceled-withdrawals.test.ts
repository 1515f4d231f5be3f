import { afterEach, expect, test } from 'vitest'
import { advanceWithdrawal } from '../../src/money/withdrawals/payouts.ts'
import { plainError } from '../support/service.ts'
import { eure, type Person, useWorld } from '../support/world.ts'

const unknownId = '01a1fc4e-f39c-748a-b04f-9ca8209a4d4a'

/** Runs after a payout is signed and before it is stored. */
let meanwhile = async () => {}
/** The transactions that the payout wallet has sent, as its chain counts them. */
let sentByWallet = 0n
const { service, world } = useWorld({
  worker: false,
  alter: (ctx) => ({
    ...ctx,
    chain: {
      ...ctx.chain,
      payoutNonce: async () => sentByWallet,
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
  sentByWallet = 0n
})

async function requested(person: Person, units = eure(40)): Promise<string> {
  const made = await person.withdraw(units)
  expect(made.status, made.text).toBe(201)
  return made.body.withdrawalId
}

const read = (person: Person, id: string) => person.ask('GET', `/user/withdrawals/${id}`)
const cancel = (person: Person, id: string, headers?: Record<string, string>) =>
  person.ask('POST', `/user/withdrawals/${id}/cancel`, undefined, headers)
const pay = ({ userId }: Person, id: string) => advanceWithdrawal(service.as('worker'), { userId, id })

async function spendable(person: Person): Promise<bigint> {
  const [{ spendable }] = await person.balances()
  return BigInt(spendable)
}

test('a withdrawal is read by its id, as the statement shows it', async () => {
  const { alice } = await world({ eur: 100 })
  const id = await requested(alice)
  const [item] = await alice.statement()
  expect((await read(alice, id)).body).toEqual(item)
  await pay(alice, id)
  expect((await read(alice, id)).body).toMatchObject({ status: 'processing', txHash: expect.any(String) })
})

test('a canceled withdrawal fails, gives its amount back once, and is never paid', async () => {
  const { alice } = await world({ eur: 100 })
  const id = await requested(alice)
  expect(await spendable(alice)).toBe(eure(60))
  const canceled = await cancel(alice, id)
  expect([canceled.status, canceled.body]).toEqual([200, { withdrawalId: id, status: 'failed' }])
  expect(await spendable(alice)).toBe(eure(100))
  expect((await cancel(alice, id)).text).toBe(canceled.text)
  await service.advance(3600)
  expect((await pay(alice, id)).status).toBe('failed')
  expect((await read(alice, id)).body).toMatchObject({ status: 'failed', txHash: null })
  expect(await spendable(alice)).toBe(eure(100))
  await alice.assertBooks()
})

test('ten concurrent cancellations of one withdrawal give its amount back once', async () => {
  const { alice } = await world({ eur: 100 })
  const id = await requested(alice)
  const canceled = await Promise.all(Array.from({ length: 10 }, () => cancel(alice, id)))
  expect(canceled.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200))
  expect(await spendable(alice)).toBe(eure(100))
  await alice.assertBooks()
})

test('a withdrawal that is being paid or was paid cannot be canceled', async () => {
  const { alice } = await world({ eur: 100 })
  const id = await requested(alice)
  await pay(alice, id)
  const refused = await cancel(alice, id)
  expect([refused.status, refused.body]).toEqual(plainError(409, 'WITHDRAWAL_NOT_CANCELABLE'))
  await service.sandbox('POST', `/withdrawals/${id}`, { outcome: 'completed' })
  expect((await cancel(alice, id)).status).toBe(409)
  expect(await spendable(alice)).toBe(eure(60))
})

test('a cancellation between signing and storing a payout wins, and nothing is sent', async () => {
  const { alice } = await world({ eur: 100 })
  const id = await requested(alice)
  let canceled = 0
  meanwhile = async () => {
    canceled = (await cancel(alice, id)).status
  }
  expect((await pay(alice, id)).status).toBe('failed')
  expect(canceled).toBe(200)
  const sent = await service.ctx.db.query('select nonce from payout_transaction where withdrawal_id = $1', [id])
  expect(sent).toEqual([])
  expect(await spendable(alice)).toBe(eure(100))
  await alice.assertBooks()
})

test('of a payout and a cancellation at the same time, exactly one happens', async () => {
  const { alice } = await world({ eur: 100 })
  for (let i = 0; i < 12; i++) {
    const id = await requested(alice, eure(1))
    // The iterations vary the order: the worker needs several round trips before it takes the lock.
    const [paid, canceled] = await Promise.all([pay(alice, id), i % 2 === 0 ? cancel(alice, id) : after(i, alice, id)])
    const { status } = (await read(alice, id)).body
    expect([canceled.status, status]).toEqual(canceled.status === 200 ? [200, 'failed'] : [409, 'processing'])
    expect(paid.status === 'processing' || paid.status === 'failed').toBe(true)
    await alice.assertBooks()
  }
})

/** Cancels after a few other requests. */
async function after(requests: number, person: Person, id: string) {
  for (let i = 0; i < requests; i++) await read(person, id)
  return cancel(person, id)
}

test('a withdrawal cannot be canceled while the chain may have paid it before a restore of the database', async () => {
  const { alice } = await world({ eur: 100 })
  const id = await requested(alice)
  const [last] = await service.ctx.db.query<{ nonce: bigint | null }>(
    'select max(nonce) as nonce from payout_transaction',
  )
  sentByWallet = (last?.nonce ?? -1n) + 2n
  expect((await cancel(alice, id)).body.error).toBe('WITHDRAWAL_NOT_CANCELABLE')
  sentByWallet = 0n
  expect((await cancel(alice, id)).status).toBe(200)
})

test('a cancellation that fails because of the node leaves the withdrawal pending', async () => {
  const { alice } = await world({ eur: 100 })
  const id = await requested(alice)
  service.controls().chain.failNext(1)
  expect((await cancel(alice, id)).status).toBe(502)
  expect((await read(alice, id)).body.status).toBe('pending')
  expect((await cancel(alice, id)).status).toBe(200)
})

test("another user's withdrawal gets the same response as a missing one", async () => {
  const { alice, bob } = await world({ eur: 100 }, 'alice', 'bob')
  const id = await requested(alice)
  for (const withdrawalId of [id, unknownId]) {
    for (const refused of [await read(bob, withdrawalId), await cancel(bob, withdrawalId)]) {
      expect([refused.status, refused.body]).toEqual(plainError(404, 'WITHDRAWAL_NOT_FOUND'))
    }
  }
  expect((await read(alice, 'x')).status).toBe(400)
  expect((await cancel(alice, '1%27')).status).toBe(400)
  expect((await read(alice, id)).body.status).toBe('pending')
  const anonymous = await service.request('POST', `/user/withdrawals/${id}/cancel`)
  expect(anonymous.status).toBe(401)
})

test('a repeated cancellation with an idempotency key gets the stored response', async () => {
  const { alice } = await world({ eur: 100 })
  const [id, other] = [await requested(alice, eure(1)), await requested(alice, eure(1))]
  const key = { 'idempotency-key': 'cancel-1' }
  const first = await cancel(alice, id, key)
  expect((await cancel(alice, id, key)).text).toBe(first.text)
  expect((await cancel(alice, other, key)).body.error).toBe('IDEMPOTENCY_KEY_REUSED')
})
