import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, realpathSync } from 'node:fs'
import { access, chown, constants, lstat, mkdir, readFile, realpath, rename, rm } from 'node:fs/promises'
import type { Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { StartError } from '../lib/errors.ts'
import { lockFolder } from './lock-folder.ts'
import { chooseLauncher, findBinaries, type Launcher } from './postgres-launcher.ts'

/**
 * The PostgreSQL that Purser runs without a DATABASE_URL. Its binaries come from npm, its data is durable in
 * DATA_DIR/postgres, and it listens on a Unix socket that only this user can reach.
 */
export type EmbeddedPostgres = {
  readonly connection: { host: string; port: number; user: string; database: string }
  /** Resolves when the server has ended, for any reason. */
  readonly ended: Promise<void>
  stop(): Promise<void>
}

const runCommand = promisify(execFile)
const port = 5432
const user = 'purser'
const maxStartMilliseconds = 30_000

function socketFolder(dataDir: string): string {
  // The path of a Unix socket has at most about 100 bytes, and DATA_DIR may be longer.
  const folder = join(dataDir, 'run')
  if (folder.length <= 80) return folder
  return join(tmpdir(), `purser-${createHash('sha256').update(dataDir).digest('hex').slice(0, 16)}`)
}

/**
 * Returns the connection to the server of a data folder, for commands beside a running service. The server names its
 * socket by the real path of the folder.
 */
export function embeddedConnection(dataDir: string): EmbeddedPostgres['connection'] {
  return { host: socketFolder(existsSync(dataDir) ? realpathSync(dataDir) : dataDir), port, user, database: 'purser' }
}

type StartOptions = {
  /** Cuts the start short while the data folder is being created. */
  readonly signal?: AbortSignal
  readonly settings?: Readonly<Record<string, string>>
  readonly binaries?: string
}

export async function startEmbeddedPostgres(
  requestedDataDir: string,
  { signal, settings = {}, binaries = findBinaries() }: StartOptions = {},
): Promise<EmbeddedPostgres> {
  const { dataDir, isNew } = await writableFolder(requestedDataDir)
  const lock = await lockFolder(dataDir)
  try {
    const cluster = join(dataDir, 'postgres')
    const run = socketFolder(dataDir)
    const launcher = await chooseLauncher(binaries, dataDir, isNew)
    await makePrivateFolder(run, launcher.owner)
    await stopLeftover(cluster)
    if (!existsSync(join(cluster, 'PG_VERSION'))) await initialize(launcher, dataDir, cluster, signal)
    return await launch(launcher, cluster, run, settings, lock)
  } catch (error) {
    lock.close()
    throw error
  }
}

/**
 * Creates DATA_DIR if it is missing, for this user alone, and returns its real path. An existing folder keeps its mode.
 */
async function writableFolder(path: string): Promise<{ dataDir: string; isNew: boolean }> {
  try {
    const created = await mkdir(path, { recursive: true, mode: 0o700 })
    await access(path, constants.W_OK)
    return { dataDir: await realpath(path), isNew: created !== undefined }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new StartError(
      `Purser cannot write to its data folder ${path} (${reason}). Set DATA_DIR to a folder that you own.`,
    )
  }
}

/** Creates the folder of the socket. In the folder for temporary files, another user may have created it before. */
async function makePrivateFolder(path: string, owner: number | null): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 })
  const found = await lstat(path)
  const isOwn = found.uid === process.getuid?.() || found.uid === owner
  if (!found.isDirectory() || !isOwn || (found.mode & 0o077) !== 0) {
    throw new StartError(
      `The folder of PostgreSQL's socket, ${path}, exists already and is not private. Remove it, or set another DATA_DIR.`,
    )
  }
  if (owner !== null) await chown(path, owner, owner)
}

