import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { grantDetails } from '../../src/partners/approval.ts'
import { publishOutbox } from '../../src/webhooks/publish-outbox.ts'
import { newOperator, propose, type TestOperator } from '../support/console.ts'
import { newPartner } from '../support/partner.ts'
import { type Person, useWorld } from '../support/world.ts'

const { service, world } = useWorld({ worker: false })
let viewer: TestOperator
let support: TestOperator
let auditor: TestOperator
let alice: Person

const person = { firstName: 'Ada', lastName: 'Lovelace', street: '1 Main Street', city: 'Berlin', postalCode: '10115' }

beforeAll(async () => {
  viewer = await newOperator(service, 'viewer')
  support = await newOperator(service, 'support')
  auditor = await newOperator(service, 'auditor')
  alice = (await world({ eur: 100, card: true, email: 'ada@example.org' })).alice
  await service.ctx.db.query(
    `update app_user set first_name = $2, last_name = $3, street = $4, city = $5, postal_code = $6, birth_date = '1990-02-03',
       nationality = 'FRA' where user_id = $1`,
    [alice.userId, person.firstName, person.lastName, person.street, person.city, person.postalCode],
  )
})

const of = (path: string) => `/users/${alice.userId}${path}`

/** Reads all pages of a list, each with the given limit. */
async function everyPage(operator: TestOperator, path: string, limit: number): Promise<any[]> {
  const items: any[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query = `${path.includes('?') ? '&' : '?'}limit=${limit}${cursor === '' ? '' : `&cursor=${cursor}`}`
    const { status, body, text } = await operator.ask('GET', `${path}${query}`)
    expect(status, text).toBe(200)
    expect(body.data.length).toBeLessThanOrEqual(limit)
    expect(body.pagination.hasNext).toBe(body.pagination.nextCursor !== null)
    items.push(...body.data)
    cursor = body.pagination.nextCursor
  }
  return items
}

