import { expect, test } from 'vitest'
import { problemsOf } from '../../test/support/config-problems.ts'
import { productionEnv } from '../../test/support/production-env.ts'
import { readConfig } from './config.ts'
import { allSettings } from './document.ts'

/** Returns the problems of a variable in production. Most settings are missing here and have problems of their own. */
const inProduction = (name: string, env: Record<string, string>) =>
  problemsOf({ MODE: 'production', ...env }).filter((problem) => problem.startsWith(`${name} `))

const random = (digit: string) => `0123456789-abcdefghijklmnopqrstuvwxyz-${digit}`

test('a sandbox rejects a real vendor, and accepts an emulator on this machine', () => {
  const emulator = 'http://127.0.0.1:9000'
  const key = { ISSUER_OUTBOUND_KEY: `us:${random('1')}` }
  const sumsub = { SUMSUB_APP_TOKEN: 't', SUMSUB_SECRET_KEY: 's', SUMSUB_WEBHOOK_SECRET: 'w', SUMSUB_LEVEL: 'l' }
  const vendors: [Record<string, string>, string, string][] = [
    [{ ISSUER: 'http', ISSUER_URL: 'https://processor.example', ...key }, 'ISSUER_URL', emulator],
    [{ SIGNER: 'aws-kms', KMS_KEY_ID: 'alias/payouts', KMS_REGION: 'eu-central-1' }, 'KMS_ENDPOINT', emulator],
    [{ SCREENING: 'chainalysis', CHAINALYSIS_API_KEY: 'k' }, 'CHAINALYSIS_URL', emulator],
    [{ KYC: 'sumsub', ...sumsub }, 'SUMSUB_URL', emulator],
    [{ IBAN: 'monerium', MONERIUM_CLIENT_ID: 'm', MONERIUM_CLIENT_SECRET: 's' }, 'MONERIUM_URL', emulator],
    [{ MAIL_VIA: 'smtp', SMTP_HOST: 'mail.example', MAIL_FROM: 'codes@example.org' }, 'SMTP_HOST', '127.0.0.1'],
  ]
  for (const [env, address, local] of vendors) {
    const [selected] = Object.entries(env).map((entry) => entry.join('='))
    expect(problemsOf(env)).toEqual([
      `${selected} needs MODE=production. A sandbox uses it only when ${address} names an emulator on this machine.`,
    ])
    expect(problemsOf({ ...env, [address]: local })).toEqual([])
  }
  expect(problemsOf({ IBAN: 'none' })).toEqual([])
})

test('NODE_ENV=production without MODE is rejected', () => {
  expect(problemsOf({ NODE_ENV: 'production' })).toEqual([
    'MODE must be set when NODE_ENV is production. Use production or sandbox.',
  ])
  expect(problemsOf({ NODE_ENV: 'production', MODE: 'sandbox' })).toEqual([])
  expect(problemsOf({ NODE_ENV: 'development' })).toEqual([])
})

test('a sandbox that other machines can reach needs a password of its own', () => {
  for (const HOST of ['0.0.0.0', '::', '10.0.0.7', 'sandbox.example']) {
    expect(problemsOf({ HOST })).toEqual([
      `SANDBOX_PASSWORD must be set to a password of your own, because HOST=${HOST} is reachable from other machines.`,
    ])
    expect(problemsOf({ HOST, SANDBOX_PASSWORD: 'sandbox' })).toHaveLength(1)
    expect(problemsOf({ HOST, SANDBOX_PASSWORD: 'of my own' })).toEqual([])
  }
  for (const HOST of ['localhost', '127.0.0.1', '127.0.0.2', '::1']) expect(problemsOf({ HOST })).toEqual([])
  const BASE_URL = 'https://sandbox.example'
  expect(problemsOf({ HOST: '127.0.0.1', BASE_URL })).toEqual([
    `SANDBOX_PASSWORD must be set to a password of your own, because BASE_URL=${BASE_URL} is reachable from other machines.`,
  ])
  expect(problemsOf({ BASE_URL, SANDBOX_PASSWORD: 'of my own' })).toEqual([])
  expect(problemsOf({ BASE_URL: 'http://localhost:8080' })).toEqual([])
})

