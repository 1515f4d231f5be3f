import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { readConfig } from '../../src/config/config.ts'
import { allSettings } from '../../src/config/document.ts'
import { renderRoles } from '../../src/platform/db/grants.ts'
import { bundled } from '../support/bundle.ts'
import { processEnv } from '../support/process-env.ts'

const root = join(import.meta.dirname, '../../..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')

/** Variables that other programs read. */
const foreign = new Set(['NODE_COMPILE_CACHE', 'MALLOC_ARENA_MAX'])
const known = new Set(allSettings.map(({ name }) => name.replace(/<\w+>/, '*')))
const isKnown = (name: string) =>
  foreign.has(name) || known.has(name.replace(/_(\d+|[A-Z]{3})$/, '_*')) || known.has(name)

/** Values for the settings that are secret, which no file of the repository has. */
const secrets: Readonly<Record<string, string>> = {
  SECRET: 'a-secret-of-this-production-alone-32',
  DATABASE_URL: 'postgres://purser@db.example.com/purser?sslmode=verify-full',
  RPC_URL_100: 'https://one.example.com/key,https://two.example.com',
  ISSUER_KEYS: 'them:key-of-the-processor-0123456789-abc',
  ISSUER_OUTBOUND_KEY: 'us:key-of-the-programme-0123456789-abc',
  CHAINALYSIS_API_KEY: 'key-of-the-account',
  SUMSUB_APP_TOKEN: 'token',
  SUMSUB_SECRET_KEY: 'secret-key-of-the-app-token',
  SUMSUB_WEBHOOK_SECRET: 'secret-of-the-webhook',
  SMTP_PASSWORD: 'password-of-the-mailbox',
}

/** The value that the operator replaces. */
const treasury = { TREASURY_100: `0x${'fe'.repeat(20)}` }

type Env = Record<string, string>
type Manifest = { readonly file: string; readonly text: string; readonly value: Record<string, unknown> }

const manifests: readonly Manifest[] = readdirSync(join(root, 'deploy/kubernetes')).flatMap((file) =>
  parseAllDocuments(read(`deploy/kubernetes/${file}`)).map((document) => ({
    ...{ file, text: String(document), value: document.toJS() },
  })),
)
const configMap = manifests.find(({ value }) => value['kind'] === 'ConfigMap')?.value['data'] as Env

/** Returns the variables that the containers of a manifest set themselves. */
function variablesOf(value: unknown): [name: string, value: string][] {
  if (typeof value !== 'object' || value === null) return []
  if (Array.isArray(value)) return value.flatMap(variablesOf)
  const { env = [], ...others } = value as { env?: { name: string; value?: string }[] }
  return [
    ...env.map(({ name, value = '' }) => [name, value] as [string, string]),
    ...variablesOf(Object.values(others)),
  ]
}

/** Returns the lines `NAME=value` of an environment file. */
const linesOf = (text: string): Env =>
  Object.fromEntries([...text.matchAll(/^([A-Z][A-Z0-9_]*)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]))

const units = readdirSync(join(root, 'deploy/systemd')).filter((file) => file.endsWith('.service'))
const environmentOf = (unit: string): Env =>
  linesOf(
    [...read(`deploy/systemd/${unit}`).matchAll(/^Environment=(.*)$/gm)]
      .map(([, line = '']) => line.replaceAll(' ', '\n'))
      .join('\n'),
  )
const compose: Env = parse(read('deploy/compose/compose.yaml')).services.purser.environment
const unitFile = linesOf(read('deploy/systemd/purser.env'))

test('every variable of the files in deploy/ is a setting', () => {
  const named = [
    ...Object.keys(configMap),
    ...manifests.flatMap(({ value }) => variablesOf(value).map(([name]) => name)),
    ...units.flatMap((unit) => Object.keys(environmentOf(unit))),
    ...Object.keys(unitFile),
    ...Object.keys(compose),
    ...[...read('deploy/image/Dockerfile').matchAll(/^ENV (.*)$/gm)].flatMap(([, line = '']) =>
      line.split(' ').map((word) => word.split('=')[0] ?? ''),
    ),
  ]
  expect(named.length).toBeGreaterThan(60)
  expect(named.filter((name) => !isKnown(name))).toEqual([])
  expect(isKnown('DATABSE_URL')).toBe(false)
})

