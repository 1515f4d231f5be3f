import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '../../server/test/support/free-port.ts'
import { isOpen } from './ports.ts'

/** nginx with the sample configuration of this folder, on a free port of this machine. */
export type Nginx = {
  readonly port: number
  /** The certificate of the authority that signs nginx's own; empty without TLS. */
  readonly certificate: string
  /** Sends requests to other ports from now on. Resolves when the requests to the earlier ones have ended. */
  reload(upstream?: readonly number[]): Promise<void>
  /** Replaces the certificate, without a pause. */
  renewCertificate(): Promise<void>
  /** Returns the lines of its access log. */
  log(): Promise<string>
  stop(): Promise<void>
}

type Options = {
  /** The port of the service, or of each of its processes. */
  readonly upstream: number | readonly number[]
  readonly port?: number
  /** Replaces the names of the sample, and turns TLS off: for a browser, which knows neither name nor certificate. */
  readonly plain?: { readonly api: string; readonly cards: string }
}

const maxStartMilliseconds = 60_000

export async function startNginx({ upstream, plain, ...given }: Options): Promise<Nginx> {
  const folder = await mkdtemp(join(tmpdir(), 'purser-nginx-'))
  const [port, redirect] = [given.port ?? (await freePort()), await freePort()]
  const replacements: [string, string][] = [
    ['listen 80 ', `listen 127.0.0.1:${redirect} `],
    ['listen 443 ssl http2', `listen 127.0.0.1:${port}${plain ? '' : ' ssl http2'}`],
    ['/etc/ssl/purser/', `${folder}/`],
    ['/var/log/nginx/', `${folder}/`],
  ]
  if (plain) {
    replacements.push(['server_name api.example.com', `server_name ${plain.api}`])
    replacements.push(['server_name cards.example.com', `server_name ${plain.cards}`])
    // A sandbox has the console on the host of its API.
    replacements.push(['location ~ ^/(console/operator|operator|metrics)(/|$) { return 404; }', ''])
  }
  let sample = await readFile(join(import.meta.dirname, 'nginx.conf'), 'utf8')
  for (const [from, to] of replacements) {
    if (!sample.includes(from)) throw new Error(`nginx.conf lacks "${from}"`)
    sample = sample.replaceAll(from, to)
  }
  const certificate = plain === undefined ? await newAuthority(folder) : ''
  if (plain === undefined) newCertificate(folder)
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
  const place = 'server 127.0.0.1:8080;'
  if (!sample.includes(place)) throw new Error(`nginx.conf lacks "${place}"`)
  const configure = (ports: readonly number[]) =>
    writeFile(file, main.replace(place, ports.map((each) => `server 127.0.0.1:${each};`).join(' ')))
  await configure([upstream].flat())
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
  /** Replaces the workers of nginx, and waits until the earlier ones have ended their requests. */
  async function replaceWorkers(): Promise<void> {
    const children = `/proc/${child.pid}/task/${child.pid}/children`
    const workers = async () => (await readFile(children, 'utf8')).split(' ').filter((pid) => pid !== '')
    const before = await workers()
    child.kill('SIGHUP')
    for (const limit = Date.now() + maxStartMilliseconds; Date.now() < limit; await delay(50)) {
      const now = await workers()
      if (now.length > 0 && !before.some((pid) => now.includes(pid))) return
    }
    throw new Error(`nginx did not replace its workers: ${problems}`)
  }
  return {
    port,
    certificate,
    async reload(ports) {
      if (ports !== undefined) await configure(ports)
      await replaceWorkers()
    },
    async renewCertificate() {
      newCertificate(folder)
      await replaceWorkers()
    },
    log: () => readFile(join(folder, 'purser.log'), 'utf8'),
    async stop() {
      child.kill('SIGQUIT')
      await exited
      await rm(folder, { recursive: true, force: true })
    },
  }
}

const newKey = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2']

/** Creates the authority of a folder, and returns its certificate. */
async function newAuthority(folder: string): Promise<string> {
  const [key, certificate] = [join(folder, 'authority-key.pem'), join(folder, 'authority.pem')]
  const words = [...newKey, '-subj', '/CN=Purser check authority', '-keyout', key, '-out', certificate]
  execFileSync('openssl', words, { stdio: 'ignore' })
  return readFile(certificate, 'utf8')
}

function newCertificate(folder: string): void {
  const names = ['api', 'cards', 'console'].map((name) => `DNS:${name}.example.com`).join(',')
  const subject = ['-subj', '/CN=Purser check', '-addext', `subjectAltName=${names}`]
  const signer = ['-CA', join(folder, 'authority.pem'), '-CAkey', join(folder, 'authority-key.pem')]
  const files = ['-keyout', join(folder, 'privkey.pem'), '-out', join(folder, 'fullchain.pem')]
  execFileSync('openssl', [...newKey, ...subject, ...signer, ...files], { stdio: 'ignore' })
}
