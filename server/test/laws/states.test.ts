import { afterAll, beforeAll, expect, test } from 'vitest'
import { run } from '../support/run/cluster.ts'
import { stateColumns } from '../support/run/state-columns.ts'
import { testMarker } from '../support/run/statement-rules.ts'
import { startService } from '../support/service.ts'

let service: Awaited<ReturnType<typeof startService>>
beforeAll(async () => {
  service = await startService({ worker: false })
})
afterAll(() => service.stop())

/** Reads the checks of single columns: those of the column itself, and those of its domain. */
const checksOfColumns = `
  select relname || '.' || attname as "column", pg_get_constraintdef(k.oid) as "check"
  from pg_class c
    join pg_attribute a on attrelid = c.oid
    join pg_constraint k on (conrelid = c.oid and conkey = array[attnum]) or (contypid = atttypid and contypid <> 0)
  where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace and contype = 'c'`

/** Returns the texts that a check compares its column with. PostgreSQL prints `in` as `= ANY`. */
function statesIn(check: string): string[] {
  const [, list = ''] = /^CHECK \(\(\w+ (?:= ANY \(|<@ |= )(?:ARRAY\[)?('.*'::text)\]?\)*$/.exec(check) ?? []
  return [...list.matchAll(/'([^']*)'::text/g)].map(([, state = '']) => state)
}

test('every list of states in the migrated database equals the list of its TypeScript type', async () => {
  const checks = await run<{ column: string; check: string }>(service.connection, checksOfColumns)
  const found = checks.map(({ column, check }) => [column, statesIn(check).sort()] as const)
  expect(Object.fromEntries(found.filter(([, states]) => states.length > 0))).toEqual(
    Object.fromEntries(Object.entries(stateColumns).map(([column, states]) => [column, states.toSorted()])),
  )
})

test('in tests, a state that no list names fails every statement that reads it', async () => {
  const { db } = service.ctx
  const { userId, token } = await service.newUser()
  await service.deposit({ userId }, 1_000_000n)
  const melt = (statement: string) => run(service.connection, statement, [userId])
  await run(service.connection, 'alter table app_user drop constraint app_user_kyc_status_check')
  await run(service.connection, 'alter table deposit drop constraint deposit_return_state_check')
  await melt(`update app_user set kyc_status = 'melted' where user_id = $1`)
  await melt(`update deposit set return_state = 'melted' where user_id = $1`)

  const text = `${testMarker}\nwith found as (select kyc_status from app_user) select kyc_status as renamed from found`
  const wrong = 'app_user.kyc_status has no state "melted"'
  await expect(db.query(text)).rejects.toThrow(wrong)
  await expect(db.transaction((tx) => tx.query(text))).rejects.toThrow(wrong)
  await expect(db.snapshot((snapshot) => snapshot.query(text))).rejects.toThrow(wrong)
  await expect(db.reader.query(text)).rejects.toThrow(wrong)
  for (const path of ['/user', '/user/deposits'])
    expect(await service.request('GET', path, { token }), path).toMatchObject({ status: 500 })
})

test('a card that is blocked by an unknown party fails the statement that reads it', async () => {
  const { db } = service.ctx
  await run(service.connection, 'alter table card drop constraint card_blocked_by_check')
  await run(
    service.connection,
    `insert into card (user_id, card_id, name, type, status, blocked_by, currency, created_at, updated_at)
     select x, x, '', 'virtual', 'blocked', '{owner,nobody}', 'EUR', now(), now() from gen_random_uuid() x`,
  )
  const cards = db.query(`${testMarker}\nselect blocked_by from card`)
  await expect(cards).rejects.toThrow('card.blocked_by has no state "nobody"')
})
