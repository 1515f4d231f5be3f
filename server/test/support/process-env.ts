import { join } from 'node:path'

/** The environment that started processes inherit: the search path, and the cache of compiled code. */
export const processEnv = {
  PATH: process.env['PATH'],
  NODE_COMPILE_CACHE: join(import.meta.dirname, '../../../node_modules/.cache/node'),
}
