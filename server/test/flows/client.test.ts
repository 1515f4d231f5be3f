import { generateKeyPairSync, sign } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { createPurser, SignInRefused, verifyWebhook, WebhookRefused } from '../../../client/src/index.ts'
import { newWallet, useService } from '../support/service.ts'

const service = useService()

const place = { domain: 'localhost', uri: 'http://localhost', chainId: 1 }

describe('the client package', () => {
  test('the client signs in with a wallet and sends its token with every later request', async () => {
    const wallet = newWallet()
    await service.sandbox('POST', '/users', { address: wallet.address })
    const purser = createPurser({ baseUrl: service.url })
    expect((await purser.api.GET('/cards')).response.status).toBe(401)

    const token = await purser.signIn(wallet, { ...place, statement: 'Sign in to the card programme.' })
    expect(purser.token()).toBe(token)
    expect((await purser.api.GET('/cards')).data).toEqual({ data: [] })

    const again = createPurser({ baseUrl: service.url, token })
    const { data } = await again.api.GET('/user/balances/v2')
    expect(data?.data.map(({ currency, spendable }) => [currency, spendable])).toContainEqual(['EUR', '0'])
    again.setToken(null)
    expect((await again.api.GET('/cards')).response.status).toBe(401)
  })

  test('a rejected sign-in throws the error code of the service', async () => {
    const purser = createPurser({ baseUrl: service.url })
    const refused = purser.signIn(newWallet(), { ...place, domain: 'evil.example' })
    await expect(refused).rejects.toThrow(SignInRefused)
    await expect(refused).rejects.toMatchObject({ status: 401, code: 'DOMAIN_NOT_ALLOWED' })
    expect(purser.token()).toBeNull()
  })
})

describe('verifyWebhook', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const key = `whpk_${Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url').toString('base64')}`
  const other = `whpk_${Buffer.alloc(32, 7).toString('base64')}`
  const now = new Date('2026-01-31T12:00:00Z')
  const body = JSON.stringify({ id: 'evt_1', type: 'deposit.approved', createdAt: now.toISOString(), data: {} })

  function delivery(change: Partial<{ id: string; at: number; body: string; signed: string }> = {}) {
    const { id = 'evt_1', at = now.getTime() / 1000 } = change
    const signed = change.signed ?? `${id}.${at}.${body}`
    const signature = `v1,bm90aGluZw== v1a,${sign(null, Buffer.from(signed), privateKey).toString('base64')}`
    return {
      body: change.body ?? body,
      headers: { 'webhook-id': id, 'webhook-timestamp': String(at), 'webhook-signature': signature },
    }
  }

  test('verifyWebhook accepts a recent delivery that one of the known keys signed', async () => {
    expect(await verifyWebhook(delivery(), [other, key], now)).toMatchObject({ id: 'evt_1', type: 'deposit.approved' })
    const { headers } = delivery()
    expect(await verifyWebhook({ body, headers: new Headers(headers) }, [key], now)).toMatchObject({ id: 'evt_1' })
  })

  test.each([
    ['a delivery with a changed body', delivery({ body: body.replace('approved', 'rejected') })],
    ['a delivery with a changed id', delivery({ id: 'evt_2', signed: `evt_1.${now.getTime() / 1000}.${body}` })],
    ['an old delivery', delivery({ at: now.getTime() / 1000 - 301 })],
    ['a delivery from the future', delivery({ at: now.getTime() / 1000 + 301 })],
    ['a delivery without a signature', { body, headers: { 'webhook-id': 'evt_1', 'webhook-timestamp': '1' } }],
    [
      'a signature that is not base64',
      { ...delivery(), headers: { ...delivery().headers, 'webhook-signature': 'v1a,!' } },
    ],
  ])('the client throws WebhookRefused for %s', async (_name, request) => {
    await expect(verifyWebhook(request, [key], now)).rejects.toThrow(WebhookRefused)
  })

  test('verifyWebhook rejects a signature of an unknown key', async () => {
    await expect(verifyWebhook(delivery(), [other], now)).rejects.toThrow(WebhookRefused)
  })
})
