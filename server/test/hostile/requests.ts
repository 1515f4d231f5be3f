import fc from 'fast-check'
import type { Operation } from '../acceptance/document.ts'

/** A request as it goes over the wire: `body` is the raw text, so it need not be JSON. */
export type HostileRequest = { path: string; body: string | undefined; headers: Record<string, string> }

/** Values for the names in paths and bodies: resources of a real user, so that only the hostile part is wrong. */
export type Known = Readonly<Record<string, unknown>>

const texts = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\udc00\ud800',
  '\u202eevil',
  '\ufeff',
  'é'.normalize('NFD'),
  '💳'.repeat(30),
  'x'.repeat(10_000),
  '__proto__',
  'constructor',
  'toString',
  'null',
  'NaN',
  '-0',
  '1e309',
  '0x',
  '9'.repeat(400),
  "'; drop table account; --",
  '$1',
  '%00',
  '%s%n',
  '../../etc/passwd',
  '<script>alert(1)</script>',
  '2026-02-30',
  '9999-12-31T23:59:60Z',
  '+010000-01-01T00:00:00Z',
  '00000000-0000-0000-0000-000000000000',
  'urn:uuid:00000000-0000-0000-0000-000000000000',
  '0x0000000000000000000000000000000000000000',
]

const numbers = ['0', '-1', '1.5', '-0', '2147483648', '9007199254740993', '1e400', '1e-400', '9'.repeat(400)]

const structures = [
  'null',
  'true',
  '[]',
  '{}',
  '[null]',
  '{"__proto__":{"isAdmin":true}}',
  '{"constructor":{"prototype":{"isAdmin":true}}}',
  '{"toString":1,"valueOf":null,"hasOwnProperty":2,"length":-1}',
  `${'['.repeat(3000)}${']'.repeat(3000)}`,
  `${'{"a":'.repeat(3000)}1${'}'.repeat(3000)}`,
]

/** Raw JSON that is the wrong type or value for almost every field. */
const hostileJson = fc.oneof(
  fc.constantFrom(...texts).map((text) => JSON.stringify(text)),
  fc.constantFrom(...numbers),
  fc.constantFrom(...structures),
  fc.json({ maxDepth: 3 }),
)

const notJson = fc.constantFrom(
  '',
  '{',
  '{"a":}',
  "{'a':1}",
  '{"a":1,}',
  '{"a":1}{"a":2}',
  'undefined',
  '\u0000',
  '\ufeff{}',
  '"\ud800"',
  '{"a":"\t"}',
  '// comment\n{}',
  '<xml/>',
  'a=1&b=2',
  '[',
  '{"a":01}',
  '{"a":+1}',
)

const segments = fc.constantFrom(
  ...texts.filter((text) => text !== '').map((text) => encodeURIComponent(text.toWellFormed()).slice(0, 6000)),
  '%zz',
  '%',
  '%c0%ae',
  '%ff%fe',
  '..',
  '.',
  '%2e%2e',
  '%2f',
  ';a=1',
  '*',
)

const headers: fc.Arbitrary<Record<string, string>> = fc.constantFrom<Record<string, string>>(
  { 'content-type': 'text/plain' },
  { 'content-type': 'application/json; charset=utf-16' },
  { 'content-type': 'application/jsonx' },
  { 'content-type': 'application/json, text/html' },
  { 'content-type': 'multipart/form-data; boundary=x' },
  { 'content-type': ';;;' },
  { 'content-encoding': 'gzip' },
  { 'idempotency-key': 'k'.repeat(256) },
  { 'idempotency-key': 'ÿ' },
  { 'idempotency-key': ' ' },
  { authorization: 'Bearer' },
  { authorization: 'Bearer null' },
  { authorization: `Bearer ${'a.'.repeat(2000)}` },
  { authorization: 'Basic c2ltdWxhdG9yOg==' },
  { authorization: 'Digest username="x"' },
  { accept: 'image/png' },
  { origin: 'null' },
  { origin: 'https://evil.example' },
  { 'x-forwarded-for': '127.0.0.1, \u00ff' },
  { 'x-http-method-override': 'DELETE' },
  { range: 'bytes=0-0' },
  { 'if-none-match': '*' },
  { 'x-request-id': 'x'.repeat(4000) },
)

