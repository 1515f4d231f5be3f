import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import * as webhooks from '../../../client/src/webhooks.ts'
import { useCli } from '../support/cli.ts'
import { useService } from '../support/service.ts'
import { waitUntil } from '../support/vendors/webhook-receiver.ts'
import { webhookStories } from '../support/webhook-story.ts'

const service = useService()
const stories = webhookStories(() => service)
let key = ''
let story: Awaited<ReturnType<typeof stories.newStory>>
beforeAll(async () => {
  story = await stories.newStory()
  key = await story.partner.key('events:read', 'webhooks:write', 'partner:read')
})
afterAll(() => stories.closeReceivers())
const cli = useCli(() => ({ PURSER_URL: service.url, PURSER_API_KEY: key }))

test('listen forwards new events to a server on this machine, with signatures that it can verify', async () => {
  const before = await story.newUser()
  await waitUntil(async () => (await cli.json('events list')).length > 0, 'the first events')
  const local = await stories.newReceiver()
  local.respondWith((_request, response, { event }) =>
    response.writeHead(event.type === 'kyc.profile.approved' ? 500 : 204).end(),
  )
  const { host, pathname } = new URL(local.url)
  const listening = cli.start(`listen --forward-to ${host}${pathname} --type deposit.* --json`)
  await waitUntil(() => listening.stderr().includes('whsec_'), 'the secret')
  const secret = /whsec_\S+/.exec(listening.stderr())?.[0] ?? ''
  // The command looks for the newest event first. A deposit before that would not be new.
  const deposits = async () => {
    await stories.deposit(before.userId)
    return local.received.length > 0
  }
  await waitUntil(deposits, 'a forwarded event')
  const [first] = await local.waitForDeliveries(1)
  expect(first?.event.type).toMatch(/^deposit\./)
  expect(await webhooks.unwrap(first?.body ?? '', first?.headers ?? {}, [secret])).toEqual(first?.event)
  await waitUntil(() => listening.stdout().includes('"status":204'), 'the result')
  const { code, stdout } = await listening.stop()
  expect(code).toBe(0)
  expect(JSON.parse(stdout.split('\n')[0] ?? '')).toMatchObject({ status: 204, milliseconds: expect.any(Number) })
})

test.each([
  [500, {}],
  [302, { location: 'http://127.0.0.1:1/' }],
])('listen shows the status of a server on this machine that responds with %i', async (status, headers) => {
  const { userId } = await story.newUser()
  const local = await stories.newReceiver()
  local.respondWith((_request, response) => response.writeHead(status, headers).end())
  const { host, pathname } = new URL(local.url)
  const listening = cli.start(`listen --forward-to ${host}${pathname} --type deposit.*`)
  await waitUntil(() => listening.stderr().includes('whsec_'), 'the secret')
  // The command looks for the newest event first. A deposit before that would not be new.
  const deposits = async () => {
    await stories.deposit(userId)
    return listening.stdout() !== ''
  }
  await waitUntil(deposits, 'the result')
  const { code, stdout } = await listening.stop()
  expect([code, stdout.split('\n')[0]]).toEqual([0, expect.stringMatching(new RegExp(`deposit\\.\\w+ .* ${status} `))])
})

test('tail prints the events of the wanted types as they happen', async () => {
  const { userId } = await story.newUser()
  const tailing = cli.start('events tail --type deposit.* --json')
  // The command looks for the newest event first. A deposit before that would not be new.
  const deposits = async () => {
    await stories.deposit(userId)
    return tailing.stdout() !== ''
  }
  await waitUntil(deposits, 'an event')
  const { code, stdout } = await tailing.stop()
  expect(code).toBe(0)
  for (const line of stdout.trim().split('\n')) {
    expect(JSON.parse(line)).toMatchObject({ type: expect.stringMatching(/^deposit\./), data: { userId } })
  }
})

test('tail continues when the events that it has printed have been deleted', async () => {
  const { userId } = await story.newUser()
  const tailing = cli.start('events tail --json')
  const printed = (): { id: string }[] =>
    tailing
      .stdout()
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line))
  const deposits = async () => {
    await stories.deposit(userId)
    return printed().length > 0
  }
  await waitUntil(deposits, 'an event')
  const { partnerId } = story.partner
  await service.ctx.db.query('delete from partner_event where partner_id = $1', [partnerId])
  const before = printed().length
  const more = async () => {
    await stories.deposit(userId)
    return printed().length > before
  }
  await waitUntil(more, 'a later event')
  const { code, stderr } = await tailing.stop()
  const ids = printed().map(({ id }) => id)
  expect([code, stderr, ids.length]).toEqual([0, '', new Set(ids).size])
})