describe('personal data', () => {
  test('a user is shown with masked personal data', async () => {
    const { status, body, text } = await viewer.ask('GET', of(''))
    expect(status, text).toBe(200)
    expect(body.person).toMatchObject({ email: 'a•••@e•••.org', firstName: 'A•••', lastName: 'L•••', birthDate: '•••' })
    expect(body.person).toMatchObject({ phone: '•••78', nationality: '•••' })
    expect(body).toMatchObject({ userId: alice.userId, status: 'active', accountStatus: 'active' })
    expect(body.owners).toEqual([expect.objectContaining({ address: alice.wallet.address })])
    for (const text of ['Lovelace', 'ada@', '1990', 'FRA', 'Main Street', '4915112345678'])
      expect(JSON.stringify(body)).not.toContain(text)
  })

  test('the name of a card is masked until an operator reveals personal data', async () => {
    const { ada } = await world({ eur: 1 }, 'ada')
    const card = { cardName: 'Ada Lovelace', phone: '+4915112345678' }
    const made = await ada.ask('POST', '/cards/virtual', card)
    expect(made.status, made.text).toBe(201)
    const { cardId } = made.body
    const { text, body } = await viewer.ask('GET', `/users/${ada.userId}/cards`)
    expect(body.data).toEqual([expect.objectContaining({ cardId, name: 'A•••' })])
    expect(text).not.toContain('Lovelace')
    const revealed = await support.ask('POST', `/users/${ada.userId}/reveal`, { reason: 'the user asked for it' })
    expect(revealed.body.cards).toEqual([{ cardId, name: 'Ada Lovelace' }])
  })

  test("an auditor sees which member or key of a partner read a user's details, and a viewer does not", async () => {
    const partner = await newPartner(service)
    await grantDetails(service.as('operator'), partner.partnerId, true)
    const { bob } = await world({ partner, eur: 1 }, 'bob')
    const key = await partner.key('users:details')
    const path = `/partner/users/${bob.userId}`
    for (const token of [partner.token, key]) {
      for (const read of [path, `${path}/statement`]) {
        expect((await service.request('GET', read, { token })).status).toBe(200)
      }
    }
    const audit = `/partners/${partner.partnerId}/audit`
    const reads = await everyPage(auditor, `${audit}?subject=${bob.userId}`, 3)
    const owner = `wallet:${partner.owner.address}`
    const ofKey = expect.stringMatching(/^key:/)
    expect(reads.map(({ action, actor, subject }) => [action, actor, subject])).toEqual([
      ['user.statement-read', ofKey, bob.userId],
      ['user.details-read', ofKey, bob.userId],
      ['user.statement-read', owner, bob.userId],
      ['user.details-read', owner, bob.userId],
    ])
    expect(
      await everyPage(auditor, `${audit}?subject=${bob.userId}&actor=${owner}&action=user.details-read`, 1),
    ).toEqual(reads.slice(3))
    expect((await viewer.ask('GET', audit)).status).toBe(403)
    expect((await auditor.ask('GET', `/partners/${randomUUID()}/audit`)).body.error).toBe('PARTNER_NOT_FOUND')
    expect((await auditor.ask('GET', `${audit}?cursor=x`)).body.error).toBe('INVALID_CURSOR')
  })

  test('the list of users masks the email address', async () => {
    const listed = (await viewer.ask('GET', '/users?limit=100')).body.data
    expect(listed.find(({ userId }: any) => userId === alice.userId)).toMatchObject({ email: 'a•••@e•••.org' })
  })

  test('revealing personal data needs a reason and the permission, and is recorded with the reader and the reason', async () => {
    const reason = 'the user asked to correct the street'
    const body = (await support.ask('POST', of('/reveal'), { reason })).body
    expect(body).toMatchObject({
      ...person,
      email: 'ada@example.org',
      birthDate: '1990-02-03',
      nationality: 'FRA',
      phone: '+4915112345678',
    })
    for (const wrong of [{}, { reason: '' }, { reason: '   ' }, { reason: 'x'.repeat(501) }, { reason: 'a\u0000b' }])
      expect((await support.ask('POST', of('/reveal'), wrong)).status).toBe(400)
    expect((await viewer.ask('POST', of('/reveal'), { reason })).body.error).toBe('ROLE_NOT_PERMITTED')
    const reads = (await auditor.ask('GET', `/reads?userId=${alice.userId}`)).body.data
    expect(reads).toEqual([
      expect.objectContaining({ readBy: support.wallet.address, role: 'support', userId: alice.userId, reason }),
    ])
    expect((await auditor.ask('GET', '/reads')).body.data[0].readId).toBe(reads[0].readId)
    expect((await support.ask('GET', '/reads')).body.error).toBe('ROLE_NOT_PERMITTED')
  })

  test('the record of a read of personal data cannot be changed or deleted by the service', async () => {
    const { db } = service.as('operator')
    await expect(db.query("update personal_data_read set reason = ''")).rejects.toThrow('permission denied')
    await expect(db.query('delete from personal_data_read')).rejects.toThrow('permission denied')
  })

  test('a reveal of an unknown user gets 404 and records no read of personal data', async () => {
    const userId = randomUUID()
    expect((await support.ask('POST', `/users/${userId}/reveal`, { reason: 'a test' })).status).toBe(404)
    expect((await auditor.ask('GET', `/reads?userId=${userId}`)).body.data).toEqual([])
  })
})

test('every user is on exactly one page of the list, newest first', async () => {
  await world({}, 'bob', 'carol', 'dave')
  const ids = (await everyPage(viewer, '/users', 2)).map(({ userId }) => userId)
  expect(ids).toEqual(ids.toSorted().toReversed())
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids).toContain(alice.userId)
})

