import type { Queryable, Tx } from '../db/db.ts'
import type { Programme } from './rules.ts'

export async function findProgramme(db: Queryable): Promise<Programme | null> {
  const [row] = await db.query<Programme>('select mode, chain_ids as "chainIds" from programme where id = 1')
  return row ?? null
}

/** Stores the row unless another process has stored it. Returns whether it is new. */
export async function insertProgramme(tx: Tx, { mode, chainIds }: Programme): Promise<boolean> {
  const rows = await tx.query(
    'insert into programme (id, mode, chain_ids) values (1, $1, $2) on conflict (id) do nothing returning id',
    [mode, chainIds],
  )
  return rows.length > 0
}

/** Adds chains to the row. Two processes may add chains at the same time, and the row then has both. */
export async function addChains(db: Queryable, chainIds: readonly number[]): Promise<void> {
  await db.query(
    `update programme set chain_ids = array(select distinct unnest(chain_ids || $1::integer[]) order by 1)
     where id = 1 and not chain_ids @> $1::integer[]`,
    [chainIds],
  )
}

/** Replaces the chains of a programme without users. */
export async function replaceChains(db: Queryable, chainIds: readonly number[]): Promise<void> {
  await db.query(
    `-- scanDueAnyUser
     update programme set chain_ids = $1 where id = 1 and not exists (select 1 from directory)`,
    [chainIds],
  )
}
