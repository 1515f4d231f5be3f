import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import type { Connection, Script } from './load.ts'

/** The files of pgledger (https://github.com/pgr0ss/pgledger), within a checkout of it, in the order of their use. */
const files = ['vendor/scoville-pgsql-ulid/uuid-to-ulid.sql', 'pgledger.sql']

/**
 * Installs pgledger in a new database, and returns a pgbench script that books one transfer between two accounts of a
 * random user, as an authorization does. `version` is a hash of its files.
 */
export async function pgledgerScript(
  connection: Connection,
  users: number,
  folder: string,
): Promise<Script & { readonly version: string }> {
  const client = new pg.Client(connection)
  const hash = createHash('sha256')
  await client.connect()
  try {
    for (const file of files) {
      const sql = await readFile(join(folder, file), 'utf8')
      hash.update(sql)
      await client.query(sql)
    }
    await client.query(`
      create table bench_account as
        select n, available.id as available, held.id as held from generate_series(1, ${users}) n,
          lateral pgledger_create_account('available ' || n, 'EUR') available,
          lateral pgledger_create_account('held ' || n, 'EUR') held`)
    await client.query('alter table bench_account add primary key (n)')
    await client.query('vacuum (analyze)')
  } finally {
    await client.end()
  }
  const text = `\\set n random(1, :users)
select available, held from bench_account where n = :n \\gset
select * from pgledger_create_transfer(:available, :held, 1000000000000000000);
`
  return { text, variables: new Map([['users', String(users)]]), version: hash.digest('hex').slice(0, 12) }
}
