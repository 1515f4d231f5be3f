import pg from 'pg'
import type { Db } from '../../src/platform/db/db.ts'
import type { TestService } from '../support/service.ts'

/** More writes than any transaction has, so that a retried transaction does not meet the next conflict as well. */
const writesPerConflict = 101n

/**
 * Makes PostgreSQL abort a transaction after every so many writes, alternately as a deadlock and as a serialization
 * failure. It aborts at a statement or at the commit. A sequence counts the writes, because rollbacks do not undo it.
 * The function runs as its owner: the roles of the service may not use the sequence.
 */
export async function conflictOften(connection: TestService['connection']): Promise<void> {
  const client = new pg.Client(connection)
  await client.connect()
  await client.query(`
    create sequence written;
    create function conflict() returns trigger language plpgsql security definer as $$
    declare turn bigint := nextval('written');
    begin
      if turn % ${writesPerConflict} = 0 then
        raise exception 'conflict' using errcode = case (turn / ${writesPerConflict}) % 2 when 0 then '40001' else '40P01' end;
      end if;
      return null;
    end $$;
    do $$
    declare name text;
    begin
      for name in select tablename from pg_tables where schemaname = 'public' loop
        execute format('create trigger at_statement after insert or update or delete on %I
          for each statement execute function conflict()', name);
        execute format('create constraint trigger at_commit after insert or update on %I
          deferrable initially deferred for each row execute function conflict()', name);
      end loop;
    end $$`)
  await client.end()
}

/** Returns the number of transactions that PostgreSQL has aborted so far. */
export async function countConflicts(db: Db): Promise<number> {
  const [row] = await db.query<{ turns: bigint }>('select last_value as turns from written')
  return Number((row?.turns ?? 0n) / writesPerConflict)
}
