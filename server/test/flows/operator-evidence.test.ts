import { createHash, createPublicKey, type JsonWebKey, verify } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { beforeAll, expect, test } from 'vitest'
import { readEvidence } from '../../src/console/evidence.ts'
import { checkAll } from '../../src/money/reconcile/reconcile.ts'
import { storeRun } from '../../src/money/reconcile/runs.ts'
import { grantDetails } from '../../src/partners/approval.ts'
import { newOperator, propose, type TestOperator } from '../support/console.ts'
import { newPartner } from '../support/partner.ts'
import { useWorld } from '../support/world.ts'

const { service, world } = useWorld({ worker: false })
let auditor: TestOperator
let support: TestOperator

beforeAll(async () => {
  auditor = await newOperator(service, 'auditor')
  support = await newOperator(service, 'support')
})

const day = 86_400_000
const at = (milliseconds: number) => new Date(service.ctx.clock.now().getTime() + milliseconds).toISOString()
const bundle = (from: string, to: string, operator = auditor) =>
  operator.ask('GET', `/evidence?from=${encodeURIComponent(from)}&to=${encodeURIComponent(to)}`)

/**
 * Verifies a bundle as docs/operators.md describes it, with nothing but its text and the public keys of the service.
 */
function verified(text: string, keys: { kid: string; publicJwk: JsonWebKey }[]): any[] {
  const end = text.lastIndexOf('\n', text.length - 2) + 1
  const last = JSON.parse(text.slice(end))
  const key = keys.find(({ kid }) => kid === last.kid)
  if (key === undefined) throw new Error('the key is unknown')
  const [header = '', payload = '', signature = ''] = last.jws.split('.')
  const isSigned = verify(
    'sha256',
    Buffer.from(`${header}.${payload}`),
    { key: createPublicKey({ key: key.publicJwk, format: 'jwk' }), dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  )
  const { typ } = JSON.parse(Buffer.from(header, 'base64url').toString())
  const { sha256, records, isComplete } = JSON.parse(Buffer.from(payload, 'base64url').toString())
  const isSame = createHash('sha256').update(text.slice(0, end)).digest('hex') === sha256
  if (!isSigned || typ !== 'purser-evidence' || !isSame) throw new Error('the evidence is not authentic')
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  if (!isComplete || lines.length !== records + 2) throw new Error('the evidence is not complete')
  return lines
}

test('the evidence of a period contains every kind of record, and its signature is verified offline', async () => {
  const partner = await newPartner(service)
  const { alice } = await world({ partner, eur: 100, card: true })
  await grantDetails(service.as('operator'), partner.partnerId, true)
  for (const path of ['', '/statement']) await partner.ask('GET', `/users/${alice.userId}${path}`)
  await propose(support, { command: 'user block', subject: alice.userId })
  await support.ask('POST', `/users/${alice.userId}/reveal`, { reason: 'a test' })
  const { db, clock } = service.ctx
  const now = clock.now()
  await db.query('insert into review (user_id, review_id, ref_id, done_by, done_at) values ($1, $2, $2, $3, $4)', [
    ...[alice.userId, crypto.randomUUID(), support.wallet.address, now],
  ])
  await db.query(
    `insert into card_view (user_id, view_id, card_id, signer_address, action, token_hash, expires_at, created_at)
     values ($1, $2, $3, 'x', 'view-pin', 'secret', $4, $4)`,
    [alice.userId, crypto.randomUUID(), alice.cardId, now],
  )
  await storeRun(service.as('worker'), now, await checkAll(service.as('worker')), null)
  await db.query(
    `insert into personal_data_read (read_id, read_by, role, about_user, reason, read_at)
     select ('00000000-0000-7000-8000-' || lpad(i::text, 12, '0'))::uuid, 'x', 'admin', $1, 'many', $2
     from generate_series(1, 1100) as i`,
    [alice.userId, now],
  )
  const { status, text, headers } = await bundle(at(-day), at(day))
  expect([status, headers.get('content-type')]).toEqual([200, 'application/x-ndjson'])
  const keys = (await auditor.ask('GET', '/signing-keys')).body.data
  const lines = verified(text, keys)
  const counts = Object.fromEntries(
    [...Map.groupBy(lines, ({ kind }) => kind)].map(([kind, all]) => [kind, all.length]),
  )
  expect(counts).toEqual({
    evidence: 1,
    decision: 1,
    review: 1,
    reconciliation: 1,
    cardView: 1,
    personalDataRead: 1101,
    partnerRead: 2,
    signature: 1,
  })
  expect(lines[0]).toMatchObject({ createdBy: auditor.wallet.address, mode: 'sandbox' })
  expect(new Set(lines.map(({ readId }) => readId)).size).toBe(1102)
  expect(text).not.toContain('secret')
  const read = { partnerId: partner.partnerId, readBy: `wallet:${partner.owner.address}`, userId: alice.userId }
  expect(lines.filter(({ kind }) => kind === 'partnerRead')).toMatchObject([
    { ...read, action: 'user.details-read', readAt: expect.any(String) },
    { ...read, action: 'user.statement-read' },
  ])

  expect(() => verified(text.replace('"a test"', '"a best"'), keys)).toThrow('not authentic')
  const [first = '', ...others] = text.split('\n')
  expect(() => verified([first, ...others.slice(1)].join('\n'), keys)).toThrow('not authentic')
  expect(() => verified(text, [])).toThrow('unknown')
})

test('the signature of evidence is not an access token', async () => {
  const { text } = await bundle(at(-day), at(day))
  const { jws } = JSON.parse(text.trimEnd().split('\n').at(-1) ?? '')
  const response = await service.request('GET', '/user', { token: jws })
  expect([response.status, response.body.error]).toEqual([401, 'INVALID_TOKEN'])
})

test('records outside of the period are not in the evidence', async () => {
  const lines = verified(
    (await bundle(at(day), at(2 * day))).text,
    (await auditor.ask('GET', '/signing-keys')).body.data,
  )
  expect(lines.map(({ kind }) => kind)).toEqual(['evidence', 'signature'])
})

test('evidence is incomplete only if it lacks a record, not when it has exactly as many as allowed', async () => {
  const reads = 700
  const from = new Date('2020-01-01T00:00:00Z')
  await service.ctx.db.query(
    `insert into personal_data_read (read_id, read_by, role, about_user, reason, read_at)
     select ('00000000-0000-7000-8001-' || lpad(i::text, 12, '0'))::uuid, 'x', 'admin', $1, 'many', $2
     from generate_series(1, $3::int) as i`,
    [crypto.randomUUID(), from, reads],
  )
  const period = { from, to: new Date('2020-01-02T00:00:00Z') }
  const claimsOf = async (limit: number) => {
    const lines = await text(await readEvidence(service.ctx, { count: 0 }, period, 'x', limit))
    const { records, isComplete } = JSON.parse(lines.trimEnd().split('\n').at(-1) ?? '')
    return [limit, records, isComplete]
  }
  for (const limit of [500, 699]) expect(await claimsOf(limit)).toEqual([limit, limit, false])
  for (const limit of [700, 701]) expect(await claimsOf(limit)).toEqual([limit, reads, true])
})

test.each([
  ['a period of 93 days', '2026-01-01T00:00:00Z', '2026-04-04T00:00:00Z', 422],
  ['a period of 92 days, an hour and a second', '2026-10-01T00:00:00+02:00', '2027-01-01T00:00:01+01:00', 422],
  ['a period that ends before it begins', '2026-01-02T00:00:00Z', '2026-01-01T00:00:00Z', 422],
  ['an empty period', '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z', 422],
  ['a text that is not a time', 'yesterday', '2026-01-01T00:00:00Z', 400],
  ['a time beyond the range of the database', '2026-01-01T00:00:00Z', '+275760-09-13T00:00:00Z', 400],
])('evidence of %s is rejected', async (_what, from, to, status) => {
  const response = await bundle(from, to)
  expect(response.status, response.text).toBe(status)
  if (status === 422) expect(response.body.error).toBe('PERIOD_INVALID')
})

test('evidence covers up to 92 days', async () => {
  expect((await bundle('2026-01-01T00:00:00Z', '2026-04-03T00:00:00Z')).status).toBe(200)
  // The clocks of Berlin go back on 25 October.
  expect((await bundle('2026-10-01T00:00:00+02:00', '2027-01-01T00:00:00+01:00')).status).toBe(200)
})

test('only an admin and an auditor get evidence', async () => {
  expect((await bundle(at(-day), at(day), support)).body.error).toBe('ROLE_NOT_PERMITTED')
  expect((await bundle(at(-day), at(day), await newOperator(service, 'admin'))).status).toBe(200)
})
