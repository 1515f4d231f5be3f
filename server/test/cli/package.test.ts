import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import manifest from '../../../cli/package.json' with { type: 'json' }
import { majorOf, oldestNode } from '../support/programs.ts'
import { useService } from '../support/service.ts'

const service = useService()
const run = promisify(execFile)
const root = join(import.meta.dirname, '../../..')

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'purser-cli-package-'))
  await run('npm', ['pack', '-w', 'cli', '--pack-destination', folder], { cwd: root })
  const [tarball = ''] = (await readdir(folder)).filter((name) => name.endsWith('.tgz'))
  await writeFile(join(folder, 'package.json'), '{"private":true}')
  const flags = ['--offline', '--no-audit', '--ignore-scripts', `--cache=${join(folder, 'cache')}`]
  await run('npm', ['install', ...flags, join(folder, tarball)], { cwd: folder })
})
afterAll(() => rm(folder, { recursive: true, force: true }))

test(`the packed command line works alone in an empty folder with Node.js ${majorOf(oldestNode)}`, async () => {
  const command = join(folder, 'node_modules/purser/dist/purser.js')
  const env = { PATH: process.env['PATH'], HOME: folder, PURSER_URL: service.url }
  const purser = (...words: string[]) => run(oldestNode, [command, ...words], { env })
  expect((await purser('--version')).stdout).toBe(`${manifest.version}\n`)
  expect((await purser('api', 'GET', '/health', '--json')).stdout).toBe('{"status":"ok"}\n')
  expect((await purser('trigger', 'tip')).stdout).toContain('correct: A tip')
  await expect(purser('up')).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('PURSER_HOME') })
  expect(await readdir(join(folder, 'node_modules'))).toEqual(['.bin', '.package-lock.json', 'purser'])
})
