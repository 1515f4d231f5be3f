import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { bundled, type Program } from './bundle.ts'
import { cliProgram } from './cli.ts'
import { processEnv } from './process-env.ts'
import { programs } from './programs.ts'

/** The fenced blocks of the documents, and a shell that runs them. */

const root = join(import.meta.dirname, '../../..')

export type Snippet = { readonly document: string; readonly language: string; readonly code: string }

/** Returns the fenced blocks of a document in the repository, or of a text. */
export function snippetsOf(document: string, text = readFileSync(join(root, document), 'utf8')): Snippet[] {
  const blocks = text.matchAll(/^ *```([^\n]*)\n(.*?)^ *```$/gms)
  return [...blocks].map(([, language = '', code = '']) => ({ document, language, code }))
}

export type Session = {
  /** The base URL of the service that takes the place of `http://localhost:8080`. */
  readonly url: string
  /** Files that the reader has in the folder of the session. */
  readonly files?: Readonly<Record<string, string>> | undefined
  readonly env?: Readonly<Record<string, string>> | undefined
  /** Texts that the reader replaces, such as placeholders. */
  readonly values?: Readonly<Record<string, string>> | undefined
  /** Commands that the reader ran before. */
  readonly before?: string | undefined
}

/** Runs snippets as one session of Bash: each one runs after the one before, with its variables. Returns the output. */
export async function runSnippets(
  snippets: readonly Snippet[],
  { url, files = {}, env = {}, values = {}, before = '' }: Session,
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'purser-snippets-'))
  const typed = (text: string) =>
    Object.entries({ 'http://localhost:8080': url, ...values }).reduce(
      (all, [from, to]) => all.replaceAll(from, () => to),
      text,
    )
  try {
    const steps = snippets.map((snippet, i) => stepOf({ ...snippet, code: typed(snippet.code) }, folder, i))
    const given = Object.entries(files).map(([name, text]) => [join(folder, name), text] as const)
    for (const [name, text] of [...given, ...steps.flatMap(({ file }) => file)]) await writeFile(name, text)
    const script = [...prelude, before, ...steps.map(({ command }) => command)].join('\n')
    const all = {
      ...{ ...processEnv, HOME: folder, PURSER_URL: url, BASE_URL: url, NODE_NO_WARNINGS: '1' },
      ...{ GOCACHE: join(tmpdir(), 'purser-go-cache'), GOTOOLCHAIN: 'local', GO111MODULE: 'off' },
      ...env,
    }
    const { stdout, stderr } = await promisify(execFile)('bash', ['-c', script], { env: all, cwd: folder })
    return stdout + stderr
  } catch (error) {
    const { stdout = '', stderr = '', code } = Object(error)
    throw new Error(`${snippets[0]?.document}: exit code ${code}\n${stdout}${stderr}`)
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }
}

type Step = { readonly command: string; readonly file: readonly (readonly [name: string, text: string])[] }

/** Returns the command that runs a snippet, and the file that it needs. */
function stepOf({ document, language, code }: Snippet, folder: string, index: number): Step {
  const file = join(folder, `snippet-${index}.${language}`)
  switch (language) {
    case 'sh':
      return { command: code, file: [] }
    case 'ts': {
      const program = code
        .replaceAll("'@purser/client'", `'${pathToFileURL(join(root, 'client/src/index.ts'))}'`)
        .replaceAll(/'(viem\/\w+)'/g, (_, name: string) => `'${import.meta.resolve(name)}'`)
      return { command: `node "${file}"`, file: [[file, program]] }
    }
    case 'sql':
      return { command: `psql "$DATABASE_URL" < "${file}"`, file: [[file, code]] }
    case 'python':
      return { command: hasProgram('python3') ? `python3 "${file}"` : ':', file: [[file, code]] }
    case 'go':
      return { command: hasProgram('go') ? `go run "${file}"` : ':', file: [[file, code]] }
    default:
      throw new Error(`${document}: no program runs "${language}"`)
  }
}

/** A developer may lack Python or Go. CI requires both. */
export const hasProgram = (name: string): boolean =>
  process.env['REQUIRE_LANGUAGES'] !== undefined || programs(name).length > 0

/** The scripts of package.json that run a program of the service. The bundled program starts three times as fast. */
const bundledScripts = Object.entries<string>(
  JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).scripts,
).flatMap(([name, command]) => {
  const [, program, words = ''] = /^node server\/src\/commands\/(\w+)\.ts(.*)$/.exec(command) ?? []
  return program === undefined ? [] : [`${name}) node "${bundled(program as Program)}"${words} "$@" ;;`]
})

/** Programs of this repository in the place of those that a machine may lack, or that would load from a registry. */
const prelude = [
  'set -euo pipefail',
  'shopt -s expand_aliases',
  `node() { "${process.execPath}" "$@"; }`,
  `curl() { node "${join(import.meta.dirname, 'curl.ts')}" "$@"; }`,
  `psql() { node "${join(import.meta.dirname, 'psql.ts')}" "$@"; }`,
  `purser() { node "${cliProgram}" "$@"; }`,
  `npm() {
  local name
  [[ $1 == run ]] && shift
  [[ $1 == -s ]] && shift
  name=$1 && shift
  [[ \${1-} == -- ]] && shift
  case $name in
    ${bundledScripts.join('\n    ')}
    *) command npm run -s --prefix "${root}" "$name" -- "$@" ;;
  esac
}`,
]
