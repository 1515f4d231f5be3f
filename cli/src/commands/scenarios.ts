import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Command, Failure, type Given, UsageError } from '../command.ts'
import { type Context, serviceUrl } from '../context.ts'
import { secondsOf } from '../durations.ts'
import { runScenario } from '../scenarios/run.ts'
import { parseScenario } from '../scenarios/scenario.ts'

/** The scenarios that come with the package: beside `src`, and beside the bundled file. */
const library = join(import.meta.dirname, import.meta.dirname.endsWith('dist') ? '../scenarios' : '../../scenarios')
const maxSeed = 2 ** 32 - 1
const seed = {
  name: 'seed',
  value: 'number',
  description: 'Shuffles and repeats the card messages. The same number gives the same order',
}
const wait = {
  name: 'wait',
  value: 'duration',
  description: 'The time in which the sandbox must reach the expected state: 30s by default',
}

export const scenarioCommands: readonly Command[] = [
  {
    name: 'trigger',
    summary: 'Runs a scenario of the library with a new sandbox user',
    arguments: [{ name: 'scenario', description: 'Its name, as "scenario list" shows it' }],
    options: [seed, wait],
    examples: ['trigger tip', 'trigger duplicates --seed 7'],
    async run(context, given) {
      const name = given.text('scenario')
      if (!(await names()).includes(name))
        throw new UsageError(`"${name}" is not a scenario. Use ${(await names()).join(', ')}.`)
      await runFile(context, given, join(library, `${name}.json`))
    },
  },
  {
    name: 'scenario run',
    summary: 'Runs a scenario from a file, and compares balances and statement with the expected ones',
    detail: 'The exit code is 1 if they differ, so CI can run it against its own sandbox.',
    arguments: [{ name: 'file', description: 'The file of the scenario' }],
    options: [seed, wait],
    examples: ['scenario run my-scenario.json --seed 7'],
    run: (context, given) => runFile(context, given, given.text('file')),
  },
  {
    name: 'scenario list',
    summary: 'Lists the scenarios of the library',
    async run({ out }) {
      const all = await Promise.all(
        (await names()).map(async (name) => [name, await read(join(library, `${name}.json`))] as const),
      )
      out.table(
        all.map(([name, { title, description }]) => ({ name, title, description })),
        all.map(([name, { title }]) => [name, title]),
      )
    },
  },
]

const names = async () => (await readdir(library)).map((file) => file.replace(/\.json$/, '')).sort()

async function read(file: string) {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Failure(`${file} cannot be read (${error.code}). Check the path and its permissions.`)
  })
  return parseScenario(text)
}

async function runFile({ out, configuration, signal }: Context, given: Given, file: string): Promise<void> {
  const scenario = await read(file)
  const duration = given.optional('wait')
  const differences = await runScenario(scenario, {
    baseUrl: await serviceUrl(configuration),
    sandboxPassword: await configuration.get('sandboxPassword'),
    seed: given.integer('seed', { min: 0, max: maxSeed }),
    ...(duration === undefined ? {} : { settleMilliseconds: secondsOf(duration) * 1000 }),
    signal,
    onStep: (text) => out.note(`  ${text}`),
  })
  const isCorrect = differences.length === 0
  const lines = differences.map(({ place, expected, found }) => `${place}: expected ${expected}, found ${found}`)
  const result = { title: scenario.title, isCorrect, differences }
  out.result(
    result,
    [`${isCorrect ? 'correct' : 'different'}: ${scenario.title}`, ...lines],
    isCorrect ? 'green' : 'red',
  )
  if (!isCorrect) throw new Failure('The sandbox did not end in the expected state.')
}
