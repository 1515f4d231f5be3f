import { pino } from 'pino'
import { expect, test } from 'vitest'
import { createLog } from './log.ts'
import { createTraces } from './open-telemetry.ts'
import { openTraces } from './traces.ts'

const silent = pino({ level: 'silent' })
const nobody = { endpoint: 'http://127.0.0.1:9/v1/traces', headers: null, sampledShare: 1 }

test('without an endpoint, traces are off', async () => {
  const traces = { endpoint: null, headers: null, sampledShare: 1 }
  expect(await openTraces({ traces }, () => silent)).toBeNull()
})

test('a log line of traced work names its trace, and other lines do not', async () => {
  const lines: string[] = []
  const traces = createTraces(nobody, () => silent)
  const log = createLog('info', { write: (line) => lines.push(line) }, traces)
  log.info('before')
  const work = traces.traceWork({ table: 'card', id: 'card_id', run: async () => log.info('within') })
  // The context is not used by this work.
  await work.run({} as Parameters<typeof work.run>[0], { userId: 'a', id: 'b' })
  const [before, within] = lines.map((line) => JSON.parse(line))
  expect(before).not.toHaveProperty('traceId')
  expect(within.traceId).toMatch(/^[0-9a-f]{32}$/)
  await traces.stop()
})

test('a collector that is down is logged once, and the stop succeeds', async () => {
  const lines: string[] = []
  const log = createLog('info', { write: (line) => lines.push(line) })
  const traces = createTraces(nobody, () => log)
  const work = traces.traceWork({ table: 'card', id: 'card_id', run: async () => {} })
  await work.run({} as Parameters<typeof work.run>[0], { userId: 'a', id: 'b' })
  await traces.stop()
  expect(lines.map((line) => JSON.parse(line).msg)).toEqual(['traces were not accepted by their collector'])
})

test('a failure of traced work reaches the caller unchanged', async () => {
  const traces = createTraces(nobody, () => silent)
  const failure = new Error('no card')
  const work = traces.traceWork({ table: 'card', id: 'card_id', run: () => Promise.reject(failure) })
  await expect(work.run({} as Parameters<typeof work.run>[0], { userId: 'a', id: 'b' })).rejects.toBe(failure)
  const port = traces.tracePort('mail', { send: () => Promise.reject(failure), name: 'smtp' })
  await expect(port.send()).rejects.toBe(failure)
  expect(port.name).toBe('smtp')
  await traces.stop()
})
