import { Argument, CommanderError, Option, Command as Program } from 'commander'
import { PurserError } from '../../client/src/index.ts'
import manifest from '../package.json' with { type: 'json' }
import { type Option as Choice, type Command, Failure, Given, optionsOf, rulesOf, UsageError } from './command.ts'
import { Ended } from './commands/service.ts'
import { commands, groupSummaries } from './commands.ts'
import { type Context, consoleOf } from './context.ts'
import { Output, type OutputOptions } from './output.ts'
import { describeFailure, otherVersionSentence } from './problems.ts'
import { Configuration } from './settings.ts'

export type World = {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Aborts when the reader of the output is gone. Only endless commands end then: the exit code of others matters. */
  readonly unread: AbortSignal
} & Omit<OutputOptions, 'isJson'> &
  Pick<Context, 'signal' | 'readInput' | 'ask' | 'askSecret'>

const exitCodes = { ok: 0, failed: 1, usage: 2 } as const

/** Runs one command and returns the exit code. */
export async function runCli(words: readonly string[], world: World): Promise<number> {
  const isJson = words.includes('--json')
  const { write, note } = world
  const out = new Output({ ...world, isJson })
  let configuration = new Configuration(world.env)
  let isEndless = false
  const stop = AbortSignal.any([world.signal, world.unread])
  let hasKeyOption = false
  const streams = { write, note: isJson ? () => {} : note }
  const version = isJson ? JSON.stringify({ version: manifest.version }) : manifest.version
  const program = newProgram(streams, version, async (command, given, overrides) => {
    configuration = new Configuration(world.env, overrides)
    isEndless = command.isEndless === true
    hasKeyOption = optionsOf(command).some(({ name }) => name === 'key')
    const ask = (question: string) => out.withoutProgress(() => world.ask(question))
    const askSecret = (question: string) => out.withoutProgress(() => world.askSecret(question))
    const signal = isEndless ? stop : world.signal
    await command.run({ ...world, signal, ask, askSecret, out, configuration }, given).finally(async () => {
      const problem = await configuration.flush()
      if (problem !== null) out.note(problem)
    })
  })
  let seconds = 0
  const progress = setInterval(() => out.showProgress(++seconds), 1000)
  try {
    await program.parseAsync(words, { from: 'user' })
    return exitCodes.ok
  } catch (error) {
    if (isEndless && stop.aborted) return exitCodes.ok
    if (!world.signal.aborted) return await report(error, out, configuration, hasKeyOption)
    out.failure('The command was stopped before it ended.')
    return exitCodes.failed
  } finally {
    clearInterval(progress)
    out.raw('')
  }
}

async function report(
  error: unknown,
  out: Output,
  configuration: Configuration,
  hasKeyOption: boolean,
): Promise<number> {
  if (error instanceof CommanderError) {
    // The library has printed the help, or the problem for people.
    if (error.exitCode === 0) return exitCodes.ok
    out.usage(
      error.code === 'commander.help'
        ? 'A command is missing. Run "purser --help" for the list.'
        : error.message.replace(/^error: /, ''),
    )
    return exitCodes.usage
  }
  if (error instanceof Ended) return exitCodes.failed
  if (error instanceof UsageError) {
    out.failure(error.message)
    return exitCodes.usage
  }
  if (error instanceof PurserError) {
    const { code, status, requestId, fields, idempotencyKey } = error
    const service = { url: await configuration.get('url'), variable: 'PURSER_URL' } as const
    // Every call to the console has validated its URL. For other calls, an invalid one does not matter.
    const atConsole = await consoleOf(configuration).catch(() => null)
    const sentence = await describeFailure(error, { service, atConsole, hasKeyOption })
    out.failure(sentence, { code, status, requestId, fields, idempotencyKey })
    return exitCodes.failed
  }
  if (error instanceof Failure) {
    out.failure(error.message)
    return exitCodes.failed
  }
  const { path, code } = Object(error)
  if (typeof path === 'string' && typeof code === 'string') {
    out.failure(`${path} cannot be used (${code}). Check the path and its permissions.`)
    return exitCodes.failed
  }
  const [sentence = ''] = String(error instanceof Error ? error.message : error).split('\n')
  // Responses are not validated, so a field that another version lacks causes a TypeError where it is used.
  if (error instanceof TypeError && /^Cannot |is not iterable|is not a function/.test(sentence)) {
    out.failure(
      `${otherVersionSentence(await configuration.get('url'))} If the versions match, report a bug: ${sentence}`,
    )
    return exitCodes.failed
  }
  out.failure(`The command failed: ${sentence.replace(/\.$/, '')}. Check what you typed, or report it as a bug.`)
  return exitCodes.failed
}

