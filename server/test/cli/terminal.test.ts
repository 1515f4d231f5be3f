import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { processEnv } from '../support/process-env.ts'
import { programs } from '../support/programs.ts'

const main = join(import.meta.dirname, '../../../cli/src/main.ts')
const red = `${String.fromCharCode(27)}[31m`
const [script] = programs('script')

/** Runs a command that fails, in a terminal. Returns what the terminal shows. */
function inTerminal(env: Readonly<Record<string, string>>, redirection = ''): string {
  const command = `'${process.execPath}' '${main}' api GET /health --url http://127.0.0.1:1 ${redirection}`
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

test.skipIf(script === undefined)('a file that receives the problems of a terminal has no colors', () => {
  const folder = mkdtempSync(join(tmpdir(), 'purser-terminal-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  inTerminal({}, `2> '${folder}/problems'`)
  expect(readFileSync(join(folder, 'problems'), 'utf8')).toMatch(/^No service responds/)
})
