import { Type } from 'typebox'
import { encryptedDatabase } from './outbound.ts'
import { group, optional, setting } from './setting.ts'

export const database = group('Database', 'PostgreSQL 15 to 18.', {
  databaseUrl: optional('DATABASE_URL', {
    schema: Type.String({ format: 'postgres-url' }),
    secret: true,
    neededIn: 'production',
    inProduction: encryptedDatabase,
    shownDefault: 'an embedded PostgreSQL in `DATA_DIR`',
    about:
      'The connection URL of your PostgreSQL. In production, a server on another machine needs `sslmode=verify-full`.',
    hint: 'Use a PostgreSQL that you run and back up.',
  }),
  databasePoolSize: setting('DATABASE_POOL_SIZE', {
    schema: Type.Integer({ minimum: 1, maximum: 200 }),
    default: 8,
    about:
      'Connections per process, and per database role where roles are in use. With `DATABASE_PREPARED=on`, reads use up to two more. On a cluster, a process opens as many to each node.',
  }),
  databaseRoles: setting('DATABASE_ROLES', {
    schema: Type.Boolean(),
    default: false,
    about:
      '`on` gives each part of the service a database role of its own. The user of `DATABASE_URL` must be a member of the roles. The embedded PostgreSQL always has them. See "Database roles".',
  }),
  databaseDistributed: setting('DATABASE_DISTRIBUTED', {
    schema: Type.Boolean(),
    default: false,
    about:
      'Whether `DATABASE_URL` names the coordinator of a Citus cluster. Purser then connects to the other nodes too.',
  }),
  databasePrepared: setting('DATABASE_PREPARED', {
    schema: Type.Boolean(),
    default: true,
    about: 'Use prepared statements. Set `off` behind a connection pooler in transaction mode.',
  }),
})
