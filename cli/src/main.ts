#!/usr/bin/env node
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { runCli } from './cli.ts'

const life = new AbortController()
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => life.abort())
// A reader such as `head` may stop before everything is written.
process.stdout.on('error', () => process.exit(0))

async function readInput(): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of process.stdin) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

/** Reads a line from the terminal without showing it. */
function askSecret(question: string): Promise<string> {
  if (!process.stdin.isTTY) return readInput().then((text) => text.trim())
  process.stderr.write(question)
  const hidden = new Writable({ write: (_chunk, _encoding, done) => done() })
  const terminal = createInterface({ input: process.stdin, output: hidden, terminal: true })
  return new Promise((resolve) =>
    terminal.question('', (line) => {
      terminal.close()
      process.stderr.write('\n')
      resolve(line.trim())
    }),
  )
}

const isColored = process.stdout.isTTY === true && !process.env['NO_COLOR'] && process.env['TERM'] !== 'dumb'
process.exitCode = await runCli(process.argv.slice(2), {
  env: process.env,
  isColored,
  write: (text) => void process.stdout.write(text),
  note: (text) => void process.stderr.write(text),
  signal: life.signal,
  readInput,
  askSecret,
})
