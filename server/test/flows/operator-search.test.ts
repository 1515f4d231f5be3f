import { beforeAll, expect, test } from 'vitest'
import { newId } from '../../src/lib/id.ts'
import { publishOutbox } from '../../src/webhooks/publish-outbox.ts'
import { newOperator, type TestOperator } from '../support/console.ts'
import { newPartner } from '../support/partner.ts'
import { type Person, useWorld } from '../support/world.ts'

const { service, world } = useWorld({ worker: false })
let viewer: TestOperator
let alice: Person

beforeAll(async () => {
  viewer = await newOperator(service, 'viewer')
  alice = (await world({ eur: 100, card: true, email: 'Ada@Example.org' })).alice
  await alice.send('authorization', '10.00', { authorization_code: 'QWE123' })
})

async function search(q: string): Promise<any[]> {
  const { status, body, text } = await viewer.ask('GET', `/search?q=${encodeURIComponent(q)}`)
  expect(status, text).toBe(200)
  return body.data
}

const one = async <T>(sql: string, ...values: unknown[]): Promise<T> => {
  const [row] = await service.ctx.db.query<T>(sql, values)
  if (row === undefined) throw new Error(`no row: ${sql}`)
  return row
}

test('a user is found by id, wallet, deposit address and email address, in any letter case', async () => {
  const { userId, wallet, accountAddress } = alice
  const user = { kind: 'user', id: userId, userId, partnerId: null }
  expect(await search(userId)).toEqual([{ ...user, matched: 'userId' }])
  expect(await search(userId.toUpperCase())).toEqual([{ ...user, matched: 'userId' }])
  for (const address of [wallet.address, wallet.address.toLowerCase(), `  ${wallet.address} `])
    expect(await search(address)).toEqual([{ ...user, matched: 'wallet' }])
  expect(await search(accountAddress)).toEqual([{ ...user, matched: 'depositAddress' }])
  for (const mail of ['ada@example.org', ' ADA@example.ORG'])
    expect(await search(mail)).toEqual([{ ...user, matched: 'email' }])
})

test('a search by the last digits and the expiry returns the newest 20 of many cards', async () => {
  const { db } = service.ctx
  const card = await one<Record<string, unknown>>('select * from card where user_id = $1', alice.userId)
  const columns = Object.keys(card)
  const ids = Array.from({ length: 25 }, (_, i) => newId(new Date(Date.UTC(2031, 0, 1 + i))))
  for (const id of ids.toSorted((one, other) => one.slice(-4).localeCompare(other.slice(-4)))) {
    const copy: Record<string, unknown> = { ...card, card_id: id, last4: '7310', due_at: null }
    await db.query(
      `insert into card (${columns.join(', ')}) values (${columns.map((_, at) => `$${at + 1}`).join(', ')})`,
      columns.map((column) => copy[column]),
    )
  }
  const expiry = `${String(card['expiry_month']).padStart(2, '0')}/${card['expiry_year']}`
  expect((await search(`7310 ${expiry}`)).map(({ id }) => id)).toEqual(ids.toReversed().slice(0, 20))
  await db.query(`delete from card where user_id = $1 and last4 = '7310'`, [alice.userId])
})

test('a part of an email address, id or code finds nothing', async () => {
  for (const part of [
    'ada@',
    'ada',
    'da@example.org',
    '%',
    'ada@example.%',
    alice.userId.slice(0, 8),
    '*',
    'QWE',
    'QWE12_',
  ])
    expect([part, await search(part)]).toEqual([part, []])
})

test('a card is found by its id, and by the last digits and expiry', async () => {
  const { userId, cardId } = alice
  const card = { kind: 'card', id: cardId, userId, partnerId: null }
  expect(await search(cardId)).toEqual([{ ...card, matched: 'cardId' }])
  const found = await one<{ last4: string; month: number; year: number }>(
    'select last4, expiry_month as month, expiry_year as year from card where user_id = $1',
    userId,
  )
  const month = String(found.month).padStart(2, '0')
  expect(await search(`${found.last4} ${month}/${found.year - 2000}`)).toEqual([{ ...card, matched: 'last4' }])
  expect(await search(`${found.last4} ${month}/${found.year}`)).toHaveLength(1)
  expect(await search(`${found.last4} ${month}/${found.year + 1}`)).toEqual([])
})

test('a card transaction is found by its authorization code', async () => {
  expect(await search('QWE123')).toEqual([
    expect.objectContaining({ kind: 'cardTransaction', userId: alice.userId, matched: 'authorizationCode' }),
  ])
})

test('deposits and payouts are found by id and by the hash of the transaction', async () => {
  const { userId } = alice
  const { id, hash } = await one<{ id: string; hash: string }>(
    'select deposit_id as id, tx_hash as hash from deposit where user_id = $1',
    userId,
  )
  const deposit = { kind: 'deposit', id, userId, partnerId: null }
  expect(await search(id)).toEqual([{ ...deposit, matched: 'depositId' }])
  expect(await search(hash)).toEqual([{ ...deposit, matched: 'transactionHash' }])
  const { withdrawalId } = (await alice.withdraw(10n ** 18n)).body
  const payout = { kind: 'payout', id: withdrawalId, userId, partnerId: null }
  expect(await search(withdrawalId)).toEqual([{ ...payout, matched: 'withdrawalId' }])
  await service.advance(60)
  const sent = await one<{ hash: string | null }>('select tx_hash as hash from withdrawal where user_id = $1', userId)
  expect(await search(String(sent.hash))).toEqual([{ ...payout, matched: 'transactionHash' }])
})

test('an event is found by its id, and a partner by its id and name', async () => {
  const partner = await newPartner(service, 'Example Wallet')
  const { partnerId } = partner
  await partner.ask('POST', '/webhooks', { url: 'http://localhost:9/hook' })
  const { bob } = await world({ partner, eur: 5 }, 'bob')
  await publishOutbox(service.as('worker'))
  const [event] = (await partner.ask('GET', '/events')).body.data
  const found = { kind: 'event', id: event.id, userId: bob.userId, partnerId, matched: 'eventId' }
  expect(await search(event.id)).toEqual([found])
  const hit = { kind: 'partner', id: partnerId, userId: null, partnerId }
  expect(await search(partnerId)).toEqual([{ ...hit, matched: 'partnerId' }])
  expect(await search('example WALLET')).toEqual([{ ...hit, matched: 'partnerName' }])
})

test('a search needs a text of at most 200 characters', async () => {
  for (const query of ['', '?q=', `?q=${'x'.repeat(201)}`])
    expect((await viewer.ask('GET', `/search${query}`)).status).toBe(400)
  for (const hostile of ["' or 1=1 --", '\u0000', '\ud800'.toWellFormed(), '🦊', '../..'])
    expect((await viewer.ask('GET', `/search?q=${encodeURIComponent(hostile)}`)).status).toBe(200)
})
