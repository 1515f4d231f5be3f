import { afterEach, expect, test } from 'vitest'
import { startService, type TestService } from '../support/service.ts'

let service: TestService | null = null
afterEach(async () => {
  await service?.stop()
  service = null
})

async function programmeWith(env: Record<string, string> = {}) {
  service = await startService({ worker: false, env })
  return service.request('GET', '/programme')
}

test('anybody can read the programme, and a cache may keep it', async () => {
  const { status, headers, body } = await programmeWith()
  expect(status).toBe(200)
  expect(headers.get('cache-control')).toBe('public, max-age=300')
  expect(body).toMatchObject({
    name: 'Purser',
    logoUrl: null,
    mode: 'sandbox',
    chains: [{ chainId: 31337, explorerUrl: null, finalityBlocks: 0 }],
    limits: { cards: 5 },
    features: { ibans: true, partnerSignUp: 'open', sharedDomains: false },
  })
  expect(body.tokens.map(({ symbol, withdrawalMinimum }: any) => [symbol, withdrawalMinimum])).toEqual([
    ['EURe', '0'],
    ['GBPe', '0'],
    ['USDC', '0'],
  ])
  expect(body.currencies).toEqual([
    { currency: 'EUR', decimals: 18 },
    { currency: 'GBP', decimals: 18 },
    { currency: 'USD', decimals: 6 },
  ])
  expect(body.limits.currencies).toContainEqual({
    ...{ currency: 'EUR', decimals: 2, perTransaction: null, dailyCards: null, dailyWithdrawals: null },
  })
})

test('the programme shows the configured name, logo, limits and minimums', async () => {
  const token = '0xcB444e90D8198415266c6a2724b7900fb12FC56E'
  const { body } = await programmeWith({
    PROGRAMME_NAME: 'Example Card',
    PROGRAMME_LOGO_URL: 'https://example.org/logo.svg',
    CARD_LIMITS: JSON.stringify({ perTransaction: { EUR: '100000' }, daily: { EUR: '200000' } }),
    CARD_LIMIT: '3',
    DAILY_WITHDRAWAL_CAP_EUR: '500000',
    WITHDRAWAL_MINIMUMS: JSON.stringify({ [token]: '1000' }),
    IBAN: 'none',
  })
  expect(body).toMatchObject({
    name: 'Example Card',
    logoUrl: 'https://example.org/logo.svg',
    limits: { cards: 3 },
    features: { ibans: false, ibanCountries: [] },
  })
  expect(body.limits.currencies[0]).toEqual({
    ...{ currency: 'EUR', decimals: 2 },
    ...{ perTransaction: '100000', dailyCards: '200000', dailyWithdrawals: '500000' },
  })
  expect(body.tokens[0]).toMatchObject({ address: token, withdrawalMinimum: '1000' })
})

test('the programme shows the explorer and the finality of a chain with nodes, and no URL of a node', async () => {
  const { body, text } = await programmeWith({
    CHAIN: 'evm',
    RPC_URL_31337: 'http://127.0.0.1:9/secret-key',
    EXPLORER_URL_31337: 'https://explorer.example/',
    FINALITY_31337: '12',
  })
  expect(body.chains).toEqual([{ chainId: 31337, explorerUrl: 'https://explorer.example', finalityBlocks: 12 }])
  expect(text).not.toContain('secret-key')
})
