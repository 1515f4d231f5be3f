import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { problemsOf } from '../../test/support/config-problems.ts'
import { productionEnv, tokensOn } from '../../test/support/production-env.ts'
import { readConfig, withChain } from './config.ts'
import { allSettings } from './document.ts'
import { minorUnitOf } from './stablecoins.ts'
import { findProblems } from './validate.ts'

/** Returns the variable with which a problem begins. */
const variableOf = (problem: string) => /^\w+/.exec(problem)?.[0] ?? ''

test('without any variable the configuration is a sandbox on localhost:8080 with three tokens', () => {
  const config = readConfig({})
  expect(config).toMatchObject({ mode: 'sandbox', host: 'localhost', port: 8080, databaseUrl: null, cardLimit: 5 })
  expect(config.tokens.map(({ currency }) => currency)).toEqual(['EUR', 'GBP', 'USD'])
  expect(config.servers).toEqual({
    base: 'http://localhost:8080',
    api: 'http://localhost:8080',
    authModule: 'http://localhost:8080',
    pci: 'http://localhost:8080',
    console: 'http://localhost:8080',
  })
})

test('access tokens name API_URL as their issuer and BASE_URL as their audience by default', () => {
  const { tokenIssuer, tokenAudience } = readConfig({
    SANDBOX_PASSWORD: 'of my own',
    BASE_URL: 'https://user.example',
    API_URL: 'https://api.example/',
  })
  expect([tokenIssuer, tokenAudience]).toEqual(['https://api.example', 'https://user.example'])
})

test('all problems are reported at once, and each begins with its variable', () => {
  const problems = problemsOf({
    PORT: 'eighty',
    MODE: 'demo',
    DATABASE_URL: 'mysql://x',
    ROLES: 'api,cook',
    TOKENS: '{}',
    SECRET: 'short',
    LOG_LEVEL: 'loud',
    BASE_URL: 'ftp://x',
    DAILY_WITHDRAWAL_CAP_EUR: '-5',
    CARD_LIMITS: '{"weekly":{}}',
    RATE_LIMITS: 'sign-in.planet=3/60,code.wallet=0/60',
    TRUSTED_PROXIES: '10.0.0.0/8,proxy.example',
    HOLD_DAYS: '7',
    SCREENING: 'chainalysis',
    SCREENING_RULES: '{"refusedSenders":["0x1"],"reviewedFrom":{"EUR":5},"extra":1}',
    CHAINALYSIS_NETWORKS: '{"one":"Ethereum"}',
    CLEARING_TOLERANCE: '{"default":0,"foreign":-3,"5812":20}',
  })
  const named = problems.map(variableOf)
  expect(named.sort()).toEqual(
    [
      'BASE_URL',
      'CARD_LIMITS',
      'CHAINALYSIS_API_KEY',
      'CHAINALYSIS_NETWORKS',
      'CLEARING_TOLERANCE',
      'DAILY_WITHDRAWAL_CAP_EUR',
      'DATABASE_URL',
      'HOLD_DAYS',
      'LOG_LEVEL',
      'MODE',
      'PORT',
      'RATE_LIMITS',
      'RATE_LIMITS',
      'ROLES',
      'SCREENING_RULES',
      'SCREENING_RULES',
      'SCREENING_RULES',
      'SECRET',
      'TOKENS',
      'TRUSTED_PROXIES',
    ].sort(),
  )
})

test('a comma-separated list may have blanks around its commas', () => {
  const { kycClients, ibanCountries, roles } = readConfig({
    KYC_CLIENTS: 'partner.one, partner.two,',
    IBAN_COUNTRIES: 'DE, FR',
    ROLES: 'api , worker',
  })
  expect({ kycClients, ibanCountries, roles }).toEqual({
    kycClients: ['partner.one', 'partner.two'],
    ibanCountries: ['DE', 'FR'],
    roles: ['api', 'worker'],
  })
})

test('a withdrawal cap of an unknown currency, an unknown country and an empty list of roles are rejected', () => {
  expect(problemsOf({ DAILY_WITHDRAWAL_CAP_EURO: '100', IBAN_COUNTRIES: 'DE,UK' })).toEqual([
    'DAILY_WITHDRAWAL_CAP_EURO must end with a configured currency.',
    'IBAN_COUNTRIES[1] must be an ISO 3166 country code of two letters, not "UK".',
  ])
  expect(problemsOf({ DAILY_WITHDRAWAL_CAP_CHF: '100' })).toEqual([
    'DAILY_WITHDRAWAL_CAP_CHF must end with a configured currency.',
  ])
  expect(problemsOf({ ROLES: ',' })).toEqual(['ROLES must list at least one role: api, worker or watcher.'])
})

