// Runs every part of the nightly run, even after a part has failed.
// Run:  npm run test:nightly                  all parts
//       npm run test:nightly -- drills image  some parts
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')

/**
 * A part of the nightly run. Without `runs`, parts run one after the other. A `beside` part runs at the same time as
 * they do. An `alone` part measures, so it waits until nothing else runs.
 */
export type Part = {
  readonly name: string
  readonly command: string
  readonly runs?: 'beside' | 'alone'
}
export type Result = { readonly name: string; readonly isPassed: boolean; readonly seconds: number }

const seed = String(Date.now() % 2 ** 31)
/** The nightly values of the variables that set the sizes and the random seeds of the tests. */
const env: Readonly<Record<string, string>> = {
  PROOF_STEPS: '100000',
  PROOF_KILLS: '60',
  PROPERTY_TIMES: '20',
  OUTAGE_SECONDS: '60',
  HOSTILE_ROUNDS: '10',
  PROOF_SEED: seed,
  PROPERTY_SEED: seed,
  HOSTILE_SEED: seed,
  // A drill whose package is missing must not pass.
  REQUIRE_DRILLS: '1',
}

const benchTools = '. deploy/checks/debian.sh; need wrk wrk pgbench postgresql-contrib'

export const parts: readonly Part[] = [
  // Later parts serve or pack the pages.
  { name: 'pages', command: 'npm run build:web' },
  // This part takes as long as all others together. It uses one core, and mostly waits for responses.
  { name: 'proof', command: 'vitest run --root server test/proof', runs: 'beside' },
  ...['properties', 'faults'].map((name) => ({ name, command: `vitest run --root server test/${name}` })),
  { name: 'hostile', command: 'vitest run --root server test/hostile/generated' },
  { name: 'drills', command: 'npm run drill' },
  ...['15', '16', '17'].map((version) => ({
    name: `postgres-${version}`,
    command: `npm run test:postgres -- ${version}`,
  })),
  { name: 'image', command: 'npm run check:image' },
  { name: 'arm64', command: 'npm run check:arm64' },
  { name: 'traces', command: `bash -ec '${benchTools}; npm run bench -- traces --gate'`, runs: 'alone' },
]

/**
 * Runs the parts and returns their results in the same order. A part that fails does not keep the others from running.
 */
export async function runParts(
  wanted: readonly Part[],
  settings: Readonly<Record<string, string | undefined>>,
): Promise<Result[]> {
  const results = new Map<Part, Result>()
  const runInTurn = async (turn: Part['runs'], output: 'at once' | 'at the end') => {
    for (const part of wanted.filter(({ runs }) => runs === turn))
      results.set(part, await runPart(part, settings, output))
  }
  await Promise.all([runInTurn('beside', 'at the end'), runInTurn(undefined, 'at once')])
  await runInTurn('alone', 'at once')
  return wanted.flatMap((part) => results.get(part) ?? [])
}

async function runPart(
  { name, command }: Part,
  env: Readonly<Record<string, string | undefined>>,
  output: 'at once' | 'at the end',
): Promise<Result> {
  const title = `\n== ${name}: ${command}`
  if (output === 'at once') console.info(title)
  const startedAt = performance.now()
  const child = spawn('sh', ['-c', command], { cwd: root, env, stdio: output === 'at once' ? 'inherit' : 'pipe' })
  const chunks: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => chunks.push(chunk))
  const [status] = await once(child, 'close')
  if (output === 'at the end') console.info(`${title}\n${Buffer.concat(chunks).toString()}`)
  return { name, isPassed: status === 0, seconds: Math.round((performance.now() - startedAt) / 1000) }
}

if (import.meta.main) {
  const names = process.argv.slice(2)
  const unknown = names.find((name) => !parts.some((part) => part.name === name))
  if (unknown !== undefined)
    throw new Error(`"${unknown}" is not a part. Use ${parts.map(({ name }) => name).join(', ')}.`)
  const settings = { ...env, ...process.env }
  const results = await runParts(
    parts.filter(({ name }) => names.length === 0 || names.includes(name)),
    settings,
  )
  console.info('\nThe nightly run:')
  for (const { name, isPassed, seconds } of results)
    console.info(`${name.padEnd(12)} ${isPassed ? 'passed' : 'FAILED'} ${String(seconds).padStart(6)} s`)
  const { PROOF_SEED, PROPERTY_SEED, HOSTILE_SEED } = settings
  console.info(`Repeat it with PROOF_SEED=${PROOF_SEED} PROPERTY_SEED=${PROPERTY_SEED} HOSTILE_SEED=${HOSTILE_SEED}.`)
  if (results.some(({ isPassed }) => !isPassed)) process.exitCode = 1
}
