import { join } from 'node:path'

/** The setting of every service that the tests start on a cluster. */
export const ofCluster: Record<string, string> = process.env['TEST_CLUSTER'] ? { DATABASE_DISTRIBUTED: 'on' } : {}

/**
 * The setting of services that serve only tests. A worker opens all its connections at the start, and each costs as
 * much as several requests.
 */
export const fewConnections = { DATABASE_POOL_SIZE: '4' }

/** The environment that started processes inherit: the search path, and the cache of compiled code. */
export const processEnv = {
  ...ofCluster,
  PATH: process.env['PATH'],
  NODE_COMPILE_CACHE: join(import.meta.dirname, '../../../node_modules/.cache/node'),
}
