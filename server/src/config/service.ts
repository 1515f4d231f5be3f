import { isAbsolute, resolve } from 'node:path'
import ipaddr from 'ipaddr.js'
import { Type } from 'typebox'
import { group, modes, optional, setting } from './setting.ts'
import { strongSecret } from './strong-secret.ts'

const roles = ['api', 'worker', 'watcher'] as const

const httpsInProduction = {
  requirement: 'a public https URL',
  holds: (url: string | null) => url === null || url.startsWith('https://'),
}

/** The fixed bits of the largest range that one entry may name, such as 10.0.0.0/8. */
const minFixedBits = 8

const fewProxies = {
  requirement: `the addresses of your proxies (no range larger than /${minFixedBits})`,
  holds: (ranges: readonly string[]) => ranges.every((range) => fixedBits(range) >= minFixedBits),
}

/** Returns the number of bits that a range fixes. A range of mapped IPv4 addresses counts as IPv4. */
function fixedBits(range: string): number {
  if (!range.includes('/')) return minFixedBits
  const [address, bits] = ipaddr.parseCIDR(range)
  return address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() ? bits - 96 : bits
}

const loggedInProduction = {
  requirement: 'fatal or lower',
  holds: (level: string) => level !== 'silent',
}

const publicUrl = Type.String({ format: 'public-url' })
const withoutTrailingSlash = (url: string) => url.replace(/\/+$/, '')

export const service = group('Service', 'The process, its addresses and its logs.', {
  mode: setting('MODE', {
    schema: Type.Enum([...modes]),
    default: 'sandbox',
    about: '`production` rejects everything that belongs to the sandbox.',
  }),
  roles: setting('ROLES', {
    schema: Type.Array(Type.Enum([...roles]), {
      minItems: 1,
      entry: 'role: api, worker or watcher',
    }),
    default: [...roles],
    convert: (given) => roles.filter((role) => given.includes(role)),
    about: 'The roles of this process. `api` serves requests, `worker` runs due work, `watcher` reads chains.',
  }),
  host: setting('HOST', {
    schema: Type.String(),
    default: 'localhost',
    about: 'The address that the service listens on.',
  }),
  port: setting('PORT', {
    schema: Type.Integer({ minimum: 0, maximum: 65535 }),
    default: 8080,
    about: 'The port that the service listens on. `0` lets the system choose one.',
  }),
  sharesPort: setting('SHARED_PORT', {
    schema: Type.Boolean(),
    default: false,
    about:
      '`on` lets several processes of one machine listen on `PORT`. The Linux kernel spreads connections over them.',
  }),
  metricsPort: optional('METRICS_PORT', {
    schema: Type.Integer({ minimum: 1, maximum: 65535 }),
    about:
      'A port for this process alone, on `HOST`. It serves `/health`, `/health/ready` and `/metrics`. See "More than one process".',
  }),
  metricsToken: optional('METRICS_TOKEN', {
    schema: Type.String({ minLength: 32 }),
    secret: true,
    inProduction: strongSecret,
    about:
      'The bearer token of `GET /metrics` on `PORT`, at least 32 characters. Without it, production serves metrics only on `METRICS_PORT`.',
  }),
  baseUrl: optional('BASE_URL', {
    schema: publicUrl,
    neededIn: 'production',
    shownDefault: '`http://localhost:<PORT>`',
    inProduction: httpsInProduction,
    convert: withoutTrailingSlash,
    about: 'The public URL of the service.',
    hint: 'Use the public https URL of the service.',
  }),
  apiUrl: optional('API_URL', {
    schema: publicUrl,
    shownDefault: '`BASE_URL`',
    inProduction: httpsInProduction,
    convert: withoutTrailingSlash,
    about:
      'The public URL of the paths under `/api/v1/`. Pages, including `/docs/reference/`, can call it only if their domain is a registered sign-in domain.',
  }),
  authModuleUrl: optional('AUTH_MODULE_URL', {
    schema: publicUrl,
    shownDefault: '`BASE_URL`',
    inProduction: httpsInProduction,
    convert: withoutTrailingSlash,
    about: 'The public URL of `/user/withdrawals`.',
  }),
  pciUrl: optional('PCI_URL', {
    schema: publicUrl,
    neededIn: 'production',
    shownDefault: '`BASE_URL` in the sandbox',
    inProduction: httpsInProduction,
    convert: withoutTrailingSlash,
    about: 'The public URL of the secure frame: this service under another host name. See "Secure frame".',
    hint: "Use another host name of this service, so that no script of the API's origin reaches card numbers.",
  }),
  trustedProxies: setting('TRUSTED_PROXIES', {
    schema: Type.Array(Type.String({ format: 'ip-range' })),
    default: [],
    inProduction: fewProxies,
    about:
      'Addresses or ranges of proxies whose `X-Forwarded-For` names the client. Without it, the client is the peer of the connection.',
  }),
  dataDir: setting('DATA_DIR', {
    schema: Type.String(),
    default: 'data',
    // npm runs its scripts in the folder of package.json. INIT_CWD is the folder that the user called it from.
    convert: (path, _report, env) => (isAbsolute(path) ? path : resolve(env['INIT_CWD'] ?? process.cwd(), path)),
    about: 'The folder of the embedded PostgreSQL and of the sandbox chain.',
  }),
  logLevel: setting('LOG_LEVEL', {
    schema: Type.Enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']),
    default: 'info',
    inProduction: loggedInProduction,
    about:
      'The lowest level of log lines that are written. Security events and seals are written at every level except `silent`.',
  }),
  securityContacts: setting('SECURITY_CONTACT', {
    schema: Type.Array(Type.String({ format: 'contact-uri' })),
    default: [],
    about:
      'The contacts for reports of vulnerabilities, in order of preference: `mailto:security@example.com,https://example.com/security`. Without it, `/.well-known/security.txt` responds with 404.',
  }),
  operator: setting('OPERATOR', {
    schema: Type.String(),
    default: (env) => env['SUDO_USER'] ?? env['USER'] ?? 'unknown',
    shownDefault: 'the user of the shell',
    about: 'The name that `npm run operator` records with each decision.',
  }),
})
