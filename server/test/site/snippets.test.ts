import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { settings } from '../../../cli/src/settings.ts'
import { allSettings } from '../../src/config/document.ts'
import { refusals } from '../../src/lib/errors.ts'
import { cliProgram } from '../support/cli.ts'
import { processEnv } from '../support/process-env.ts'
import { programs } from '../support/programs.ts'
import { useService } from '../support/service.ts'

/** The snippets of a page are one session: each one runs after the one before, with its variables. */

const service = useService()
const root = join(import.meta.dirname, '../../..')

const pages = [
  'quickstart',
  'guides/sign-in',
  'guides/first-card',
  'guides/deposits',
  'guides/withdrawals',
  'guides/going-live',
  'guides/operating',
  'partners',
  'concepts/ledger',
  'concepts/fold',
  'concepts/finality',
  'concepts/idempotency',
]
const foreign = { python: 'python3', go: 'go' } as const
const isForeign = (language: string): language is keyof typeof foreign => language in foreign

type Snippet = { readonly language: string; readonly code: string }

async function snippetsOf(page: string): Promise<Snippet[]> {
  const text = await readFile(join(root, `docs/${page}.md`), 'utf8')
  return [...text.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(([, language = '', code = '']) => ({ language, code }))
}

/** Returns the Bash command for a snippet, and the file that it needs. */
function commandOf({ language, code }: Snippet, folder: string, index: number) {
  const file = join(folder, `snippet-${index}.${language === 'python' ? 'py' : language}`)
  switch (language) {
    case 'sh':
      return { command: code, file: null }
    case 'ts': {
      const program = code
        .replaceAll("'@purser/client'", `'${pathToFileURL(join(root, 'client/src/index.ts'))}'`)
        .replaceAll(/'(viem\/\w+)'/g, (_, name: string) => `'${import.meta.resolve(name)}'`)
      return { command: `"${process.execPath}" "${file}"`, file: { name: file, text: program } }
    }
    case 'python':
      return { command: `python3 "${file}"`, file: { name: file, text: code } }
    case 'go':
      return { command: `go run "${file}"`, file: { name: file, text: code } }
    default:
      return null
  }
}

async function runPage(page: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'purser-snippets-'))
  try {
    const curl = `"${process.execPath}" "${join(root, 'server/test/support/curl.ts')}"`
    const purser = `"${process.execPath}" "${cliProgram}"`
    const script = [
      'set -euo pipefail',
      `curl() { ${curl} "$@"; }`,
      `purser() { ${purser} "$@"; }`,
      `node() { "${process.execPath}" "$@"; }`,
    ]
    for (const [index, snippet] of (await snippetsOf(page)).entries()) {
      const { language } = snippet
      const isMissing = isForeign(language) && programs(foreign[language]).length === 0
      if (isMissing && process.env['REQUIRE_LANGUAGES'] === undefined) continue
      const step = commandOf(snippet, folder, index)
      if (step === null) continue
      if (step.file !== null) await writeFile(step.file.name, local(step.file.text))
      script.push(local(step.command))
    }
    const env = {
      ...processEnv,
      HOME: folder,
      PURSER_URL: service.url,
      GOCACHE: join(tmpdir(), 'purser-go-cache'),
      GOTOOLCHAIN: 'local',
      GO111MODULE: 'off',
      NODE_NO_WARNINGS: '1',
    }
    const { stdout } = await promisify(execFile)('bash', ['-c', script.join('\n')], { env, cwd: folder })
    return stdout
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const local = (text: string) => text.replaceAll('http://localhost:8080', service.url)

test('every snippet is in a language that a test runs, or is marked as text', async () => {
  for (const page of pages) {
    for (const { language } of await snippetsOf(page))
      expect(['sh', 'ts', 'python', 'go', 'text'], page).toContain(language)
  }
})

test('the pages name only error codes and settings that exist', async () => {
  const variables = [...allSettings, ...Object.values(settings)].map((each) =>
    'variable' in each ? each.variable : each.name,
  )
  const known = new Set([...Object.keys(refusals), ...variables])
  for (const page of pages) {
    const text = await readFile(join(root, `docs/${page}.md`), 'utf8')
    const named = [...text.matchAll(/`([A-Z]+(?:_[A-Z]+)+)`/g)].map(([, name = '']) => name)
    expect(
      named.filter((name) => !known.has(name)),
      page,
    ).toEqual([])
  }
})

test('every JSON block of the documents is valid', async () => {
  const documents = (await readdir(join(root, 'docs'), { recursive: true })).filter((file) => file.endsWith('.md'))
  const wrong: string[] = []
  for (const document of documents) {
    const blocks = (await snippetsOf(document.replace(/\.md$/, ''))).filter(({ language }) => language === 'json')
    for (const { code } of blocks) {
      try {
        // A block may have several values, one after the other.
        JSON.parse(`[${code.replaceAll(/\}\n\{/g, '},{')}]`)
      } catch {
        wrong.push(`${document}: ${code}`)
      }
    }
  }
  expect(wrong).toEqual([])
})

test('the quickstart pays and reads the statement in every language', async () => {
  const output = await runPage('quickstart')
  expect(output).toContain('"status":"approved"')
  expect(output).toContain('"spendable":"15010000000000000000"')
  expect(output).toMatch(/- 9\.99 EUR/)
  expect(output).toMatch(/\+ 25\.00 EUR/)
  if (programs('python3').length > 0) expect(output).toMatch(/approved\n- 9\.99 EUR/)
  if (programs('go').length > 0) expect(output).toMatch(/approved\n450 EUR .* pending/)
})

test.each([
  ['guides/sign-in', [/^401 NOT_REGISTERED$/m, /^ey[\w-]+\.[\w-]+\.[\w-]+$/m]],
  ['guides/first-card', [/action_accept_tos/, /action_complete_kyc/, /action_complete_sof/, /last4: /]],
  ['guides/deposits', [/"address"/, /"status": *"approved"/, /"status": *"rejected"/]],
  ['guides/withdrawals', [/status: *'(pending|processing)'/, /status: *'completed'/]],
  ['concepts/fold', [/correct: A hotel/]],
  ['concepts/idempotency', [/deposit/]],
  [
    'partners',
    [
      /^partner active$/m,
      /^TXT _purser-challenge\.app\.example\.com purser-domain=/m,
      /^proven 20/m,
      /^user [\da-f-]{36}$/m,
    ],
  ],
] as const)('the commands of the page %s work one after the other', async (page, expected) => {
  const output = await runPage(page)
  for (const part of expected) expect(output).toMatch(part)
})
