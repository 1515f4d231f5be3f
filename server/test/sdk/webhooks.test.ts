import { generateKeyPairSync, sign } from 'node:crypto'
import express from 'express'
import Fastify from 'fastify'
import { afterAll, expect, test } from 'vitest'
import type { WebhookEvent } from '../../../client/src/index.ts'
import * as webhooks from '../../../client/src/webhooks.ts'
import { listen, webListener } from '../support/listen.ts'
import { useService } from '../support/service.ts'
import { waitUntil } from '../support/vendors/webhook-receiver.ts'
import { webhookStories } from '../support/webhook-story.ts'

const service = useService()
const stories = webhookStories(() => service)
const stops: (() => Promise<unknown>)[] = []
afterAll(async () => {
  for (const stop of stops) await stop()
  await stories.closeReceivers()
})

const { privateKey, publicKey } = generateKeyPairSync('ed25519')
const key = `whpk_${Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url').toString('base64')}`
const other = `whpk_${Buffer.alloc(32, 7).toString('base64')}`
const secret = webhooks.newTestSecret()
const now = new Date('2026-01-31T12:00:00Z')
const seconds = now.getTime() / 1000
const body = JSON.stringify({ id: 'evt_1', type: 'deposit.approved', createdAt: now.toISOString(), data: {} })

function delivery(change: Partial<{ id: string; at: number; body: string; signed: string; text: string }> = {}) {
  const { id = 'evt_1', at = seconds, text = body } = change
  const signed = change.signed ?? `${id}.${at}.${text}`
  const signature = `v1,bm90aGluZw== v1a,${sign(null, Buffer.from(signed), privateKey).toString('base64')}`
  const headers = { 'webhook-id': id, 'webhook-timestamp': String(at), 'webhook-signature': signature }
  return { body: change.body ?? text, headers }
}

const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => 'accepted',
    (error: unknown) => (error instanceof webhooks.WebhookError ? error.code : String(error)),
  )

test('unwrap accepts a recent delivery that one of the known keys signed', async () => {
  const { headers } = delivery()
  expect(await webhooks.unwrap(body, headers, [other, key], { now })).toMatchObject({ type: 'deposit.approved' })
  expect(await webhooks.unwrap(body, new Headers(headers), [key], { now })).toMatchObject({ id: 'evt_1' })
  const old = delivery({ at: seconds - 500 })
  expect(await codeOf(webhooks.unwrap(old.body, old.headers, [key], { now, toleranceSeconds: 600 }))).toBe('accepted')
})

test.each([
  ['a changed body', delivery({ body: body.replace('approved', 'rejected') }), 'INVALID_SIGNATURE'],
  ['a changed id', delivery({ id: 'evt_2', signed: `evt_1.${seconds}.${body}` }), 'INVALID_SIGNATURE'],
  ['an old timestamp', delivery({ at: seconds - 301 }), 'TOO_OLD'],
  ['a timestamp from the future', delivery({ at: seconds + 301 }), 'TOO_OLD'],
  ['a fraction as its timestamp', delivery({ at: seconds + 0.5 }), 'TOO_OLD'],
  ['no signature', { body, headers: { 'webhook-id': 'evt_1', 'webhook-timestamp': '1' } }, 'MISSING_HEADER'],
  [
    'a signature that is not base64',
    { body, headers: { ...delivery().headers, 'webhook-signature': 'v1a,! v1a v1a,' } },
    'INVALID_SIGNATURE',
  ],
  ['a signed body that is not an event', delivery({ text: '[]' }), 'INVALID_BODY'],
  ['a signed body that is not JSON', delivery({ text: 'hello' }), 'INVALID_BODY'],
])('unwrap rejects a delivery with %s', async (_name, { body, headers }, code) => {
  expect(await codeOf(webhooks.unwrap(body, headers, [key], { now }))).toBe(code)
})

test('unwrap rejects a signature of an unknown key, and explains the format of keys', async () => {
  const { headers } = delivery()
  expect(await codeOf(webhooks.unwrap(body, headers, [other], { now }))).toBe('INVALID_SIGNATURE')
  expect(await codeOf(webhooks.unwrap(body, headers, [secret], { now }))).toBe('INVALID_SIGNATURE')
  expect(await codeOf(webhooks.unwrap(body, headers, ['psk_secret'], { now }))).toContain('whpk_ or whsec_')
})

test('a test signature is accepted with its secret only', async () => {
  const signed = await webhooks.signForTest({ id: 'evt_3' }, secret)
  expect(await webhooks.unwrap(signed.body, signed.headers, [secret])).toEqual({ id: 'evt_3' })
  const foreign = webhooks.newTestSecret()
  expect(await codeOf(webhooks.unwrap(signed.body, signed.headers, [foreign]))).toBe('INVALID_SIGNATURE')
})