test('TERMS rejects a version that is too long for the request with which users accept it', () => {
  const termsOf = (version: string) => ({
    TERMS: JSON.stringify([{ type: 'general', version, url: 'https://a.example' }]),
  })
  expect(problemsOf(termsOf('1'.repeat(100)))).toEqual([])
  expect(problemsOf(termsOf('1'.repeat(101)))).toEqual([
    expect.stringMatching(/^TERMS\[0\]\.version must be a text of at most 100 characters, not "1/),
  ])
})

test('a proxy range with two lengths is rejected', () => {
  expect(problemsOf({ TRUSTED_PROXIES: '10.0.0.0/8/9' })).toEqual([
    'TRUSTED_PROXIES[0] must be an IP address, or a range such as 10.0.0.0/8, not "10.0.0.0/8/9".',
  ])
})

test('every setting with amounts of tokens must name configured tokens', () => {
  const [eure = ''] = readConfig({}).tokens.map(({ address }) => address)
  const other = '0x0000000000000000000000000000000000000001'
  for (const name of ['SWEEP_MINIMUMS', 'DEPOSIT_NOTICE_MINIMUMS', 'WITHDRAWAL_MINIMUMS']) {
    const given = JSON.stringify({ [eure]: '7', [other]: '7' })
    expect(problemsOf({ [name]: given })).toEqual([`${name} must name tokens of TOKENS, not ${other}.`])
  }
})

test('a currency is listed once, with enough decimals for its minor unit', () => {
  const rows = [
    { currency: 'EUR', decimals: 18 },
    { currency: 'GBP', decimals: 18 },
    { currency: 'USD', decimals: 6 },
  ]
  const problemOf = (...more: object[]) => problemsOf({ CURRENCIES: JSON.stringify([...rows, ...more]) })
  expect(problemOf({ currency: 'KWD', decimals: 3 }, { currency: 'JPY', decimals: 0 })).toEqual([])
  expect(problemOf({ currency: 'KWD', decimals: 2 })).toEqual([
    'CURRENCIES must give KWD at least 3 decimals, its minor digits.',
  ])
  expect(problemOf({ currency: 'EUR', decimals: 18 })).toEqual(['CURRENCIES must not contain a currency twice.'])
  expect(problemsOf({ TOKENS: '[]' })).toEqual(['TOKENS must list at least one token.'])
})

test('invalid JSON objects, empty node lists and base URLs with a query are rejected', () => {
  for (const [name, given] of [
    ['SWEEP_MINIMUMS', '-1'],
    ['SWEEP_MINIMUMS', '[]'],
    ['DEPOSIT_NOTICE_MINIMUMS', 'null'],
    ['SCREENING_RULES', '{"refusedFrom":5}'],
    ['SCREENING_RULES', '{"reviewedFrom":null}'],
    ['CARD_LIMITS', '{"velocity":[]}'],
    ['HOLD_DAYS', '{'],
    ['RPC_URL_31337', ','],
    ['BASE_URL', 'https://purser.example?tenant=1'],
    ['PCI_URL', 'https://cards.example/#frame'],
  ] as const) {
    const problems = problemsOf({ [name]: given })
    expect(problems.length, `${name}=${given}`).toBeGreaterThan(0)
    for (const problem of problems) expect(problem).toMatch(new RegExp(`^${name}\\b`))
  }
})

test('production rejects sandbox providers, default secrets, the embedded database and plain http together', () => {
  const env = { MODE: 'production', SANDBOX_PASSWORD: 'x', DOMAIN_PROOF: 'sandbox', API_URL: 'http://api.example' }
  const problems = problemsOf(env).join('\n')
  for (const name of [
    'SECRET',
    'SANDBOX_PASSWORD',
    'DATABASE_URL',
    'TOKENS',
    'BASE_URL',
    'API_URL',
    'ISSUER',
    'CHAIN',
    'SIGNER',
    'SCREENING',
    'KYC',
    'MAIL_VIA',
    'DOMAIN_PROOF',
  ]) {
    expect(problems).toMatch(new RegExp(`^${name} must`, 'm'))
  }
  // A URL that defaults to BASE_URL shares its problem.
  expect(problems).not.toMatch(/^AUTH_MODULE_URL/m)
})

/** Emulators on this machine: a sandbox accepts no other vendors. */
const emulator = 'http://127.0.0.1:9000'
const vendors = {
  ...{ CHAINALYSIS_URL: emulator, SUMSUB_URL: emulator, MONERIUM_URL: emulator },
  ...{ SCREENING: 'chainalysis', CHAINALYSIS_API_KEY: 'k', MAIL_VIA: 'smtp', SMTP_HOST: '127.0.0.1' },
  ...{ MAIL_FROM: 'codes@example.org', KYC: 'sumsub', SUMSUB_APP_TOKEN: 't', SUMSUB_SECRET_KEY: 's' },
  ...{ SUMSUB_WEBHOOK_SECRET: 'w', SUMSUB_LEVEL: 'level' },
  ...{ IBAN: 'monerium', MONERIUM_CLIENT_ID: 'm', MONERIUM_CLIENT_SECRET: 's' },
}

test('each setting that a selected vendor needs and lacks is reported', () => {
  expect(problemsOf(vendors)).toEqual([])
  for (const name of [
    'CHAINALYSIS_API_KEY',
    'SMTP_HOST',
    'MAIL_FROM',
    'SUMSUB_SECRET_KEY',
    'SUMSUB_WEBHOOK_SECRET',
    'MONERIUM_CLIENT_SECRET',
  ]) {
    expect(problemsOf({ ...vendors, [name]: '' }).map(variableOf)).toEqual([name])
  }
  expect(problemsOf({ ...vendors, SMTP_USER: 'u' }).join()).toContain('SMTP_PASSWORD')
  expect(problemsOf({ ...vendors, MAIL_FROM: 'a@b\r\nBcc: c@d' }).join()).toContain('MAIL_FROM')
})

test('production requires encrypted connections to vendors outside this machine', () => {
  const real = { CHAINALYSIS_URL: '', SUMSUB_URL: '', MONERIUM_URL: '', SMTP_HOST: 'mail.example.org' }
  const named = (env: Record<string, string>) =>
    problemsOf({ MODE: 'production', ...vendors, ...real, ...env }).join('\n')
  for (const name of ['CHAINALYSIS_URL', 'SUMSUB_URL', 'MONERIUM_URL']) {
    expect(named({ [name]: 'http://vendor.example' })).toMatch(new RegExp(`^${name} `, 'm'))
    expect(named({ [name]: 'http://127.0.0.1:9000' })).not.toMatch(new RegExp(`^${name} `, 'm'))
    expect(named({})).not.toMatch(new RegExp(`^${name} `, 'm'))
  }
  expect(named({ SMTP_SECURITY: 'none' })).toContain('SMTP_SECURITY')
  expect(named({ SMTP_SECURITY: 'none', SMTP_HOST: '127.0.0.1' })).not.toContain('SMTP_SECURITY')
  expect(named({ IBAN: 'sandbox' })).toMatch(/^IBAN /m)
  expect(named({ IBAN: 'none' })).not.toMatch(/^IBAN /m)
  for (const name of ['SCREENING', 'MAIL_VIA', 'KYC', 'IBAN'])
    expect(named({})).not.toMatch(new RegExp(`^${name} `, 'm'))
})

test('in production, Chainalysis needs a name for each chain with tokens', () => {
  const unnamed = (env: Record<string, string>) =>
    problemsOf({ ...productionEnv, ...env }).filter((problem) => variableOf(problem) === 'CHAINALYSIS_NETWORKS')
  expect(unnamed({})).toEqual([])
  expect(unnamed({ TOKENS: tokensOn(480) })).toEqual([
    "CHAINALYSIS_NETWORKS must name chain 480, because tokens live on it. Use Chainalysis' name of the chain.",
  ])
  expect(unnamed({ TOKENS: tokensOn(480), CHAINALYSIS_NETWORKS: '{"480":"World Chain"}' })).toEqual([])
})

test('a token fits the decimals of its currency row and can hold a minor unit', () => {
  const token = { address: '0x5Cb9073902F2035222B9749F8fB0c9BFe5527108', symbol: 'X', currency: 'USD', chainId: 1 }
  expect(problemsOf({ TOKENS: JSON.stringify([{ ...token, decimals: 6 }]) })).toEqual([])
  expect(problemsOf({ TOKENS: JSON.stringify([{ ...token, decimals: 7 }]) }).join()).toContain(
    'must not have more decimals',
  )
  expect(problemsOf({ TOKENS: JSON.stringify([{ ...token, decimals: 1 }]) }).join()).toContain(
    'must not have fewer decimals',
  )
  expect(
    problemsOf({
      TOKENS: JSON.stringify([
        { ...token, decimals: 6 },
        { ...token, decimals: 6 },
      ]),
    }).join(),
  ).toContain('twice')
  expect(problemsOf({ TOKENS: JSON.stringify([{ ...token, currency: 'CHF', decimals: 6 }]) }).join()).toContain(
    'must use configured currencies',
  )
  expect(problemsOf({ TOKENS: JSON.stringify([{ ...token, address: '0xnot', decimals: 6 }]) }).join()).toContain(
    '0xnot',
  )
})

test('ISSUER_KEYS takes several keys, none of them short, repeated or public', () => {
  const [one, two] = ['a'.repeat(32), 'b'.repeat(32)]
  expect(readConfig({}).issuerKeys).toHaveLength(1)
  expect(readConfig({ ISSUER_KEYS: `old:${one}, new:${two}` }).issuerKeys).toEqual([
    { id: 'old', secret: one },
    { id: 'new', secret: two },
  ])
  const keyProblems = (env: Record<string, string>) => problemsOf(env).filter((text) => text.startsWith('ISSUER'))
  expect(keyProblems({ ISSUER_KEYS: 'old:short' }).join()).toContain('at least 32')
  expect(keyProblems({ ISSUER_KEYS: `old:${one},old:${two}` }).join()).toContain('twice')
  const [sandboxKey] = readConfig({}).issuerKeys
  expect(keyProblems({ ISSUER_KEYS: `mine:${sandboxKey?.secret}` }).join()).toContain('public key of the sandbox')
  expect(keyProblems({ ISSUER_DECISION_MILLISECONDS: '2000' }).join()).toContain('ISSUER_ANSWER_MILLISECONDS')
})

test('production requires a card processor over HTTP with keys of its own', () => {
  const [one, two] = ['key-of-the-programme-0123456789-abc', 'key-of-the-processor-0123456789-abc']
  const issuerProblems = (env: Record<string, string>) =>
    problemsOf({ MODE: 'production', ...env })
      .map(variableOf)
      .filter((name) => name?.startsWith('ISSUER'))
  const processor = { ISSUER: 'http', ISSUER_URL: 'https://processor.example', ISSUER_OUTBOUND_KEY: `us:${one}` }
  expect(issuerProblems({})).toEqual(['ISSUER', 'ISSUER_KEYS'])
  expect(issuerProblems({ ...processor, ISSUER_KEYS: `them:${two}` })).toEqual([])
  expect(issuerProblems({ ...processor, ISSUER_KEYS: `them:${one}` })).toEqual(['ISSUER_OUTBOUND_KEY', 'ISSUER_KEYS'])
  expect(issuerProblems({ ...processor, ISSUER_KEYS: `them:${two}`, ISSUER_URL: 'http://processor.example' })).toEqual([
    'ISSUER_URL',
  ])
  expect(issuerProblems({ ISSUER: 'http', ISSUER_KEYS: `them:${two}` })).toEqual(['ISSUER_URL', 'ISSUER_OUTBOUND_KEY'])
  expect(readConfig({ ...processor, ISSUER_URL: emulator }).issuer).toEqual({
    kind: 'http',
    url: emulator,
    key: { id: 'us', secret: one },
  })
})

test('the chain is Anvil beside the embedded database, simulated beside an external one, and real with an RPC_URL', () => {
  const rpc = { RPC_URL_31337: 'http://127.0.0.1:8545' }
  expect(readConfig({}).chain).toBe('anvil')
  expect(readConfig({ DATABASE_URL: 'postgres://localhost/purser' }).chain).toBe('simulated')
  expect(readConfig({ DATABASE_URL: 'postgres://localhost/purser', CHAIN: 'anvil' }).chain).toBe('anvil')
  expect(readConfig(rpc)).toMatchObject({ chain: 'evm', chains: [{ chainId: 31337 }] })
  // No token lives on this chain. Smart-contract wallets sign in on it.
  expect(readConfig({ RPC_URL_1: 'http://127.0.0.1:8545' })).toMatchObject({ chain: 'anvil', chains: [{ chainId: 1 }] })
  expect(problemsOf({ ...rpc, CHAIN: 'simulated' }).join()).toContain('CHAIN must be evm')
  expect(problemsOf({ CHAIN: 'evm' }).join()).toContain('RPC_URL_31337 must be set')
  const chainProblems = (env: Record<string, string>) =>
    problemsOf({ MODE: 'production', ...env }).filter((problem) => /^(CHAIN|RPC_URL|TREASURY)/.test(problem))
  const tokens = { TOKENS: JSON.stringify(readConfig({}).tokens) }
  expect(chainProblems({ ...tokens, ...rpc }).join()).toContain('TREASURY_31337 must be set')
  expect(chainProblems({ ...tokens, ...rpc, TREASURY_31337: '0xcB444e90D8198415266c6a2724b7900fb12FC56E' })).toEqual([])
})

test('payouts are signed by a key in memory or in AWS KMS, with a ceiling on fees', () => {
  expect(readConfig({}).payouts).toMatchObject({ signer: { kind: 'local' }, maxFeePerGas: 500n * 10n ** 9n })
  const kms = { SIGNER: 'aws-kms', KMS_KEY_ID: 'alias/payouts', KMS_REGION: 'eu-central-1', KMS_ENDPOINT: emulator }
  expect(readConfig({ ...kms, PAYOUT_MAX_FEE_GWEI: '30', PAYOUT_BUMP_SECONDS: '45' }).payouts).toEqual({
    signer: { kind: 'aws-kms', keyId: 'alias/payouts', region: 'eu-central-1', endpoint: emulator },
    maxFeePerGas: 30n * 10n ** 9n,
    bumpSeconds: 45,
  })
  const wrong = { SIGNER: 'aws-kms', KMS_ENDPOINT: 'kms', PAYOUT_MAX_FEE_GWEI: '0', PAYOUT_BUMP_SECONDS: '1.5' }
  expect(problemsOf(wrong).map(variableOf)).toEqual([
    'KMS_KEY_ID',
    'KMS_REGION',
    'KMS_ENDPOINT',
    'PAYOUT_MAX_FEE_GWEI',
    'PAYOUT_BUMP_SECONDS',
  ])
  expect(problemsOf({ SIGNER: 'paper' }).join()).toContain('SIGNER must be local or aws-kms')
  expect(problemsOf({ SIGNER_KEY: '0x12' }).join()).toContain('SIGNER_KEY')
  expect(problemsOf({ MODE: 'production', ...kms }).join('\n')).not.toMatch(/SIGNER|KMS_|PAYOUT/)
})

const folder = mkdtempSync(join(tmpdir(), 'purser-secrets-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function secretFile(name: string, content: string): string {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

test('a secret is read from the file that its _FILE variable names, without the trailing newline', () => {
  const config = readConfig({
    SECRET_FILE: secretFile('secret', `${'s'.repeat(40)}\n`),
    RPC_URL_100_FILE: secretFile('nodes', 'https://one.example/key,https://two.example\n'),
  })
  expect(config.secrets).toEqual(['s'.repeat(40)])
  expect(config.chains.map(({ chainId, rpcUrls }) => [chainId, rpcUrls.length])).toEqual([[100, 2]])
})

test('a secret that is set twice, unreadable, empty or invalid is rejected without its content', () => {
  const short = secretFile('short', 'hunter2')
  const secret = 'a'.repeat(40)
  expect(problemsOf({ SECRET: secret, SECRET_FILE: short })).toEqual([
    'SECRET and SECRET_FILE are both set. Remove one of them.',
  ])
  expect(problemsOf({ SECRET_FILE: join(folder, 'none') })).toEqual([
    `SECRET_FILE names a file that cannot be read: ${join(folder, 'none')} (ENOENT). Check the path and its permissions.`,
  ])
  const empty = secretFile('empty', '\n')
  expect(problemsOf({ SWEEPER_KEY_FILE: empty })).toEqual([
    `SWEEPER_KEY_FILE names an empty file: ${empty}. Write the secret into it.`,
  ])
  expect(problemsOf({ SECRET_FILE: short })).toEqual(['SECRET[0] must have at least 32 characters.'])
  expect(problemsOf({ SIGNER_KEY: '0xhunter2' })).toEqual(['SIGNER_KEY must be a private key: 0x and 64 hex digits.'])
})

/** A configuration with a value for each secret setting. */
const everySecret: Record<string, string> = {
  SECRET: 'the-master-secret-of-this-programme',
  SANDBOX_PASSWORD: 'password-of-the-simulator',
  DATABASE_URL: 'postgres://user:password-of-the-database@localhost/purser',
  ISSUER: 'http',
  ISSUER_URL: 'http://127.0.0.1:9000/processor',
  ISSUER_KEYS: `them:${'t'.repeat(40)}`,
  ISSUER_OUTBOUND_KEY: `us:${'u'.repeat(40)}`,
  SCREENING_KEYS: `screening:${'v'.repeat(40)}`,
  SIGNER_KEY: `0x${'5'.repeat(64)}`,
  SWEEPER_KEY: `0x${'6'.repeat(64)}`,
  RPC_URL_31337: 'https://node.example/key-of-the-node',
  METRICS_TOKEN: 'token-of-the-metrics-of-this-programme',
  ...vendors,
  CHAINALYSIS_API_KEY: 'key-of-chainalysis',
  SMTP_USER: 'mailer',
  SMTP_PASSWORD: 'password-of-the-mail-server',
  SUMSUB_APP_TOKEN: 'token-of-sumsub',
  SUMSUB_SECRET_KEY: 'key-of-sumsub',
  SUMSUB_WEBHOOK_SECRET: 'secret-of-the-webhook',
  MONERIUM_CLIENT_SECRET: 'secret-of-monerium',
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'api-key=key-of-the-collector',
}
const secretNames = allSettings.flatMap(({ isSecret, name }) => (isSecret ? name.replace('<chainId>', '31337') : []))

test('a configuration is the same whether its secrets are variables or files', () => {
  expect(Object.keys(everySecret)).toEqual(expect.arrayContaining(secretNames))
  const fromVariables = readConfig(everySecret)
  const inFiles = Object.fromEntries(
    Object.entries(everySecret).map(([name, value]) =>
      secretNames.includes(name) ? [`${name}_FILE`, secretFile(name, `${value}\n`)] : [name, value],
    ),
  )
  expect(readConfig(inFiles)).toEqual(fromVariables)
  for (const name of secretNames) {
    const changed = `${everySecret[name]}`.replace(/.$/, (last) => (last === '7' ? '8' : '7'))
    const other = { ...inFiles, [`${name}_FILE`]: secretFile(name, changed) }
    expect(readConfig(other), name).not.toEqual(fromVariables)
  }
})

test('the configuration and each part of it print without secrets', () => {
  const config = readConfig(everySecret)
  const copy = withChain(config, { chain: 'evm', chains: config.chains })
  const printed = [
    config,
    copy,
    config.issuer,
    config.mail,
    config.payouts,
    config.issuerKeys,
    config.chains[0],
    [config],
  ]
    .flatMap((value) => [inspect(value, { depth: null }), JSON.stringify(value)])
    .join('\n')
  expect(printed).toContain('http://127.0.0.1:9000/processor')
  expect(printed).toContain('"id":"us"')
  expect(printed).toContain('[secret]')
  for (const text of Object.entries(everySecret).flatMap(([name, value]) =>
    secretNames.includes(name) ? [value] : [],
  )) {
    for (const part of text.split(/[,:]/).filter((part) => part.length > 20 || part === text)) {
      expect(printed, text).not.toContain(part)
    }
  }
})

test('every default satisfies the schema of its setting', () => {
  for (const { name, schema, defaults } of allSettings) {
    for (const value of Object.values(defaults)) {
      if (value === undefined || typeof value === 'function') continue
      expect(findProblems(name, schema, value, false), name).toEqual([])
    }
  }
})

test('every setting is documented in full sentences', () => {
  for (const { name, about, hint } of allSettings) {
    expect(about, name).toMatch(/[.]$/)
    expect(hint, name).toMatch(/^$|[.]$/)
  }
})

test('a withdrawal has no minimum in the sandbox, the minimum can be set per token, and the minor unit depends on the currency', () => {
  const [eure = ''] = readConfig({}).tokens.map(({ address }) => address)
  expect(readConfig({}).withdrawalMinimums[eure]).toBe(0n)
  const given = JSON.stringify({ [eure]: '7' })
  expect(readConfig({ WITHDRAWAL_MINIMUMS: given }).withdrawalMinimums[eure]).toBe(7n)
  expect(minorUnitOf({ currency: 'EUR', decimals: 18 })).toBe(10n ** 16n)
  expect(minorUnitOf({ currency: 'JPY', decimals: 18 })).toBe(10n ** 18n)
})
