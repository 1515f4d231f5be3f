import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type LocalRequest, type LocalResponse, startLocalServer } from '../../../test/support/vendors/local-server.ts'
import { UpstreamError } from '../../lib/errors.ts'
import { createChainalysis } from './chainalysis.ts'
import { screenedTransfer, screeningContract } from './screening.contract.ts'

const apiKey = 'key-of-the-account'
const token = { address: screenedTransfer.token, symbol: 'EURe', decimals: 18 }
const [clean, refused] = ['0x1000000000000000000000000000000000000001', '0x2000000000000000000000000000000000000002']

/** A fake of Chainalysis by its reference. It rejects and records invalid requests. */
const problems: string[] = []
let alerts: string[] = []
let updatedAt: string | null = '2026-01-31T09:31:00.000000'
let override: ((request: LocalRequest) => LocalResponse | null) | null = null
let registered: any[] = []

function answer(request: LocalRequest): LocalResponse {
  const { method, path, headers, body } = request
  const refuse = (problem: string) => {
    problems.push(problem)
    return { status: 400, body: { message: problem } }
  }
  const scripted = override?.(request)
  if (scripted) return scripted
  if (headers['token'] !== apiKey) return refuse('token')
  if (method === 'POST') {
    if (path !== `/v2/users/${screenedTransfer.userId}/transfers`) return refuse(path)
    if (headers['content-type'] !== 'application/json') return refuse('content type')
    const transfer = JSON.parse(body)
    registered.push(transfer)
    const { network, asset, direction, transferReference, outputAddress } = transfer
    if (network !== 'Gnosis' || asset !== 'EURe' || direction !== 'received') return refuse('transfer')
    if (transferReference !== `${screenedTransfer.txHash}:${outputAddress}`) return refuse('reference')
    return { status: 202, body: { updatedAt: null, asset, network, transferReference, externalId: 'ex/1' } }
  }
  if (path === '/v2/transfers/ex%2F1') return { status: 200, body: { updatedAt, externalId: 'ex/1' } }
  if (path === '/v2/transfers/ex%2F1/alerts') {
    return { status: 200, body: { alerts: alerts.map((alertLevel) => ({ alertLevel, exposureType: 'DIRECT' })) } }
  }
  return refuse(`${method} ${path}`)
}

let server: Awaited<ReturnType<typeof startLocalServer>>
beforeAll(async () => {
  server = await startLocalServer(answer)
})
afterAll(() => server.stop())
beforeEach(() => {
  alerts = []
  updatedAt = '2026-01-31T09:31:00.000000'
  override = null
  registered = []
})

const provider = (more: object = {}) =>
  createChainalysis({ url: server.url, apiKey, networks: { 31337: 'Gnosis' }, refusedFrom: 'HIGH', ...more }, [token])
const transferFrom = (fromAddress: string) => ({ ...screenedTransfer, fromAddress })

describe('Chainalysis satisfies the contract of the port', () => {
  const bySender = {
    async screen(transfer: Parameters<ReturnType<typeof provider>['screen']>[0]) {
      alerts = transfer.fromAddress === refused ? ['SEVERE'] : []
      return provider().screen(transfer)
    },
  }
  screeningContract(() => bySender, { clean, refused })

  test('every request to Chainalysis matches its reference', () => {
    expect(problems).toEqual([])
  })
})

test('a transfer is registered with Chainalysis under its user in major units', async () => {
  await provider().screen({ ...transferFrom(clean), amount: 1_500_000_000_000_000_000n })
  expect(registered).toEqual([
    {
      network: 'Gnosis',
      asset: 'EURe',
      transferReference: `${screenedTransfer.txHash}:${screenedTransfer.toAddress}`,
      direction: 'received',
      transferTimestamp: screenedTransfer.seenAt.toISOString(),
      outputAddress: screenedTransfer.toAddress,
      assetAmount: 1.5,
    },
  ])
})

test('screening is pending until the Chainalysis analysis is complete', async () => {
  updatedAt = null
  alerts = ['SEVERE']
  expect(await provider().screen(transferFrom(clean))).toEqual({ result: 'pending', riskScore: 0, riskTier: 'unknown' })
})

test.each([
  [[], 'approved', 0, 'low'],
  [['LOW'], 'approved', 25, 'low'],
  [['LOW', 'MEDIUM'], 'approved', 50, 'medium'],
  [['HIGH', 'LOW'], 'rejected', 75, 'high'],
  [['MEDIUM', 'SEVERE', 'LOW'], 'rejected', 100, 'severe'],
] as const)(
  'Chainalysis alerts %j give the result %s, score %i, tier %s',
  async (levels, result, riskScore, riskTier) => {
    alerts = [...levels]
    expect(await provider().screen(transferFrom(clean))).toEqual({ result, riskScore, riskTier })
  },
)

test('the programme configures the alert level that rejects a transfer', async () => {
  alerts = ['MEDIUM']
  const verdict = await provider({ refusedFrom: 'MEDIUM' }).screen(transferFrom(clean))
  expect(verdict.result).toBe('rejected')
})

test.each<[string, (request: LocalRequest) => LocalResponse | null]>([
  ['status 503', () => ({ status: 503, body: 'away' })],
  ['status 403', () => ({ status: 403, body: {} })],
  ['status 429', () => ({ status: 429, body: {} })],
  ['invalid JSON', () => ({ status: 200, body: '<html>' })],
  ['missing fields', () => ({ status: 200, body: { ok: true } })],
  ['an endless body', () => ({ status: 200, body: `{"externalId":"${'x'.repeat(100_000)}"}` })],
  ['a redirect', () => ({ status: 302, body: '', headers: { location: 'http://127.0.0.1:1/' } })],
  [
    'an unknown alert level',
    ({ path }) => (path.endsWith('/alerts') ? { status: 200, body: { alerts: [{ alertLevel: 'NONE' }] } } : null),
  ],
  ['status 500 for its alerts', ({ path }) => (path.endsWith('/alerts') ? { status: 500, body: {} } : null)],
  [
    'a summary without an update time',
    ({ method, path }) => (method === 'GET' && !path.endsWith('s') ? { status: 200, body: {} } : null),
  ],
])('a Chainalysis response with %s causes an upstream error', async (_what, script) => {
  override = script
  await expect(provider().screen(transferFrom(clean))).rejects.toThrow(UpstreamError)
})

test('an unconfigured chain and a wrong Chainalysis key are upstream errors', async () => {
  await expect(provider({ networks: {} }).screen(transferFrom(clean))).rejects.toThrow(UpstreamError)
  await expect(provider({ apiKey: 'other' }).screen(transferFrom(clean))).rejects.toThrow(UpstreamError)
  problems.length = 0
})