test('the secrets that the manifests and the units name are those that the settings mark as secret', () => {
  const isSecret = (name: string) =>
    allSettings.find((each) => each.name === name || each.name.replace(/<\w+>/, '100') === name)?.isSecret
  expect(Object.keys(secrets).filter((name) => !isSecret(name))).toEqual([])
  const text = read('deploy/kubernetes/config.yaml')
  expect(Object.keys(secrets).filter((name) => !text.includes(name))).toEqual([])
  expect(
    Object.entries(unitFile)
      .filter(([, value]) => value === '')
      .map(([name]) => name)
      .sort(),
  ).toEqual(Object.keys(secrets).sort())
})

test('the configuration of the manifests and of the units is valid in production', () => {
  for (const { value } of manifests.filter(({ value }) => value['kind'] === 'Deployment')) {
    const own = Object.fromEntries(variablesOf(value))
    expect(readConfig({ ...configMap, ...secrets, ...treasury, ...own })).toMatchObject({
      mode: 'production',
      misspelled: [],
    })
  }
  for (const unit of units) {
    const own = { ...environmentOf(unit), METRICS_PORT: '9101' }
    expect(readConfig({ ...unitFile, ...secrets, ...treasury, ...own })).toMatchObject({
      mode: 'production',
      misspelled: [],
    })
  }
})

test('no process of the manifests and the units starts before the treasury is replaced', () => {
  const problem = 'TREASURY_100 must be an address of your own'
  expect(() => readConfig({ ...configMap, ...secrets })).toThrow(problem)
  expect(() => readConfig({ ...unitFile, ...secrets, METRICS_PORT: '9101' })).toThrow(problem)
})

test('a worker of the manifests and one of the units check the books, because only workers set the metrics of the check', () => {
  const pods = manifests
    .filter(({ value }) => value['kind'] === 'Deployment')
    .map(({ value }) =>
      readConfig({ ...configMap, ...secrets, ...treasury, ...Object.fromEntries(variablesOf(value)) }),
    )
  const services = units.map((unit) =>
    readConfig({ ...unitFile, ...secrets, ...treasury, ...environmentOf(unit), METRICS_PORT: '9101' }),
  )
  for (const processes of [pods, services]) {
    const checking = processes.filter(
      ({ roles, reconcileEverySeconds }) => roles.includes('worker') && reconcileEverySeconds > 0,
    )
    expect(checking.length).toBeGreaterThan(0)
  }
})

test('a pod of the API starts only with a ready database, and a later shortage of the database removes no pod from its Service', () => {
  type Probe = { httpGet: { path: string } }
  type Pod = { spec: { template: { spec: { containers: { startupProbe: Probe; readinessProbe: Probe }[] } } } }
  const api = manifests.find(({ file, value }) => file === 'api.yaml' && value['kind'] === 'Deployment')
  const [container] = (api?.value as Pod | undefined)?.spec.template.spec.containers ?? []
  const paths = [container?.startupProbe.httpGet.path, container?.readinessProbe.httpGet.path]
  expect(paths).toEqual(['/health/ready', '/health'])
})

test('the configuration of the Compose file is valid in a sandbox', () => {
  const env = Object.fromEntries(
    Object.entries(compose).map(([name, value]) => [name, value.replace(/\$\{[^}]*\}/g, 'abc')]),
  )
  expect(readConfig({ ...env, HOST: '0.0.0.0' })).toMatchObject({ mode: 'sandbox', misspelled: [] })
})

test('every template gives each part of the service its database role', () => {
  for (const env of [configMap, unitFile, compose]) expect(env['DATABASE_ROLES']).toBe('on')
  const sql = read('deploy/compose/roles.sql').replace(/^--.*\n/, '')
  expect(sql).toBe(`${renderRoles('nologin')}\n`)
  expect(read('deploy/compose/compose.yaml')).toContain('./roles.sql:/docker-entrypoint-initdb.d/roles.sql:ro')
  expect(read('deploy/README.md')).toContain('npm run -s db:roles | psql')
})

/** Returns the variables and the command with which a launcher starts the service: one word a line. */
function printedBy(program: string, words: readonly string[], env: Env = {}): string[] {
  const options = { cwd: root, env: { ...processEnv, ...env } }
  return String(execFileSync(program, [...words, '--print'], options))
    .trim()
    .split('\n')
}
const launcher = join(root, 'bin/purser')

