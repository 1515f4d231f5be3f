import { describe, expect, test } from 'vitest'
import { modeValues } from '../config/mode-values.ts'
import { domainOfOrigin, isLocal, isProtected, problemOfDomain } from './rules.ts'

describe('local domains', () => {
  test.each(['localhost', 'localhost:1', 'localhost:3000', 'localhost:65535'])('the domain %s is local', (domain) => {
    expect(isLocal(domain)).toBe(true)
  })

  test.each([
    'Localhost',
    'localhost.',
    'localhost:',
    'localhost:65536',
    'localhost:123456',
    'localhost:3000:3000',
    'localhost:3e3',
    'app.localhost',
    'notlocalhost',
    'localhost.example.com',
    'me@localhost',
    'localhost/',
    ' localhost',
    'localhost\n',
    '127.0.0.1',
    '[::1]',
    '0.0.0.0',
    '',
  ])('the domain %j is not local', (domain) => {
    expect(isLocal(domain)).toBe(false)
  })
})

describe('registrable domains', () => {
  test.each([
    'app.example.com',
    'example.com:8443',
    'xn--bcher-kva.example',
    'intranet',
    '127.0.0.1',
    '192.0.2.1:8080',
    '[2001:db8::1]:443',
  ])('the domain %s can be registered', (domain) => {
    expect(problemOfDomain(domain)).toBeNull()
  })

  test.each([
    '',
    'https://app.example.com',
    'app.example.com/',
    'app.example.com/path',
    'App.example.com',
    'bücher.example',
    'app.example.com.',
    'app..example.com',
    '.example.com',
    '-app.example.com',
    'app-.example.com',
    '*.example.com',
    'me@app.example.com',
    'app.example.com:',
    'app.example.com:0',
    'app.example.com:080',
    'app.example.com:65536',
    'app example.com',
    '127.0.0',
    '127.0.0.256',
    'localhost',
    'localhost:3000',
    'app.localhost',
    'app.localhost:3000',
    `${'a'.repeat(64)}.example`,
    `${'a.'.repeat(140)}example`,
  ])('the domain %j cannot be registered', (domain) => {
    expect(problemOfDomain(domain)).toEqual(expect.any(String))
  })
})

test.each([
  ['https://app.example.com', 'app.example.com'],
  ['http://localhost:3000', 'localhost:3000'],
  ['https://app.example.com:8443', 'app.example.com:8443'],
  ['null', null],
  ['', null],
  ['file://', null],
  ['chrome-extension://abcdef', null],
  ['app.example.com', null],
])('the domain of the origin %j is %j', (origin, domain) => {
  expect(domainOfOrigin(origin)).toBe(domain)
})

test('an origin over plain http is protected only on localhost, and only in the sandbox', () => {
  const modesOf = (origin: string) =>
    [modeValues.sandbox, modeValues.production].map(({ allowsHttpOnLocalhost }) =>
      isProtected(origin, domainOfOrigin(origin) ?? '', allowsHttpOnLocalhost),
    )
  expect(modesOf('https://app.example.com')).toEqual([true, true])
  expect(modesOf('http://app.example.com')).toEqual([false, false])
  expect(modesOf('http://localhost:3000')).toEqual([true, false])
})
