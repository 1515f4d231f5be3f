import { StartError } from '../../lib/errors.ts'
import type { Secrets } from '../../lib/secrets.ts'
import type { Queryable } from '../db/db.ts'
import { secretId } from './derive-key.ts'

/**
 * The secrets that stored data may depend on. Owns `secret_in_use`. Every process adds its first secret when it starts,
 * before it writes anything that depends on it. The command `secrets rotate` removes the others, once nothing depends
 * on them.
 */

/** Throws if SECRET lacks one of the values that stored data may depend on. Otherwise records its first value. */
export async function useSecrets(db: Queryable, secrets: Secrets, now: Date): Promise<void> {
  const ids = secrets.map(secretId)
  const rows = await db.query<{ secretId: string }>('select secret_id as "secretId" from secret_in_use')
  const inUse = new Set(rows.map(({ secretId }) => secretId))
  if ([...inUse].some((id) => !ids.includes(id))) {
    throw new StartError(`SECRET does not list a value that data in this database depends on. Either an older value was removed, or SECRET belongs to another database.
Add the previous value after the new one, as SECRET=new,old. See "Rotating SECRET" in docs/secrets.md.`)
  }
  if (inUse.has(secretId(secrets[0]))) return
  await db.query('insert into secret_in_use (secret_id, since) values ($1, $2) on conflict do nothing', [
    secretId(secrets[0]),
    now,
  ])
}

/** Deletes the records of all secrets except the first. Processes can then start without the others. */
export async function forgetOldSecrets(db: Queryable, [secret]: Secrets): Promise<void> {
  await db.query('delete from secret_in_use where secret_id <> $1', [secretId(secret)])
}
