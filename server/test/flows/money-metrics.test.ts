import { execFile } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Gauge } from 'prom-client'
import { expect, test } from 'vitest'
import { chores } from '../../src/due-work.ts'
import { approvePartner, suspendPartner } from '../../src/partners/approval.ts'
import { upsertFailures } from '../../src/webhooks/endpoints-sql.ts'
import { bundled } from '../support/bundle.ts'
import { databaseUrl } from '../support/database-url.ts'
import { captureLog } from '../support/log.ts'
import { newPartner } from '../support/partner.ts'
import { processEnv } from '../support/process-env.ts'
import { sendMessage } from '../support/vendors/issuer.ts'
import { eure, type Person, useWorld } from '../support/world.ts'

const log = captureLog('info')
const { service, cardholder } = useWorld({ worker: false, alter: log.alter })

/** Reads a sample from the registry, because the text of the endpoint may be a second old. A missing sample is 0. */
async function sample(name: string): Promise<number> {
  const text = await service.ctx.metrics.registry.metrics()
  const line = text.split('\n').find((line) => line.startsWith(`${name} `))
  return Number(line?.slice(name.length + 1) ?? 0)
}

/** Returns the growth of a counter during some work. */
async function growth(name: string, work: () => Promise<unknown>): Promise<number> {
  const before = await sample(name)
  await work()
  return (await sample(name)) - before
}

const decisions = (type: string, outcome: string, code = 'none') =>
  `purser_card_decisions_total{type="${type}",outcome="${outcome}",code="${code}"}`
const alarms = (reason: string) => `purser_card_alarms_total{reason="${reason}"}`

async function measure(ctx = service.ctx): Promise<void> {
  const life = new AbortController()
  for (const chore of chores.filter(({ name }) => name.startsWith('measure '))) await chore.run(ctx, life.signal)
}

function firstToken() {
  const [token] = service.ctx.config.tokens
  if (token === undefined) throw new Error('no token is configured')
  return token
}

function decisionLines(holder: Person) {
  return log
    .text()
    .split('\n')
    .filter((line) => line.includes('"card message decided"') && line.includes(holder.cardId))
    .map((line) => JSON.parse(line))
}

test('each decision is counted by its outcome, timed, and logged once', async () => {
  const holder = await cardholder()
  const timed = 'purser_card_decision_seconds_count{outcome="declined"}'
  const send = (amount: string, more: object) => () => holder.send('authorization', amount, more)
  expect(await growth(decisions('authorization', 'approved'), send('10.00', { event_id: 'm1' }))).toBe(1)
  expect(await growth(decisions('authorization', 'repeated'), send('10.00', { event_id: 'm1' }))).toBe(1)
  const second = { authorization_code: 'STORY2', merchant_name: 'Secret Shop' }
  expect(await growth(timed, send('500.00', second))).toBe(1)
  expect(await sample(decisions('authorization', 'declined', '810'))).toBe(1)
  expect(await growth(decisions('reversal', 'approved'), () => holder.send('reversal'))).toBe(1)

  const lines = decisionLines(holder)
  expect(lines.map(({ type, outcome, code }) => [type, outcome, code])).toEqual([
    ['authorization', 'approved', 'none'],
    ['authorization', 'repeated', 'none'],
    ['authorization', 'declined', '810'],
    ['reversal', 'approved', 'none'],
  ])
  for (const { milliseconds, authorizationId, ...line } of lines) {
    expect(milliseconds).toBeGreaterThan(0)
    expect(authorizationId).toBeGreaterThan(0)
    expect(Object.keys(line).sort()).toEqual(
      ['cardId', 'code', 'eventId', 'level', 'msg', 'outcome', 'source', 'time', 'type'].sort(),
    )
  }
  expect(log.text()).not.toContain('Secret Shop')
})

test('the time to a decision includes the wait for a connection', async () => {
  const holder = await cardholder()
  const { db } = service.as('api')
  const held = 200
  const sums = ['approved', 'declined'].map((outcome) => `purser_card_decision_seconds_sum{outcome="${outcome}"}`)
  const total = async () => (await Promise.all(sums.map(sample))).reduce((one, other) => one + other, 0)
  const before = await total()
  const ends: (() => void)[] = []
  const holding = Array.from({ length: service.ctx.config.databasePoolSize }, () =>
    db.transaction(() => new Promise<void>((resolve) => ends.push(resolve))),
  )
  await expect.poll(() => ends.length).toBe(holding.length)
  const message = { type: 'authorization', cardId: holder.cardId, amount: '1000', currency: 'EUR' }
  const sent = sendMessage(service, 'authorizations', message)
  await expect.poll(() => db.connections().waiting).toBeGreaterThan(0)
  await delay(held)
  for (const end of ends) end()
  await Promise.all([...holding, sent])
  expect((await total()) - before).toBeGreaterThan(held / 1000)
})

