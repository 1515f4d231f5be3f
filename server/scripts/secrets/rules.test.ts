import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { allowed } from './allowed.ts'
import { findSecrets } from './rules.ts'

/** Returns a text with many different characters. */
const random = (length: number) => 'q7Zt2Lw9Xc4Vb6Nm1Kj8Hg5Fd3Sa0PoIuYtReWz'.repeat(3).slice(0, length)
/** Joins two parts of a planted secret. In one piece, the scan of the repository would find it in this file. */
const join2 = (one: string, two: string) => one + two

const planted: readonly (readonly [string, string])[] = [
  ['private key block', join2('-----BEGIN EC PRIVATE', ` KEY-----\n${random(64)}`)],
  ['private key block', join2('-----BEGIN PRIVATE', ` KEY-----\\n${random(64)}`)],
  ['cloud access key', join2('AKIA', 'IOSFODNN7EXAMPLE')],
  ['token of a code host', join2('ghp_', random(36))],
  ['token of a package registry', join2('npm_', random(36))],
  ['token of a chat service', join2('xoxb-', '123456789012-abcdef')],
  ['live key of a payment service', join2('sk_live_', random(24))],
  ['API key of a cloud', join2('AIza', random(35))],
  ['access token', join2('eyJhbGciOiJFUzI1NiJ9.', `eyJzdWIiOiIxMjM0NSJ9.${random(60)}`)],
  ['API key of a partner', join2('psk_', random(43))],
  ['webhook secret', join2('whsec_', `${random(43)}=`)],
  ['password in a URL', join2('postgres://purser:', 'hunter22@db.internal/purser')],
  ['private key', join2('SIGNER_KEY=0x', 'a1'.repeat(32))],
  ['random secret', join2('SECRET=', random(44))],
  ['random secret', join2('"apiKey": "', `${random(32)}"`)],
]

test.each(planted)('the scan finds a planted %s: %#', (rule, text) => {
  const findings = findSecrets(`first line\n${text}\n`)
  expect(findings).toContainEqual({ line: 2, rule, shown: expect.stringMatching(/^.{1,12}…$/) })
})

test.each([
  'secret: process.env.SECRET_OF_THE_PROCESSOR_AND_MORE',
  'token: 0xcB444e90D8198415266c6a2724b7900fb12FC56E',
  'key: purser-sandbox-issuer-key-never-in-production',
  'https://app.example.com:8443/path@2',
  'SECRET=<32 characters or more>',
])('the scan accepts %j', (text) => {
  expect(findSecrets(text)).toEqual([])
})

test('an allowed value is accepted only as it is listed', () => {
  const [known = ''] = allowed
  expect(findSecrets(`SIGNER_KEY=${known}`, allowed)).toEqual([])
  expect(findSecrets(`SIGNER_KEY=${known.slice(0, -1)}1`, allowed)).toHaveLength(1)
})

test('the command rejects a repository with a planted secret, and names file and line but not the secret', () => {
  const folder = mkdtempSync(join(tmpdir(), 'purser-secrets-'))
  try {
    execFileSync('git', ['init', '--quiet'], { cwd: folder })
    const scan = () =>
      execFileSync(process.execPath, [join(import.meta.dirname, '../check-secrets.ts'), folder], { encoding: 'utf8' })
    writeFileSync(join(folder, 'settings.env'), 'PORT=8080\n')
    expect(scan()).toBe('1 files read, 0 secrets found\n')
    const secret = random(44)
    writeFileSync(join(folder, 'settings.env'), `PORT=8080\nSECRET=${secret}\n`)
    const report = `settings.env:2: random secret: ${secret.slice(0, 12)}…\n1 files read, 1 secrets found\n`
    expect(scan).toThrow(expect.objectContaining({ status: 1, stdout: report }))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
