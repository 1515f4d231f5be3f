import { mkdir, writeFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { cpuSeconds, describeMachine } from '../machine.ts'
import { git, isReached, type Row, table } from '../report.ts'
import { chooseAction, type Scene } from './actions.ts'
import { checkEnd } from './books.ts'
import { prepareSoakGround, type SoakGround } from './ground.ts'
import { createRequests } from './requests.ts'
import { type Sample, takeSample } from './samples.ts'
import { createPartners, createUser, fillTokenCache, type SoakUser } from './users.ts'
import { judgeGrowth } from './verdict.ts'

/**
 * Runs `npm run soak`: mixed traffic at a steady rate against one process for each role, with a real PostgreSQL and a real
 * chain. Every response is compared with a model. At the end the books must be clean, and nothing may have grown. The exit
 * code is 1 if a goal is missed.
 */
const minutes = numberOf('SOAK_MINUTES', 60)
/** Actions per second. Two cores are about half loaded. */
const rate = numberOf('SOAK_RATE', 60)
const userCount = numberOf('SOAK_USERS', 100)
const seed = numberOf('SOAK_SEED', Date.now() % 2 ** 31)
/** In a shorter run the warm-up is a large part, so its growth says nothing. */
const minMinutesToJudgeGrowth = 10
const isLong = minutes >= minMinutesToJudgeGrowth
const fullMinutes = 60
/** On a busy machine more requests would time out. */
const maxTimeoutShare = 0.001
const secondsPerSample = Math.min(30, Math.max(2, minutes))

function numberOf(name: string, defaultValue: number): number {
  const value = Number(process.env[name] ?? defaultValue)
  if (!(value > 0)) throw new Error(`${name} must be a positive number.`)
  return value
}

/** Returns random numbers from 0 to 1 that depend only on the seed (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

type Traffic = { readonly actions: number; readonly skipped: number; readonly seconds: number }

/** Starts actions at the rate, each by a user who is free. Skips those for which no user is free. */
async function runTraffic(scene: Scene, users: readonly SoakUser[]): Promise<Traffic> {
  const startedAt = performance.now()
  const running = new Set<Promise<void>>()
  let [actions, skipped] = [0, 0]
  const elapsed = () => (performance.now() - startedAt) / 1000
  while (elapsed() < minutes * 60) {
    for (const due = elapsed() * rate; actions + skipped < due; ) {
      const free = users.filter(({ isBusy }) => !isBusy)
      const user = free[Math.floor(scene.random() * free.length)]
      if (user === undefined) {
        skipped++
        continue
      }
      actions++
      const action = start(scene, user)
      running.add(action)
      void action.finally(() => running.delete(action))
    }
    await delay(20)
  }
  const seconds = elapsed()
  await Promise.all(running)
  return { actions, skipped, seconds }
}

async function start(scene: Scene, user: SoakUser): Promise<void> {
  user.isBusy = true
  const action = chooseAction(scene.random)
  try {
    await action(scene, user)
  } catch (error) {
    scene.requests.reportUnexpected(`${action.name}: ${error instanceof Error ? error.stack : error}`)
  } finally {
    user.isBusy = false
  }
}

/** Takes samples until the signal aborts. */
async function sampleUntil(ground: SoakGround, signal: AbortSignal): Promise<Sample[]> {
  const samples: Sample[] = []
  while (!signal.aborted) {
    await delay(secondsPerSample * 1000, undefined, { signal }).catch(() => {})
    if (!signal.aborted) samples.push(await takeSample(ground))
  }
  return samples
}

async function soak(ground: SoakGround, random: () => number): Promise<Row[]> {
  const [issuerKey] = ground.config.issuerKeys
  if (issuerKey === undefined) throw new Error('the configuration has no key of a processor')
  const requests = createRequests(ground.processes.api.url, issuerKey)
  const partners = await createPartners(ground, requests)
  const users: SoakUser[] = []
  for (let number = 0; number < userCount; number++) users.push(await createUser(ground, requests, partners, number))
  const scene = { ground, requests, partners, random }
  if (isLong) await fillTokenCache(requests, users)

  const pids = Object.values(ground.processes).map(({ pid }) => pid)
  const cpu = () => pids.reduce((sum, pid) => sum + cpuSeconds(pid), ground.database.cpuSeconds())
  const cpuBefore = cpu()
  const ending = new AbortController()
  const sampling = sampleUntil(ground, ending.signal)
  const traffic = await runTraffic(scene, users)
  const cores = (cpu() - cpuBefore) / traffic.seconds
  ending.abort()
  const samples = await sampling

  const end = await checkEnd(scene, users)
  const { tally } = requests
  for (const line of tally.unexpected) process.stderr.write(`unexpected: ${line}\n`)
  const responses = [...tally.responses].sort(([one], [other]) => one.localeCompare(other))
  process.stdout.write(`\nResponses: ${responses.map(([name, count]) => `${name} × ${count}`).join(', ')}.\n\n`)
  const sent = responses.reduce((sum, [, count]) => sum + count, 0)
  const { counts, accepted } = ground.receiver
  const deliveries = accepted.reduce((sum, { size }) => sum + size, 0)
  const fact = (what: string, figure: number, unit: Row['unit'] = ''): Row => ({
    measure: 'traffic',
    what,
    figure,
    unit,
  })
  const last = samples.at(-1)
  return [
    fact('requests', sent),
    fact(`actions, of ${rate} /s wanted`, traffic.actions / traffic.seconds, '/s'),
    fact('cores used by the service and PostgreSQL', cores),
    fact('webhook events accepted', deliveries),
    fact('webhook deliveries rejected by the receiver, each retried', counts.rejected),
    fact('webhook deliveries repeated', counts.repeated),
    fact('resident memory of the chain at the end', last?.chainMegabytes ?? Number.NaN, 'MB'),
    {
      ...fact('timeouts, each repeated', tally.timeouts),
      ...(isLong ? { goal: { atMost: sent * maxTimeoutShare } } : {}),
    },
    { ...fact('unexpected responses', tally.unexpectedCount), goal: { atMost: 0 } },
    ...end,
    ...(isLong ? judgeGrowth(samples) : []),
  ]
}

async function main(): Promise<boolean> {
  process.stdout.write(`The soak takes ${minutes} minutes at ${rate} actions a second, with seed ${seed}.\n`)
  const random = randomFrom(seed)
  const ground = await prepareSoakGround(random)
  try {
    const rows = await soak(ground, random)
    process.stdout.write(`${table(rows)}\n`)
    if (!isLong) {
      process.stdout.write(`Growth and timeouts are judged from ${minMinutesToJudgeGrowth} minutes.\n`)
    }
    if (minutes >= fullMinutes) await writeSoak(rows)
    return rows.every((row) => isReached(row) !== false)
  } finally {
    await ground.stop()
  }
}

async function writeSoak(rows: readonly Row[]): Promise<void> {
  const folder = fileURLToPath(new URL('../results', import.meta.url))
  const commit = git('rev-parse', '--short', 'HEAD') ?? 'uncommitted'
  const at = new Date().toISOString()
  await mkdir(folder, { recursive: true })
  const result = { at, commit, machine: describeMachine(), minutes, rate, users: userCount, seed, rows }
  await writeFile(`${folder}/soak.json`, `${JSON.stringify(result, null, 2)}\n`)
}

if (!(await main())) process.exitCode = 1
