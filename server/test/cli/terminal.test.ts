import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Output } from '../../../cli/src/output.ts'
import { cliProgram } from '../support/cli.ts'
import { processEnv } from '../support/process-env.ts'
import { programs } from '../support/programs.ts'

const escapeCharacter = String.fromCharCode(27)
const red = `${escapeCharacter}[31m`
const [script] = programs('script')

/** Runs a command that fails, in a terminal. Returns what the terminal shows. */
function inTerminal(env: Readonly<Record<string, string>>, redirection = ''): string {
  const command = `'${process.execPath}' '${cliProgram}' api GET /health --url http://127.0.0.1:1 ${redirection}`
  const options = { env: { ...processEnv, HOME: tmpdir(), TERM: 'xterm', ...env } }
  return String(execFileSync(script ?? '', ['--quiet', '--command', command, '/dev/null'], options))
}

test.skipIf(script === undefined)('a terminal shows problems in red, except with NO_COLOR or without colors', () => {
  expect(inTerminal({})).toContain(`${red}No service responds`)
  for (const env of [{ NO_COLOR: '1' }, { TERM: 'dumb' }]) {
    const shown = inTerminal(env)
    expect(shown).toContain('No service responds')
    expect(shown).not.toContain(red)
  }
})

test.skipIf(script === undefined)('error messages that are redirected from a terminal to a file have no colors', () => {
  const folder = mkdtempSync(join(tmpdir(), 'purser-terminal-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  inTerminal({}, `2> '${folder}/problems'`)
  expect(readFileSync(join(folder, 'problems'), 'utf8')).toMatch(/^No service responds/)
})

test.skipIf(script === undefined)(
  'a terminal shows that a command is running until its result replaces the line',
  async () => {
    const waiting = Promise.withResolvers<void>()
    const server = createServer(async (_request, response) => {
      await waiting.promise
      response.writeHead(200, { 'content-type': 'application/json', 'x-request-id': 'one' }).end('{"status":"ok"}')
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => server.close().closeAllConnections())
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const command = `'${process.execPath}' '${cliProgram}' api GET /health --url ${url}`
    const child = spawn(script ?? '', ['--quiet', '--command', command, '/dev/null'], {
      env: { ...processEnv, HOME: tmpdir(), TERM: 'xterm' },
    })
    let shown = ''
    for await (const chunk of child.stdout) {
      shown += chunk
      if (shown.includes('Working … 2 s')) waiting.resolve()
    }
    const [, ...afterWork] = shown.split('Working … 2 s')
    expect(afterWork.join('')).toMatch(new RegExp(`\\r${escapeCharacter}\\[K\\{\\r\\n  "status": "ok"\\r\\n\\}\\r\\n$`))
  },
)

test.skipIf(script === undefined).each([
  ['Ctrl-C', '\u0003', 'The command was stopped before it ended.', 1],
  ['Ctrl-D', '\u0004', 'api-key must not be empty.', 1],
  ['an answer', 'hidden\r', 'api-key is stored in ', 0],
])(
  'a question for a secret ends with %s, and the terminal never shows what is typed',
  async (_what, keys, end, code) => {
    const home = mkdtempSync(join(tmpdir(), 'purser-terminal-'))
    onTestFinished(() => rmSync(home, { recursive: true }))
    const command = `'${process.execPath}' '${cliProgram}' config set api-key`
    const child = spawn(script ?? '', ['--quiet', '--return', '--command', command, '/dev/null'], {
      env: { ...processEnv, HOME: home, TERM: 'xterm' },
    })
    let shown = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      if (!shown.includes('server: ') && `${shown}${text}`.includes('server: ')) child.stdin.write(keys)
      shown += text
    })
    const [exitCode] = await once(child, 'close')
    expect([exitCode, shown]).toEqual([code, expect.stringContaining(end)])
    expect(shown).not.toContain('hidden')
  },
)

test.skipIf(!existsSync('/dev/full'))('a command whose output cannot be stored fails and says so', async () => {
  const options = { env: { ...processEnv, HOME: tmpdir() } }
  const child = spawn(process.execPath, [cliProgram, 'config', 'show'], {
    ...options,
    stdio: ['ignore', openSync('/dev/full', 'w'), 'pipe'],
  })
  let problem = ''
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    problem += chunk
  })
  const [code] = await once(child, 'close')
  expect([code, problem]).toEqual([
    1,
    expect.stringContaining('The output cannot be written (ENOSPC). Check the file or the program that receives it.\n'),
  ])
})

test('a command whose reader stops early keeps its exit code', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'purser-terminal-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'decisions.json')
  for (const [decision, code] of [
    [{ seq: '1', proof: {}, decidedBy: 'Ada' }, 1],
    [{ seq: '1', proof: null, decidedBy: 'Ada' }, 0],
  ] as const) {
    writeFileSync(file, JSON.stringify([decision]))
    const child = spawn(process.execPath, [cliProgram, 'decisions', 'verify', file], {
      env: { ...processEnv, HOME: folder },
    })
    child.stdout.destroy()
    expect((await once(child, 'exit'))[0]).toBe(code)
  }
})

test('progress is shown in a terminal only, and not while a person types', async () => {
  const shownBy = async (options: object) => {
    let shown = ''
    const write = (text: string) => {
      shown += text
    }
    const all = { isJson: false, isColored: false, columns: 80, hasProgress: true, write, note: write, ...options }
    const out = new Output(all)
    out.showProgress(1)
    out.working('7 read')
    out.showProgress(2)
    await out.withoutProgress(async () => out.showProgress(3))
    return shown
  }
  const erase = `\r${escapeCharacter}[K`
  expect(await shownBy({})).toBe(`Working … 1 s${erase}7 read … 2 s${erase}`)
  expect(await shownBy({ isJson: true })).toBe('')
  expect(await shownBy({ hasProgress: false })).toBe('')
})

test('records that are wider than the terminal are shown one below the other', () => {
  const records = ['Ada', '山田太郎'].map((name) => ({ userId: '0123456789', name, isActive: true }))
  const shownAt = (columns: number) => {
    const lines: string[] = []
    const write = (text: string) => void lines.push(text)
    new Output({ isJson: false, isColored: false, columns, hasProgress: false, write, note: write }).records(records)
    return lines.join('')
  }
  expect(shownAt(31)).toBe(`USER ID     NAME      IS ACTIVE
0123456789  Ada       true
0123456789  山田太郎  true
`)
  expect(shownAt(30)).toBe(`USER ID    0123456789
NAME       Ada
IS ACTIVE  true

USER ID    0123456789
NAME       山田太郎
IS ACTIVE  true
`)
})
