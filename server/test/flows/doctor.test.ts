import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import pg from 'pg'
import { SMTPServer } from 'smtp-server'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { examine } from '../../src/commands/examine.ts'
import { bundled } from '../support/bundle.ts'
import { databaseUrl } from '../support/database-url.ts'
import { ofCluster, processEnv } from '../support/process-env.ts'
import { nowhere, productionEnv } from '../support/production-env.ts'
import { createTestDatabase } from '../support/service.ts'
import { type Kms, startKms } from '../support/vendors/kms.ts'

/**
 * Serves JSON-RPC as a node on a chain whose newest block has the given age, and any other request as an issuer or
 * vendor.
 */
async function startVendor(chainId: number, ageSeconds: number): Promise<string> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { id, method } = chunks.length === 0 ? {} : JSON.parse(Buffer.concat(chunks).toString())
    const timestamp = `0x${(Math.floor(Date.now() / 1000) - ageSeconds).toString(16)}`
    const result = method === 'eth_chainId' ? `0x${chainId.toString(16)}` : { number: '0x1', timestamp }
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ jsonrpc: '2.0', id, result }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  stops.push(() => server.close().closeAllConnections())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function startMail(): Promise<number> {
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    authOptional: true,
    allowInsecureAuth: true,
    onAuth: ({ password }, _session, done) =>
      password === 'right' ? done(null, { user: 'us' }) : done(new Error('no')),
  })
  const listening = server.listen(0, '127.0.0.1')
  await once(listening, 'listening')
  stops.push(() => server.close())
  return Object(listening.address()).port
}

const stops: (() => void)[] = []
let kms: Kms
let healthy: Readonly<Record<string, string>>
const urls = { old: '', future: '', otherChain: '', bare: '', empty: '', sandbox: '', unknownUser: '' }

async function databaseAfter(sql: string): Promise<string> {
  const connection = await createTestDatabase()
  const client = new pg.Client(connection)
  await client.connect()
  await client.query(sql)
  await client.end()
  return databaseUrl(connection)
}

beforeAll(async () => {
  const vendor = await startVendor(100, 0)
  kms = await startKms()
  // The AWS client reads these from the process.
  for (const [name, value] of Object.entries(kms.env)) vi.stubEnv(name, value)
  const connection = await createTestDatabase()
  Object.assign(urls, {
    old: await startVendor(100, 3600),
    future: await startVendor(100, -3600),
    otherChain: await startVendor(137, 0),
    // The tests create no table in it.
    bare: databaseUrl({ ...connection, database: 'postgres' }),
    empty: await databaseAfter('delete from applied_migration where id = (select max(id) from applied_migration)'),
    sandbox: await databaseAfter(`insert into programme (id, mode, chain_ids) values (1, 'sandbox', '{31337}')`),
    unknownUser: databaseUrl({ ...connection, user: 'nobody_at_all' }),
  })
  healthy = {
    ...productionEnv,
    ...ofCluster,
    BASE_URL: 'https://localhost:8443',
    PCI_URL: 'https://127.0.0.1:8444',
    DATABASE_URL: databaseUrl(connection),
    RPC_URL_100: vendor,
    KMS_ENDPOINT: kms.url,
    KMS_KEY_ID: kms.keyId,
    KMS_REGION: kms.region,
    ISSUER_URL: vendor,
    CHAINALYSIS_URL: vendor,
    SUMSUB_URL: vendor,
    SMTP_PORT: String(await startMail()),
  }
})
afterAll(async () => {
  for (const stop of stops) stop()
  await kms?.stop()
})

/** Examines the healthy environment with changes. An undefined value removes the variable. */
async function problemsWith(changes: Readonly<Record<string, string | undefined>>): Promise<string[]> {
  const findings = await examine({ ...healthy, ...changes })
  return findings.flatMap(({ check, problems }) => problems.map((problem) => `${check}: ${problem}`))
}

test('an installation without a fault has no problem', async () => {
  expect(await problemsWith({})).toEqual([])
})

/**
 * Each fault with the sentence that names it and its fix. "…" stands for words of the network or the system, and "#"
 * for a digit.
 */
