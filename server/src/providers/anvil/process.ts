import { type ChildProcess, spawn } from 'node:child_process'
import { readdir, readFile, readlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

/** A local chain: an Anvil process, whose binary comes from npm. */
export type AnvilProcess = {
  readonly url: string
  readonly pid: number
  /** Resolves when the process has ended for any reason. */
  readonly ended: Promise<void>
  /** Stops the process gracefully, so that a chain with `--state` saves its state. */
  stop(): Promise<void>
}

/** Anvil cannot run on this machine. The message has the reason. */
export class AnvilError extends Error {}

const readyWithinMilliseconds = 20_000
const maxStarts = 5
/** The listening state in /proc/net/tcp, see proc(5). */
const listening = '0A'
const inodeColumn = 9

export function findAnvil(): string {
  try {
    const require = createRequire(import.meta.url)
    return join(dirname(require.resolve('@foundry-rs/anvil-linux-amd64/package.json')), 'bin/anvil')
  } catch {
    throw new AnvilError(`Anvil is not installed for ${process.platform}-${process.arch}`)
  }
}

/** Returns whether npm has installed Anvil for this platform. */
export function hasAnvil(): boolean {
  try {
    return findAnvil() !== ''
  } catch {
    return false
  }
}

/** Starts Anvil on the preferred port, or on a free one when that is taken. */
export async function startAnvilProcess(
  args: readonly string[],
  { port = 0, stderr = 'ignore' }: { port?: number; stderr?: number | 'ignore' } = {},
): Promise<AnvilProcess> {
  const binary = findAnvil()
  for (let starts = 1; ; starts++) {
    try {
      const free = (starts === 1 ? await freePort(port).catch(() => 0) : 0) || (await freePort(0))
      return await launch(binary, args, free, stderr)
    } catch (error) {
      // Another process can take the port between the check and the start.
      if (starts === maxStarts) throw error
    }
  }
}

async function launch(
  binary: string,
  args: readonly string[],
  port: number,
  stderr: number | 'ignore',
): Promise<AnvilProcess> {
  // Detached, so that Ctrl-C signals only Purser, which stops the chain after its last request. Silent and without a
  // pipe, because a chain that outlives Purser would exit at the first write to a closed pipe.
  const child = spawn(binary, ['--host', '127.0.0.1', '--port', String(port), '--silent', ...args], {
    cwd: '/',
    detached: true,
    stdio: ['ignore', 'ignore', stderr],
  })
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve()).once('error', () => resolve())
  })
  const url = `http://127.0.0.1:${port}`
  if (!(await isReady(url, port, child, ended))) throw new AnvilError(`${binary} exited during its start`)
  return {
    url,
    pid: child.pid ?? 0,
    ended,
    async stop() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM')
      await ended
    },
  }
}

async function isReady(url: string, port: number, child: ChildProcess, ended: Promise<void>): Promise<boolean> {
  const gone = ended.then(() => true)
  for (const until = Date.now() + readyWithinMilliseconds; Date.now() < until; ) {
    // Another chain on the same port would give the same response, so the port's owner is checked too.
    if ((await listens(child.pid, port)) && (await respondsAsAnvil(url))) return true
    if (await Promise.race([gone, delay(10, false)])) return false
  }
  child.kill('SIGKILL')
  return false
}

/**
 * Returns whether the process itself listens on the port, by the kernel's socket table and the process's descriptors.
 */
async function listens(pid: number | undefined, port: number): Promise<boolean> {
  const table = (await readFile('/proc/net/tcp', 'utf8')).split('\n').map((line) => line.trim().split(/\s+/))
  const address = `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const inode = table.find(([, local, , state]) => local === address && state === listening)?.[inodeColumn]
  const folder = `/proc/${pid}/fd`
  const open = await readdir(folder).catch(() => [])
  const targets = await Promise.all(open.map((name) => readlink(`${folder}/${name}`).catch(() => '')))
  return targets.includes(`socket:[${inode}]`)
}

export async function respondsAsAnvil(url: string): Promise<boolean> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'web3_clientVersion', params: [] })
  try {
    const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    return (await response.text()).includes('anvil/')
  } catch {
    return false
  }
}

/** Returns the port if it is free, or any free port for 0. */
function freePort(port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(address !== null && typeof address === 'object' ? address.port : 0))
    })
  })
}
