import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

/** nginx with the sample configuration of this folder, on a free port of this machine. */
export type Nginx = {
  readonly port: number
  /** The certificate of all its names; empty without TLS. */
  readonly certificate: string
  /** Returns the lines of its access log. */
  log(): Promise<string>
  stop(): Promise<void>
}

type Options = {
  /** The port of the service. */
  readonly upstream: number
  readonly port?: number
  /** Replaces the names of the sample, and turns TLS off: for a browser, which knows neither name nor certificate. */
  readonly plain?: { readonly api: string; readonly cards: string }
}

const maxStartMilliseconds = 60_000

export async function startNginx({ upstream, plain, ...given }: Options): Promise<Nginx> {
  const folder = await mkdtemp(join(tmpdir(), 'purser-nginx-'))
  const [port, redirect] = [given.port ?? (await freePort()), await freePort()]
  const replacements: [string, string][] = [
    ['server 127.0.0.1:8080;', `server 127.0.0.1:${upstream};`],
    ['listen 80 ', `listen 127.0.0.1:${redirect} `],
    ['listen 443 ssl http2', `listen 127.0.0.1:${port}${plain ? '' : ' ssl http2'}`],
    ['/etc/ssl/purser/', `${folder}/`],
    ['/var/log/nginx/', `${folder}/`],
  ]
  if (plain) {
    replacements.push(['server_name api.example.com', `server_name ${plain.api}`])
    replacements.push(['server_name cards.example.com', `server_name ${plain.cards}`])
    // A sandbox has the console on the host of its API.
    replacements.push(['location ~ ^/(console|operator|metrics)(/|$) { return 404; }', ''])
  }
  let sample = await readFile(join(import.meta.dirname, 'nginx.conf'), 'utf8')
  for (const [from, to] of replacements) {
    if (!sample.includes(from)) throw new Error(`nginx.conf lacks "${from}"`)
    sample = sample.replaceAll(from, to)
  }
  const certificate = plain === undefined ? await newCertificate(folder) : ''
  if (plain) sample = sample.replace(/^ssl_.*$/gm, '')
  await mkdir(join(folder, 'temp'))
  const temp = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/temp/${name};`,
  )
  const file = join(folder, 'nginx.conf')
  const main = `daemon off; worker_processes 1; pid ${folder}/pid; error_log ${folder}/error.log;
${process.getuid?.() === 0 ? 'user root;' : ''}
events {}
http {
${temp.join('\n')}
${sample}
}
`
  await writeFile(file, main)
  const child = spawn('nginx', ['-c', file, '-p', folder], {
    env: { PATH: `${process.env['PATH']}:/usr/sbin` },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let problems = ''
  child.stderr.on('data', (chunk) => {
    problems += chunk
  })
  const exited = once(child, 'exit')
  const until = Date.now() + maxStartMilliseconds
  while (!(await isOpen(port))) {
    if (child.exitCode !== null || Date.now() > until) throw new Error(`nginx did not start: ${problems}`)
    await delay(20)
  }
  return {
    port,
    certificate,
    log: () => readFile(join(folder, 'purser.log'), 'utf8'),
    async stop() {
      child.kill('SIGQUIT')
      await exited
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function newCertificate(folder: string): Promise<string> {
  const names = ['api', 'cards', 'console'].map((name) => `DNS:${name}.example.com`).join(',')
  const words = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2']
  const [key, chain] = [join(folder, 'privkey.pem'), join(folder, 'fullchain.pem')]
  const subject = ['-subj', '/CN=Purser check', '-addext', `subjectAltName=${names}`]
  execFileSync('openssl', [...words, ...subject, '-keyout', key, '-out', chain], { stdio: 'ignore' })
  return readFile(chain, 'utf8')
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}
