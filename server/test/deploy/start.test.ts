import { execFileSync } from 'node:child_process'
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'

let root: string
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'purser-start-')))
  write('bin/purser')
  copyFileSync(join(import.meta.dirname, '../../../bin/purser'), join(root, 'bin/purser'))
  // Stands for Node.js, and prints the program that it would run.
  write('node_modules/.bin/node', '#!/bin/sh\nfor last in "$@"; do :; done\necho "$last"\n', 0o755)
  write('node_modules/.bin/rolldown', '', 0o755)
  for (const file of [...sources.flatMap((group) => group.files), 'server/build.ts']) write(file)
  for (const { built } of sources) write(built)
  // Folders count as sources too, so that a removed file is noticed.
  for (const name of readdirSync(root, { recursive: true, encoding: 'utf8' })) utimesSync(join(root, name), 1, 1)
})
afterEach(() => rmSync(root, { recursive: true }))

const sources = [
  {
    built: 'web/dist/console/index.html',
    build: 'web/build.ts',
    files: [
      'web/app/index.html',
      'web/src/page.tsx',
      'web/build.ts',
      'web/vite.config.ts',
      'client/README.md',
      'deploy/README.md',
      'web/docs/page.ts',
      'client/src/index.ts',
      'cli/scenarios/one.json',
      'cli/src/scenarios/plan.ts',
      'web/console/index.html',
      'docs/one.md',
      'openapi.json',
      'openapi.operator.json',
      'ARCHITECTURE.md',
      'CHANGELOG.md',
      'SECURITY.md',
    ],
  },
  {
    built: 'server/dist/main.js',
    build: 'server/build.ts',
    files: ['server/src/main.ts', 'contracts/artifacts/Token.json'],
  },
]

function write(file: string, text = '', mode = 0o644): void {
  mkdirSync(join(root, dirname(file)), { recursive: true })
  writeFileSync(join(root, file), text, { mode })
}

/** Runs bin/purser. Returns the programs that it starts, relative to the root. */
function start(): string[] {
  const output = execFileSync('sh', [join(root, 'bin/purser')], { encoding: 'utf8' })
  return output
    .trim()
    .split('\n')
    .map((program) => program.slice(root.length + 1))
}

test('a start builds nothing while the pages and the bundle are as new as their sources', () => {
  expect(start()).toEqual(['server/dist/main.js'])
})

test.each(sources.flatMap(({ build, files }) => files.map((file) => [file, build] as const)))(
  'a start after a change of %s runs %s first',
  (file, build) => {
    utimesSync(join(root, file), 2, 2)
    expect(start()).toEqual([build, 'server/dist/main.js'])
  },
)

test.each(sources.map(({ built, build }) => [built, build] as const))(
  'a start without %s runs %s first',
  (built, build) => {
    rmSync(join(root, built))
    expect(start()[0]).toBe(build)
  },
)