/** Stops a server that outlived a killed Purser, because it still holds the folder. */
async function stopLeftover(cluster: string): Promise<void> {
  const pid = Number((await readPidFile(cluster)).split('\n', 1)[0])
  if (!Number.isInteger(pid) || pid <= 1) return
  const isPostgres = async () => (await commandLineOf(pid)).includes(cluster)
  if (!(await isPostgres())) return
  process.kill(pid, 'SIGINT')
  for (const until = Date.now() + maxStartMilliseconds; Date.now() < until; await delay(25)) {
    if (!(await isPostgres())) return
  }
  throw new StartError(`The PostgreSQL of an earlier Purser (process ${pid}) does not stop. Stop that process.`)
}

/** Returns the command line of a process; empty when it does not exist. Only Linux has it in /proc. */
async function commandLineOf(pid: number): Promise<string> {
  if (process.platform === 'linux') return readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
  const { stdout } = await runCommand('ps', ['-ww', '-o', 'command=', '-p', String(pid)]).catch(() => ({ stdout: '' }))
  return stdout
}

/**
 * Creates the data folder of PostgreSQL under another name and renames it, so that an interrupted start leaves no
 * partial folder.
 */
async function initialize(launcher: Launcher, dataDir: string, cluster: string, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted()
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
  // Detached: a Ctrl-C in the terminal reaches Purser alone, which then ends initdb and cleans up.
  const child = spawn(command, args, { ...ids, cwd: '/', detached: true, stdio: ['ignore', 'ignore', 'pipe'] })
  const interrupt = () => child.kill('SIGINT')
  signal?.addEventListener('abort', interrupt)
  let stderr = ''
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  const status = await new Promise<number | null>((resolve, reject) =>
    child.once('error', (error) => reject(cannotRun(error))).once('close', resolve),
  )
  signal?.removeEventListener('abort', interrupt)
  if (status !== 0 || signal?.aborted) {
    await rm(fresh, { recursive: true, force: true })
    signal?.throwIfAborted()
    throw new StartError(
      `PostgreSQL cannot create its data folder: ${stderr.trim()}. Correct this, or set DATABASE_URL.`,
    )
  }
  await rename(fresh, cluster)
}

/** The usual reason is a Linux without glibc, such as Alpine. */
function cannotRun({ message }: Error): StartError {
  return new StartError(
    `The embedded PostgreSQL does not run on this machine (${message}). On Linux it needs glibc. Set DATABASE_URL to a PostgreSQL 15 to 18 that you run.`,
  )
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
  // Detached: a Ctrl-C in the terminal reaches Purser alone, which stops the server after its last query.
  const child = spawn(command, args, { ...ids, cwd: '/', detached: true, stdio: ['ignore', 'ignore', 'pipe'] })
  let stderr = ''
  child.stderr.on('data', (chunk) => {
    stderr = `${stderr}${chunk}`.slice(-4000)
  })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()).once('error', () => resolve()))
  const server: EmbeddedPostgres = {
    connection: { host: run, port, user, database: 'purser' },
    ended,
    async stop() {
      // SIGINT is PostgreSQL's fast shutdown: it ends open sessions and writes a checkpoint.
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGINT')
      await ended
      lock.close()
    },
  }
  await waitUntilReady(cluster, leftover, child, () => stderr)
  return server
}

/** Reads the file that names the process of the server and its start time. A killed server leaves this file behind. */
function readPidFile(cluster: string): Promise<string> {
  return readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '')
}

/** Waits until the last line of a new postmaster.pid says `ready`: the server accepts connections. */
async function waitUntilReady(
  cluster: string,
  leftover: string,
  child: ChildProcess,
  stderr: () => string,
): Promise<void> {
  for (const until = Date.now() + maxStartMilliseconds; Date.now() < until; await delay(10)) {
    if (child.exitCode !== null || child.signalCode !== null) {
      throw new StartError(`PostgreSQL ended during its start: ${stderr().trim()}. Correct this, or set DATABASE_URL.`)
    }
    const pidFile = await readPidFile(cluster)
    if (pidFile !== leftover && pidFile.split('\n')[7]?.trim() === 'ready') return
  }
  child.kill('SIGINT')
  throw new StartError(
    `PostgreSQL was not ready within ${maxStartMilliseconds / 1000} s. Start Purser again, or set DATABASE_URL. PostgreSQL wrote: ${stderr().trim() || 'nothing'}`,
  )
}
