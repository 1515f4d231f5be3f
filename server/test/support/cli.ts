import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { afterAll, beforeAll } from 'vitest'
import { runCli } from '../../../cli/src/cli.ts'
import { serviceCommands } from '../../../cli/src/commands/service.ts'
import { worldOf } from '../../../cli/src/terminal.ts'
import { processEnv } from './process-env.ts'
import { waitUntil } from './vendors/webhook-receiver.ts'

/** The program of the package, which loads in a third of the time of its sources. A run of the tests builds it. */
export const cliFolder = join(import.meta.dirname, '../../../cli/dist')
export const cliProgram = join(cliFolder, 'purser.js')

type CliResult = { readonly code: number | null; readonly stdout: string; readonly stderr: string }

export type Cli = {
  /** The home of the person who types the commands. */
  home(): string
  /** Runs a command until it ends. */
  (words: string, options?: CliOptions): Promise<CliResult>
  /** Runs a command with `--json`, expects it to succeed, and returns its values. */
  json(words: string, options?: CliOptions): Promise<any>
  /** Starts a command that runs until it is stopped. */
  start(words: string, options?: CliOptions): RunningCli
  /** Starts a command that asks a person, who types answers. */
  interact(words: string, options?: CliOptions): AskingCli
}

type CliOptions = { readonly env?: Readonly<Record<string, string>>; readonly input?: string }

type RunningCli = {
  stdout(): string
  stderr(): string
  /** Stops reading the output, as `head` does, and returns the result. */
  stopReading(): Promise<CliResult>
  /** Stops the command, by default as Ctrl-C does, and returns its result. */
  stop(signal?: NodeJS.Signals): Promise<CliResult>
}

type AskingCli = {
  stderr(): string
  stop(signal: NodeJS.Signals): void
  type(text: string): void
  readonly ended: Promise<CliResult>
}

/** Returns whether a command starts a program, which uses the environment and the terminal of its process. */
const startsProgram = (words: string) => serviceCommands.some(({ name }) => `${words} `.startsWith(`${name} `))

/**
 * Runs the commands of `purser`, with a home folder for the tests of this file. `cli()` and `cli.json()` run the
 * sources in this process, which is faster than starting one. They start the built program for a command that starts a
 * program itself. With `observesProcesses` they always start it, because settings such as NODE_OPTIONS affect only a
 * process. `start` and `interact` always start the built program.
 */
export function useCli(
  env: () => Readonly<Record<string, string>>,
  { observesProcesses = false }: { observesProcesses?: boolean } = {},
): Cli {
  const state = { home: '' }
  beforeAll(async () => {
    state.home = await mkdtemp(join(tmpdir(), 'purser-cli-'))
  })
  // A command or a browser that a test has stopped may write for a moment longer.
  afterAll(() => rm(state.home, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))

  const allOf = (own: CliOptions['env']) => ({ ...processEnv, HOME: state.home, ...env(), ...own })

  function launch(words: string, { env: own, input = '' }: CliOptions = {}, isAsked = false) {
    const child = spawn(process.execPath, [cliProgram, ...wordsOf(words)], { env: allOf(own) })
    if (!isAsked) child.stdin.end(input)
    const text = { stdout: '', stderr: '' }
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (chunk: string) => {
        text[name] += chunk
      })
    }
    const ended = once(child, 'close').then(([code]) => ({ code, ...text }))
    return { child, text, ended }
  }

  async function runHere(words: string, { env: own, input = '' }: CliOptions = {}): Promise<CliResult> {
    const text = { stdout: '', stderr: '' }
    const into = (name: keyof typeof text) =>
      new Writable({
        decodeStrings: false,
        write(chunk, _encoding, done) {
          text[name] += chunk
          done()
        },
      })
    const stdin = Readable.from([Buffer.from(input)])
    const [stdout, stderr, life] = [into('stdout'), into('stderr'), new AbortController()]
    const world = worldOf({ env: allOf(own), stdin, stdout, stderr, life, unread: new AbortController().signal })
    return { code: await runCli(wordsOf(words), world), ...text }
  }

  const cli = (words: string, options?: CliOptions) =>
    observesProcesses || startsProgram(words) ? launch(words, options).ended : runHere(words, options)
  return Object.assign(cli, {
    home: () => state.home,
    async json(words: string, options?: CliOptions) {
      const { code, stdout, stderr } = await cli(`${words} --json`, options)
      if (code !== 0) throw new Error(`purser ${words}: exit code ${code}: ${stderr}`)
      const values = stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
      return values.length === 1 ? values[0] : values
    },
    interact(words: string, options?: CliOptions) {
      const { child, text, ended } = launch(words, options, true)
      return {
        stderr: () => text.stderr,
        stop: (signal: NodeJS.Signals) => void child.kill(signal),
        type: (line: string) => void child.stdin.write(line),
        ended,
      }
    },
    start(words: string, options?: CliOptions) {
      const { child, text, ended } = launch(words, options)
      return {
        stdout: () => text.stdout,
        stderr: () => text.stderr,
        stopReading() {
          child.stdout.destroy()
          return ended
        },
        stop(signal: NodeJS.Signals = 'SIGINT') {
          child.kill(signal)
          return ended
        },
      }
    },
  })
}

/** Waits until a command asks for the signature of a sign-in, and returns the message to sign. */
export async function messageToSign({ stderr }: AskingCli): Promise<string> {
  await waitUntil(() => stderr().includes('Signature (0x…)'), 'the message of the sign-in')
  const [, hex = ''] = /cast wallet sign --ledger 0x([0-9a-f]+)/.exec(stderr()) ?? []
  return Buffer.from(hex, 'hex').toString()
}

/** Splits words as a shell does. Text in single quotes is one word. */
function wordsOf(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '')
}
