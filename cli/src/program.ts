import { runCli } from './cli.ts'
import { worldOf } from './terminal.ts'

const life = new AbortController()
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => life.abort())
const unread = new AbortController()
process.stdout.on('error', ({ code = '' }: NodeJS.ErrnoException) => {
  // A reader such as `head` may stop before everything is written.
  if (code === 'EPIPE') return unread.abort()
  process.stderr.write(`The output cannot be written (${code}). Check the file or the program that receives it.\n`)
  process.exit(1)
})
const { env, stdin, stdout, stderr } = process
process.exitCode = await runCli(
  process.argv.slice(2),
  worldOf({ env, stdin, stdout, stderr, life, unread: unread.signal }),
)
// Standard input may still be open, for an answer that no command needs.
process.stdin.unref?.()
