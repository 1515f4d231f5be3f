import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { processEnv } from './process-env.ts'

const server = join(import.meta.dirname, '../..')

export type Program = 'main' | 'backup' | 'database' | 'doctor' | 'operator' | 'reconcile'

/** Returns the file of a program that a test starts as a process: the bundle that bin/purser runs, too. */
export function bundled(program: Program): string {
  return join(server, 'dist', `${program}.js`)
}

/** Builds the bundle if a source is newer. A run of the tests does this once, before all tests. */
export function buildBundle(): void {
  const built = statSync(bundled('main'), { throwIfNoEntry: false })?.mtimeMs ?? 0
  // The same sources as in bin/purser.
  const sources = [join(server, 'src'), join(server, 'build.ts'), join(server, '../contracts/artifacts')]
  if (Math.max(...sources.map(newestChange)) < built) return
  execFileSync(process.execPath, [join(server, 'build.ts')], { env: processEnv, stdio: 'inherit' })
}

/** Builds the pages if they are missing, as bin/purser would do in the middle of a run. */
export function buildPages(): void {
  const web = join(server, '../web')
  if (existsSync(join(web, 'dist/console/index.html'))) return
  execFileSync(process.execPath, [join(web, 'build.ts')], { env: processEnv, stdio: 'inherit' })
}

/** Returns the time of the newest change of a file, or of a folder with everything in it. */
function newestChange(path: string): number {
  const isFolder = statSync(path).isDirectory()
  const entries = isFolder ? readdirSync(path, { recursive: true }).map((entry) => join(path, String(entry))) : []
  return Math.max(...[path, ...entries].map((entry) => statSync(entry).mtimeMs))
}
