import { createInterface } from 'node:readline'
import { addAbortSignal, type Readable, Writable } from 'node:stream'
import type { World } from './cli.ts'

export type Terminal = {
  readonly env: World['env']
  readonly stdin: Readable & { readonly isTTY?: boolean }
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number }
  readonly stderr: Writable & { readonly isTTY?: boolean }
  readonly life: AbortController
  /** Aborts when the reader of the output is gone. */
  readonly unread: AbortSignal
}

/** Returns the world of a command that reads and writes these streams. */
export function worldOf({ env, stdin, stdout, stderr, life, unread }: Terminal): World {
  const { signal } = life
  let lines: AsyncIterator<string> | null = null

  async function readInput(): Promise<string> {
    const chunks: Uint8Array[] = []
    for await (const chunk of addAbortSignal(signal, stdin)) chunks.push(chunk)
    return Buffer.concat(chunks).toString('utf8')
  }

  /** Returns the next line of standard input, for scripts. */
  async function nextLine(): Promise<string> {
    lines ??= createInterface({ input: stdin, signal })[Symbol.asyncIterator]()
    const line = await lines.next()
    return line.done ? '' : line.value.trim()
  }

  /** Reads a line from the terminal. A secret is not shown. Ctrl-D ends the question with an empty answer. */
  function askTerminal(question: string, isSecret: boolean): Promise<string> {
    const hidden = new Writable({ write: (_chunk, _encoding, done) => done() })
    const output = isSecret ? hidden : stderr
    const terminal = createInterface({ input: stdin, output, terminal: isSecret, signal })
    // While a secret is typed, the terminal sends Ctrl-C as a character.
    terminal.on('SIGINT', () => life.abort())
    return new Promise((resolve) => {
      let answer = ''
      terminal.on('close', () => {
        if (isSecret || answer === '') stderr.write('\n')
        resolve(answer)
      })
      terminal.question('', (line) => {
        answer = line.trim()
        terminal.close()
      })
      // Asks only when the terminal is ready. Before that, it would show a typed secret and lose Ctrl-D.
      stderr.write(question)
    })
  }

  function ask(question: string, isSecret = false): Promise<string> {
    if (stdin.isTTY) return askTerminal(question, isSecret)
    stderr.write(question.endsWith('\n') ? question : `${question}\n`)
    return nextLine()
  }

  const isDumb = env['TERM'] === 'dumb'
  return {
    env,
    isColored: stdout.isTTY === true && stderr.isTTY === true && !isDumb && !env['NO_COLOR'],
    columns: stdout.columns || Number.POSITIVE_INFINITY,
    hasProgress: stderr.isTTY === true && !isDumb,
    write: (text) => void stdout.write(text),
    note: (text) => void stderr.write(text),
    signal,
    unread,
    readInput,
    ask: (question) => ask(question),
    askSecret: (question) => ask(question, true),
  }
}
