import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

export type Server = {
  readonly url: string
  readonly pid: number
  readonly readyAfterSeconds: number
  stop(): Promise<void>
}

const readyWithinSeconds = 60

export const serviceScript = fileURLToPath(new URL('../src/main.ts', import.meta.url))
export const peerScript = (name: string) => fileURLToPath(new URL(`peers/${name}.mjs`, import.meta.url))

/** Starts a server of ours or a peer as a process of its own, and waits until `path` answers 200. */
export async function startServer(
  script: string,
  path: string,
  env: Readonly<Record<string, string>>,
  nodeOptions: readonly string[] = [],
): Promise<Server> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const startedAt = performance.now()
  const child = spawn(process.execPath, [...nodeOptions, script], {
    env: { PATH: process.env['PATH'], NODE_ENV: 'production', HOST: '127.0.0.1', PORT: String(port), ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  await untilReady(child, `${url}${path}`)
  return {
    url,
    pid: child.pid ?? 0,
    readyAfterSeconds: (performance.now() - startedAt) / 1000,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGTERM')
      await once(child, 'exit')
    },
  }
}

async function untilReady(child: ChildProcess, url: string): Promise<void> {
  for (const until = Date.now() + readyWithinSeconds * 1000; Date.now() < until; await delay(10)) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(`${child.spawnargs.join(' ')} ended`)
    const answer = await fetch(url).catch(() => null)
    if (answer?.ok) return
  }
  child.kill('SIGTERM')
  throw new Error(`${url} did not answer within ${readyWithinSeconds} s`)
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  probe.close()
  await once(probe, 'close')
  if (address === null || typeof address === 'string') throw new Error('no free port')
  return address.port
}
