import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { bundled } from '../support/bundle.ts'
import { freePort } from '../support/free-port.ts'
import { fewConnections, processEnv } from '../support/process-env.ts'
import { findSharedService } from './shared-service.ts'

/**
 * The service as an outside team uses it, by its URL. `ACCEPTANCE_URL` names a running sandbox, whose password is in
 * SANDBOX_PASSWORD. Without it, the suite starts the real process in a new folder and stops it afterwards. Files share
 * one process, except those that move its clock or need settings of their own.
 */
export type Service = { url: string; sandboxPassword: string; stop(): Promise<void> }

/** True for a running service that others share. Tests must not move its clock or flood it. */
export const isShared = process.env['ACCEPTANCE_URL'] !== undefined

const readyWithinMilliseconds = 180_000

const sandboxPassword = process.env['SANDBOX_PASSWORD'] ?? 'sandbox'

function namedService(): Service | null {
  const url = process.env['ACCEPTANCE_URL']
  return url === undefined ? null : { url: url.replace(/\/+$/, ''), sandboxPassword, stop: async () => {} }
}

/** Returns the service that all files share. */
export async function findService(): Promise<Service> {
  return namedService() ?? { ...(await findSharedService()), stop: async () => {} }
}

/** Starts a service for one file. `settings` do not apply to the service that `ACCEPTANCE_URL` names. */
export async function startService(settings: Record<string, string> = {}): Promise<Service> {
  const named = namedService()
  if (named !== null) return named
  const port = await freePort()
  const folder = await mkdtemp(join(tmpdir(), 'purser-acceptance-'))
  const child = spawn(process.execPath, [bundled('main')], {
    env: {
      ...processEnv,
      ...fewConnections,
      HOST: '127.0.0.1',
      PORT: String(port),
      DATA_DIR: folder,
      SANDBOX_PASSWORD: sandboxPassword,
      LOG_LEVEL: 'warn',
      ...settings,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  async function stop(): Promise<void> {
    const ended = once(child, 'exit')
    if (child.exitCode === null && child.kill('SIGTERM')) await ended
    await rm(folder, { recursive: true, force: true })
  }
  const ownUrl = `http://127.0.0.1:${port}`
  try {
    await ready(ownUrl, child)
  } catch (error) {
    await stop()
    throw error
  }
  return { url: ownUrl, sandboxPassword, stop }
}

async function ready(url: string, child: ChildProcess): Promise<void> {
  let complaint = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    complaint += text
  })
  const deadline = performance.now() + readyWithinMilliseconds
  while (performance.now() < deadline) {
    if (child.exitCode !== null || child.signalCode !== null) break
    const answer = await fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(5_000) }).catch(() => null)
    if (answer?.status === 200) return
    await delay(50)
  }
  // The last output of the process may not have arrived yet.
  await delay(200)
  const end = child.exitCode ?? child.signalCode ?? 'none'
  throw new Error(`the service did not become ready (end: ${end}):\n${complaint}`)
}
