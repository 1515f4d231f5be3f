import { beforeAll, expect, test } from 'vitest'
import { reauthenticateLogs } from '../../src/money/reconcile/check-logs.ts'
import { checkAll } from '../../src/money/reconcile/reconcile.ts'
import { newOperator, propose } from '../support/console.ts'
import { runMoneyCommand } from '../support/operator.ts'
import { newPartner } from '../support/partner.ts'
import { useWorld } from '../support/world.ts'

const { service } = useWorld({ worker: false })
let partnerId = ''
const tables = ['operator_decision', 'partner_audit'] as const

beforeAll(async () => {
  for (const [state, reason] of [
    ['off', 'one'],
    ['on', 'two'],
    ['off', 'three'],
    ['on', 'four'],
  ] as const) {
    await runMoneyCommand(service, 'switch payouts <state> <reason>', state, reason)
  }
  const partner = await newPartner(service)
  partnerId = partner.partnerId
  for (const domain of ['one.example', 'two.example', 'three.example']) {
    await partner.ask('POST', '/domains', { domain, environment: 'sandbox' })
  }
})

const sql = (text: string) => service.ctx.db.query(text)

async function findings(): Promise<string[]> {
  const { firstBadRows } = await checkAll(service.as('reader'))
  return firstBadRows.map(({ table, key, wrong }) => `${table} ${key.split(' ')[1] ?? 'head'}: ${wrong}`)
}

/** Changes a table as an insider would, returns the findings, and restores it. */
async function tamper(table: string, ...texts: string[]): Promise<string[]> {
  await sql('create table kept_log as select * from sealed_log')
  await sql(`create table kept as select * from ${table}`)
  try {
    for (const text of texts) await sql(text)
    return await findings()
  } finally {
    await sql(`delete from ${table}`)
    await sql(`insert into ${table} select * from kept`)
    await sql('delete from sealed_log')
    await sql('insert into sealed_log select * from kept_log')
    await sql('drop table kept, kept_log')
  }
}

test('operator decisions and audit logs that nobody changed pass the check', async () => {
  expect(await findings()).toEqual([])
  const { records } = await checkAll(service.as('reader'))
  expect(records).toBeGreaterThanOrEqual(8)
})

test.each(tables)('a changed row of %s is found', async (table) => {
  const column = table === 'operator_decision' ? 'reason' : 'actor'
  const wrong = 'I9: its hash or MAC does not fit: it, or the record before it, was changed'
  expect(await tamper(table, `update ${table} set ${column} = 'mallory' where seq = 2`)).toEqual([
    `${table} 2: ${wrong}`,
  ])
  const time = table === 'operator_decision' ? 'decided_at' : 'created_at'
  expect(await tamper(table, `update ${table} set ${time} = ${time} + interval '1 microsecond' where seq = 4`)).toEqual(
    [`${table} 4: ${wrong}`],
  )
})

test.each(tables)('a removed row of %s is found, also the last one', async (table) => {
  expect(await tamper(table, `delete from ${table} where seq = 2`)).toEqual([
    `${table} 3: I9: the records after 1 and before 3 are missing`,
  ])
  expect(await tamper(table, `delete from ${table} where seq = 4`)).toEqual([
    `${table} head: I9: the log ends at 3, but its head at 4`,
  ])
  // An insider can also move the head back, but not authenticate it.
  const back = `update sealed_log set seq = 3, hash = (select hash from ${table} where seq = 3) where log like '${table}%'`
  expect(await tamper(table, `delete from ${table} where seq = 4`, back)).toEqual([
    `${table} head: I9: the hash or MAC of the head does not fit`,
  ])
  expect(await tamper(table, `delete from sealed_log where log like '${table}%'`)).toEqual([
    `${table} head: I9: the head of the log is missing`,
  ])
})

test('a row inserted into a sealed log is found', async () => {
  const decision = `insert into operator_decision (decision_id, seq, hash, mac, secret_id, decided_by, decided_at, command, subject, reason, break_glass)
    select '00000000-0000-4000-8000-000000000005', 5, hash, mac, secret_id, 'mallory', decided_at, command, subject, reason, break_glass from operator_decision where seq = 4`
  const audit = `insert into partner_audit (partner_id, seq, actor, action, subject, detail, created_at, hash, mac, secret_id)
    select partner_id, 5, actor, action, subject, detail, created_at, hash, mac, secret_id from partner_audit where seq = 4`
  for (const [table, text] of [
    ['operator_decision', decision],
    ['partner_audit', audit],
  ] as const) {
    expect(await tamper(table, text)).toEqual([
      `${table} 5: I9: its hash or MAC does not fit: it, or the record before it, was changed`,
      `${table} head: I9: the log ends at 5, but its head at 4`,
    ])
  }
  expect(partnerId).not.toBe('')
})

test('a forged head of a log that cannot exist is a bad row, and does not stop the check or a rotation', async () => {
  const forged = ['partner_audit:mallory', `partner_audit:${'0'.repeat(37)}`, 'mallory']
  const names = forged.map((log) => `('${log}', 1, '', '', 'old')`).join()
  await sql(`insert into sealed_log (log, seq, hash, mac, secret_id) values ${names}`)
  try {
    const { badRows, firstBadRows } = await checkAll(service.as('reader'))
    const wrong = 'I9: no log has this name'
    expect(firstBadRows).toEqual(forged.toSorted().map((key) => ({ table: 'sealed_log', key, wrong, userId: 'none' })))
    expect(badRows).toBe(forged.length)
    expect(await reauthenticateLogs(service.as('operator'), () => {})).toEqual({ rejected: forged.length })
  } finally {
    await sql("delete from sealed_log where secret_id = 'old'")
  }
  expect(await findings()).toEqual([])
})

test('a reason that is not well-formed is rejected, and one with emoji passes the check', async () => {
  const operator = await newOperator(service, 'admin')
  const { userId } = await service.newUser()
  const block = (reason: string) => operator.ask('POST', `/users/${userId}/block`, { reason })
  const message = 'body must be well-formed: a surrogate such as \\ud800 needs its other half'
  for (const reason of ['\ud800', 'a \udc00 b', '\udc00\ud800']) {
    expect((await block(reason)).body.error, JSON.stringify(reason)).toMatchObject({ message })
  }
  expect((await propose(operator, { command: 'user block', subject: userId, reason: 'stolen 📱' })).status).toBe(201)
  expect(await findings()).toEqual([])
})

test('a text that PostgreSQL stores differently has the hash of its stored form', async () => {
  await runMoneyCommand(service, 'switch payouts <state> <reason>', 'off', 'half a \ud83d')
  expect(await findings()).toEqual([])
})
