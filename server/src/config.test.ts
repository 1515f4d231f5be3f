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
  })
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
    CLEARING_TOLERANCE: '{"default":0,"foreign":-3,"5812":20}',
  })
  const named = problems.map((problem) => problem.split(':')[0])
  expect(named.sort()).toEqual(
    [
      'BASE_URL',
      'CARD_LIMITS',
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
      'SECRET',
      'TOKENS',
      'TRUSTED_PROXIES',
    ].sort(),
  )
})

test('production refuses sandbox providers, default secrets, the embedded database and http, all in one go', () => {
  const problems = problemsOf({ MODE: 'production', SANDBOX_PASSWORD: 'x' }).join('\n')
  for (const name of [
    'SECRET',
    'SANDBOX_PASSWORD',
    'DATABASE_URL',
    'TOKENS',
    'BASE_URL',
    'API_URL',
    'ISSUER',
    'CHAIN',
    'SCREENING',
    'KYC',
    'MAIL',
  ]) {
    expect(problems).toContain(`${name}:`)
  }
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