test('npm start and every unit of systemd start the service by bin/purser, with its runtime settings', () => {
  const words = printedBy(launcher, [])
  expect(words.length).toBeGreaterThan(6)
  expect(JSON.parse(read('package.json')).scripts.start).toBe('exec bin/purser')
  expect(printedBy('npm', ['-s', 'start', '--'])).toEqual(words)
  // npm would pass such options to Node.js as well.
  expect(read('.npmrc')).not.toContain('node-options')
  const services = units.filter((unit) => !read(`deploy/systemd/${unit}`).includes('Type=oneshot'))
  expect(services).toEqual(['purser-api@.service', 'purser-watcher.service', 'purser-worker.service'])
  for (const unit of services) {
    const [command = '', ...others] = [...read(`deploy/systemd/${unit}`).matchAll(/^Exec\w+=(.*)$/gm)].map(
      ([, line = '']) => line,
    )
    expect(others).toEqual([])
    expect(command).toBe('/opt/purser/bin/purser')
    const cache = environmentOf(unit)['NODE_COMPILE_CACHE'] ?? ''
    const expected = words.map((word) => word.replace(/^NODE_COMPILE_CACHE=.*/, `NODE_COMPILE_CACHE=${cache}`))
    expect(printedBy(launcher, [], { ...unitFile, ...environmentOf(unit) })).toEqual(expected)
  }
})

test('the image starts the service with the runtime settings of bin/purser, except its cache of compiled code', () => {
  const words = printedBy(launcher, [])
  const dockerfile = read('deploy/image/Dockerfile')
  const entry: string[] = JSON.parse(/^ENTRYPOINT (.*)$/m.exec(dockerfile)?.[1] ?? '[]')
  const env = /^ENV (.*)$/m.exec(dockerfile)?.[1]?.split(' ') ?? []
  const isVariable = (word: string) => /^[A-Z_]+=/.test(word)
  expect(entry.filter((word) => word.startsWith('-'))).toEqual(words.filter((word) => word.startsWith('-')))
  expect(env.filter((word) => !word.startsWith('HOST='))).toEqual(
    words.filter((word) => isVariable(word) && !word.startsWith('NODE_COMPILE_CACHE=')),
  )
  expect(entry.at(-1)).toBe('/app/server/dist/main.js')
})

test('the manifests and the Compose file start the service by the entry point of the image', () => {
  for (const { text } of manifests.filter(({ value }) => value['kind'] === 'Deployment'))
    expect(text).not.toMatch(/^\s*(- )?(command|args):/m)
  const { command, entrypoint } = parse(read('deploy/compose/compose.yaml')).services.purser
  expect([command, entrypoint]).toEqual([undefined, undefined])
  // Only the units name a variable of the launcher, and only the one for its cache.
  const named = [
    ...Object.keys(configMap),
    ...manifests.flatMap(({ value }) => variablesOf(value).map(([name]) => name)),
  ]
  const all = [
    ...named,
    ...Object.keys(compose),
    ...Object.keys(unitFile),
    ...units.flatMap((each) => Object.keys(environmentOf(each))),
  ]
  expect(new Set(all.filter((name) => foreign.has(name)))).toEqual(new Set(['NODE_COMPILE_CACHE']))
})

test('the manifests and the Compose file name the image of this version', () => {
  const { version } = JSON.parse(read('package.json'))
  const images = [...manifests.map(({ text }) => text), read('deploy/compose/compose.yaml')]
    .flatMap((text) => [...text.matchAll(/image: (purser:\S+)/g)])
    .map(([, image]) => image)
  expect(images.length).toBeGreaterThan(5)
  expect([...new Set(images)]).toEqual([`purser:${version}`])
})

test('every image of the Compose file has a full version', () => {
  const images = [...read('deploy/compose/compose.yaml').matchAll(/image: (\S+)/g)].map(([, image = '']) => image)
  expect(images.length).toBeGreaterThan(4)
  expect(images.filter((image) => !/:v?\d+\.\d+(\.\d+)?$/.test(image))).toEqual([])
})

test('every package has the version of the repository', () => {
  const { version, workspaces } = JSON.parse(read('package.json'))
  const versions = workspaces.map((folder: string) => [folder, JSON.parse(read(`${folder}/package.json`)).version])
  expect(versions).toEqual(workspaces.map((folder: string) => [folder, version]))
})

test('the bundle has the license of every direct dependency in it', () => {
  const licenses = readFileSync(join(dirname(bundled('main')), 'THIRD-PARTY-LICENSES.txt'), 'utf8')
  const { dependencies } = JSON.parse(read('server/package.json'))
  // One is native, and of the other only types are used.
  const outside = ['secp256k1', '@fastify/type-provider-typebox']
  const named = (name: string) => new RegExp(`^${name} \\d+\\.\\d+\\.\\d+.* \\(.+\\)$`, 'm').test(licenses)
  expect(Object.keys(dependencies).filter((name) => !outside.includes(name) && !named(name))).toEqual([])
  expect(licenses).toContain('Permission is hereby granted, free of charge')
})
