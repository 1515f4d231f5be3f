import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { StartError } from '../lib/errors.ts'

/** Covers a process that is ending, and a lock that a child process inherits until it has started its program. */
const waitMilliseconds = 1_000

/**
 * Locks a data folder for one process, by a Unix socket that only one process can listen on. Linux has abstract
 * sockets, which end with their process. Elsewhere the socket is a file, and a file that nobody listens on is removed.
 */
export async function lockFolder(dataDir: string, platform: NodeJS.Platform = process.platform): Promise<Server> {
  const digest = createHash('sha256').update(dataDir).digest('hex').slice(0, 32)
  const path = platform === 'linux' ? `\0purser-${digest}` : join(tmpdir(), `purser-${digest}.lock`)
  const server = createServer((socket) => socket.destroy())
  for (const until = Date.now() + waitMilliseconds; ; await delay(25)) {
    if (await listen(server, path)) return server
    if (Date.now() > until) break
    if (platform !== 'linux' && !(await hasListener(path))) await rm(path, { force: true })
  }
  throw new StartError(`Another Purser uses ${dataDir}. Stop it, or set another DATA_DIR for this one.`)
}

async function listen(server: Server, path: string): Promise<boolean> {
  try {
    await once(server.listen(path), 'listening')
  } catch {
    return false
  }
  server.unref()
  return true
}

function hasListener(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path)
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}
