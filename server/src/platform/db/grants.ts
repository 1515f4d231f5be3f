// pure
import { type DatabaseRole, databaseRoles, functionPrivileges, playedBySandbox, tablePrivileges } from './privileges.ts'

export function roleName(role: DatabaseRole): string {
  return `purser_${role}`
}

/**
 * Returns the SQL that creates the missing roles. Roles belong to the whole server. `login` lets the roles connect;
 * otherwise, their members assume them.
 */
export function renderRoles(login: 'login' | 'nologin'): string {
  const names = databaseRoles.map(roleName)
  const creates = names.map(
    (name) =>
      `do $$ begin create role ${name} ${login}; exception when duplicate_object or unique_violation then null; end $$;`,
  )
  const played = playedBySandbox.map(roleName).join(', ')
  return [...creates, `grant ${played} to ${roleName('sandbox')};`].join('\n')
}

/** Returns the SQL that gives each role exactly its privileges. Repeatable, and for use in a transaction. */
export function renderGrants(): string {
  const everybody = databaseRoles.map(roleName).join(', ')
  return [
    // A cluster rejects changes of several reference tables in one transaction unless they go shard by shard.
    `set local citus.multi_shard_modify_mode = 'sequential';`,
    `do $$ begin execute format('grant usage on schema %I to ${everybody}', current_schema()); end $$;`,
    `revoke all on ${Object.keys(tablePrivileges).join(', ')} from ${everybody};`,
    ...Object.entries(tablePrivileges).flatMap(([table, byRole]) =>
      databaseRoles.flatMap((role) => {
        const privileges = byRole[role]
        return privileges === undefined ? [] : [`grant ${privileges} on ${table} to ${roleName(role)};`]
      }),
    ),
    `revoke all on function ${Object.keys(functionPrivileges).join(', ')} from public, ${everybody};`,
    ...Object.entries(functionPrivileges).map(
      ([name, roles]) => `grant execute on function ${name} to ${roles.map(roleName).join(', ')};`,
    ),
  ].join('\n')
}
