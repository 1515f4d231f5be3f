import type { Connection } from '../../src/platform/db/roles.ts'

/** Returns the `DATABASE_URL` of a database. Its host may be the folder of a socket. */
export const databaseUrl = ({ host, port, user, database }: Extract<Connection, { host: string }>) =>
  `postgres://${user}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`
