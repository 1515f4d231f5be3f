import { mkdir, writeFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { cpuSeconds, describeMachine } from '../machine.ts'
import { git, isReached, type Row, table } from '../report.ts'
import { checkEnd } from './books.ts'
import { prepareSoakGround, type SoakGround } from './ground.ts'
import { randomFrom } from './random.ts'
import { createRequests } from './requests.ts'
import { type Sample, takeSample } from './samples.ts'
import { runTraffic } from './traffic.ts'
import { createPartners, createUser, fillTokenCache, type SoakUser } from './users.ts'
import { judgeGrowth } from './verdict.ts'

/**
 * Runs `npm run soak`: mixed traffic at a steady rate against one process for each role, with a real PostgreSQL and a
 * real chain. Every response is compared with a model. At the end the books must be clean, and nothing may have grown.
 * The exit code is 1 if a goal is missed.
 */
const minutes = numberOf('SOAK_MINUTES', 60)
/** Actions per second. The service and PostgreSQL use less than half a core for them. */
const rate = numberOf('SOAK_RATE', 60)
const userCount = numberOf('SOAK_USERS', 100)
const seed = numberOf('SOAK_SEED', Date.now() % 2 ** 31)
/** In a shorter run the warm-up is a large part, so its growth says nothing. */
const minMinutesToJudgeGrowth = 10
const isLong = minutes >= minMinutesToJudgeGrowth
const fullMinutes = 60
/** The highest accepted share of timeouts. A busy machine may exceed it. */
const maxTimeoutShare = 0.001
const secondsPerSample = Math.min(30, Math.max(2, minutes))

function numberOf(name: string, defaultValue: number): number {
  const value = Number(process.env[name] ?? defaultValue)
  if (!(value > 0)) throw new Error(`${name} must be a positive number.`)
  return value
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
  const traffic = await runTraffic(scene, users, { rate, seconds: minutes * 60 })
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
      ...fact('timeouts and late declines', tally.timeouts),
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
      process.stdout.write(`Only a soak of ${minMinutesToJudgeGrowth} minutes or more judges growth and timeouts.\n`)
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
