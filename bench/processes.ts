import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from '../server/test/support/free-port.ts'

export type Server = {
  readonly url: string
  readonly pid: number
  readonly readyAfterSeconds: number
  stop(): Promise<void>
}

/** Generous, because a busy machine starts processes slowly. */
const readyWithinSeconds = 180

const root = fileURLToPath(new URL('..', import.meta.url))

/** Starts the service with its launcher, and so with the flags of Node.js that it has in production. */
export function startService(
  env: Readonly<Record<string, string>>,
  nodeOptions = '',
  launcher = `${root}/bin/purser`,
): Promise<Server> {
  return start([launcher], '/health/ready', { ...env, NODE_OPTIONS: nodeOptions })
}

/**
 * Copies the launcher and a fresh bundle of the service to a folder, with a change to the text of the bundle. Returns
 * the launcher.
 */
export async function buildChanged(folder: string, change: (bundle: string) => string): Promise<string> {
  const main = join(folder, 'server', 'dist', 'main.js')
  await mkdir(dirname(main), { recursive: true })
  await mkdir(join(folder, 'bin'))
  const { status } = spawnSync(process.execPath, [`${root}/server/build.ts`, dirname(main)], { stdio: 'inherit' })
  if (status !== 0) throw new Error('the service could not be bundled')
  await writeFile(main, change(await readFile(main, 'utf8')))
  for (const used of ['node_modules', 'web']) await symlink(join(root, used), join(folder, used))
  const launcher = join(folder, 'bin', 'purser')
  await copyFile(`${root}/bin/purser`, launcher)
  return launcher
}

/** Starts two processes on one port. The second one is ready by the end of the first, uncounted round. */
export async function startPair(env: Readonly<Record<string, string>>): Promise<[Server, Server]> {
  const shared = { ...env, SHARED_PORT: 'on' }
  const one = await startService(shared)
  return [one, await startService({ ...shared, PORT: new URL(one.url).port })]
}

/** Starts the service with one role. Its log goes to `log`, if given, and its health and metrics are at the URL. */
export function startRole(
  role: 'api' | 'worker' | 'watcher',
  env: Readonly<Record<string, string>>,
  log: number | 'ignore' = 'ignore',
): Promise<Server> {
  const port = role === 'api' ? 'PORT' : 'METRICS_PORT'
  return start([`${root}/bin/purser`], '/health/ready', { ...env, ROLES: role }, { port, stdout: log })
}

export function startPeer(name: string, env: Readonly<Record<string, string>> = {}): Promise<Server> {
  return start([process.execPath, fileURLToPath(new URL(`peers/${name}.mjs`, import.meta.url))], '/', env)
}

export function startWebhookReceiver(): Promise<Server> {
  return start([process.execPath, fileURLToPath(new URL('webhook-receiver.ts', import.meta.url))], '/', {})
}

/** Starts a process. It is ready once `path` returns 200. */
async function start(
  [command, ...args]: readonly [string, ...string[]],
  path: string,
  env: Readonly<Record<string, string>>,
  { port: setting = 'PORT', stdout = 'ignore' }: { port?: 'PORT' | 'METRICS_PORT'; stdout?: number | 'ignore' } = {},
): Promise<Server> {
  const port = env[setting] ?? String(await freePort())
  const url = `http://127.0.0.1:${port}`
  const startedAt = performance.now()
  const child = spawn(command, args, {
    cwd: root,
    // Finds the Node.js of this process first.
    env: {
      PATH: `${dirname(process.execPath)}:${process.env['PATH']}`,
      NODE_ENV: 'production',
      MODE: 'sandbox',
      HOST: '127.0.0.1',
      ...env,
      [setting]: port,
    },
    stdio: ['ignore', stdout, 'inherit'],
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
  throw new Error(`${url} was not ready within ${readyWithinSeconds} s`)
}
