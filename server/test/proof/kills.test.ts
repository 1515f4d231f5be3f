import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort } from '../support/free-port.ts'
import { httpClient, startService, type TestService } from '../support/service.ts'
import { type Postgres, type Process, startPostgres, startProcess } from './processes.ts'
import { type Answer, answered, stepsOf, type Target } from './steps.ts'
import { compare, newWorld, play, tokens, type World } from './world.ts'

/**
 * Sends the random steps of several users to the real process while the service and PostgreSQL are killed. A client
 * without a response retries with the same event id or key. So each step happens once, the model can predict it, and
 * every acknowledged event must be stored.
 */
const kills = Number(process.env['PROOF_KILLS'] ?? 4)
const seed = Number(process.env['PROOF_SEED'] ?? Date.now() % 2 ** 31)
const repeat = `PROOF_SEED=${seed} PROOF_KILLS=${kills} npm test -- test/proof/kills.test.ts`
const env = { TOKENS: JSON.stringify(tokens) }

let postgres: Postgres
let service: Process
let observer: TestService
let port: string
beforeAll(async () => {
  process.stdout.write(
    `The proof with kills has seed ${seed}; ${repeat} repeats it (except for the times of the kills).\n`,
  )
  port = String(await freePort())
  postgres = await startPostgres()
  observer = await startService({ connection: postgres.connection, worker: false, env })
  service = await startProcess(postgres.connection, { ...env, PORT: port })
})
afterAll(async () => {
  await service?.kill('SIGTERM')
  await observer?.stop()
  await postgres?.remove()
})

test(`every acknowledged event is stored exactly once after ${kills} kills of the service and ${kills} of PostgreSQL (seed ${seed})`, {
  tags: ['fault-5', 'fault-6'],
  timeout: 600_000 + kills * 60_000,
}, async () => {
  const acknowledged: Acknowledged[] = []
  const worlds = await Promise.all(
    [0, 1].map((i) => newWorld(observer, targetOf(acknowledged, `world-${i}`), client())),
  )
  let isKilling = true
  const lives = worlds.map(async (world, i) => {
    for (let run = 0; isKilling; run++) {
      // No step advances the clock, because that would also affect the users of the other world.
      const steps = stepsOf(seed + 1000 * i + run, 20).filter(({ does }) => does !== 'clock')
      const failure = await play(world, steps)
      if (failure !== null) return describeFailure(failure, world)
    }
    return null
  })
  const ended = Promise.all(lives).then((failures) => failures.find((failure) => failure !== null) ?? null)
  // On a busy machine little may be acknowledged between two kills.
  const enough = async () => {
    while (acknowledged.length <= 2 * kills) await delay(20)
  }
  await Promise.race([killInTurn().then(enough), ended])
  isKilling = false
  expect(await ended, repeat).toBeNull()

  expect(acknowledged.length).toBeGreaterThan(2 * kills)
  for (const { send, text } of acknowledged) expect((await send()).text).toBe(text)
  for (const world of worlds) for (const who of world.users.keys()) await compare(world, who)
})

/** The text of a response, and a function that sends its request again. */
type Acknowledged = { send: () => Promise<Answer>; text: string }

const client = () => httpClient(`http://127.0.0.1:${port}`)

function describeFailure(failure: string, { trace }: World): string {
  return `${failure}\n\n${trace.slice(-25).join('\n')}`
}

async function killInTurn(): Promise<void> {
  for (let i = 0; i < kills; i++) {
    await delay(random(i, 300, 900))
    await untilNobodyStarves()
    await service.kill()
    service = await startProcess(postgres.connection, { ...env, PORT: port })
    await delay(random(i + kills, 200, 700))
    await untilNobodyStarves()
    await postgres.kill()
    await postgres.start()
  }
  // Let the service run undisturbed before the last comparison.
  await delay(300)
}

async function untilNobodyStarves(): Promise<void> {
  while (starving.size > 0) await delay(20)
}

/** Returns a delay derived from the seed. The interrupted instruction still differs from run to run. */
function random(i: number, min: number, max: number): number {
  return min + ((Math.imul(seed + i, 2_654_435_761) >>> 0) % (max - min))
}

/**
 * On a busy machine a request may find no time between two kills. Kills wait while such a request is starving, and the
 * undisturbed service must respond to it.
 */
const starvingAfterMilliseconds = 60_000
const patienceMilliseconds = 240_000
const starving = new Set<() => Promise<Answer>>()

/** Retries each request until the service responds with less than 500. */
function targetOf(acknowledged: Acknowledged[], name: string): Target {
  let requests = 0
  async function retry(send: () => Promise<Answer>): Promise<Answer> {
    const startedAt = performance.now()
    const waited = () => performance.now() - startedAt
    try {
      for (; waited() < patienceMilliseconds; await delay(50)) {
        if (waited() > starvingAfterMilliseconds) starving.add(send)
        const answer = await send().catch(() => null)
        if (answer === null || answer.status >= 500) continue
        if (answer.body?.error !== 'REQUEST_IN_PROGRESS') return answer
        // The process was killed while it held the key. Another may take it over only after the lease expires.
        await client()
          .sandbox('POST', '/clock', { advanceSeconds: 61 })
          .catch(() => null)
      }
      throw new Error(`no response within ${patienceMilliseconds / 1000} s`)
    } finally {
      starving.delete(send)
    }
  }
  return {
    async sandbox(method, path, body, key) {
      const isMessage = path === '/transactions'
      // Card messages are identified by their event id, other creating requests by their idempotency key.
      const ownKey = isMessage || method !== 'POST' ? undefined : `${name} ${key ?? ++requests}`
      const send = () => client().sandbox(method, path, body, ownKey === undefined ? {} : { 'idempotency-key': ownKey })
      const answer = await retry(send)
      if (isMessage && answer.status === 200) acknowledged.push({ send, text: answer.text })
      return answer
    },
    async withdraw({ token }, tokenAddress, units, key) {
      if (units === 0n) return answered(400, { error: 'nothing to withdraw' })
      const body = { tokenAddress, amount: String(units) }
      const send = () =>
        client().request('POST', '/user/withdrawal', { token, body, headers: { 'idempotency-key': `${name} ${key}` } })
      const answer = await retry(send)
      if (answer.status === 201) acknowledged.push({ send, text: answer.text })
      return answer
    },
    inside: null,
  }
}
