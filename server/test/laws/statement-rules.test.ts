import { expect, test } from 'vitest'
import { assertStatementRules } from '../support/run/statement-rules.ts'

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

test.each([
  ['a lookup of one user', 'select * from card where user_id = $1 and card_id = $2'],
  [
    'an upsert of one user',
    'insert into ledger_balance (user_id, token) values ($1, $2) on conflict (user_id, token) do nothing',
  ],
  ['a scan of due work, which returns keys only', '-- scanDue\nselect user_id, card_id from card where due_at <= $1'],
  ['the directory', 'select user_id from directory where lookup_key = $1'],
])('the check of SQL statements accepts %s', (_what, sql) => {
  expect(() => assertStatementRules(sql)).not.toThrow()
})
