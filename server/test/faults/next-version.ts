import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const server = join(import.meta.dirname, '../..')

/** All that a migration may do while the previous version runs: add, and let pass what did not. */
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
  alter table card_message drop constraint card_message_type_check;
  insert into next_thing values ('00000000-0000-7000-8000-000000000000', 'of the next version');
`

export type Version = { readonly main: string; remove(): Promise<void> }

/**
 * The next version of the service, in a folder of its own: this one's code, and a migration that this one has never
 * heard of. So this one is the old version of a deploy, and runs on a database that is newer than itself.
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
