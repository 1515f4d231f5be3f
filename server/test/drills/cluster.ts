import { execFile } from 'node:child_process'
import { appendFile, chown, mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createDatabase } from '../../src/platform/db/migrate.ts'
import type { Connection } from '../proof/processes.ts'
import { freePort } from '../support/free-port.ts'
import { snippetsOf } from '../support/snippets.ts'

/** Debian's PostgreSQL 15, driven by the commands of the guides. PostgreSQL does not run as root. */
const postgresPrograms = '/usr/lib/postgresql/15/bin'
const call = promisify(execFile)

export type Shell = {
  /** Runs a command line that a guide contains word for word. */
  guided(document: string, line: string, env?: Record<string, string>): Promise<string>
  /** Returns the command lines of a guide that have not been run. */
  linesNotRun(document: string): string[]
  run(line: string, env?: Record<string, string>): Promise<string>
  /** Creates a folder of the user postgres. */
  newFolder(path: string): Promise<string>
}

export async function postgresShell(folder: string, base: Record<string, string> = {}): Promise<Shell> {
  const isRoot = process.getuid?.() === 0
  const id = async (flag: string) => Number((await call('id', [flag, 'postgres'])).stdout)
  const ids = isRoot ? { uid: await id('-u'), gid: await id('-g') } : {}
  if (ids.uid !== undefined && ids.gid !== undefined) await chown(folder, ids.uid, ids.gid)

  async function run(line: string, env: Record<string, string> = {}): Promise<string> {
    const all = { PATH: `${postgresPrograms}:/usr/bin:/bin`, LC_ALL: 'C', TZ: 'UTC', ...base, ...env }
    try {
      // A server outlives the shell, so it must not hold the shell's output.
      return (await call('bash', ['-ec', line], { ...ids, cwd: folder, env: all })).stdout
    } catch (error) {
      const { stdout = '', stderr = '' } = Object(error)
      throw new Error(`${line}\n${stdout}${stderr}${error instanceof Error ? error.message : ''}`)
    }
  }

  const done = new Set<string>()
  const linesOf = (document: string) =>
    snippetsOf(document).flatMap(({ language, code }) => (language === 'sh' ? code.trim().split('\n') : []))

  return {
    run,
    async guided(document, line, env) {
      if (!linesOf(document).includes(line)) throw new Error(`${document} does not contain: ${line}`)
      done.add(line)
      return run(line, env)
    },
    linesNotRun: (document) => linesOf(document).filter((line) => !done.has(line)),
    async newFolder(path) {
      await mkdir(path, { recursive: true, mode: 0o700 })
      if (ids.uid !== undefined && ids.gid !== undefined) await chown(path, ids.uid, ids.gid)
      return path
    },
  }
}

export type Cluster = { readonly data: string; readonly log: string; readonly connection: Connection }

/** Creates and starts a PostgreSQL server on a free port of this machine, with the database `purser`. */
export async function newCluster(shell: Shell, folder: string, settings: string): Promise<Cluster> {
  await shell.newFolder(folder)
  const [data, log, port] = [join(folder, 'data'), join(folder, 'log'), await freePort()]
  await shell.run(`initdb -D ${data} -U purser --auth=trust --encoding=UTF8 --locale=C --data-checksums`)
  const own = `port = ${port}\nlisten_addresses = '127.0.0.1'\nunix_socket_directories = '${folder}'\n`
  await appendFile(join(data, 'postgresql.conf'), `${own}${settings}\n`)
  await startCluster(shell, { data, log })
  const connection = { host: '127.0.0.1', port, user: 'purser', database: 'purser' }
  await createDatabase(connection)
  return { data, log, connection }
}

export async function startCluster(shell: Shell, { data, log }: Pick<Cluster, 'data' | 'log'>): Promise<void> {
  await shell.run(`pg_ctl -D ${data} -l ${log} -w -t 300 start`)
}

/** Stops a PostgreSQL server at once, if it runs. */
export async function stopCluster(shell: Shell, { data }: Pick<Cluster, 'data'>): Promise<void> {
  await shell.run(`pg_ctl -D ${data} -m immediate -w stop`).catch(() => {})
}

/** Kills all processes of a PostgreSQL server at once, as the loss of its machine does. */
export async function killCluster(data: string): Promise<void> {
  const postmaster = Number((await readFile(join(data, 'postmaster.pid'), 'utf8')).split('\n', 1)[0])
  const children: number[] = []
  for (const name of await readdir('/proc')) {
    const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '')
    // The fields after the name in parentheses are the state and the parent.
    if (Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === postmaster) children.push(Number(name))
  }
  for (const pid of [postmaster, ...children]) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // A session may have ended by itself.
    }
  }
}
