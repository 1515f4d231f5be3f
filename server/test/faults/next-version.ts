import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const server = join(import.meta.dirname, '../..')

/** The changes that a migration may make while the previous version runs: additions and loosened constraints. */
const migration = `
  create table next_thing (thing_id uuid primary key, note text not null);
  do $$
  declare name text;
  begin
    for name in select tablename from pg_tables where schemaname = 'public' order by tablename loop
      execute format('alter table %I add column next_note text', name);
      execute format('alter table %I add column next_count integer not null default 7', name);
      execute format('create index on %I (next_count)', name);
    end loop;
  end $$;
  alter domain card_message_type drop constraint card_message_type_check;
  insert into next_thing values ('00000000-0000-7000-8000-000000000000', 'inserted by the next version');
`

export type Version = { readonly main: string; remove(): Promise<void> }

/**
 * Copies the service to a folder and adds a migration. The current code then acts as the old version of a deployment:
 * it runs on a database that is newer than itself.
 */
export async function makeNextVersion(): Promise<Version> {
  const folder = await mkdtemp(join(tmpdir(), 'purser-next-'))
  const next = join(folder, 'server')
  await mkdir(next)
  for (const part of ['src', 'package.json']) {
    await cp(join(server, part), join(next, part), { recursive: true })
  }
  await cp(join(server, '../contracts'), join(folder, 'contracts'), { recursive: true })
  for (const part of ['node_modules', 'server/node_modules'])
    await symlink(join(server, '..', part), join(folder, part))
  await writeFile(join(next, 'src/platform/db/migrations/9999-next.sql'), migration)
  return {
    main: join(next, 'src/main.ts'),
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}
