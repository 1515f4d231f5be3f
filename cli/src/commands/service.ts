import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Command, Failure, type Given } from '../command.ts'
import type { Context } from '../context.ts'

/**
 * The commands that run the service or work beside it, with its environment and without its API. The package contains
 * the service. PURSER_HOME names another installation.
 */
export const serviceCommands: readonly Command[] = [
  {
    name: 'up',
    summary: 'Starts the service in the foreground, as npm start does',
    isEndless: true,
    isWithoutJson: true,
    detail:
      'Settings come from the environment. By default, a sandbox keeps its data in ./data, in the folder where you start it.',
    options: [
      { name: 'port', value: 'port', description: 'The port, instead of PORT' },
      { name: 'data', value: 'folder', description: 'The data folder of a sandbox, instead of DATA_DIR' },
      { name: 'mode', value: 'mode', description: 'The mode, instead of MODE', choices: ['sandbox', 'production'] },
    ],
    examples: ['up --port 9090 --data ./sandbox'],
    async run(context, given) {
      const variables = { PORT: given.optional('port'), DATA_DIR: given.optional('data'), MODE: given.optional('mode') }
      const env = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== undefined))
      await runProgram(context, join(installation(), 'bin/purser'), [], env)
    },
  },
  {
    name: 'doctor',
    summary: 'Checks an installation: configuration, database, nodes, signer, host names, issuer, vendors and mail',
    detail:
      'It applies the rules of production to the configuration, and prints one sentence for each problem, with its fix. It sends no mail and changes nothing. The exit code is 1 if there is a problem.',
    run: (context, given) => runNode(context, 'doctor', jsonOf(given)),
  },
  {
    name: 'reconcile',
    summary: 'Checks the ledger, and the funds on chain, beside the service',
    detail: 'It only reads. The exit code is 1 if the books are not correct or cannot be checked.',
    options: [
      {
        name: 'log',
        value: 'file',
        description: 'Also compares the ledger and the sealed logs with a log of the service',
      },
    ],
    run(context, given) {
      const log = given.optional('log')
      return runNode(context, 'reconcile', [...(log === undefined ? [] : ['--log', log]), ...jsonOf(given)])
    },
  },
  {
    name: 'migrate',
    summary: 'Applies the migrations to the database of DATABASE_URL',
    run: (context, given) => runNode(context, 'database', ['migrate', ...jsonOf(given)]),
  },
  {
    name: 'backup check',
    summary: 'Checks a restored copy of a backup: schema, age, seals and books',
    detail:
      'Run it from cron, with the environment of the service and with DATABASE_URL of the copy. It only reads. The exit code is 1 for a bad backup, and for one that cannot be checked.',
    options: [{ name: 'max-age', value: 'hours', description: 'The maximum age of the newest record, by default 26' }],
    examples: ['backup check --max-age 26'],
    run(context, given) {
      const hours = given.integer('max-age', { min: 1, max: 100_000 }) ?? 26
      return runNode(context, 'backup', ['check', '--max-age', String(hours), ...jsonOf(given)])
    },
  },
]

const jsonOf = (given: Given) => (given.has('json') ? ['--json'] : [])

/** Returns the folder of the service: the one that PURSER_HOME names, the one in this package, or the clone. */
function installation(): string {
  const isOne = (folder: string) => existsSync(join(folder, 'bin/purser')) && existsSync(join(folder, 'server'))
  const named = process.env['PURSER_HOME']
  if (named !== undefined) {
    if (isOne(named)) return named
    throw new Failure(
      `PURSER_HOME is ${named}, which is not a Purser repository. Set it to the folder of the repository.`,
    )
  }
  const packed = join(import.meta.dirname, 'home')
  const found = [packed, ...foldersAbove(import.meta.dirname)].find(isOne)
  if (found !== undefined) return found
  throw new Failure('This command needs an installation of Purser. Set PURSER_HOME to the folder of its repository.')
}

function foldersAbove(folder: string): string[] {
  const above = dirname(folder)
  return above === folder ? [] : [above, ...foldersAbove(above)]
}

/** Runs a command of the service: from its source, or from the bundle of the package. */
async function runNode(context: Context, script: string, words: readonly string[]): Promise<void> {
  const root = installation()
  const places = [root, ...foldersAbove(root)].map((folder) => join(folder, 'node_modules/.bin/node'))
  const files = [join(root, `server/src/commands/${script}.ts`), join(root, `server/dist/${script}.js`)]
  const file = files.find((each) => existsSync(each))
  if (file === undefined) throw new Failure(`${root} has no command ${script}. Install Purser again.`)
  await runPiped(context, places.find((each) => existsSync(each)) ?? process.execPath, [file, ...words])
}

/** Runs a program in this terminal. It reports its problems itself. */
async function runProgram(
  context: Context,
  program: string,
  words: readonly string[],
  env: Readonly<Record<string, string | undefined>> = {},
): Promise<void> {
  const child = spawn(program, words, { stdio: 'inherit', env: { ...process.env, ...env } })
  await context.out.withoutProgress(() => endOf(child, context))
}

/** Runs a program that may take long without output. Its output goes through this process, which shows the progress. */
async function runPiped(context: Context, program: string, words: readonly string[]): Promise<void> {
  const child = spawn(program, words, { stdio: ['inherit', 'pipe', 'pipe'] })
  child.stdout.setEncoding('utf8').on('data', (text: string) => context.out.raw(text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => context.out.rawNote(text))
  await endOf(child, context)
}

async function endOf(child: ChildProcess, { signal }: Context): Promise<void> {
  // The terminal sends Ctrl-C to both. A signal to this process alone must reach the program too.
  signal.addEventListener('abort', () => child.kill('SIGTERM'))
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Ended(`ended with the exit code ${code}`)
}

/** The program has failed and has said why. */
export class Ended extends Error {}
