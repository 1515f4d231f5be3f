import { ConfigError, readConfig } from './config/config.ts'
import { StartError } from './lib/errors.ts'
import { run } from './run.ts'
import { welcome } from './welcome.ts'

const life = new AbortController()
// Not `once`: npm forwards a signal that the terminal has already sent, and the second one must not kill the service.
for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => life.abort())

try {
  await run(readConfig(process.env), life.signal, (running) => process.stdout.write(welcome(running)))
} catch (error) {
  const isExpected = error instanceof ConfigError || error instanceof StartError
  process.stderr.write(`${isExpected ? error.message : error instanceof Error ? error.stack : String(error)}\n`)
  process.exitCode = 1
}
