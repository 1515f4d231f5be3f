import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { processEnv } from '../support/process-env.ts'

/** Runs the soak for some seconds. `npm run soak` runs it for an hour, and then also judges growth. */
const script = join(import.meta.dirname, '../../../bench/soak/run.ts')

test('a short soak with mixed traffic gets only expected responses and ends with clean books', {
  timeout: 900_000,
}, async () => {
  const env = { ...processEnv, SOAK_MINUTES: '0.2', SOAK_RATE: '10', SOAK_USERS: '9' }
  const child = spawn(process.execPath, [script], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
  const [code] = await once(child, 'exit')
  expect(code, output).toBe(0)
})