test('a replay window rejects an event that is in progress or done, and accepts it again after a failure', async () => {
  const window = webhooks.replayWindow({ maxEvents: 2 })
  const receive = async (id: string) => {
    const { body, headers } = await webhooks.signForTest({ id }, secret)
    return codeOf(webhooks.unwrap(body, headers, [secret], { window }))
  }
  expect([await receive('a'), await receive('a')]).toEqual(['accepted', 'IN_PROGRESS'])
  window.finish('a', false)
  expect(await receive('a')).toBe('accepted')
  window.finish('a', true)
  expect(await receive('a')).toBe('REPEATED')
  expect([await receive('b'), await receive('c'), await receive('a')]).toEqual(['accepted', 'accepted', 'accepted'])
})

type Handle = (event: WebhookEvent) => Promise<void>

/** Starts a server of each kind that passes events to a handler. */
const servers: Record<string, (handle: Handle, keys: () => readonly string[]) => Promise<string>> = {
  'node:http': (handle, keys) => listen(webhooks.expressHandler(handle, { keys })),
  Express: (handle, keys) => {
    const app = express().post('/hook', webhooks.expressHandler(handle, { keys })).use(express.json())
    return listen(app)
  },
  'Express and express.raw()': (handle, keys) => {
    const app = express().use(express.raw({ type: 'application/json' }))
    return listen(app.post('/hook', webhooks.expressHandler(handle, { keys })))
  },
  'Express and express.text()': (handle, keys) => {
    const app = express().use(express.text({ type: 'application/json' }))
    return listen(app.post('/hook', webhooks.expressHandler(handle, { keys })))
  },
  async Fastify(handle, keys) {
    const app = Fastify()
    await app.register(webhooks.fastifyHandler(handle, { keys, path: '/hook' }))
    app.post('/json', async ({ body }) => body)
    stops.push(() => app.close())
    const url = await app.listen({ host: '127.0.0.1', port: 0 })
    const echo = await fetch(`${url}/json`, {
      method: 'POST',
      body: '{"a":1}',
      headers: { 'content-type': 'application/json' },
    })
    expect(await echo.json()).toEqual({ a: 1 })
    return `${url}/hook`
  },
  'web requests': (handle, keys) => listen(webListener(webhooks.fetchHandler(handle, { keys }))),
}

test.each(Object.keys(servers))('a receiver with %s processes each event of the service once', async (kind) => {
  const handled: string[] = []
  let isFirst = true
  let keys: readonly string[] = []
  const url = `${await servers[kind]?.(
    async (event) => {
      const fails = isFirst
      isFirst = false
      if (fails) throw new Error('the first attempt fails')
      handled.push(event.id)
    },
    () => keys,
  )}`
  const { partner, newUser } = await stories.newStory(['deposit.*'])
  const endpoint = await stories.addEndpoint(partner, url ?? '', ['account.*'])
  keys = endpoint.publicKeys
  await newUser()
  await waitUntil(() => !isFirst, 'the first attempt')
  // The service repeats the failed delivery after its first interval.
  await service.advance(10)
  const events = async () =>
    (await partner.ask('GET', '/events')).body.data.filter((event: any) => event.type.startsWith('account.'))
  await waitUntil(async () => handled.length > 0 && handled.length === (await events()).length, 'all events')
  expect(new Set(handled).size).toBe(handled.length)

  const signed = delivery({ at: Math.floor(Date.now() / 1000) })
  const forged = await fetch(url ?? '', {
    method: 'POST',
    body: signed.body,
    headers: { ...signed.headers, 'content-type': 'application/json' },
  })
  expect(forged.status).toBe(401)
})

test('a receiver acknowledges a repeated event without processing it again', async () => {
  const handled: string[] = []
  const errors: unknown[] = []
  const receive = webhooks.fetchHandler(
    (event) => {
      handled.push(event.id)
      if (event.id === 'evt_bad') throw new Error('no')
    },
    { keys: [secret], onError: (error) => errors.push(error) },
  )
  const send = async (id: string) => {
    const { body, headers } = await webhooks.signForTest({ id }, secret)
    return (await receive(new Request('http://localhost/', { method: 'POST', body, headers }))).status
  }
  expect([await send('evt_1'), await send('evt_1'), await send('evt_bad'), await send('evt_bad')]).toEqual([
    204, 204, 500, 500,
  ])
  expect(handled).toEqual(['evt_1', 'evt_bad', 'evt_bad'])
  expect(errors).toHaveLength(2)
})

test('a handler acknowledges a test event, and only onTestEvent sees its invented data', async () => {
  const [real, invented]: WebhookEvent[][] = [[], []]
  const receive = webhooks.fetchHandler((event) => real?.push(event), {
    keys: [secret],
    onTestEvent: (event) => invented?.push(event),
  })
  const statuses = []
  for (const event of [
    { id: 'evt_test', type: 'deposit.approved', test: true },
    { id: 'evt_real', type: 'deposit.approved' },
  ]) {
    const { body: text, headers } = await webhooks.signForTest(event, secret)
    statuses.push((await receive(new Request('http://localhost', { method: 'POST', body: text, headers }))).status)
  }
  expect(statuses).toEqual([204, 204])
  expect([real, invented].map((events) => events?.map(({ id }) => id))).toEqual([['evt_real'], ['evt_test']])
})
