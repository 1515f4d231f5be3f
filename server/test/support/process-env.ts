import { join } from 'node:path'

/** All that a process of ours inherits: where programs are, and its own code as the last one compiled it. */
export const processEnv = {
  PATH: process.env['PATH'],
  NODE_COMPILE_CACHE: join(import.meta.dirname, '../../../node_modules/.cache/node'),
}