const json = { 'content-type': 'application/json' }

/** Returns a valid request to an operation, and its parts that can be replaced. */
function validRequest(operation: Operation, known: Known) {
  const schema = operation.definition.requestBody?.content['application/json']?.schema
  const fields: string[] = Object.keys(schema?.properties ?? {})
  function sampleOf(name: string): unknown {
    const property = schema.properties[name]
    return known[name] ?? property.examples?.[0] ?? property.enum?.[0] ?? property.default ?? 'x'
  }
  const sent = fields.filter((name) => name in known || schema.required?.includes(name))
  const entries = sent.map((name): Entry => [name, JSON.stringify(sampleOf(name))])
  const path = operation.path.replace(/\{([^}]+)\}/g, (_all, name: string) =>
    encodeURIComponent(String(known[name] ?? name)),
  )
  const request: HostileRequest =
    schema === undefined ? { path, body: undefined, headers: {} } : { path, body: write(entries), headers: json }
  const parameters: any[] = operation.definition.parameters ?? []
  const query: string[] = parameters.filter((each) => each.in === 'query').map(({ name }) => name)
  return { request, fields, entries, query, hasBody: schema !== undefined }
}

type Entry = [name: string, rawJson: string]

/** Writes JSON by hand, because JSON.stringify cannot write duplicate fields, `__proto__` or huge numbers. */
const write = (entries: Entry[]) => `{${entries.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`

/** Returns one request for each field of the body and each hostile text, and for each query parameter with U+0000. */
export function hostileTexts(operation: Operation, known: Known): HostileRequest[] {
  const { request, fields, entries, query } = validRequest(operation, known)
  const bodies = fields.flatMap((field) =>
    texts.map((text) => {
      const others = entries.filter(([name]) => name !== field)
      return { ...request, body: write([...others, [field, JSON.stringify(text)]]) }
    }),
  )
  return [...bodies, ...query.map((name) => ({ ...request, path: `${request.path}?${name}=a%00b` }))]
}

/** Generates requests to one operation, each valid except for one hostile part. */
export function hostileRequests(operation: Operation, known: Known): fc.Arbitrary<HostileRequest> {
  const { request, fields, entries, query, hasBody } = validRequest(operation, known)
  const withBody = (body: string): HostileRequest => ({ ...request, body, headers: json })
  const withQuery = (text: string): HostileRequest => ({ ...request, path: `${request.path}?${text}` })
  const unknownName = fc.constantFrom('__proto__', 'a[b]', 'limit', 'x'.repeat(3000)).map(encodeURIComponent)

  const kinds: fc.Arbitrary<HostileRequest>[] = [
    headers.map((more) => ({ ...request, headers: { ...request.headers, ...more } })),
    fc.tuple(unknownName, segments).map(([name, value]) => withQuery(`${name}=${value}&${name}=1`)),
  ]
  if (hasBody) kinds.push(notJson.map(withBody), hostileJson.map(withBody))
  if (fields.length > 0) {
    const field = fc.constantFrom(...fields)
    const others = (field: string) => entries.filter(([name]) => name !== field)
    kinds.push(
      fc.tuple(field, hostileJson).map(([name, value]) => withBody(write([...others(name), [name, value]]))),
      fc.tuple(field, hostileJson).map(([name, value]) => withBody(write([...entries, [name, value]]))),
      field.map((name) => withBody(write(others(name)))),
      hostileJson.map((value) => withBody(write([...entries, ['__proto__', value], ['unknown', value]]))),
    )
  }
  if (operation.path.includes('{')) {
    kinds.push(segments.map((segment) => ({ ...request, path: operation.path.replace(/\{[^}]+\}/g, segment) })))
  }
  if (query.length > 0) {
    const name = fc.constantFrom(...query)
    const value = fc.oneof(segments, fc.constantFrom(...numbers))
    kinds.push(
      fc.tuple(name, value).map(([name, text]) => withQuery(`${name}=${text}`)),
      fc.tuple(name, value, value).map(([name, one, two]) => withQuery(`${name}=${one}&${name}=${two}`)),
    )
  }
  return fc.oneof(...kinds)
}
