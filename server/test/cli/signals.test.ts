import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { useCli } from '../support/cli.ts'
import { waitUntil } from '../support/vendors/webhook-receiver.ts'

/** A server that accepts connections and never responds, like a service or a database that hangs. */
const connections = new Set<() => void>()
const state = { isCalled: false, address: '' }
const silent = createServer((socket) => {
  socket.on('error', () => {})
  socket.on('data', () => {
    state.isCalled = true
  })
  connections.add(() => socket.destroy())
})
beforeAll(async () => {
  silent.listen(0, '127.0.0.1')
  await once(silent, 'listening')
  state.address = `127.0.0.1:${(silent.address() as AddressInfo).port}`
})
afterAll(() => {
  for (const close of connections) close()
  silent.close()
})

const cli = useCli(() => ({
  PURSER_URL: `http://${state.address}`,
  PURSER_API_KEY: 'key',
  PURSER_TOKEN: 'token',
  PURSER_WALLET_KEY: `0x${'1'.repeat(64)}`,
  DATABASE_URL: `postgresql://nobody@${state.address}/none`,
}))
const stopped = { code: 1, stdout: '', stderr: 'The command was stopped before it ended.\n' }

async function startHanging(words: string) {
  state.isCalled = false
  const command = cli.start(words)
  await waitUntil(() => state.isCalled, `a request of ${words}`)
  return command
}

test.each([
  'sandbox user',
  'sandbox clock',
  'trigger tip',
  'events list',
  'webhooks list',
  'webhooks test 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a',
  'api GET /health',
  'token',
])('stopping "%s" ends it at once with exit code 1', async (words) => {
  const command = await startHanging(words)
  expect(await command.stop('SIGTERM')).toEqual(stopped)
})

test.each(['reconcile', 'backup check', 'migrate'])(
  '"%s", a command beside the service, exits with code 1 when it is stopped',
  async (words) => {
    const command = await startHanging(words)
    expect(await command.stop('SIGTERM')).toEqual(stopped)
  },
)

test('with --json, a stopped command says so in JSON', async () => {
  const { code, stderr } = await (await startHanging('events list --json')).stop('SIGINT')
  expect([code, JSON.parse(stderr)]).toEqual([1, { error: 'The command was stopped before it ended.' }])
})

test.each(['events tail', 'listen --forward-to localhost:3000/hook'])(
  '"%s" exits with code 0 when it is stopped',
  async (words) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      expect((await (await startHanging(words)).stop(signal)).code).toBe(0)
    }
  },
)

test('stopping a command that waits for an answer ends it with exit code 1', async () => {
  const asking = cli.interact('config set api-key')
  await waitUntil(() => asking.stderr().includes('The API key'), 'the question')
  asking.stop('SIGTERM')
  const { code, stderr } = await asking.ended
  expect([code, stderr]).toEqual([1, `The API key of a partner's server: \n${stopped.stderr}`])
})