test('a decision that was not committed is not counted', async () => {
  const holder = await cardholder()
  await holder.send('authorization', '10.00')
  const refused = async () =>
    expect((await holder.try('authorization', '10.00')).body.error).toBe('AUTHORIZATION_CODE_USED')
  expect(await growth(decisions('authorization', 'approved'), refused)).toBe(0)
  expect(decisionLines(holder)).toHaveLength(1)
})

test('an after-commit action runs once after the commit, and never without it', async () => {
  const actions: string[] = []
  const { db } = service.ctx
  await db.transaction(async (tx) => {
    tx.afterCommit(() => actions.push('outer'))
    const undone = tx.savepoint(async () => {
      tx.afterCommit(() => actions.push('undone'))
      throw new Error('undone')
    })
    await expect(undone).rejects.toThrow('undone')
    await tx.savepoint(async () => tx.afterCommit(() => actions.push('inner')))
    expect(actions).toEqual([])
  })
  expect(actions).toEqual(['outer', 'inner'])
  const failed = db.transaction(async (tx) => {
    tx.afterCommit(() => actions.push('failed'))
    throw new Error('failed')
  })
  await expect(failed).rejects.toThrow('failed')
  expect(actions).toEqual(['outer', 'inner'])
})

test('an over-clearing, an unmatched clearing, an over-reversal and a deferred message each raise an alarm', async () => {
  const over = await cardholder()
  await over.send('authorization', '10.00')
  expect(await growth(alarms('over_clearing'), () => over.send('clearing', '12.00'))).toBe(1)
  expect(await growth(alarms('over_clearing'), () => over.send('clearing', '1.00'))).toBe(0)

  const forced = await cardholder()
  expect(await growth(alarms('unmatched_clearing'), () => forced.send('clearing', '12.00'))).toBe(1)

  const reversed = await cardholder()
  await reversed.send('authorization', '10.00')
  expect(await growth(alarms('over_reversal'), () => reversed.send('reversal', '11.00'))).toBe(1)

  const early = await cardholder()
  expect(await growth(alarms('deferred_message'), () => early.send('incremental', '1.00'))).toBe(1)
  expect(await sample(decisions('incremental', 'deferred'))).toBe(1)
})

test('an event id that is reused with another body raises an alarm', async () => {
  const holder = await cardholder()
  await holder.send('authorization', '10.00', { event_id: 'reused' })
  const reuse = async () =>
    expect((await holder.try('authorization', '11.00', { event_id: 'reused' })).body.error).toBe('EVENT_ID_REUSED')
  expect(await growth('purser_event_conflicts_total{source="sandbox"}', reuse)).toBe(1)
})

test('the metrics count users in debt by the amount owed', async () => {
  const { chainId, address } = firstToken()
  const labels = `chain="${chainId}",token="EURe",address="${address}"`
  const debtors = (atLeast: number) => sample(`purser_debt_users{${labels},at_least="${atLeast}"}`)
  const owed = () => sample(`purser_debt_amount{${labels}}`)
  await measure()
  const before = await Promise.all([debtors(0), debtors(10), debtors(100), owed()])
  const [small, large] = [await cardholder(), await cardholder()]
  await small.send('clearing', '100.50')
  await large.send('clearing', '140.00')
  await measure()
  const after = await Promise.all([debtors(0), debtors(10), debtors(100), owed()])
  expect(after.map((value, i) => value - (before[i] ?? 0))).toEqual([2, 1, 0, 40.5])

  await large.deposit(eure(40))
  await measure()
  expect(await debtors(10)).toBe(before[1])
})

test('tokens with the same symbol have separate metrics, on one chain or on several', async () => {
  const token = firstToken()
  const twins = [
    { ...token, address: '0x0000000000000000000000000000000000000001' },
    { ...token, address: '0x0000000000000000000000000000000000000002', chainId: 100 },
  ]
  for (const { address } of twins) service.ctx.sandbox?.chain.setPayoutFunds(address, eure(7))
  await (await cardholder()).send('clearing', '101.00')
  const config = { ...service.ctx.config, tokens: [token, ...twins] }
  await measure({ ...service.ctx, config })
  const { debtAmount, debtUsers, payoutFunds } = service.ctx.metrics
  const seriesOf = async (gauge: Gauge) =>
    (await gauge.get()).values.flatMap(
      ({ labels: { chain, token: symbol, address, at_least: atLeast = '0' }, value }) =>
        symbol === token.symbol && atLeast === '0' ? [[chain, address, value]] : [],
    )
  const seriesOfTwins = (value: number) => twins.map(({ chainId, address }) => [String(chainId), address, value])
  const own = [String(token.chainId), token.address]
  expect(await seriesOf(payoutFunds)).toEqual([[...own, expect.any(Number)], ...seriesOfTwins(7)])
  for (const gauge of [debtAmount, debtUsers]) {
    const [first, ...others] = await seriesOf(gauge)
    expect(first).toEqual([...own, expect.any(Number)])
    expect(first?.[2]).toBeGreaterThanOrEqual(1)
    expect(others).toEqual(seriesOfTwins(0))
  }
})