type Run = (command: Command, given: Given, overrides: Record<string, string>) => Promise<void>

/** Builds the parser from the table of commands. */
function newProgram({ write, note }: Streams, version: string, run: Run): Program {
  const program = newGroup('purser', 'Works with a Purser service from the shell.', { write, note })
    .version(version, '--version')
    .addHelpText('after', '\nEnvironment and configuration: see docs/cli.md or run "purser config show".')
  const groups = new Map<string, Program>()
  for (const command of commands) {
    const names = command.name.split(' ')
    names.pop()
    let parent = program
    for (const i of names.keys()) {
      const path = names.slice(0, i + 1).join(' ')
      const group = groups.get(path) ?? newGroup(path, groupSummaries[path] ?? '', { write, note })
      if (!groups.has(path)) parent.addCommand(group)
      groups.set(path, group)
      parent = group
    }
    parent.addCommand(parserOf(command, { write, note }, run))
  }
  return program
}

type Streams = Pick<World, 'write' | 'note'>

/** `name` is the whole line of words, such as `operator users`. */
function newGroup(name: string, summary: string, { write, note }: Streams): Program {
  return new Program(name.split(' ').at(-1))
    .description(summary)
    .exitOverride()
    .configureOutput({ writeOut: write, writeErr: note })
    .helpCommand(false)
    .showHelpAfterError(`Run "${name === 'purser' ? '' : 'purser '}${name} --help" for help.`)
}

function parserOf(command: Command, streams: Streams, run: Run): Program {
  const parser = newGroup(command.name, [`${command.summary}.`, command.detail].filter(Boolean).join('\n\n'), streams)
  parser.summary(command.summary)
  for (const { name, description, isOptional, choices } of command.arguments ?? []) {
    const argument = new Argument(isOptional ? `[${name}]` : `<${name}>`, description)
    parser.addArgument(choices === undefined ? argument : argument.choices(choices))
  }
  for (const option of optionsOf(command)) parser.addOption(optionOf(option))
  const examples = command.examples?.map((line) => `  $ purser ${line}`).join('\n')
  if (examples !== undefined) parser.addHelpText('after', `\nExamples:\n${examples}`)
  return parser.action(async () => {
    const texts = new Map<string, readonly string[]>()
    for (const [i, { name }] of (command.arguments ?? []).entries()) {
      const text = parser.args[i]
      if (text !== undefined) texts.set(name, [text])
    }
    for (const { name } of optionsOf(command)) {
      const value: unknown = parser.getOptionValue(camelCase(name))
      if (value !== undefined && value !== false) texts.set(name, Array.isArray(value) ? value : [String(value)])
    }
    const given = new Given(texts)
    const url = given.optional('url')
    await run(command, given, url === undefined ? {} : { url })
  })
}

function optionOf(choice: Choice): Option {
  const { name, description, value, choices, isRepeatable, isRequired } = choice
  const flags = value === undefined ? `--${name}` : `--${name} <${value}>`
  const option = new Option(flags, `${description}${rulesOf(choice)}`)
  if (choices !== undefined) option.choices(choices)
  if (isRequired) option.makeOptionMandatory()
  if (isRepeatable) option.argParser((text: string, before: readonly string[] = []) => [...before, text])
  return option
}

const camelCase = (name: string) => name.replace(/-(\w)/g, (_match, letter: string) => letter.toUpperCase())
