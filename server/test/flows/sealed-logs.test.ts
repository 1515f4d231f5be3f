import { beforeAll, expect, test } from 'vitest'
import { modeValues } from '../../src/config/mode-values.ts'
import { recordOperatorDecision } from '../../src/events/operator-decisions.ts'
import { beginDecisionLog } from '../../src/events/sealed-log.ts'
import { logEnds, reauthenticateLogs } from '../../src/money/reconcile/check-logs.ts'
import { checkAll } from '../../src/money/reconcile/reconcile.ts'
import { recordPartnerReads } from '../../src/partners/partners.ts'
import { clearCaches } from '../../src/platform/cache/caches.ts'
import type { Tx } from '../../src/platform/db/db.ts'
import { createLog } from '../../src/platform/observability/log.ts'
import { newOperator, propose } from '../support/console.ts'
import { runMoneyCommand } from '../support/operator.ts'
import { newPartner, type TestPartner } from '../support/partner.ts'
import { useWorld } from '../support/world.ts'

const { service } = useWorld({ worker: false })
let partnerId = ''
let partner: TestPartner
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
  partner = await newPartner(service)
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
  return whileTampered(table, texts, findings)
}

async function whileTampered<T>(table: string, texts: readonly string[], act: () => Promise<T>): Promise<T> {
  await sql('create table kept_log as select * from sealed_log')
  await sql(`create table kept as select * from ${table}`)
  try {
    for (const text of texts) await sql(text)
    return await act()
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
  const wrong = 'I9: its hash or MAC does not match: it, or the record before it, was changed'
  expect(await tamper(table, `update ${table} set ${column} = 'mallory' where seq = 2`)).toEqual([
    `${table} 2: ${wrong}`,
  ])
  const time = table === 'operator_decision' ? 'decided_at' : 'created_at'
  // A cluster updates a column only with functions that never depend on a setting such as the time zone.
  const later = `(${time} at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC'`
  expect(await tamper(table, `update ${table} set ${time} = ${later} where seq = 4`)).toEqual([`${table} 4: ${wrong}`])
})

