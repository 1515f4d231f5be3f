import { randomBytes } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { problemsOf } from '../support/config-problems.ts'
import { startEmbedded } from '../support/embedded.ts'
import { type LocalRequest, startLocalServer } from '../support/vendors/local-server.ts'

type Attribute = { key: string; value: { stringValue?: string; intValue?: number } }
type Span = {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  attributes: Attribute[]
  status: { code?: number }
}

/** Starts a collector of traces on this machine. */
async function startCollector() {
  const requests: LocalRequest[] = []
  const { url, stop } = await startLocalServer((request) => {
    requests.push(request)
    return { status: 200, body: {} }
  })
  onTestFinished(stop)
  const spans = (): Span[] =>
    requests.flatMap(({ body }) =>
      JSON.parse(body).resourceSpans.flatMap(({ scopeSpans }: { scopeSpans: { spans: Span[] }[] }) =>
        scopeSpans.flatMap((scope) => scope.spans),
      ),
    )
  return { url: `${url}/v1/traces`, requests, spans }
}

const valuesOf = ({ attributes }: Span) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]))

function only(spans: readonly Span[], name: string): Span {
  const found = spans.filter((span) => span.name === name)
  expect(found, name).toHaveLength(1)
  return found[0] as Span
}

type Client = Awaited<ReturnType<typeof startEmbedded>>['client']

/** A new user deposits 100 and pays 12.34 with a card. The headers are those of the payment. */
async function pay(client: Client, headers: Record<string, string> = {}) {
  const alice = await client.newUser()
  const [{ address: token }] = (await client.sandbox('GET', '/tokens')).body.data
  await client.sandbox('POST', '/deposits', { userId: alice.userId, token, amount: '100000000000000000000' })
  const body = { cardName: 'Everyday', phone: '+4915112345678' }
  const { body: card } = await client.request('POST', '/cards/virtual', { token: alice.token, body })
  const payment = { transaction_type: 'authorization', card_id: card.cardId, amount: '12.34', currency: 'EUR' }
  const paid = await client.sandbox('POST', '/transactions', { ...payment, merchant_name: 'Corner Shop' }, headers)
  expect(paid.body).toMatchObject({ status: 'approved' })
  return { alice, card, paid }
}

/** Starts a service that sends its traces to `endpoint`. A stop sends the spans that are left. */
const startTraced = (endpoint: string, env: Record<string, string> = {}) =>
  startEmbedded({ CHAIN: 'simulated', OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: endpoint, ...env })

test('a card payment is one trace: its route, its transaction and its statements, below the span of the caller', async () => {
  const collector = await startCollector()
  const { client, stop } = await startTraced(collector.url, {
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'Api-Key=k-1234, X-Tenant=a b',
  })
  const traceId = randomBytes(16).toString('hex')
  const callerSpanId = randomBytes(8).toString('hex')
  const headers = { traceparent: `00-${traceId}-${callerSpanId}-01` }
  const { paid } = await pay(client, headers)
  expect((await client.request('GET', '/nothing-here', { headers })).status).toBe(404)
  await stop()

  for (const { path, headers } of collector.requests) {
    expect([path, headers['api-key'], headers['x-tenant']]).toEqual(['/v1/traces', 'k-1234', 'a b'])
  }
  const spans = collector.spans().filter((span) => span.traceId === traceId)
  const request = only(spans, 'POST /sandbox/transactions')
  expect(request.parentSpanId).toBe(callerSpanId)
  expect(valuesOf(request)).toMatchObject({
    'http.request.method': 'POST',
    'http.route': '/sandbox/transactions',
    'http.response.status_code': 200,
    'purser.request_id': paid.headers.get('x-request-id'),
  })
  const load = only(spans, 'select load_card_message')
  expect([load.parentSpanId, valuesOf(load)['db.system.name']]).toEqual([
    only(spans, 'transaction').spanId,
    'postgresql',
  ])
  const unknown = only(spans, 'GET')
  expect(valuesOf(unknown)).toMatchObject({ 'http.response.status_code': 404 })
  expect(valuesOf(unknown)).not.toHaveProperty('http.route')
})

test('a call to a provider is a span of the request that caused it, and no span names a user, card, amount or merchant', async () => {
  const collector = await startCollector()
  const { client, stop } = await startTraced(collector.url)
  const { alice, card } = await pay(client)
  await stop()
  const spans = collector.spans()
  // On a busy machine, the worker screens the deposit as well.
  const screenings = spans.filter(({ name }) => name === 'screening.screen')
  expect(screenings.map(({ parentSpanId }) => parentSpanId)).toContain(only(spans, 'POST /sandbox/deposits').spanId)

  // Random ids and times contain any four digits now and then.
  const isRandom = (key: string) => /(Id|Nano)$/.test(key)
  const withoutRandom = (key: string, value: unknown) => (isRandom(key) ? undefined : value)
  const sent = collector.requests.map(({ body }) => JSON.stringify(JSON.parse(body, withoutRandom))).join()
  expect(sent).toContain('screening.screen')
  const personal = [alice.userId, alice.wallet.address, alice.accountAddress, alice.token, card.cardId]
  for (const value of [...personal, 'Corner Shop']) expect(sent).not.toContain(value)
  expect(sent).not.toMatch(/\b12\.?34\b/)
})

test('due work is a trace of its own', async () => {
  const collector = await startCollector()
  const { client, stop } = await startTraced(collector.url)
  await pay(client)
  await client.advance(31 * 86_400)
  const expired = () => collector.spans().filter(({ name }) => name === 'due card_transaction')
  await expect.poll(expired).not.toEqual([])
  await stop()
  for (const work of expired()) {
    expect(work.parentSpanId).toBeUndefined()
    const below = collector.spans().filter(({ parentSpanId }) => parentSpanId === work.spanId)
    expect(below.map(({ name }) => name)).toContain('transaction')
  }
})

test('a sampled share of 0 traces nothing, and a collector that is down changes nothing for callers', async () => {
  const collector = await startCollector()
  const untraced = await startTraced(collector.url, { OTEL_TRACES_SAMPLER_ARG: '0' })
  await pay(untraced.client)
  await untraced.stop()
  expect(collector.requests).toEqual([])

  const lost = await startTraced('http://127.0.0.1:9/v1/traces')
  await pay(lost.client)
  await lost.stop()
})

test('a client cannot force its requests to be traced', async () => {
  const collector = await startCollector()
  const { client, stop } = await startTraced(collector.url, { OTEL_TRACES_SAMPLER_ARG: '0.1' })
  const traceId = '00000000000000000000000000000001'
  const headers = { traceparent: `00-${traceId}-0000000000000001-01` }
  for (let i = 0; i < 50; i++) await client.request('GET', '/nothing-here', { headers })
  await stop()
  expect(collector.spans().filter((span) => span.traceId === traceId).length).toBeLessThan(50)
})

test('the settings of traces are checked', () => {
  const problems = problemsOf({
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'localhost:4318',
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'no header',
    OTEL_TRACES_SAMPLER_ARG: '1.5',
  })
  expect(problems).toEqual([
    'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT must be an http or https URL without a user name, not "localhost:4318".',
    'OTEL_EXPORTER_OTLP_TRACES_HEADERS must be headers: name=value, separated by commas.',
    'OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1, not "1.5".',
  ])
})
