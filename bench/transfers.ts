import { readFile } from 'node:fs/promises'
import pg from 'pg'
import type { Connection } from './load.ts'

/**
 * Prepares the ledger of `peers/one-call-transfer.sql`, and returns a pgbench script that books one transfer between a
 * random user and another account of the same user, as an authorization does.
 */
export async function transferScript(
  connection: Connection,
  users: number,
): Promise<{ text: string; variables: ReadonlyMap<string, string> }> {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    await client.query(await readFile(new URL('peers/one-call-transfer.sql', import.meta.url), 'utf8'))
    await client.query(`
      insert into peer_account (account_id, currency, balance, may_be_negative, updated_at)
        select kind || '_' || n, 'EUR', case kind when 'available' then 10::numeric ^ 30 else 0 end, false, now()
        from generate_series(1, ${users}) n cross join (values ('available'), ('held')) as kinds (kind)`)
    await client.query('vacuum (analyze) peer_account')
  } finally {
    await client.end()
  }
  const text = `\\set n random(1, :users)
select peer_book_transfer('available_' || :n, 'held_' || :n, 1000000000000000000);
`
  return { text, variables: new Map([['users', String(users)]]) }
}