test.each(tables)('a removed row of %s is found, even the last one', async (table) => {
  expect(await tamper(table, `delete from ${table} where seq = 2`)).toEqual([
    `${table} 3: I9: the records after 1 and before 3 are missing`,
  ])
  expect(await tamper(table, `delete from ${table} where seq = 4`)).toEqual([
    `${table} head: I9: the log ends at 3, but its head names 4`,
  ])
  // An insider can also move the head back, but not authenticate it.
  const back = `update sealed_log set seq = 3, hash = (select hash from ${table} where seq = 3) where log like '${table}%'`
  expect(await tamper(table, `delete from ${table} where seq = 4`, back)).toEqual([
    `${table} head: I9: the hash or MAC of the head does not match`,
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
      `${table} 5: I9: its hash or MAC does not match: it, or the record before it, was changed`,
      `${table} head: I9: the log ends at 5, but its head names 4`,
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

const inProduction = () => ({ ...service.as('reader').config, ...modeValues.production })

test('a log that was removed with its head is found', async () => {
  const everything = (table: string) => [`delete from ${table}`, `delete from sealed_log where log like '${table}%'`]
  expect(await tamper('partner_audit', ...everything('partner_audit'))).toEqual([
    'partner_audit head: I9: the head of the log is missing',
  ])
  const inProductionFindings = async () => {
    const { firstBadRows } = await checkAll({ ...service.as('reader'), config: inProduction() })
    return firstBadRows.map(({ table, wrong }) => `${table}: ${wrong}`)
  }
  expect(await inProductionFindings()).toEqual([])
  expect(await whileTampered('operator_decision', everything('operator_decision'), inProductionFindings)).toEqual([
    'operator_decision: I9: the head of the log is missing',
  ])
})

/** Seals one more record of the table's log. */
async function sealNext(table: (typeof tables)[number], tx: Tx): Promise<void> {
  const ctx = { ...service.ctx, config: inProduction() }
  if (table === 'partner_audit') {
    await recordPartnerReads(ctx, tx, partnerId, [{ actor: 'key:1', action: 'user.details-read', subject: 'eve' }])
  } else {
    const note = { decidedBy: 'eve', command: 'user block', subject: 'bob', reason: 'later' }
    await recordOperatorDecision(ctx, tx, { ...note, approvedBy: null, proof: null })
  }
}

/** Seals one more record of the table's log. Returns the findings in production. */
async function findingsAfterNext(table: (typeof tables)[number]): Promise<string[]> {
  await service.ctx.db.transaction((tx) => sealNext(table, tx))
  const { firstBadRows } = await checkAll({ ...service.as('reader'), config: inProduction() })
  return firstBadRows.map(({ table: of, wrong }) => `${of}: ${wrong}`)
}

test.each(tables)('sealing another record does not make a forged or missing head of %s valid', async (table) => {
  const back = `update sealed_log set seq = 2, hash = (select hash from ${table} where seq = 2) where log like '${table}%'`
  const cut = [`delete from ${table} where seq > 2`, back]
  const emptied = [`delete from ${table}`, `delete from sealed_log where log like '${table}%'`]
  const blank = `insert into sealed_log (log, seq, hash, mac, secret_id) select case '${table}' when 'partner_audit'
    then 'partner_audit:${partnerId}' else 'operator_decision' end, 0, '', '', ''`
  const wrong = [`${table}: I9: the hash or MAC of the head does not match`]
  for (const texts of [cut, emptied, [...emptied, blank]]) {
    const found = await whileTampered(table, texts, async () => [
      await findingsAfterNext(table),
      await findingsAfterNext(table),
    ])
    expect(found).toEqual([wrong, wrong])
  }
  expect(await findings()).toEqual([])
})

test.each(tables)(
  'a record of %s is stored although the head is missing, restored or forged, and the check reports the log',
  async (table) => {
    const [early] = await service.ctx.db.query<Record<string, unknown>>(
      `select seq, hash, mac, secret_id, log from sealed_log where log like '${table}%'`,
    )
    await service.ctx.db.transaction((tx) => sealNext(table, tx))
    const restore = () =>
      service.ctx.db.query('update sealed_log set seq = $1, hash = $2, mac = $3, secret_id = $4 where log = $5', [
        ...Object.values(early ?? {}),
      ])
    const changes = [
      () => sql(`delete from sealed_log where log = '${early?.['log']}'`),
      restore,
      () => sql(`update sealed_log set seq = ${2n ** 63n - 1n} where log = '${early?.['log']}'`),
    ]
    const noHead = `${table}: I9: the hash or MAC of the head does not match`
    for (const change of changes) {
      const found = await whileTampered(table, [], async () => {
        await change()
        return findingsAfterNext(table)
      })
      expect(found).toContain(noHead)
    }
    expect(await findings()).toEqual([])
  },
)

test('the first start of production stores the head of the empty log of decisions', async () => {
  const { db } = service.ctx
  const { begun, sandbox } = await whileTampered('operator_decision', ['delete from sealed_log'], async () => ({
    sandbox: await db.transaction((tx) => beginDecisionLog(service.ctx, tx)).then(() => sql('select from sealed_log')),
    begun: await db
      .transaction((tx) => beginDecisionLog({ config: inProduction() }, tx))
      .then(() => db.query('select log, seq, length(mac) as mac from sealed_log')),
  }))
  expect(sandbox).toEqual([])
  expect(begun).toEqual([{ log: 'operator_decision', seq: 0n, mac: 32 }])
})

test.each(tables)(
  'the log of the service reveals that the last record of %s was removed, and then put back in the place of the next one',
  async (table) => {
    const lines: string[] = []
    const log = createLog('warn', { write: (line) => lines.push(line) })
    const ctx = { ...service.ctx, log, caches: { ...service.ctx.caches, loggedEnds: new Map<string, string>() } }
    const [end] = await service.ctx.db.query<{ log: string; seq: bigint }>(
      `select log, seq from sealed_log where log like '${table}%'`,
    )
    await logEnds(ctx)
    await whileTampered(table, [`delete from ${table} where seq = ${end?.seq}`], async () => {
      await service.ctx.db.transaction((tx) => sealNext(table, tx))
      await logEnds(ctx)
    })
    const ends = lines.map((line) => JSON.parse(line)).filter(({ log: name }) => name === end?.log)
    expect(ends.map(({ seq }) => seq)).toEqual([String(end?.seq), String(end?.seq)])
    const logged = ends.map(({ seq, head }) => ({ seq: BigInt(seq), head }))
    const { firstBadRows } = await checkAll(service.as('reader'), { loggedEnds: new Map([[String(end?.log), logged]]) })
    const wrong = `I9: its logged hash is ${ends[1].head}, but it was removed or replaced`
    expect(firstBadRows.map((row) => row.wrong)).toEqual([wrong])
  },
)

test.each(tables)(
  'the log of the service reveals that records of %s were removed and an earlier head was restored',
  async (table) => {
    const lines: string[] = []
    const log = createLog('warn', { write: (line) => lines.push(line) })
    const loggedEnds = new Map<string, string>()
    const ctx = { ...service.ctx, log, caches: { ...service.ctx.caches, loggedEnds } }
    const [early] = await service.ctx.db.query<Record<string, unknown>>(
      `select log, seq, hash, mac, secret_id from sealed_log where log like '${table}%'`,
    )
    await logEnds(ctx)
    if (table === 'partner_audit')
      await partner.ask('POST', '/domains', { domain: 'four.example', environment: 'sandbox' })
    else await runMoneyCommand(service, 'switch payouts <state> <reason>', 'on', 'five')
    await logEnds(ctx)
    await logEnds(ctx)
    const ends = lines.map((line) => JSON.parse(line)).filter(({ log: name }) => name === early?.['log'])
    expect(ends.map(({ seq, msg }) => [seq, msg])).toEqual([
      [String(early?.['seq']), 'log sealed'],
      [String(Number(early?.['seq']) + 1), 'log sealed'],
    ])
    // A reset of the sandbox empties the logs, so each end counts as new.
    lines.length = 0
    clearCaches(ctx.caches)
    await logEnds(ctx)
    expect(lines.join('')).toContain(String(early?.['log']))
    const logged = new Map([[String(early?.['log']), ends.map(({ seq, head }) => ({ seq: BigInt(seq), head }))]])
    const check = async () => {
      const { firstBadRows } = await checkAll(service.as('reader'), { loggedEnds: logged })
      return firstBadRows.map(({ key, wrong }) => `${key.split(' ')[1]}: ${wrong}`)
    }
    expect(await check()).toEqual([])
    const rollback = async () => {
      await service.ctx.db.query('update sealed_log set seq = $2, hash = $3, mac = $4, secret_id = $5 where log = $1', [
        ...Object.values(early ?? {}),
      ])
      return { without: await findings(), found: await check() }
    }
    const { without, found } = await whileTampered(
      table,
      [`delete from ${table} where seq > ${early?.['seq']}`],
      rollback,
    )
    expect(without).toEqual([])
    const last = ends.at(-1)
    expect(found).toEqual([`${last?.seq}: I9: its logged hash is ${last?.head}, but it was removed or replaced`])
  },
)