test('the metrics count holds that are overdue by a minute or that a worker could not end, and no others', async () => {
  const holder = await cardholder()
  await holder.send('authorization', '10.00')
  await measure()
  expect(await sample('purser_overdue_holds')).toBe(0)
  const dueAgo = (seconds: number, attempts: number) =>
    service.ctx.db.query('update card_transaction set due_at = $2, attempts = $3 where user_id = $1', [
      holder.userId,
      new Date(service.ctx.clock.now().getTime() - seconds * 1000),
      attempts,
    ])
  await dueAgo(30, 0)
  await measure()
  expect(await sample('purser_overdue_holds')).toBe(0)
  await dueAgo(90, 0)
  await measure()
  expect(await sample('purser_overdue_holds')).toBe(1)
  // A worker has leased the row for its first attempt.
  await dueAgo(-60, 1)
  await measure()
  expect(await sample('purser_overdue_holds')).toBe(0)
  await dueAgo(-1800, 11)
  await measure()
  expect(await sample('purser_overdue_holds')).toBe(1)
  await service.advance(31 * 86_400)
  await measure()
  expect(await sample('purser_overdue_holds')).toBe(0)
})

test('the metrics count a card whose creation failed at the issuer, until a retry succeeds', async () => {
  const { token } = await service.newUser()
  service.ctx.sandbox?.issuer.failNext(3)
  const body = { cardName: 'Late', phone: '+4915112345678' }
  expect((await service.request('POST', '/cards/virtual', { token, body })).status).toBe(502)
  await service.jobs.runDue()
  await service.advance(60)
  await measure()
  expect(await sample('purser_overdue_cards')).toBe(1)
  await service.advance(600)
  await measure()
  expect(await sample('purser_overdue_cards')).toBe(0)
})

test('the metrics show the number and age of pending screenings', async () => {
  const { userId } = await service.newUser()
  const [token] = service.ctx.config.tokens
  const deposit = { userId, token: token?.address, amount: '1', result: 'pending' }
  const { depositId } = (await service.sandbox('POST', '/deposits', deposit)).body
  await service.advance(600)
  await measure()
  expect(await sample('purser_waiting_screenings')).toBe(1)
  expect(await sample('purser_waiting_screening_oldest_seconds')).toBeGreaterThanOrEqual(600)
  await service.sandbox('POST', `/deposits/${depositId}/screening`, { result: 'approved' })
  await measure()
  expect(await sample('purser_waiting_screenings')).toBe(0)
  expect(await sample('purser_waiting_screening_oldest_seconds')).toBe(0)
})

test('a payout counts as stuck only if it was itself sent more than ten minutes ago', async () => {
  const holder = await cardholder()
  for (const sentSecondsAgo of [660, 60]) {
    const { body } = await holder.withdraw(eure(1))
    const sentAt = new Date(service.ctx.clock.now().getTime() - sentSecondsAgo * 1000)
    await service.ctx.db.query(
      `update withdrawal set status = 'processing', updated_at = $3, tx_hash = $2::text, payout_signer = '0x', payout_nonce = $4
       where user_id = $1 and withdrawal_id = $2::uuid`,
      [holder.userId, body.withdrawalId, sentAt, sentSecondsAgo],
    )
  }
  await measure()
  expect(await sample('purser_stuck_payouts')).toBe(1)
  await service.ctx.db.query('update withdrawal set due_at = null where user_id = $1', [holder.userId])
})

async function operate(...words: string[]): Promise<string> {
  const env = {
    ...processEnv,
    DATABASE_URL: databaseUrl(service.connection),
    OPERATOR: 'ada',
  }
  return (await promisify(execFile)(process.execPath, [bundled('operator'), ...words], { env })).stdout
}

async function openReviews(kind: 'payment' | 'deferred'): Promise<number> {
  await measure()
  return sample(`purser_open_reviews{kind="${kind}"}`)
}

