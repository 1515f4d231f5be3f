import { existsSync } from 'node:fs'
import { test } from 'vitest'
import { hasAnvil } from '../../src/providers/anvil/process.ts'

/** The programs of drills, and the Debian packages that contain them. */
export const debianPackages = {
  '/usr/lib/postgresql/15/bin/pg_basebackup': 'postgresql-15',
  '/usr/bin/pgbackrest': 'pgbackrest',
  '/usr/sbin/nginx': 'nginx-light',
  '/usr/bin/openssl': 'openssl',
  '/usr/bin/faketime': 'faketime',
} as const
type DebianProgram = keyof typeof debianPackages

const isProgram = (path: string): path is DebianProgram => path in debianPackages

export const missingPrograms = (): DebianProgram[] =>
  Object.keys(debianPackages)
    .filter(isProgram)
    .filter((path) => !existsSync(path))

type Needs = {
  readonly programs?: readonly DebianProgram[]
  readonly root?: boolean
  /** Whether the drill needs TEST_CLUSTER. REQUIRE_DRILLS does not require a cluster, because Debian has no Citus. */
  readonly cluster?: boolean
}

/**
 * Declares a drill. Without REQUIRE_DRILLS, it is skipped if this machine lacks something that it needs. Its title then
 * has the reasons.
 */
export function drill(
  title: string,
  { programs = [], root = false, cluster = false }: Needs,
  run: () => Promise<void>,
): void {
  const missing = programs.filter((path) => missingPrograms().includes(path)).map((path) => debianPackages[path])
  const reasons = [
    ...(missing.length > 0 ? [`install the Debian packages ${missing.join(', ')}`] : []),
    ...(root && process.getuid?.() !== 0 ? ['run it as root'] : []),
    ...(hasAnvil() ? [] : ['Anvil does not run on this machine']),
  ]
  const lacksCluster = cluster && process.env['TEST_CLUSTER'] === undefined
  if (lacksCluster) reasons.push('TEST_CLUSTER names no cluster on this machine')
  const isRequired = process.env['REQUIRE_DRILLS'] !== undefined && !lacksCluster
  const begin = () => {
    startedAt = performance.now()
    return run()
  }
  if (reasons.length === 0 || isRequired) test(title, begin)
  else test.skip([title, ...reasons].join('; '), run)
}

let startedAt = 0

/** Prints a step of the running drill with its time. */
export function say(step: string): void {
  process.stdout.write(`${((performance.now() - startedAt) / 1000).toFixed(1).padStart(7)} s  ${step}\n`)
}
