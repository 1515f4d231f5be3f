import { createInterface } from 'node:readline'
import { addAbortSignal, Writable } from 'node:stream'
import { runCli } from './cli.ts'

const life = new AbortController()
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => life.abort())
const unread = new AbortController()
process.stdout.on('error', ({ code = '' }: NodeJS.ErrnoException) => {
  // A reader such as `head` may stop before everything is written.
  if (code === 'EPIPE') return unread.abort()
  process.stderr.write(`The output cannot be written (${code}). Check the file or the program that receives it.\n`)
  process.exit(1)
})

async function readInput(): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of addAbortSignal(life.signal, process.stdin)) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

let lines: AsyncIterator<string> | null = null

/** Returns the next line of standard input, for scripts. */
async function nextLine(): Promise<string> {
  lines ??= createInterface({ input: process.stdin, signal: life.signal })[Symbol.asyncIterator]()
  const line = await lines.next()
  return line.done ? '' : line.value.trim()
}

/** Reads a line from the terminal. A secret is not shown. Ctrl-D ends the question with an empty answer. */
function askTerminal(question: string, isSecret: boolean): Promise<string> {
  const hidden = new Writable({ write: (_chunk, _encoding, done) => done() })
  const output = isSecret ? hidden : process.stderr
  const { signal } = life
  const terminal = createInterface({ input: process.stdin, output, terminal: isSecret, signal })
  // While a secret is typed, the terminal sends Ctrl-C as a character.
  terminal.on('SIGINT', () => life.abort())
  return new Promise((resolve) => {
    let answer = ''
    terminal.on('close', () => {
      if (isSecret || answer === '') process.stderr.write('\n')
      resolve(answer)
    })
    terminal.question('', (line) => {
      answer = line.trim()
      terminal.close()
    })
    // Asks only when the terminal is ready. Before that, it would show a typed secret and lose Ctrl-D.
    process.stderr.write(question)
  })
}

function ask(question: string, isSecret = false): Promise<string> {
  if (process.stdin.isTTY) return askTerminal(question, isSecret)
  process.stderr.write(question.endsWith('\n') ? question : `${question}\n`)
  return nextLine()
}

const isTerminal = process.stdout.isTTY === true && process.stderr.isTTY === true
const isDumb = process.env['TERM'] === 'dumb'
process.exitCode = await runCli(process.argv.slice(2), {
  env: process.env,
  isColored: isTerminal && !isDumb && !process.env['NO_COLOR'],
  columns: process.stdout.columns || Number.POSITIVE_INFINITY,
  hasProgress: process.stderr.isTTY === true && !isDumb,
  write: (text) => void process.stdout.write(text),
  note: (text) => void process.stderr.write(text),
  signal: life.signal,
  unread: unread.signal,
  readInput,
  ask: (question) => ask(question),
  askSecret: (question) => ask(question, true),
})
// Standard input may still be open, for an answer that no command needs.
process.stdin.unref?.()
