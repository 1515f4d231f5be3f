import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { dueWorks } from '../../src/due-work.ts'
import { renderGrants } from '../../src/platform/db/grants.ts'
import { appendOnlyTables, functionPrivileges, tablePrivileges } from '../../src/platform/db/privileges.ts'

const migrations = join(import.meta.dirname, '../../src/platform/db/migrations')
const created = readdirSync(migrations).flatMap((file) =>
  [...readFileSync(join(migrations, file), 'utf8').matchAll(/^create table (\w+)/gm)].map(([, table = '']) => table),
)

test('every table has a row in the table of privileges, which has no other rows', () => {
  const known = Object.keys(tablePrivileges)
  for (const table of created) {
    const advice = `add a row "${table}: { api: …, worker: … }" to tablePrivileges in server/src/platform/db/privileges.ts`
    expect(known, advice).toContain(table)
  }
  expect(known.filter((table) => table !== 'applied_migration').sort()).toEqual(created.sort())
})

test('every function has a row in the table of function privileges, which has no other rows', () => {
  const functions = readdirSync(migrations).flatMap((file) =>
    [...readFileSync(join(migrations, file), 'utf8').matchAll(/^create function (\w+)/gm)].map(([, name = '']) => name),
  )
  expect(Object.keys(functionPrivileges).sort()).toEqual(functions.sort())
  expect(functions.length).toBeGreaterThan(0)
})

test('no role may update or delete a row of an append-only table except its MAC, nor may the reader write anything', () => {
  for (const table of appendOnlyTables) {
    expect(Object.values(tablePrivileges[table] ?? {}).join(), table).not.toMatch(/update(?!\(mac, secret_id\))|delete/)
  }
  for (const { reader = '' } of Object.values(tablePrivileges)) expect(reader).not.toMatch(/\b(insert|update|delete)\b/)
})

test('the worker may lease and postpone every kind of due work', () => {
  for (const { table } of dueWorks) {
    const update = /update(?:\(([^)]*)\))?/.exec(tablePrivileges[table]?.worker ?? '')
    const columns = update?.[1]?.split(', ') ?? ['due_at', 'attempts', 'leased_by']
    expect(update, table).not.toBeNull()
    expect(columns, table).toEqual(expect.arrayContaining(['due_at', 'attempts', 'leased_by']))
  }
})

test('no role may truncate, or create anything', () => {
  expect(renderGrants()).not.toMatch(/\b(truncate|references|trigger|create)\b/)
})

test('comments of migrations that call a table append-only are true', () => {
  const sql = readdirSync(migrations).map((file) => readFileSync(join(migrations, file), 'utf8'))
  const claimed = sql.flatMap((text) =>
    [...text.matchAll(/^((?:--[^\n]*\n)+)create table (\w+)/gm)].flatMap(([, comment = '', table = '']) =>
      /never updated|only ever added/.test(comment) ? [table] : [],
    ),
  )
  expect(claimed.length).toBeGreaterThan(0)
  expect(appendOnlyTables).toEqual(expect.arrayContaining(claimed))
})