/** Lists a user's open reviews as the operator command prints them. */
async function listed(user: Person): Promise<{ id: string; says: string }[]> {
  const lines = (await operate('reviews', 'list')).split('\n').filter((line) => line.includes(user.userId))
  return lines.map((line) => {
    const [, id = '', says = ''] = /^\S+Z {2}user \S+ {2}(\S+) {2}(.*)$/.exec(line) ?? []
    return { id, says }
  })
}

const done = (holder: Person) =>
  service.ctx.db.query<{ refId: string; doneBy: string; doneAt: Date }>(
    'select ref_id as "refId", done_by as "doneBy", done_at as "doneAt" from review where user_id = $1 order by done_at',
    [holder.userId],
  )

test('a review is listed and counted until an operator closes it, and a new reason opens it again', async () => {
  const holder = await cardholder()
  const before = await openReviews('payment')
  await holder.send('authorization', '10.00')
  await holder.send('clearing', '15.00', { final: false })
  expect(await openReviews('payment')).toBe(before + 1)
  const [review] = await listed(holder)
  expect(review?.says).toBe('settled Payment of 15.00 EUR')

  const id = review?.id ?? ''
  expect(await operate('reviews', 'done', id, 'checked')).toBe(`The review of ${id} is closed.\n`)
  expect(await openReviews('payment')).toBe(before)
  expect(await listed(holder)).toEqual([])
  expect(await done(holder)).toEqual([{ refId: id, doneBy: 'ada', doneAt: expect.any(Date) }])
  for (const name of [id, 'nonsense']) {
    await expect(operate('reviews', 'done', name, 'checked')).rejects.toThrow(`There is no open review of ${name}.`)
  }
  expect(await done(holder)).toHaveLength(1)

  expect(await growth(alarms('over_clearing'), () => holder.send('clearing', '1.00'))).toBe(1)
  expect(await openReviews('payment')).toBe(before + 1)
  await operate('reviews', 'done', id, 'checked')
  expect((await done(holder)).map(({ refId }) => refId)).toEqual([id, id])
  await holder.assertBooks()
})

test('a deferred message is counted for review until its authorization arrives or an operator closes it', async () => {
  const holder = await cardholder()
  const before = await openReviews('deferred')
  await holder.send('reversal', null)
  await holder.send('incremental', '2.00')
  expect(await openReviews('deferred')).toBe(before + 2)
  expect(await sample('purser_open_review_oldest_seconds{kind="deferred"}')).toBeGreaterThan(0)
  expect((await listed(holder)).map(({ says }) => says)).toEqual([
    'deferred incremental of 2.00 EUR',
    'deferred reversal of all EUR',
  ])
  await holder.send('authorization', '10.00')
  expect(await openReviews('deferred')).toBe(before)
  expect(await listed(holder)).toEqual([])

  // After a decline the message stays deferred. Its amount is added once an approved advice arrives.
  const other = { authorization_code: 'OTHER1' }
  await holder.send('incremental', '3.00', other)
  await holder.send('authorization', '500.00', other)
  const [kept] = await listed(holder)
  await operate('reviews', 'done', kept?.id ?? '', 'checked')
  expect(await openReviews('deferred')).toBe(before)
  expect(await done(holder)).toMatchObject([{ refId: kept?.id, doneBy: 'ada' }])
  await holder.send('advice', '1.00', other)
  expect((await holder.cardRows()).at(-1)).toMatchObject({ status: 'pending', amount: '400' })
  expect(await openReviews('deferred')).toBe(before)
})

test('a due webhook delivery is overdue only at a working endpoint of an active partner', async () => {
  const partner = await newPartner(service)
  const { endpointId } = (await partner.ask('POST', '/webhooks', { url: 'http://127.0.0.1:9/' })).body
  await partner.ask('POST', `/webhooks/${endpointId}/test`, { type: 'account.created' })
  await service.advance(90)
  const overdueSeconds = async () => {
    await measure()
    return sample('purser_webhooks_overdue_seconds')
  }
  expect(await overdueSeconds()).toBeGreaterThanOrEqual(90)
  await suspendPartner(service.ctx, partner.partnerId)
  expect(await overdueSeconds()).toBe(0)
  await approvePartner(service.ctx, partner.partnerId)
  expect(await overdueSeconds()).toBeGreaterThanOrEqual(90)
  await upsertFailures(service.ctx.db, [endpointId], service.ctx.clock.now(), new Date(0))
  expect(await overdueSeconds()).toBe(0)
  expect(await sample('purser_webhooks_waiting')).toBe(1)
})
