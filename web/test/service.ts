import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { startNginx } from '../../deploy/proxy/start-nginx.ts'
import { freePort } from '../../server/test/support/free-port.ts'

/** A separate service, started as a person starts it: real PostgreSQL, real Anvil, in a new folder. */
export type Service = {
  readonly url: string
  /** Another origin of the same service, for the secure frame. */
  readonly frameOrigin: string
  sandbox<Body = unknown>(method: string, path: string, body?: object): Promise<Body>
  /** The folder with its database and its chain. */
  readonly folder: string
  /** Stops the service and keeps its data. */
  halt(): Promise<void>
  /** Starts the service again after it was killed or halted, with other settings if they are given. */
  restart(changes?: Readonly<Record<string, string>>): Promise<void>
  stop(): Promise<void>
}

const root = join(import.meta.dirname, '../..')
const maxStartMilliseconds = 90_000

/** BROWSER_PROXY=nginx puts nginx with deploy/proxy/nginx.conf between the browser and the service. */
const isBehindNginx = process.env['BROWSER_PROXY'] === 'nginx'

export async function startService(settings: Readonly<Record<string, string>> = {}): Promise<Service> {
  // A story with a URL of its own has a proxy of its own.
  const hasProxy = isBehindNginx && settings['BASE_URL'] === undefined
  const port = await freePort()
  const upstream = hasProxy ? await freePort() : port
  const folder = await mkdtemp(join(tmpdir(), 'purser-web-'))
  const url = `http://localhost:${port}`
  const frameOrigin = `http://127.0.0.1:${port}`
  const env = {
    ...process.env,
    ...{ PORT: String(upstream), DATA_DIR: folder, BASE_URL: url, PCI_URL: frameOrigin, LOG_LEVEL: 'error' },
    ...(hasProxy && { HOST: '127.0.0.1', TRUSTED_PROXIES: '127.0.0.1' }),
    ...settings,
  }
  const nginx = hasProxy ? await startNginx({ upstream, port, plain: { api: 'localhost', cards: '127.0.0.1' } }) : null
  const launch = (changes = {}) =>
    spawn(join(root, 'bin/purser'), { env: { ...env, ...changes }, stdio: ['ignore', 'ignore', 'inherit'] })
  let child = launch()

  async function ready(): Promise<void> {
    for (const until = Date.now() + maxStartMilliseconds; Date.now() < until; await delay(200)) {
      const response = await fetch(`${url}/health/ready`).catch(() => null)
      if (response?.ok) return
    }
    throw new Error(`the service did not start within ${maxStartMilliseconds / 1000} s`)
  }

  async function halt(): Promise<void> {
    child.kill('SIGTERM')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  }

  async function stop(): Promise<void> {
    await halt()
    await nginx?.stop()
    await rm(folder, { recursive: true, force: true })
  }

  try {
    await ready()
  } catch (error) {
    // Without this, a start that takes too long leaves its processes behind.
    await stop()
    throw error
  }
  return {
    url,
    frameOrigin,
    folder,
    halt,
    async sandbox<Body>(method: string, path: string, body?: object) {
      const response = await fetch(`${url}/sandbox${path}`, {
        method,
        headers: {
          authorization: `Basic ${btoa(`simulator:${settings['SANDBOX_PASSWORD'] ?? 'sandbox'}`)}`,
          ...(body && { 'content-type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
      })
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
      return (await response.json()) as Body
    },
    async restart(changes) {
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
      child = launch(changes)
      await ready()
    },
    stop,
  }
}
