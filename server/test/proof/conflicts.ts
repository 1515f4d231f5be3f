import pg from 'pg'
import type { Db } from '../../src/platform/db/db.ts'
import type { TestService } from '../support/service.ts'

/** More than any transaction writes, so that one which was undone does not meet the next conflict as well. */
const every = 101n

/**
 * From now on PostgreSQL undoes every so many a transaction that writes, as it may at any time: as a victim of a
 * deadlock or of a serialisation failure, in turn, at a statement or at the commit. A sequence counts, since what it
 * says is not undone with the rest.
 */
export async function conflictOften(connection: TestService['connection']): Promise<void> {
  const client = new pg.Client(connection)
  await client.connect()
  await client.query(`
    create sequence written;
    create function conflict() returns trigger language plpgsql as $$
    declare turn bigint := nextval('written');
    begin
      if turn % ${every} = 0 then
        raise exception 'undone' using errcode = case (turn / ${every}) % 2 when 0 then '40001' else '40P01' end;
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

/** How often PostgreSQL has undone a transaction so far. */
export async function countConflicts(db: Db): Promise<number> {
  const [row] = await db.query<{ turns: bigint }>('select last_value as turns from written')
  return Number((row?.turns ?? 0n) / every)
}