const faults: readonly [
  fault: string,
  changes: () => Readonly<Record<string, string | undefined>>,
  sentence: string,
][] = [
  [
    'a missing secret',
    () => ({ SECRET: undefined }),
    'configuration: SECRET must be set in production. Use 32 or more random characters.',
  ],
  ['a short secret', () => ({ SECRET: 'short' }), 'configuration: SECRET[0] must have at least 32 characters.'],
  [
    'one secret for two purposes',
    () => ({ SUMSUB_SECRET_KEY: 'twice the same value', SUMSUB_WEBHOOK_SECRET: 'twice the same value' }),
    'configuration: SUMSUB_WEBHOOK_SECRET must not have the same value as SUMSUB_SECRET_KEY in production. Use a secret of its own for each.',
  ],
  [
    'no base URL',
    () => ({ BASE_URL: undefined }),
    'configuration: BASE_URL must be set in production. Use the public https URL of the service.',
  ],
  [
    'a base URL without encryption',
    () => ({ BASE_URL: 'http://purser.test' }),
    'configuration: BASE_URL must be a public https URL in production, not "http://purser.test".',
  ],
  [
    'card pages on the origin of the API',
    () => ({ PCI_URL: 'https://localhost:8443' }),
    'configuration: PCI_URL must have a different origin from BASE_URL in production. Use another host name.',
  ],
  [
    'operators without a console',
    () => ({ OPERATOR_API: 'on' }),
    'configuration: CONSOLE_URL must be set in production when OPERATOR_API is on. Use the https URL of the console.',
  ],
  [
    'tokens that are not JSON',
    () => ({ TOKENS: '[' }),
    'configuration: TOKENS must be valid JSON: Unexpected end of JSON input.',
  ],
  ['no tokens', () => ({ TOKENS: '[]' }), 'configuration: TOKENS must list at least one token.'],
  [
    'a simulated chain',
    () => ({ CHAIN: 'simulated' }),
    'configuration: CHAIN must be evm in production, not "simulated".',
  ],
  [
    'a chain without a node',
    () => ({ RPC_URL_100: undefined }),
    'configuration: RPC_URL_100 must be set, because tokens live on this chain. Use the URL of one of its nodes.',
  ],
  [
    'a chain without a treasury',
    () => ({ TREASURY_100: undefined }),
    'configuration: TREASURY_100 must be set, because tokens live on this chain. Use the address that deposits go to.',
  ],
  [
    'the signer of the sandbox',
    () => ({ SIGNER: 'local' }),
    'configuration: SIGNER must be aws-kms in production, not "local".',
  ],
  [
    'the screening of the sandbox',
    () => ({ SCREENING: 'sandbox' }),
    'configuration: SCREENING must be chainalysis in production, not "sandbox".',
  ],
  [
    'the issuer of the sandbox',
    () => ({ ISSUER: 'sandbox' }),
    'configuration: ISSUER must be http in production, not "sandbox".',
  ],
  [
    'a weak key of the issuer',
    () => ({ ISSUER_OUTBOUND_KEY: 'us:weak' }),
    'configuration: ISSUER_OUTBOUND_KEY must be id:secret, where the secret has at least 32 characters and no comma.',
  ],
  [
    'the KYC of the sandbox',
    () => ({ KYC: 'sandbox' }),
    'configuration: KYC must be sumsub in production, not "sandbox".',
  ],
  ['no mail', () => ({ MAIL_VIA: 'sandbox' }), 'configuration: MAIL_VIA must be smtp in production, not "sandbox".'],
  [
    'mail without encryption',
    () => ({ SMTP_HOST: 'mail.test' }),
    'configuration: SMTP_SECURITY must be starttls or tls in production, unless SMTP_HOST is this machine.',
  ],
  [
    'a login without a password',
    () => ({ SMTP_USER: 'us' }),
    'configuration: SMTP_PASSWORD and SMTP_USER must be set together.',
  ],
  [
    'no sender',
    () => ({ MAIL_FROM: undefined }),
    'configuration: MAIL_FROM must be set. Use the address that mail comes from.',
  ],
  [
    'a port that is not a number',
    () => ({ PORT: 'http' }),
    'configuration: PORT must be an integer from 0 to 65535, not "http".',
  ],
  [
    'a misspelled setting',
    () => ({ RATE_LIMIT: 'x' }),
    'configuration: RATE_LIMIT is not a setting. Rename it to RATE_LIMITS, or remove it.',
  ],
  [
    'no database',
    () => ({ DATABASE_URL: undefined }),
    'configuration: DATABASE_URL must be set in production. Use a PostgreSQL that you run and back up.',
  ],
  [
    'a database that is down',
    () => ({ DATABASE_URL: 'postgresql://purser@127.0.0.1:1/purser' }),
    'database: DATABASE_URL names a database that does not respond. Check host and port.',
  ],
  [
    'an unknown user of the database',
    () => ({ DATABASE_URL: urls.unknownUser }),
    'database: DATABASE_URL names a database that cannot be used: …. Check the user, the password and the name of the database.',
  ],
  [
    'a database that was never migrated',
    () => ({ DATABASE_URL: urls.bare, DATABASE_DISTRIBUTED: 'off' }),
    'database: The database does not have the tables of Purser. Run: purser migrate',
  ],
  [
    'a database with a missing migration',
    () => ({ DATABASE_URL: urls.empty }),
    'database: DATABASE_URL names a database that lacks migrations. Run: purser migrate',
  ],
  [
    'the database of a sandbox',
    () => ({ DATABASE_URL: urls.sandbox }),
    'database: MODE must be sandbox, not production, because this database belongs to a sandbox programme. Correct MODE, or use another database.',
  ],
  [
    'a node that is down',
    () => ({ RPC_URL_100: nowhere }),
    'nodes: RPC_URL_100: http://127.0.0.1:1 cannot be used: …. Check the URL and its key.',
  ],
  [
    'a node of another chain',
    () => ({ RPC_URL_100: urls.otherChain }),
    'nodes: RPC_URL_100: … cannot be used: … is on chain 137, not on 100 as configured. Check the URL and its key.',
  ],
  [
    'a node that lags, or a clock that is fast',
    () => ({ RPC_URL_100: urls.old }),
    'nodes: RPC_URL_100: the newest block of … differs from this clock by 3### s. Check the clock and the node.',
  ],
  [
    'a clock that is slow',
    () => ({ RPC_URL_100: urls.future }),
    'nodes: RPC_URL_100: the newest block of … differs from this clock by 3### s. Check the clock and the node.',
  ],
  [
    'an issuer out of reach',
    () => ({ ISSUER_URL: nowhere }),
    'issuer: ISSUER_URL: http://127.0.0.1:1 cannot be reached: …. Check the URL and any firewall in between.',
  ],
  [
    'an unknown name of the issuer',
    () => ({ ISSUER_URL: 'https://issuer.invalid' }),
    'names: ISSUER_URL names the host issuer.invalid, which does not resolve. Check its spelling.',
  ],
  [
    'a vendor out of reach',
    () => ({ SUMSUB_URL: nowhere }),
    'vendors: SUMSUB_URL: http://127.0.0.1:1 cannot be reached: …. Check the URL and any firewall in between.',
  ],
  [
    'a key store out of reach',
    () => ({ KMS_ENDPOINT: nowhere }),
    'signer: SIGNER cannot be used: …. Check KMS_KEY_ID, KMS_REGION and the credentials.',
  ],
  [
    'an unknown key',
    () => ({ KMS_KEY_ID: 'another' }),
    'signer: SIGNER cannot be used: …. Check KMS_KEY_ID, KMS_REGION and the credentials.',
  ],
  [
    'a mail server that is down',
    () => ({ SMTP_PORT: '1' }),
    'mail: SMTP_HOST: 127.0.0.1:1 cannot be used: …. Check SMTP_HOST, SMTP_PORT and SMTP_SECURITY.',
  ],
  [
    'a wrong password of the mail server',
    () => ({ SMTP_USER: 'us', SMTP_PASSWORD: 'wrong' }),
    'mail: SMTP_HOST: … cannot be used: …. Check SMTP_USER and SMTP_PASSWORD.',
  ],
]

test.each(faults)('with %s, doctor names the fault and the fix', async (_fault, changes, sentence) => {
  const problems = await problemsWith(changes())
  const pattern = new RegExp(
    `^${sentence
      .replaceAll(/[.[\]?()]/g, '\\$&')
      .replaceAll('…', '.+')
      .replaceAll('#', '\\d')}$`,
  )
  expect(problems).toContainEqual(expect.stringMatching(pattern))
  // One fault gives one problem, but a host name that does not resolve also makes its server unreachable.
  expect(problems.length).toBeLessThanOrEqual(2)
})

test.each(['doctor', 'backup'] as const)('%s rejects a wrong option with its usage', async (program) => {
  const run = promisify(execFile)(process.execPath, [bundled(program), '--lock'], { env: processEnv })
  const { code, stderr } = (await run.catch((error: { code: number; stderr: string }) => error)) as {
    code: number
    stderr: string
  }
  expect([code, stderr]).toEqual([2, expect.stringMatching(/^Usage: .+\n$/)])
})
