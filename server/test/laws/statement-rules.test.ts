import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { OneOf, Row, withRowShape } from '../../src/platform/db/row-shapes.ts'
import { checkShape } from '../support/run/row-check.ts'
import {
  assertStatementRules,
  brokenMigrationRules,
  brokenStatementRules,
  brokenValueRule,
  functionStatements,
  migrations,
  testMarker,
} from '../support/run/statement-rules.ts'

test.each([
  ['a lookup without its user', 'select * from card where card_id = $1'],
  ['a join that names no user', 'select 1 from card c join cardholder h using (user_id) where c.card_id = $1'],
  ['an update without its user', 'update withdrawal set status = $2 where withdrawal_id = $1'],
  ['a delete without its user', 'delete from idempotency_key where created_at < $1'],
  ['an insert that leaves the user out', 'insert into card (card_id) values ($1)'],
  ["the database's own clock", 'update app_user set updated_at = now() where user_id = $1'],
  ['an advisory lock', 'select pg_advisory_xact_lock(1)'],
])('the check of SQL statements rejects %s', (_what, sql) => {
  expect(() => assertStatementRules(sql)).toThrow()
})

/** Statements that a cluster rejected, did not survive, or sent to all of its nodes. */
const faults = [
  {
    what: 'an insert in a WITH query, whose rows another insert takes',
    sql: `with changed as (insert into statement_item (user_id, created_at, item_id, item) values ($1, $2, $3, $4)
        on conflict (user_id, created_at, item_id) do update set item = excluded.item returning item_id)
      insert into event (user_id, seq, data) values ($1, (select count(*) from changed), $4)`,
    rule: 'an insert in a WITH query',
  },
  {
    what: 'a subquery in the conflict of an insert',
    sql: `insert into sign_in_domain (domain, created_at, partner_id) values ($1, $2, $3)
      on conflict (domain) do update set partner_id = excluded.partner_id
        where exists (select from partner p where p.partner_id = excluded.partner_id and p.status = 'active')`,
    rule: 'an insert into sign_in_domain has a subquery',
  },
  {
    what: 'a slice of an array in the conflict of an insert',
    sql: `insert into sandbox_clock (id, steps) values (1, array[$1::uuid])
      on conflict (id) do update set steps = (excluded.steps || sandbox_clock.steps)[1:100]`,
    rule: 'a slice of an array in a conflict',
  },
  {
    what: 'a subquery in the values of an insert',
    sql: 'insert into event (user_id, seq) values ($1, (select max(seq) from event where user_id = $1))',
    rule: 'an insert into event has a subquery',
  },
  {
    what: 'an insert of selected rows',
    sql: 'insert into event (user_id, seq) select u.user_id, 1 from app_user u where u.user_id = $1',
    rule: 'an insert into event does not take values',
  },
  {
    what: 'an insert of the rows of arrays',
    sql: `insert into accepted_terms (user_id, type, version)
      select $1, type, version from unnest($2::text[], $3::text[]) as given (type, version)`,
    rule: 'an insert into accepted_terms does not take values',
  },
  {
    what: 'a subquery in the condition of groups',
    sql: `-- scanDue
      select m.user_id from movement m where m.created_at >= $1 group by m.user_id
      having max(m.seq) > (select max(s.last_seq) from movement_seal s where s.user_id = m.user_id)`,
    rule: 'a subquery in having',
  },
  {
    what: 'an alias that equals a column of an array',
    sql: `select a.account_id from unnest($1::uuid[]) as c (user_id) join account a on a.user_id = c.user_id
      where a.user_id = any($1) and exists (select from owner o where o.user_id = c.user_id)`,
    rule: 'owner o does not name its user',
  },
  {
    what: 'an alias that equals another alias',
    sql: `delete from event e where e.user_id = any($1::uuid[])
      and exists (select from event later where later.user_id = e.user_id and later.seq > e.seq)`,
    rule: 'event later does not name its user',
  },
  {
    what: 'a second table after a comma',
    sql: 'select c.status from card c, app_user u where c.user_id = $1 and u.user_id = c.user_id',
    rule: 'app_user u does not name its user',
  },
  {
    what: 'a second part of a union',
    sql: 'select item from statement_item where user_id = $1 union all select item_id::text from statement_item',
    rule: 'statement_item does not name its user',
  },
  {
    what: 'a subquery that depends on a common table expression',
    sql: `-- scanDue
      with u as materialized (select user_id, max(seq) as seq from movement group by user_id)
      select u.user_id from u
      where u.seq > (select s.last_seq from movement_seal s where s.user_id = u.user_id order by s.first_seq desc limit 1)`,
    rule: 'a subquery depends on u, which is not a table',
  },
  {
    what: 'a subquery that depends on a limited subquery',
    sql: `-- scanDue
      select u.user_id, (select max(m.seq) from movement m where m.user_id = u.user_id)
      from (select user_id from account where user_id > $1 order by user_id limit $2) as u`,
    rule: 'a subquery depends on u, which is not a table',
  },
  {
    what: 'a key that is changed before it is compared',
    sql: `select user_id from directory where lower(lookup_key::text) = any($1)`,
    rule: 'directory is not read by its lookup_key',
  },
  {
    what: 'a nonce that is found by another column',
    sql: 'select nonce from used_nonce where signer = $1',
    rule: 'used_nonce is not read by its nonce',
  },
]

