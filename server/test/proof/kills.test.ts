import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { httpClient, startService, type TestService } from '../support/service.ts'
import { freePort, type Postgres, type Process, startPostgres, startProcess } from './processes.ts'
import { type Answer, answered, stepsOf, type Target } from './steps.ts'
import { compare, newWorld, play, tokens, type World } from './world.ts'

/**
 * The same random steps against the real process, several users at once, while the service and PostgreSQL are killed.
 * Whoever gets no answer asks again with the same event id or key; so each step happens once, the model can follow, and
 * what was acknowledged must be there.
 */
const kills = Number(process.env['PROOF_KILLS'] ?? 6)
const seed = Number(process.env['PROOF_SEED'] ?? Date.now() % 2 ** 31)
const repeat = `PROOF_SEED=${seed} PROOF_KILLS=${kills} npm test -- test/proof/kills.test.ts`
const env = { TOKENS: JSON.stringify(tokens) }

let postgres: Postgres
let service: Process
let observer: TestService
let port: string
beforeAll(async () => {
  process.stdout.write(
    `The proof with kills has seed ${seed}; ${repeat} repeats it (but for the moments of the kills).\n`,
  )
  port = String(await freePort())
  postgres = await startPostgres()
  observer = await startService({ connection: postgres.connection, worker: false, env })
  service = await startProcess(postgres.connection, { ...env, PORT: port })
}, 60_000)
afterAll(async () => {
  await service?.kill('SIGTERM')
  await observer?.stop()
  await postgres?.remove()
})

test(`every acknowledged event is stored exactly once after ${kills} kills of the service and ${kills} of PostgreSQL (seed ${seed})`, {
  tags: ['fault-5', 'fault-6'],
  timeout: 180_000 + kills * 20_000,
}, async () => {
  const acknowledged: Acknowledged[] = []
  const worlds = await Promise.all(
    [0, 1].map((i) => newWorld(observer, targetOf(acknowledged, `world-${i}`), client())),
  )
  let isKilling = true
  const lives = worlds.map(async (world, i) => {
    for (let run = 0; isKilling; run++) {
      // Time stays: the users of the other world would have to hear of it.
      const steps = stepsOf(seed + 1000 * i + run, 20).filter(({ does }) => does !== 'clock')
      const failure = await play(world, steps)
      if (failure !== null) return told(failure, world)
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

/** The bytes of an answer, and how to ask for it again. */
type Acknowledged = { send: () => Promise<Answer>; text: string }

const client = () => httpClient(`http://127.0.0.1:${port}`)

function told(failure: string, { trace }: World): string {
  return `${failure}\n\n${trace.slice(-25).join('\n')}`
}

async function killInTurn(): Promise<void> {
  for (let i = 0; i < kills; i++) {
    await delay(random(i, 300, 900))
    await service.kill()
    service = await startProcess(postgres.connection, { ...env, PORT: port })
    await delay(random(i + kills, 200, 700))
    await postgres.kill()
    await postgres.start()
  }
  // A last look at a service that nobody troubles.
  await delay(300)
}

/** The moments differ from run to run all the same: nothing makes two processes meet at the same instruction. */
function random(i: number, least: number, most: number): number {
  return least + ((Math.imul(seed + i, 2_654_435_761) >>> 0) % (most - least))
}

/** Asks until there is an answer: only a refusal of the service itself is one. */
function targetOf(acknowledged: Acknowledged[], name: string): Target {
  let requests = 0
  async function insist(send: () => Promise<Answer>): Promise<Answer> {
    for (const until = performance.now() + 120_000; performance.now() < until; await delay(50)) {
      const answer = await send().catch(() => null)
      if (answer === null || answer.status >= 500) continue
      if (answer.body?.error !== 'REQUEST_IN_PROGRESS') return answer
      // Its process was killed while it had the key: nobody may take it over before the lease has run out.
      await client()
        .sandbox('POST', '/clock', { advanceSeconds: 61 })
        .catch(() => null)
    }
    throw new Error('no answer for 40 s')
  }
  return {
    async sandbox(method, path, body, key) {
      const isMessage = path === '/transactions'
      // A message is the same by its event id; everything else that makes something, by its key.
      const ownKey = isMessage || method !== 'POST' ? undefined : `${name} ${key ?? ++requests}`
      const send = () => client().sandbox(method, path, body, ownKey === undefined ? {} : { 'idempotency-key': ownKey })
      const answer = await insist(send)
      if (isMessage && answer.status === 200) acknowledged.push({ send, text: answer.text })
      return answer
    },
    async withdraw({ token }, tokenAddress, units, key) {
      if (units === 0n) return answered(400, { error: 'nothing to withdraw' })
      const body = { tokenAddress, amount: String(units) }
      const send = () =>
        client().request('POST', '/user/withdrawal', { token, body, headers: { 'idempotency-key': `${name} ${key}` } })
      const answer = await insist(send)
      if (answer.status === 201) acknowledged.push({ send, text: answer.text })
      return answer
    },
    inside: null,
  }
}