test('production rejects every outbound address over plain http outside this machine', () => {
  const own = ['BASE_URL', 'API_URL', 'AUTH_MODULE_URL', 'PCI_URL', 'CONSOLE_URL']
  const outbound = allSettings.filter(({ name, schema }) => {
    const { format, items } = Object(schema)
    return /url$/.test(format ?? Object(items).format ?? '') && !own.includes(name)
  })
  expect(outbound.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['DATABASE_URL', 'ISSUER_URL', 'RPC_URL_<chainId>', 'KMS_ENDPOINT', 'SUMSUB_URL']),
  )
  for (const { name, inProduction: rule } of outbound) {
    if (rule === null || rule === 'unset') throw new Error(`${name} has no rule for production`)
    const form = (url: string) => (name.startsWith('RPC_URL') ? [url] : url)
    expect([name, rule.holds(form('http://vendor.example'))]).toEqual([name, false])
    expect([name, rule.holds(form('http://127.0.0.1:9000'))]).toEqual([name, true])
  }
  expect(inProduction('RPC_URL_1', { RPC_URL_1: 'https://one.example,http://two.example/key' })).toEqual([
    'RPC_URL_1 must be an https URL or a URL of this machine in production.',
  ])
})

test('production rejects a remote PostgreSQL without verified TLS', () => {
  const problems = (url: string) => inProduction('DATABASE_URL', { DATABASE_URL: url })
  for (const query of ['', '?sslmode=disable', '?sslmode=prefer', '?sslmode=no-verify', '?ssl=0']) {
    expect(problems(`postgres://purser:secret@db.example/purser${query}`)).toEqual([
      'DATABASE_URL must be a URL with sslmode=verify-full or a URL of this machine in production.',
    ])
  }
  for (const url of [
    'postgres:///purser?host=db.example',
    'postgres://localhost/purser?host=10.0.0.5',
    'postgres://db.example/purser?sslmode=require&uselibpqcompat=true',
  ]) {
    expect(problems(url), url).toHaveLength(1)
  }
  for (const url of [
    'postgres://db.example/purser?sslmode=verify-full',
    'postgres://localhost:5432/purser',
    'postgres://127.0.0.1/purser',
    'postgres://[::1]/purser',
    'postgres://purser@localhost/purser?host=%2Frun%2Fpostgresql',
    'postgres://%2Frun%2Fpostgresql/purser',
  ]) {
    expect(problems(url), url).toEqual([])
  }
})

test('production rejects a secret with few different characters or a repeated pattern', () => {
  const requirement = 'a random secret of your own (8 or more different characters, no repeated pattern)'
  for (const weak of [
    's'.repeat(40),
    'abcd'.repeat(10),
    'password-password-password-password',
    '1212121212'.repeat(4),
  ]) {
    expect(inProduction('SECRET', { SECRET: weak })).toEqual([`SECRET must be ${requirement} in production.`])
    expect(inProduction('ISSUER_KEYS', { ISSUER_KEYS: `them:${weak}` })).toHaveLength(1)
    expect(inProduction('SCREENING_KEYS', { SCREENING_KEYS: `them:${weak}` })).toHaveLength(1)
    expect(inProduction('METRICS_TOKEN', { METRICS_TOKEN: weak })).toHaveLength(1)
  }
  for (const strong of [random('1'), '5f1c0d7a9be24836a1c0ffee12345678', 'Xk3vTq9LzB7mWc2RpY8nHd4JfG6sAe1U']) {
    expect(inProduction('SECRET', { SECRET: strong })).toEqual([])
  }
})

test('production rejects one value for two secrets', () => {
  const vendor = { KYC: 'sumsub', SUMSUB_APP_TOKEN: 't', SUMSUB_LEVEL: 'l', SUMSUB_SECRET_KEY: 'same' }
  expect(inProduction('SUMSUB_WEBHOOK_SECRET', { ...vendor, SUMSUB_WEBHOOK_SECRET: 'same' })).toEqual([
    'SUMSUB_WEBHOOK_SECRET must not have the same value as SUMSUB_SECRET_KEY in production. Use a secret of its own for each.',
  ])
  expect(inProduction('SUMSUB_WEBHOOK_SECRET', { ...vendor, SUMSUB_WEBHOOK_SECRET: 'another' })).toEqual([])
  const shared = { SECRET: random('1'), ISSUER_KEYS: `them:${random('1')}` }
  expect(inProduction('ISSUER_KEYS', shared)).toHaveLength(1)
  expect(inProduction('RPC_URL_2', { RPC_URL_1: 'https://one.example', RPC_URL_2: 'https://one.example' })).toEqual([])
})

test('production rejects proxy ranges that cover the Internet', () => {
  const problems = (ranges: string) => inProduction('TRUSTED_PROXIES', { TRUSTED_PROXIES: ranges })
  for (const range of ['0.0.0.0/0', '::/0', '0.0.0.0/1,128.0.0.0/1', '10.0.0.1,::ffff:0.0.0.0/96', '2000::/3']) {
    expect(problems(range), range).toEqual([
      'TRUSTED_PROXIES must be the addresses of your proxies (no range larger than /8) in production.',
    ])
  }
  expect(problems('10.0.0.0/8,127.0.0.1,fd00::/8,::ffff:10.0.0.0/104')).toEqual([])
})