test('the check of SQL statements finds a list of users that is empty', () => {
  const sql = 'select item from statement_item where user_id = any($1::uuid[]) and created_at < $2'
  expect(brokenValueRule(sql, [[], new Date(0)])).toBe('the list of user_id is empty')
  expect(brokenValueRule(sql, [['a user'], new Date(0)])).toBeUndefined()
})

test.each(faults)('the check of SQL statements finds $what', ({ sql, rule }) => {
  expect(brokenStatementRules(sql)).toContain(rule)
})

test.each([
  ['a lookup of one user', 'select * from card where user_id = $1 and card_id = $2'],
  [
    'an upsert of one user',
    'insert into ledger_balance (user_id, token) values ($1, $2) on conflict (user_id, token) do nothing',
  ],
  [
    'an upsert with an array and casts',
    `insert into sandbox_clock (id, steps) values (1, array[$1::uuid])
      on conflict (id) do update set steps = excluded.steps || array[$1::uuid]`,
  ],
  ['a scan of due work, which returns keys only', '-- scanDue\nselect user_id, card_id from card where due_at <= $1'],
  ['the directory', 'select user_id from directory where lookup_key = $1'],
  [
    'a join of two bound aliases',
    'select 1 from card c join app_user u on u.user_id = c.user_id where c.user_id = $1 and u.user_id = $1',
  ],
  [
    'a subquery that depends on a table',
    '-- scanDue\nselect a.user_id, (select max(m.seq) from movement m where m.user_id = a.user_id) from account a',
  ],
])('the check of SQL statements accepts %s', (_what, sql) => {
  expect(brokenStatementRules(sql)).toEqual([])
})

test('no statement of the service claims to be one of a test', () => {
  const src = join(import.meta.dirname, '../../src')
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
  expect(files.filter((file) => readFileSync(join(src, file), 'utf8').includes(testMarker))).toEqual([])
})

test('every statement of an SQL function obeys the rules for statements', () => {
  const found = functionStatements()
  expect([...found.keys()]).toContain('record_card_message')
  const broken = [...found].flatMap(([name, statements]) =>
    statements.flatMap((sql) => brokenStatementRules(sql).map((rule) => `${name}: ${rule}`)),
  )
  // The reset of a sandbox changes the rows of all users.
  const ofAllUsers = ['reset_sandbox: used_nonce is not read by its nonce']
  expect(broken).toEqual(ofAllUsers)
  // A check that finds no statements would pass, too.
  expect([...found.values()].flat().length).toBeGreaterThan(25)
})

test('no migration adds a column with its check, which a table that is split by user rejects', () => {
  for (const [file, text] of migrations) expect(brokenMigrationRules(text), file).toEqual([])
  const added = 'alter table card add column color text check (color <> $$$$);'
  expect(brokenMigrationRules(added)).toEqual([expect.stringContaining('column color')])
  const apart = 'alter table card add column color text; alter table card add constraint card_color check (color = 1);'
  expect(brokenMigrationRules(apart)).toEqual([])
})

test('a row with a state that its statement does not declare fails the test that reads it', () => {
  // No other test may use this text: shapes are stored by text, and test files in the same worker share them.
  const statement = withRowShape(
    Row({ status: OneOf(['active', 'blocked']) }),
    '/* of two states */ select status from card where user_id = $1 and card_id = $2',
  )
  const check = (rows: readonly unknown[]) => checkShape(statement, rows)
  expect(() => check([{ status: 'active' }, { status: 'blocked' }])).not.toThrow()
  for (const row of [{ status: 'melted' }, { status: null }, {}, { status: 'active', more: 1 }]) {
    expect(() => check([row]), JSON.stringify(row)).toThrow("a row's")
  }
})
