import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { isBuiltin } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import manifest from '../../../cli/package.json' with { type: 'json' }
import { createPurser, simulator } from '../../../client/src/index.ts'
import product from '../../../package.json' with { type: 'json' }
import server from '../../package.json' with { type: 'json' }
import { majorOf, oldestNode } from '../support/programs.ts'
import { useService } from '../support/service.ts'

const service = useService()
const run = promisify(execFile)
const root = join(import.meta.dirname, '../../..')

/** Installs the packed package in an empty folder. npm downloads only the packages that its cache lacks. */
async function install(folder: string, ...flags: string[]): Promise<void> {
  await writeFile(join(folder, 'package.json'), '{"private":true}')
  const all = ['--prefer-offline', '--no-audit', '--no-package-lock', ...flags]
  await run('npm', ['install', ...all, join(packed, tarball)], { cwd: folder })
}

let packed: string
let folder: string
let tarball: string
beforeAll(async () => {
  packed = await mkdtemp(join(tmpdir(), 'purser-packed-'))
  folder = await mkdtemp(join(tmpdir(), 'purser-cli-package-'))
  await run('npm', ['pack', '-w', 'cli', '--pack-destination', packed], { cwd: root })
  tarball = (await readdir(packed)).find((name) => name.endsWith('.tgz')) ?? ''
  // An npm that runs no install scripts is the harder case.
  await install(folder, '--ignore-scripts')
}, 300_000)
afterAll(async () => {
  for (const each of [packed, folder]) await rm(each, { recursive: true, force: true })
})

const env = () => ({ PATH: process.env['PATH'], HOME: folder })

test(`the packed command line works alone in an empty folder with Node.js ${majorOf(oldestNode)}`, async () => {
  const command = join(folder, 'node_modules/purser/dist/purser.js')
  const purser = (...words: string[]) =>
    run(oldestNode, [command, ...words], { env: { ...env(), PURSER_URL: service.url } })
  expect((await purser('--version')).stdout).toBe(`${manifest.version}\n`)
  expect((await purser('api', 'GET', '/health', '--json')).stdout).toBe('{"status":"ok"}\n')
  expect((await purser('trigger', 'tip')).stdout).toContain('correct: A tip')
})

test('"npx purser up" starts the service in an empty folder, and the command line plays a scenario on it', async () => {
  const words = ['--offline', 'purser', 'up', '--port', '0']
  // Ctrl-C in a terminal reaches the whole process group, so the processes get a group of their own.
  const up = spawn('npx', words, { cwd: folder, env: env(), detached: true, stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(up, 'exit')
  try {
    let shown = ''
    for await (const chunk of up.stdout) {
      shown += chunk
      if (shown.includes('Stop with Ctrl-C')) break
    }
    const url = /^ {2}PURSER_URL=(\S+) npx purser trigger tip$/m.exec(shown)?.[1] ?? ''
    expect((await fetch(`${url}/health/ready`)).status).toBe(200)
    expect(await (await fetch(`${url}/console/`)).text()).toContain('<script')
    // A chain that does not start is replaced by a simulated one, for which this call fails.
    const { chainId } = await createPurser({ baseUrl: url, auth: simulator() }).sandbox.chain.get()
    expect(chainId).toBe(31337)
    const played = await run('npx', ['--offline', 'purser', 'trigger', 'tip'], {
      cwd: folder,
      env: { ...env(), PURSER_URL: url },
    })
    expect(played.stdout).toContain('correct: A tip')
    expect(await readdir(join(folder, 'data'))).toContain('postgres')
  } finally {
    if (up.pid !== undefined) process.kill(-up.pid, 'SIGINT')
    await ended
  }
})

test('the doctor, a command beside the service, runs from the package', async () => {
  const command = join(folder, 'node_modules/purser/dist/purser.js')
  const failed = await run(oldestNode, [command, 'doctor'], { env: env(), cwd: folder }).catch((error) => error)
  expect(failed).toMatchObject({ code: 1, stdout: expect.stringContaining('configuration: SECRET must be set') })
})

test('the manifest of the package states the version of the product, its license and its oldest Node.js', async () => {
  const installed = join(folder, 'node_modules/purser')
  const packed = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'))
  expect(packed).toMatchObject({
    name: 'purser',
    version: product.version,
    license: 'Apache-2.0',
    type: 'module',
    engines: { node: '>=20' },
    bin: { purser: 'dist/purser.js' },
    files: ['dist', 'samples', 'scenarios'],
  })
  expect((await readdir(installed)).sort()).toEqual([
    'LICENSE',
    'README.md',
    'dist',
    'package.json',
    'samples',
    'scenarios',
  ])
})

test('the package pins the modules that the bundle leaves out to the versions of the server', async () => {
  expect(manifest.dependencies).toEqual({ secp256k1: server.dependencies.secp256k1 })
  expect(manifest.optionalDependencies).toEqual(server.optionalDependencies)
  const bundle = join(folder, 'node_modules/purser/dist/home/server/dist')
  const files = (await readdir(bundle)).filter((name) => name.endsWith('.js'))
  const texts = await Promise.all(files.map((name) => readFile(join(bundle, name), 'utf8')))
  const left = texts.flatMap((text) => [...text.matchAll(/^import .*? from "(?!node:|\.)([^"]+)"/gm)])
  expect(left.map(([, name = '']) => name).filter((name) => !isBuiltin(name))).toEqual([])
})