test('an operator reads the same statement as the user, and the deposits, withdrawals and cards', async () => {
  await alice.withdraw(5n * 10n ** 18n)
  await alice.send('authorization', '10.00')
  const own = await alice.statement()
  expect(await everyPage(viewer, of('/statement'), 1)).toEqual(own)
  const deposits = await everyPage(viewer, of('/deposits'), 1)
  expect(deposits).toEqual([expect.objectContaining({ userId: alice.userId, status: 'approved', transfer: null })])
  const withdrawals = await everyPage(viewer, of('/withdrawals'), 1)
  expect(withdrawals).toEqual([expect.objectContaining({ amount: String(5n * 10n ** 18n), status: 'pending' })])
  const [card, ...others] = (await viewer.ask('GET', of('/cards'))).body.data
  expect([card.cardId, card.status, others]).toEqual([alice.cardId, 'active', []])
  expect(JSON.stringify(card)).not.toContain('oken')
})

test('the history of a card transaction has its messages and postings, and is not found under another user', async () => {
  const [{ id }] = await alice.cardRows()
  const { status, body, text } = await viewer.ask('GET', of(`/card-transactions/${id}`))
  expect(status, text).toBe(200)
  expect(body.messages[0]).toMatchObject({ type: 'authorization', after: { held: '1000', settled: '0' } })
  expect(body.movements[0].postings[0]).toMatchObject({ from: 'available', to: 'held' })
  const other = (await world({}, 'eve')).eve
  const strange = await viewer.ask('GET', `/users/${other.userId}/card-transactions/${id}`)
  expect([strange.status, strange.body.error]).toEqual([404, 'CARD_TRANSACTION_NOT_FOUND'])
})

test('the events of a user are those that the partner can read', async () => {
  const partner = await newPartner(service)
  await partner.ask('POST', '/webhooks', { url: 'http://localhost:9/hook' })
  const { alice: user } = await world({ partner, eur: 10 })
  await publishOutbox(service.as('worker'))
  const events = await everyPage(viewer, `/users/${user.userId}/events`, 2)
  const own = (await partner.ask('GET', '/events')).body.data
  expect(events.map(({ id }) => id)).toEqual(own.map(({ id }: any) => id).toReversed())
  expect(events.length).toBeGreaterThan(2)
  expect((await viewer.ask('GET', of('/events'))).body.data).toEqual([])
})

test('the decisions about a user are those with the user as their subject', async () => {
  const { userId } = (await world({}, 'frank')).frank
  const proposed = await propose(support, { command: 'user block', subject: userId, reason: 'a test' })
  expect(proposed.body.status, proposed.text).toBe('executed')
  expect(await everyPage(viewer, `/users/${userId}/decisions`, 1)).toEqual([
    expect.objectContaining({ command: 'user block', subject: userId, decidedBy: support.wallet.address }),
  ])
})

test.each([
  '',
  '/cards',
  '/statement',
  '/deposits',
  '/withdrawals',
  '/events',
  '/decisions',
  '/movements',
  '/ledger-accounts',
])('a request for an unknown user gets 404 from /operator/users/{userId}%s', async (path) => {
  const { status, body } = await viewer.ask('GET', `/users/${randomUUID()}${path}`)
  expect([status, body.error]).toEqual([404, 'USER_NOT_FOUND'])
})

test('a cursor that is not a position in its list is rejected', async () => {
  const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const wrong = ['x', encoded({}), encoded([]), encoded(['a', 'b']), encoded(["'; drop table app_user"]), encoded([1])]
  const paths = [
    '/users',
    of('/statement'),
    of('/movements'),
    '/reviews',
    '/domains',
    '/reconciliation',
    '/webhooks/dead',
  ]
  for (const path of paths) {
    for (const cursor of wrong) {
      const { status, body } = await viewer.ask('GET', `${path}?cursor=${cursor}`)
      if (path !== '/domains' || status !== 200)
        expect([path, status, body.error.error ?? body.error]).toEqual([path, 400, 'INVALID_CURSOR'])
    }
  }
})
