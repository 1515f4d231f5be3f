import { connect as connectSocket } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Client, connect } from '../acceptance/client.ts'
import { parseJson } from '../acceptance/document.ts'

let client: Client
beforeAll(async () => {
  client = await connect()
})
afterAll(() => client.stop())

const firstByteMilliseconds = 30_000
const silenceMilliseconds = 800

/**
 * Sends raw bytes. Returns all received text once the server closes the connection or stays silent after a response.
 */
function sendOnce(bytes: string | Buffer, timeoutMilliseconds = firstByteMilliseconds): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = ''
    const socket = connectSocket(Number(new URL(client.url).port), new URL(client.url).hostname)
    socket.setTimeout(timeoutMilliseconds, () => socket.destroy())
    socket.on('connect', () => socket.write(bytes))
    socket.on('data', (chunk) => {
      received += chunk
      socket.setTimeout(silenceMilliseconds)
    })
    // A server that rejects a request may reset the connection while the rest is still being sent.
    socket.on('error', (error) => (received === '' ? reject(error) : resolve(received)))
    socket.on('close', () => resolve(received))
  })
}

/** Retries, because on a busy machine the reset of the connection can overtake the response. */
async function send(bytes: string | Buffer): Promise<string> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await sendOnce(bytes)
    } catch (error) {
      if (attempt === 5) throw error
    }
  }
}

const statuses = (text: string) => [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))
const post = (path: string, lines: string[], body: string) =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n${body}`
const challenge = '/api/v1/auth/challenge'
const json = 'Content-Type: application/json'

const malformed: [what: string, bytes: string][] = [
  ['a request that is not HTTP', 'NOT HTTP AT ALL\r\n\r\n'],
  ['a request without a host', 'GET /health HTTP/1.1\r\n\r\n'],
  ['a request with two hosts', 'GET /health HTTP/1.1\r\nHost: localhost\r\nhost: evil.example\r\n\r\n'],
  ['an HTTP/1.0 request with two hosts', 'GET /health HTTP/1.0\r\nHost: localhost\r\nHost: localhost\r\n\r\n'],
  ['a header without a name', 'GET /health HTTP/1.1\r\nHost: localhost\r\n: x\r\n\r\n'],
  ['a header with a NUL', 'GET /health HTTP/1.1\r\nHost: localhost\r\nX: a\u0000b\r\n\r\n'],
  ['a bare carriage return in the head', 'GET /health HTTP/1.1\r\nHost: localhost\r\nX: a\rY: b\r\n\r\n'],
  ['a path with a space', 'GET /hea lth HTTP/1.1\r\nHost: localhost\r\n\r\n'],
  ['a head of 200 KB', `GET /health HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(200_000)}\r\n\r\n`],
  ['a path of 100 KB', `GET /${'x'.repeat(100_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`],
  ['a body with two different lengths', post(challenge, [json, 'Content-Length: 2', 'Content-Length: 3'], '{}')],
  [
    'a body with a length and chunks',
    post(challenge, [json, 'Content-Length: 2', 'Transfer-Encoding: chunked'], '0\r\n\r\n'),
  ],
  ['a body with a negative length', post(challenge, [json, 'Content-Length: -1'], '{}')],
  ['a chunk size that is not a number', post(challenge, [json, 'Transfer-Encoding: chunked'], 'zz\r\n{}\r\n0\r\n\r\n')],
  ['an unknown transfer encoding', post(challenge, [json, 'Transfer-Encoding: magic'], '{}')],
]

test.each(malformed)('%s is rejected with a 4xx and a JSON error', async (_what, bytes) => {
  const answer = await send(bytes)
  const [status] = statuses(answer)
  expect(status).toBeGreaterThanOrEqual(400)
  expect(status).toBeLessThan(500)
  expect(parseJson(answer.slice(answer.indexOf('\r\n\r\n') + 4))).toEqual({ success: false, error: expect.any(String) })
})

test('twenty pipelined requests get twenty responses in order', async () => {
  const paths = Array.from({ length: 20 }, (_, i) => (i % 2 ? '/health' : `/nothing/${i}`))
  const answer = await send(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`).join(''))
  expect(statuses(answer)).toEqual(paths.map((path) => (path === '/health' ? 200 : 404)))
})

test('a chunked body is read as one body, and rejected with 413 if it is too large', async () => {
  const chunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`
  const chunked = [json, 'Transfer-Encoding: chunked']
  expect(statuses(await send(post(challenge, chunked, `${chunk('{"mess')}${chunk('age":1}')}0\r\n\r\n`)))).toEqual([
    400,
  ])
  expect(statuses(await send(post(challenge, chunked, chunk('x'.repeat(1000)).repeat(100))))).toEqual([413])
})

test('a request with a content type but without a body gets 400 at once', async () => {
  expect(statuses(await send(post(challenge, [json], '')))).toEqual([400])
})

test('a body that is not valid UTF-8 is rejected', async () => {
  const body = Buffer.concat([Buffer.from('{"message":"'), Buffer.from([0xff, 0xfe, 0xc0]), Buffer.from('"}')])
  const head = post(challenge, [json, `Content-Length: ${body.length}`], '')
  expect(statuses(await send(Buffer.concat([Buffer.from(head), body])))).toEqual([400])
})

test('unusual methods and targets get one response below 500 and never an HTML page', async () => {
  for (const line of [
    'TRACE /health',
    'OPTIONS *',
    'OPTIONS /cards',
    'PROPFIND /',
    'GET //',
    'GET /?',
    'GET http://evil/',
  ]) {
    const answer = await send(`${line} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`)
    expect(statuses(answer), line).toHaveLength(1)
    expect(statuses(answer)[0], line).toBeLessThan(500)
    expect(answer, line).not.toMatch(/text\/html/i)
  }
})

test('a target with a host gets the response of its path, and one with a very long host gets 404', async () => {
  const get = async (target: string) =>
    statuses(await send(`GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`))
  expect(await get('http://localhost/health')).toEqual([200])
  expect(await get(`http://${'a'.repeat(5_000)}/health`)).toEqual([404])
})

test('an unknown value of the Expect header is ignored', async () => {
  const answer = await send('GET /health HTTP/1.1\r\nHost: localhost\r\nExpect: magic\r\nConnection: close\r\n\r\n')
  expect(statuses(answer)).toEqual([200])
})

// This test takes ten seconds, because the service waits that long.
test('a request that stops in its head or in its body gets 400 after a timeout', async () => {
  const started = ['GET /health HTTP/1.1\r\nHost: loc', post(challenge, [json, 'Content-Length: 1000'], '{"message":')]
  for (const answer of await Promise.all(started.map((bytes) => sendOnce(bytes, 30_000)))) {
    expect(statuses(answer)).toEqual([400])
    expect(parseJson(answer.slice(answer.indexOf('\r\n\r\n') + 4))).toEqual({ success: false, error: 'BAD_REQUEST' })
  }
})

test('the service keeps responding after a client disconnects in the middle of a request', async () => {
  await sendOnce(post(challenge, [json, 'Content-Length: 1000'], '{"message":'), 50)
  expect((await client.request('GET', '/health')).status).toBe(200)
})
