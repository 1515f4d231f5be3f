import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { buildBundle } from '../support/bundle.ts'
import { debianPackages, missingPrograms } from './needs.ts'

/** Builds the programs that drills start. REQUIRE_DRILLS=1 installs the missing Debian packages. */
export default function setup(): void {
  buildBundle()
  if (process.env['REQUIRE_DRILLS'] === undefined) return
  const missing = missingPrograms().flatMap((program) => [program, debianPackages[program]])
  if (missing.length === 0) return
  const script = join(import.meta.dirname, '../../../deploy/checks/debian.sh')
  execFileSync('bash', ['-ec', '. "$0"; need "$@"', script, ...missing], { stdio: 'inherit' })
}
