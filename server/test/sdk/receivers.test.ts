import { once } from 'node:events'
import { connect } from 'node:net'
import express from 'express'
import Fastify from 'fastify'
import { expect, onTestFinished, test } from 'vitest'
import type { WebhookEvent } from '../../../client/src/index.ts'
import * as webhooks from '../../../client/src/webhooks.ts'
import { listen, webListener } from '../support/listen.ts'
import { waitUntil } from '../support/vendors/webhook-receiver.ts'

const secret = webhooks.newTestSecret()
type Start = (handle: webhooks.EventHandler, options: webhooks.ReceiverOptions) => Promise<string>

const servers: Record<string, Start> = {
  'node:http': (handle, options) => listen(webhooks.expressHandler(handle, options)),
  Express: (handle, options) => listen(express().post('/hook', webhooks.expressHandler(handle, options))),
  'web requests': (handle, options) => listen(webListener(webhooks.fetchHandler(handle, options))),
  async Fastify(handle, options) {
    const app = Fastify()
    onTestFinished(() => app.close())
    await app.register(webhooks.fastifyHandler(handle, { ...options, path: '/hook' }))
    return `${await app.listen({ host: '127.0.0.1', port: 0 })}/hook`
  },
}

async function send(url: string, id: string): Promise<number> {
  const { body, headers } = await webhooks.signForTest({ id }, secret)
  return (await fetch(url, { method: 'POST', body, headers })).status
}

/** Starts to send a body, and closes the connection in the middle of it. */
async function abortUpload(url: string): Promise<void> {
  const { hostname, port, pathname } = new URL(url)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  const head = `POST ${pathname} HTTP/1.1\r\nhost: ${hostname}\r\ncontent-type: application/json\r\ncontent-length: 900\r\n\r\n`
  await new Promise((resolve) => socket.write(`${head}{"id":`, resolve))
  socket.destroy()
}

test.each(Object.entries(servers))(
  'a receiver with %s survives a sender that disconnects in the middle of a body',
  async (kind, start) => {
    const [handled, errors]: [string[], unknown[]] = [[], []]
    const url = await start(({ id }) => handled.push(id), { keys: [secret], onError: (error) => errors.push(error) })
    await abortUpload(url)
    // Fastify reads the body itself, and ends such a request before the handler.
    if (kind !== 'Fastify') await waitUntil(() => errors.length === 1, 'the error of the ended upload')
    expect(await send(url, 'evt_1')).toBe(204)
    expect(handled).toEqual(['evt_1'])
  },
)

const large = 'x'.repeat(2 * 1024 * 1024)

/** A body without a declared length. */
const stream = () =>
  new ReadableStream({
    pull(controller) {
      controller.enqueue(new TextEncoder().encode(large))
      controller.close()
    },
  })

test.each(['node:http', 'Express', 'Fastify'])('a receiver with %s rejects a body of more than 1 MB', async (kind) => {
  const handled: WebhookEvent[] = []
  const url = `${await servers[kind]?.((event) => handled.push(event), { keys: [secret] })}`
  const { headers } = await webhooks.signForTest({ id: 'evt_1' }, secret)
  expect((await fetch(url, { method: 'POST', body: large, headers })).status).toBe(413)
  const streamed: object = { method: 'POST', body: stream(), headers, duplex: 'half' }
  // A server may end the connection before the sender reads the response.
  expect(
    await fetch(url, streamed).then(
      ({ status }) => status,
      () => 413,
    ),
  ).toBe(413)
  expect(handled).toEqual([])
  expect(await send(url, 'evt_2')).toBe(204)
})

test('a receiver with web requests rejects a body of more than 1 MB', async () => {
  const handled: WebhookEvent[] = []
  const receive = webhooks.fetchHandler((event) => handled.push(event), { keys: [secret] })
  const { headers } = await webhooks.signForTest({ id: 'evt_1' }, secret)
  for (const body of [large, stream()]) {
    const request: object = { method: 'POST', body, headers, duplex: 'half' }
    expect((await receive(new Request('http://localhost/hook', request))).status).toBe(413)
  }
  expect(handled).toEqual([])
})

test.each(Object.entries(servers))(
  'a receiver with %s responds 500 when its replay window fails, and takes the event again later',
  async (_kind, start) => {
    let isDown = true
    const states = webhooks.replayWindow()
    const window: webhooks.ReplayWindow = {
      take: (id) => states.take(id),
      async finish(id, isDone) {
        await states.finish(id, isDone && !isDown)
        if (isDown) throw new Error('the database is down')
      },
    }
    const [handled, errors]: [string[], unknown[]] = [[], []]
    const url = await start(
      ({ id }) => {
        if (isDown && id === 'evt_bad') throw new Error('the handler fails')
        handled.push(id)
      },
      { keys: [secret], window, onError: (error) => errors.push(error) },
    )
    expect([await send(url, 'evt_1'), await send(url, 'evt_bad')]).toEqual([500, 500])
    expect(errors.map(String)).toEqual(
      expect.arrayContaining(['Error: the database is down', 'Error: the handler fails']),
    )
    isDown = false
    expect([await send(url, 'evt_1'), await send(url, 'evt_bad')]).toEqual([204, 204])
    expect(handled).toEqual(['evt_1', 'evt_1', 'evt_bad'])
  },
)

test.each(Object.entries(servers))('a receiver with %s survives a failing onError', async (_kind, start) => {
  const fail = () => {
    throw new Error('the handler fails')
  }
  for (const onError of [fail, async () => fail()]) {
    const url = await start(fail, { keys: [secret], onError })
    expect(await send(url, 'evt_1')).toBe(500)
    const unreadable = await start(fail, { keys: () => Promise.reject(new Error('no keys')), onError })
    expect(await send(unreadable, 'evt_1')).toBe(500)
  }
})

test('the Express handler explains that express.json() ran before it', async () => {
  const errors: unknown[] = []
  const receive = webhooks.expressHandler(() => {}, { keys: [secret], onError: (error) => errors.push(error) })
  const url = await listen(express().use(express.json()).post('/hook', receive))
  expect(await send(url, 'evt_1')).toBe(500)
  expect(String(errors[0])).toContain('before express.json()')
})
