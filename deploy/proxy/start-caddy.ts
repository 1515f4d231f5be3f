import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { connect } from 'node:tls'
import { freePort } from '../../server/test/support/free-port.ts'

/** Caddy with the sample configuration of this folder, on a free port of this machine. */
export type Caddy = {
  readonly port: number
  stop(): Promise<void>
}

const hosts = ['api.example.com', 'cards.example.com', 'console.example.com']
const maxStartMilliseconds = 60_000

/** Starts Caddy with a certificate authority of its own, because the sample gets its certificates from the internet. */
export async function startCaddy({ upstream }: { readonly upstream: number }): Promise<Caddy> {
  const folder = await mkdtemp(join(tmpdir(), 'purser-caddy-'))
  const [port, redirect] = [await freePort(), await freePort()]
  const sample = await readFile(join(import.meta.dirname, 'Caddyfile'), 'utf8')
  const begin = '\n{\n'
  if (!sample.includes(begin)) throw new Error('the Caddyfile lacks its global options')
  const own = `admin off
default_bind 127.0.0.1
http_port ${redirect}
https_port ${port}
local_certs
skip_install_trust
storage file_system ${folder}
`
  const file = join(folder, 'Caddyfile')
  await writeFile(file, sample.replace(begin, `${begin}${own}`))
  const child = spawn('caddy', ['run', '--adapter', 'caddyfile', '--config', file], {
    env: { PATH: process.env['PATH'], HOME: folder, PURSER: `127.0.0.1:${upstream}` },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let problems = ''
  child.stderr.on('data', (chunk) => {
    problems += chunk
  })
  // A missing program ends the start here.
  await once(child, 'spawn')
  const exited = once(child, 'exit')
  async function stop(): Promise<void> {
    child.kill('SIGTERM')
    await exited
    await rm(folder, { recursive: true, force: true })
  }
  const authority = join(folder, 'pki/authorities/local/root.crt')
  const isServed = async () => {
    const ca = await readFile(authority, 'utf8').catch(() => '')
    return ca !== '' && (await Promise.all(hosts.map((host) => isTrusted(port, host, ca)))).every(Boolean)
  }
  const until = Date.now() + maxStartMilliseconds
  while (!(await isServed())) {
    if (child.exitCode === null && Date.now() < until) {
      await delay(50)
      continue
    }
    await stop()
    throw new Error(`Caddy did not start: ${problems}`)
  }
  return { port, stop }
}

/** Returns whether a port shows a certificate of the authority for a host. */
function isTrusted(port: number, servername: string, ca: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', servername, ca }, () => {
      resolve(true)
      socket.destroy()
    })
    socket.once('error', () => resolve(false))
  })
}
