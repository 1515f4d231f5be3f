import { expect, test } from 'vitest'
import { ConfigError, readConfig } from './config.ts'

function problemsOf(env: Record<string, string>): readonly string[] {
  try {
    readConfig(env)
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
  }
  return []
}

test('nothing set is a sandbox on localhost:8080 with three tokens', () => {
  const config = readConfig({})
  expect(config).toMatchObject({ mode: 'sandbox', host: 'localhost', port: 8080, databaseUrl: null, cardLimit: 5 })
  expect(config.tokens.map(({ currency }) => currency)).toEqual(['EUR', 'GBP', 'USD'])
  expect(config.servers).toEqual({
    base: 'http://localhost:8080',
    api: 'http://localhost:8080',
    authModule: 'http://localhost:8080',
    pci: 'http://localhost:8080',
  })
})

test('a token says that it comes from the address of sign-ins, for that of the user API', () => {
  const { tokenIssuer, tokenAudience } = readConfig({
    BASE_URL: 'https://user.example',
    API_URL: 'https://api.example/',
  })
  expect([tokenIssuer, tokenAudience]).toEqual(['https://api.example', 'https://user.example'])
})

test('every problem is reported at once, each with the name of its variable', () => {
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
  const named = problems.map((problem) => problem.split(':')[0])
  expect(named.sort()).toEqual(
    [
      'BASE_URL',
      'CARD_LIMITS',
      'CHAINALYSIS_API_KEY',
      'CHAINALYSIS_NETWORKS',
      'CLEARING_TOLERANCE',
      'CLEARING_TOLERANCE',
      'DAILY_WITHDRAWAL_CAP_EUR',
      'DATABASE_URL',
      'HOLD_DAYS',
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

test('a list takes blanks around its commas', () => {
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

test('a cap of no configured currency, and a country that there is not, are said and not passed over', () => {
  expect(problemsOf({ DAILY_WITHDRAWAL_CAP_EURO: '100', IBAN_COUNTRIES: 'DE,UK' })).toEqual([
    'DAILY_WITHDRAWAL_CAP_EURO: must end with a configured currency',
    'IBAN_COUNTRIES: "UK" is not a country code of two letters (ISO 3166)',
  ])
  expect(problemsOf({ ROLES: ',' })).toEqual(['ROLES: must be a comma-separated list of api, worker, watcher'])
})

test('a currency stands once, in a row that can show its cent', () => {
  const rows = [
    { currency: 'EUR', decimals: 18 },
    { currency: 'GBP', decimals: 18 },
    { currency: 'USD', decimals: 6 },
  ]
  const problemOf = (...more: object[]) => problemsOf({ CURRENCIES: JSON.stringify([...rows, ...more]) })
  expect(problemOf({ currency: 'KWD', decimals: 3 }, { currency: 'JPY', decimals: 0 })).toEqual([])
  expect(problemOf({ currency: 'KWD', decimals: 2 })).toEqual([
    'CURRENCIES: KWD has more minor digits than its row has decimals',
  ])
  expect(problemOf({ currency: 'EUR', decimals: 18 })).toEqual(['CURRENCIES: a currency stands twice'])
  expect(problemsOf({ TOKENS: '[]' })).toEqual(['TOKENS: must name a token at least'])
})

test('what is no JSON object, no node and no address that paths can be put behind is said', () => {
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
    for (const problem of problems) expect(problem).toMatch(new RegExp(`^${name}: `))
  }
})

test('production refuses sandbox providers, default secrets, the embedded database and http, all in one go', () => {
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
    expect(problems).toContain(`${name}:`)
  }
  // What follows from another variable is no problem of its own.
  expect(problems).not.toMatch(/^(AUTH_MODULE_URL|PCI_URL):/m)
})

const vendors = {
  ...{ SCREENING: 'chainalysis', CHAINALYSIS_API_KEY: 'k', MAIL_VIA: 'smtp', SMTP_HOST: 'mail.example.org' },
  ...{ MAIL_FROM: 'codes@example.org', KYC: 'sumsub', SUMSUB_APP_TOKEN: 't', SUMSUB_SECRET_KEY: 's' },
  ...{ SUMSUB_WEBHOOK_SECRET: 'w', SUMSUB_LEVEL: 'level' },
  ...{ IBAN: 'monerium', MONERIUM_CLIENT_ID: 'm', MONERIUM_CLIENT_SECRET: 's' },
}

test('a vendor is named with all that it needs, or every missing part is', () => {
  expect(problemsOf(vendors)).toEqual([])
  for (const name of [
    'CHAINALYSIS_API_KEY',
    'SMTP_HOST',
    'MAIL_FROM',
    'SUMSUB_SECRET_KEY',
    'SUMSUB_WEBHOOK_SECRET',
    'MONERIUM_CLIENT_SECRET',
  ]) {
    expect(problemsOf({ ...vendors, [name]: '' }).map((problem) => problem.split(':')[0])).toEqual([name])
  }
  expect(problemsOf({ ...vendors, SMTP_USER: 'u' }).join()).toContain('SMTP_PASSWORD')
  expect(problemsOf({ ...vendors, MAIL_FROM: 'a@b\r\nBcc: c@d' }).join()).toContain('MAIL_FROM')
})

test('production talks to its vendors encrypted, but on this machine', () => {
  const named = (env: Record<string, string>) => problemsOf({ MODE: 'production', ...vendors, ...env }).join('\n')
  for (const name of ['CHAINALYSIS_URL', 'SUMSUB_URL', 'MONERIUM_URL']) {
    expect(named({ [name]: 'http://vendor.example' })).toContain(`${name}:`)
    expect(named({ [name]: 'http://127.0.0.1:9000' })).not.toContain(`${name}:`)
    expect(named({})).not.toContain(`${name}:`)
  }
  expect(named({ SMTP_SECURITY: 'none' })).toContain('SMTP_SECURITY:')
  expect(named({ SMTP_SECURITY: 'none', SMTP_HOST: '127.0.0.1' })).not.toContain('SMTP_SECURITY:')
  expect(named({ IBAN: 'sandbox' })).toMatch(/^IBAN:/m)
  expect(named({ IBAN: 'none' })).not.toMatch(/^IBAN:/m)
  for (const name of ['SCREENING', 'MAIL_VIA', 'KYC', 'IBAN'])
    expect(named({})).not.toMatch(new RegExp(`^${name}:`, 'm'))
})

test('a token must fit its currency row and be able to hold a cent', () => {
  const token = { address: '0x5Cb9073902F2035222B9749F8fB0c9BFe5527108', symbol: 'X', currency: 'USD', chainId: 1 }
  expect(problemsOf({ TOKENS: JSON.stringify([{ ...token, decimals: 6 }]) })).toEqual([])
  expect(problemsOf({ TOKENS: JSON.stringify([{ ...token, decimals: 7 }]) }).join()).toContain(
    'more decimals than the row',
  )
  expect(problemsOf({ TOKENS: JSON.stringify([{ ...token, decimals: 1 }]) }).join()).toContain('fewer decimals')
  expect(
    problemsOf({
      TOKENS: JSON.stringify([
        { ...token, decimals: 6 },
        { ...token, decimals: 6 },
      ]),
    }).join(),
  ).toContain('twice')
  expect(problemsOf({ TOKENS: JSON.stringify([{ ...token, currency: 'CHF', decimals: 6 }]) }).join()).toContain(
    'not a configured currency',
  )
  expect(problemsOf({ TOKENS: JSON.stringify([{ ...token, address: '0xnot', decimals: 6 }]) }).join()).toContain(
    '0xnot',
  )
})

test("the card processor's keys: several at once, none of them short, shared or the sandbox's own in production", () => {
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
  expect(keyProblems({ ISSUER_KEYS: `mine:${sandboxKey?.secret}` }).join()).toContain('sandbox default')
  expect(keyProblems({ ISSUER_DECISION_MILLISECONDS: '2000' }).join()).toContain('ISSUER_ANSWER_MILLISECONDS')
})

test('production can start with a card processor over HTTP, and not without one', () => {
  const [one, two] = ['a'.repeat(32), 'b'.repeat(32)]
  const issuerProblems = (env: Record<string, string>) =>
    problemsOf({ MODE: 'production', ...env })
      .map((problem) => problem.split(':')[0])
      .filter((name) => name?.startsWith('ISSUER'))
  const processor = { ISSUER: 'http', ISSUER_URL: 'https://processor.example', ISSUER_OUTBOUND_KEY: `us:${one}` }
  expect(issuerProblems({})).toEqual(['ISSUER_KEYS', 'ISSUER'])
  expect(issuerProblems({ ...processor, ISSUER_KEYS: `them:${two}` })).toEqual([])
  expect(issuerProblems({ ...processor, ISSUER_KEYS: `them:${one}` })).toEqual(['ISSUER_OUTBOUND_KEY'])
  expect(issuerProblems({ ...processor, ISSUER_KEYS: `them:${two}`, ISSUER_URL: 'http://processor.example' })).toEqual([
    'ISSUER_URL',
  ])
  expect(issuerProblems({ ISSUER: 'http', ISSUER_KEYS: `them:${two}` })).toEqual(['ISSUER_URL', 'ISSUER_OUTBOUND_KEY'])
  expect(readConfig({ ...processor }).issuer).toEqual({
    url: 'https://processor.example',
    key: { id: 'us', secret: one },
  })
})

test('the chain: our own beside our own database, simulated beside one that others may share, real with an RPC_URL', () => {
  const rpc = { RPC_URL_31337: 'http://127.0.0.1:8545' }
  expect(readConfig({}).chain).toBe('anvil')
  expect(readConfig({ DATABASE_URL: 'postgres://localhost/purser' }).chain).toBe('simulated')
  expect(readConfig({ DATABASE_URL: 'postgres://localhost/purser', CHAIN: 'anvil' }).chain).toBe('anvil')
  expect(readConfig(rpc)).toMatchObject({ chain: 'evm', chains: [{ chainId: 31337 }] })
  // Another chain's, where no token lives: wallets that are contracts sign in there.
  expect(readConfig({ RPC_URL_1: 'http://127.0.0.1:8545' })).toMatchObject({ chain: 'anvil', chains: [{ chainId: 1 }] })
  expect(problemsOf({ ...rpc, CHAIN: 'simulated' }).join()).toContain('CHAIN: must be evm')
  expect(problemsOf({ CHAIN: 'evm' }).join()).toContain('RPC_URL_31337: must be set')
  const chainProblems = (env: Record<string, string>) =>
    problemsOf({ MODE: 'production', ...env }).filter((problem) => /^(CHAIN|RPC_URL|TREASURY)/.test(problem))
  const tokens = { TOKENS: JSON.stringify(readConfig({}).tokens) }
  expect(chainProblems({ ...tokens, ...rpc }).join()).toContain('TREASURY_31337: must be set')
  expect(chainProblems({ ...tokens, ...rpc, TREASURY_31337: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' })).toEqual([])
})

test('payouts are signed by a key in memory or by AWS KMS, and never offer more than a ceiling', () => {
  expect(readConfig({}).payouts).toMatchObject({ signer: { kind: 'local' }, mostFeePerGas: 500n * 10n ** 9n })
  const kms = { SIGNER: 'aws-kms', KMS_KEY_ID: 'alias/payouts', KMS_REGION: 'eu-central-1' }
  expect(readConfig({ ...kms, PAYOUT_MAX_FEE_GWEI: '30', PAYOUT_BUMP_SECONDS: '45' }).payouts).toEqual({
    signer: { kind: 'aws-kms', keyId: 'alias/payouts', region: 'eu-central-1', endpoint: null },
    mostFeePerGas: 30n * 10n ** 9n,
    bumpSeconds: 45,
  })
  const wrong = { SIGNER: 'aws-kms', KMS_ENDPOINT: 'kms', PAYOUT_MAX_FEE_GWEI: '0', PAYOUT_BUMP_SECONDS: '1.5' }
  expect(problemsOf(wrong).map((problem) => problem.split(':')[0])).toEqual([
    'PAYOUT_MAX_FEE_GWEI',
    'PAYOUT_BUMP_SECONDS',
    'KMS_KEY_ID',
    'KMS_REGION',
    'KMS_ENDPOINT',
  ])
  expect(problemsOf({ SIGNER: 'paper' }).join()).toContain('SIGNER: must be one of')
  expect(problemsOf({ SIGNER_KEY: '0x12' }).join()).toContain('SIGNER_KEY')
  expect(problemsOf({ MODE: 'production', ...kms }).join('\n')).not.toMatch(/SIGNER|KMS_|PAYOUT/)
})
