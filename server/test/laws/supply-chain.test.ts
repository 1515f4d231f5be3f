import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { parse } from 'yaml'

const root = join(import.meta.dirname, '../../..')
const folder = mkdtempSync(join(tmpdir(), 'purser-supply-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function run(script: string, args: string[] = [], env: NodeJS.ProcessEnv = process.env) {
  try {
    const stdout = execFileSync(process.execPath, [join(root, '.ci', script), ...args], { env, stdio: 'pipe' })
    return { code: 0, output: String(stdout) }
  } catch (error) {
    const { status, stdout, stderr } = error as { status: number; stdout: Buffer; stderr: Buffer }
    return { code: status, output: `${stdout}${stderr}` }
  }
}

/** Returns the files of this name in the repository. */
const filesNamed = (name: string) =>
  String(execFileSync('git', ['ls-files', name, `**/${name}`], { cwd: root }))
    .split('\n')
    .filter(Boolean)

test('every lockfile has a hash for every package and no address', () => {
  const lockfiles = filesNamed('package-lock.json')
  expect(lockfiles).toEqual(expect.arrayContaining(['package-lock.json', 'bench/peers/package-lock.json']))
  for (const file of lockfiles)
    expect(run('check-lockfile.mjs', [join(root, file)]), file).toEqual({ code: 0, output: '' })
})

test('updates are proposed for every lockfile, image and workflow', () => {
  type Update = { 'package-ecosystem': string; directory?: string; directories?: string[] }
  const { updates }: { updates: Update[] } = parse(readFileSync(join(root, '.github/dependabot.yml'), 'utf8'))
  const watched = updates.flatMap(({ 'package-ecosystem': kind, directory, directories = [] }) =>
    [...directories, ...(directory === undefined ? [] : [directory])].map((folder) => `${kind} ${folder}`),
  )
  const folderOf = (file: string) => `/${dirname(file)}`.replace(/^\/\.$/, '/')
  const needed = [
    ...filesNamed('package-lock.json').map((file) => `npm ${folderOf(file)}`),
    ...filesNamed('Dockerfile').map((file) => `docker ${folderOf(file)}`),
    ...filesNamed('compose.yaml').map((file) => `docker-compose ${folderOf(file)}`),
    'github-actions /',
  ]
  expect(watched.toSorted()).toEqual(needed.toSorted())
})

test('no configuration of npm silences the audit', () => {
  const files = filesNamed('.npmrc')
  expect(files).toContain('bench/peers/.npmrc')
  for (const file of files) expect(readFileSync(join(root, file), 'utf8'), file).not.toMatch(/^\s*audit/m)
})

test('the workflow of CI keeps the SBOM that it writes', () => {
  const workflow = readFileSync(join(root, '.github/workflows/ci.yml'), 'utf8')
  expect(workflow).toMatch(
    /- run: \.ci\/run\n\s+- uses: actions\/upload-artifact@[0-9a-f]{40} # v\S+\n(?: .*\n)+?\s+path: sbom\.json/,
  )
})

const integrity = `sha512-${'A'.repeat(86)}==`
test.each<[string, object, string]>([
  ['a package without a hash', {}, 'has no SHA-512 hash'],
  ['a package with a weak hash', { integrity: 'sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=' }, 'has no SHA-512 hash'],
  ['the address of a registry', { integrity, resolved: 'https://registry.example/a.tgz' }, 'names an address'],
  ['the address of a repository', { integrity, resolved: 'git+ssh://git@host.example/a.git' }, 'names an address'],
])('the check of the lockfile rejects %s', (_name, entry, problem) => {
  const file = join(folder, 'package-lock.json')
  const packages = { '': {}, 'node_modules/a': { version: '1.0.0', ...entry } }
  writeFileSync(file, JSON.stringify({ lockfileVersion: 3, packages }))
  const { code, output } = run('check-lockfile.mjs', [file])
  expect([code, output]).toEqual([1, expect.stringContaining(`node_modules/a ${problem}`)])
})

/** Runs the audit with a command in place of npm, which prints a report. */
function auditOf(report: unknown): { code: number; output: string } {
  const npm = join(folder, 'npm')
  writeFileSync(npm, `#!/bin/sh\ncat <<'END'\n${JSON.stringify(report)}\nEND\nexit 1\n`)
  chmodSync(npm, 0o755)
  return run('audit.mjs', [], { ...process.env, PATH: `${folder}${delimiter}${process.env['PATH']}` })
}

test('the audit accepts a registry that offers no audit, and reports it', () => {
  expect(auditOf({ statusCode: 405, message: 'Method Not Allowed' })).toEqual({
    code: 0,
    output: 'The registry offers no audit (status 405). Nothing was checked.\n',
  })
})

test('the audit rejects a vulnerability of high severity, and accepts a moderate one', () => {
  const report = (severity: string) => ({
    vulnerabilities: { a: { name: 'a', severity, range: '<2' } },
    metadata: { vulnerabilities: { total: 1 } },
  })
  expect(auditOf(report('high'))).toEqual({ code: 1, output: expect.stringContaining('a <2: high') })
  expect(auditOf(report('moderate')).code).toBe(0)
})

test('CI checks the lockfile before the installation, audits it, and writes the SBOM', () => {
  const commands = readFileSync(join(root, '.ci/run'), 'utf8')
  const order = [
    "git ls-files -z '*package-lock.json' | xargs -0 -n 1 node .ci/check-lockfile.mjs",
    'step npm ci',
    'step node .ci/audit.mjs',
    'step npm run sbom',
    'together check check:deploy',
  ].map((each) => commands.indexOf(`\n${each}`))
  expect(order).not.toContain(-1)
  expect(order).toEqual(order.toSorted((a, b) => a - b))
})