test('tail finds the end of the log with one request', async () => {
  const urls: string[] = []
  const server = createServer(({ url }, response) => {
    urls.push(String(url))
    const data = urls.length === 1 ? [{ id: 'evt_2' }, { id: 'evt_1' }] : []
    response
      .writeHead(200, { 'content-type': 'application/json', 'x-request-id': 'one' })
      .end(JSON.stringify({ data, pagination: { hasNext: data.length > 0 } }))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const PURSER_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const tailing = cli.start('events tail', { env: { PURSER_URL } })
  await waitUntil(() => urls.length > 1, 'two requests')
  expect((await tailing.stop()).stdout).toBe('')
  server.close()
  expect(urls[0]).toContain('order=newest')
  expect(urls[1]).toContain('after=evt_2')
})

test('tail prints no older event when all events that it has read have been deleted', async () => {
  const urls: string[] = []
  const event = (id: string, createdAt: string) => ({ id, createdAt, type: 'deposit.approved', data: {} })
  const newest = Array.from({ length: 100 }, (_, i) => event(`evt_${i}`, '2026-01-02T00:00:00.000Z'))
  const log = [event('evt_old', '2026-01-01T00:00:00.000Z'), event('evt_new', '2026-01-03T00:00:00.000Z')]
  const server = createServer(({ url }, response) => {
    urls.push(String(url))
    const isGone = /after=evt_\d/.test(String(url))
    const data = urls.length === 1 ? newest : String(url).includes('after=') ? [] : log
    response
      .writeHead(isGone ? 404 : 200, { 'content-type': 'application/json', 'x-request-id': 'one' })
      .end(JSON.stringify(isGone ? { error: 'EVENT_NOT_FOUND' } : { data, pagination: { hasNext: false } }))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const PURSER_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const tailing = cli.start('events tail', { env: { PURSER_URL } })
  await waitUntil(() => tailing.stdout().includes('evt_new'), 'the new event')
  expect((await tailing.stop()).stdout).not.toContain('evt_old')
  server.close()
})

test('tail ends with exit code 0 when its reader stops', async () => {
  const { userId } = await story.newUser()
  const tailing = cli.start('events tail')
  const deposits = async () => {
    await stories.deposit(userId)
    return tailing.stdout() !== ''
  }
  await waitUntil(deposits, 'an event')
  const ended = tailing.stopReading()
  await stories.deposit(userId)
  expect(await ended).toMatchObject({ code: 0, stderr: '' })
})

test('events are listed, shown and sent again', async () => {
  const { userId } = await story.newUser()
  const ofUser = async () =>
    (await cli.json('events list --limit 10000')).filter(({ data }: any) => data.userId === userId)
  await waitUntil(async () => (await ofUser()).length > 0, 'the events of the user')
  const [event] = await ofUser()
  const table = await cli('events list --limit 1')
  expect(table.stdout.trim().split(/\s+/)).toHaveLength(3)
  const wanted = await cli.json(`events list --type ${event.type} --type deposit.*`)
  expect([wanted].flat().every(({ type }: any) => type === event.type || type.startsWith('deposit.'))).toBe(true)

  expect(await cli.json(`events get ${event.id}`)).toMatchObject({ event: { id: event.id } })
  const copies = () => story.receiver.received.filter((each) => each.event.id === event.id).length
  await waitUntil(() => copies() === 1, 'the delivery')
  expect(await cli.json(`events resend ${event.id}`)).toEqual({ deliveries: 1 })
  await waitUntil(() => copies() === 2, 'the second delivery')
  const { endpointId } = story.endpoint
  expect((await cli.json(`webhooks resend ${endpointId} --since ${event.createdAt}`)).deliveries).toBeGreaterThan(0)
  await waitUntil(() => copies() === 3, 'the third delivery')
  expect(await cli.json(`webhooks resend ${endpointId}`)).toMatchObject({ deliveries: 0 })
  for (const since of ['soon', '2026-01-31T09:30:00', '2026-01-31 09:30']) {
    expect(await cli(`webhooks resend ${endpointId} --since '${since}'`), since).toMatchObject({ code: 2 })
  }
})

test('endpoints and their deliveries are listed', async () => {
  const { endpointId, url } = story.endpoint
  const { stdout } = await cli('webhooks list')
  expect(stdout).toContain(`${endpointId}  enabled  healthy  *  ${url}`)
  const deliveries = await cli.json(`webhooks deliveries ${endpointId} --limit 5`)
  expect(deliveries.length).toBeGreaterThan(0)
  expect(await cli(`webhooks deliveries ${endpointId} --status unknown`)).toMatchObject({ code: 2 })
})

test('a test event shows how the server of the partner responds', async () => {
  const { endpointId } = story.endpoint
  const sent = await cli(`webhooks test ${endpointId} --type deposit.rejected`)
  expect(sent).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^deposit\.rejected {2}evt_\S+ {2}2\d\d {2}\d+ ms\n$/),
  })
  const event = story.receiver.received.find(({ event: { id } }) => sent.stdout.includes(id))?.event
  expect(event).toMatchObject({ type: 'deposit.rejected', test: true })
  story.receiver.respondWith((_request, response) => response.writeHead(500).end())
  const failed = await cli(`webhooks test ${endpointId}`)
  expect(failed).toMatchObject({ code: 1, stdout: expect.stringContaining('  500  ') })
  expect(await cli(`webhooks test ${endpointId} --type unknown`)).toMatchObject({ code: 1 })
})

test('a command of a partner explains that it has no credential', async () => {
  const without = await cli('events list', { env: { PURSER_API_KEY: '' } })
  expect(without).toMatchObject({ code: 1, stderr: expect.stringContaining('PURSER_API_KEY') })
})
