import { execFileSync } from 'node:child_process'
import { chmod, cp, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { buildProgram } from './build-program.ts'

/**
 * Builds the package into dist: the command line as one program, and in dist/home the service with its pages, which
 * `purser up` starts. The native modules of the service are dependencies of the package.
 */
const root = join(import.meta.dirname, '..')
const dist = join(import.meta.dirname, 'dist')
const home = join(dist, 'home')

await rm(dist, { recursive: true, force: true })
await buildProgram(dist)
await mkdir(join(home, 'server'), { recursive: true })
await mkdir(join(home, 'web'))
for (const part of ['server', 'web']) {
  execFileSync(process.execPath, [join(root, part, 'build.ts'), join(home, part, 'dist')], { stdio: 'inherit' })
}
await mkdir(join(home, 'bin'))
await cp(join(root, 'bin/purser'), join(home, 'bin/purser'))
await chmod(join(home, 'bin/purser'), 0o755)
await cp(join(root, 'LICENSE'), join(import.meta.dirname, 'LICENSE'))