test('production rejects a log without security events', () => {
  expect(inProduction('LOG_LEVEL', { LOG_LEVEL: 'silent' })).toEqual([
    'LOG_LEVEL must be fatal or lower in production, not "silent".',
  ])
  for (const LOG_LEVEL of ['trace', 'info', 'warn', 'fatal'])
    expect(inProduction('LOG_LEVEL', { LOG_LEVEL }), LOG_LEVEL).toEqual([])
})

test('production rejects the test keys of Anvil and Hardhat', () => {
  const key = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'
  expect(inProduction('SWEEPER_KEY', { SWEEPER_KEY: key })).toEqual([
    'SWEEPER_KEY must be a key of your own (not a test key of Anvil or Hardhat) in production.',
  ])
  expect(inProduction('SWEEPER_KEY', { SWEEPER_KEY: `0x${'5'.repeat(64)}` })).toEqual([])
})

test('production rejects a treasury without an owner, a treasury of Anvil and a finality of no blocks', () => {
  const chain = { RPC_URL_1: 'https://node.example' }
  for (const address of [
    `0x${'0'.repeat(40)}`,
    `0x${'0'.repeat(36)}00fe`,
    '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
  ]) {
    expect(inProduction('TREASURY_1', { ...chain, TREASURY_1: address })).toEqual([
      `TREASURY_1 must be an address of your own (not one below 0x10000 or a test account of Anvil or Hardhat) in production, not "${address}".`,
    ])
  }
  expect(inProduction('FINALITY_1', { ...chain, FINALITY_1: '0' })).toEqual([
    'FINALITY_1 must be finalized or at least 1 in production, not "0".',
  ])
  expect(inProduction('FINALITY_1', { ...chain, FINALITY_1: '1' })).toEqual([])
  expect(problemsOf({ ...chain, FINALITY_1: '0' })).toEqual([])
})

test('production requires an origin of its own for the secure frame', () => {
  const base = { BASE_URL: 'https://purser.example' }
  expect(inProduction('PCI_URL', base)).toEqual([
    "PCI_URL must be set in production. Use another host name of this service, so that no script of the API's origin reaches card numbers.",
  ])
  expect(inProduction('PCI_URL', { ...base, PCI_URL: 'https://purser.example/cards' })).toEqual([
    'PCI_URL must have a different origin from BASE_URL in production. Use another host name.',
  ])
  const api = { ...base, API_URL: 'https://api.example' }
  expect(inProduction('PCI_URL', { ...api, PCI_URL: 'https://api.example' })).toHaveLength(1)
  expect(inProduction('PCI_URL', { ...api, PCI_URL: 'https://cards.example' })).toEqual([])
})

test('the operator API is on in the sandbox, and off in production unless configured', () => {
  const isOn = (env: Record<string, string>) => readConfig(env).operatorApi
  const production = { ...productionEnv, DATABASE_URL: 'postgres://127.0.0.1:1/purser' }
  expect([isOn({}), isOn(production)]).toEqual([true, false])
  expect(isOn({ ...production, OPERATOR_API: 'on', CONSOLE_URL: 'https://console.purser.test' })).toBe(true)
})

test('production requires a console with https and an origin of its own, and no test operator', () => {
  const console = 'https://console.example'
  const problems = (env: Record<string, string>) => [
    ...inProduction('CONSOLE_URL', { OPERATOR_API: 'on', BASE_URL: 'https://api.example', ...env }),
    ...inProduction('SANDBOX_OPERATOR', env),
  ]
  expect(problems({ CONSOLE_URL: console })).toEqual([])
  expect(problems({ OPERATOR_API: 'off' })).toEqual([])
  expect(problems({})).toEqual([
    'CONSOLE_URL must be set in production when OPERATOR_API is on. Use the https URL of the console.',
  ])
  expect(problems({ CONSOLE_URL: 'http://console.example' })).toEqual([
    'CONSOLE_URL must be a public https URL in production, not "http://console.example".',
  ])
  expect(problems({ CONSOLE_URL: 'https://api.example/console' })).toEqual([
    'CONSOLE_URL must have a different origin from BASE_URL in production. Use another host name.',
  ])
  const SANDBOX_OPERATOR = '0x00000000000000000000000000000000000000fe'
  expect(problems({ CONSOLE_URL: console, SANDBOX_OPERATOR })).toEqual([
    'SANDBOX_OPERATOR must not be set in production. It belongs to the sandbox.',
  ])
})
