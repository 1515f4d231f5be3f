import type { Context } from './context.ts'

/** One command. Help, completion and docs/cli.md come from the table of all commands. */
export type Command = {
  /** The words that a person types: `sandbox pay`. */
  readonly name: string
  readonly summary: string
  /** Further sentences of the help. */
  readonly detail?: string
  readonly arguments?: readonly Argument[]
  readonly options?: readonly Option[]
  readonly examples?: readonly string[]
  /** The command runs until a person or a supervisor stops it, so stopping it is no failure. */
  readonly isEndless?: boolean
  /** The command prints text for people or for a shell, so it has no --json. */
  readonly isWithoutJson?: boolean
  readonly run: (context: Context, given: Given) => Promise<void>
}

type Argument = {
  readonly name: string
  readonly description: string
  readonly isOptional?: boolean
  readonly choices?: readonly string[]
}

export type Option = {
  /** The name without dashes: `limit`. */
  readonly name: string
  readonly description: string
  /** The name of the value; absent: the option is a switch. */
  readonly value?: string
  readonly choices?: readonly string[]
  readonly isRepeatable?: boolean
  readonly isRequired?: boolean
}

/** Returns the end of an option's description: whether it is required, and whether it can be repeated. */
export function rulesOf({ isRequired, isRepeatable }: Option): string {
  return `${isRequired ? '. Required' : ''}${isRepeatable ? '. Can be repeated' : ''}`
}

const json: Option = { name: 'json', description: 'Prints results as JSON, one value per line' }

/** The options of every command. Some commands have no --json. */
export const globalOptions: readonly Option[] = [
  json,
  { name: 'url', value: 'url', description: 'The base URL of the service, instead of PURSER_URL' },
]

/** Returns the options that a command takes. */
export function optionsOf({ options = [], isWithoutJson = false }: Command): readonly Option[] {
  return [...options, ...globalOptions.filter((option) => option !== json || !isWithoutJson)]
}

/** The arguments and options that a person typed. */
export class Given {
  readonly #texts: ReadonlyMap<string, readonly string[]>

  constructor(texts: ReadonlyMap<string, readonly string[]>) {
    this.#texts = texts
  }

  /** Returns the value of a required argument. The parser has checked that it is there. */
  text(name: string): string {
    const text = this.optional(name)
    if (text === undefined) throw new UsageError(`${name} is missing.`)
    return text
  }

  optional(name: string): string | undefined {
    return this.#texts.get(name)?.[0]
  }

  all(name: string): readonly string[] {
    return this.#texts.get(name) ?? []
  }

  /** Returns an id, which becomes a part of a path. An empty or dotted part would lead to another path. */
  id(name: string): string {
    const text = this.text(name)
    if (/^\.{0,2}$/.test(text)) throw new UsageError(`${name} must be an id, not "${text}".`)
    return text
  }

  has(name: string): boolean {
    return this.#texts.has(name)
  }

  /** Returns an option's integer. */
  integer(name: string, { min, max }: { readonly min: number; readonly max: number }): number | undefined {
    const text = this.optional(name)
    if (text === undefined) return undefined
    const number = Number(text)
    if (!/^\d+$/.test(text) || number < min || number > max) {
      throw new UsageError(`${name} must be an integer from ${min} to ${max}, not "${text}".`)
    }
    return number
  }
}

/** The command was typed wrongly. The exit code is 2. */
export class UsageError extends Error {}

/** The command could not do its work. The exit code is 1. */
export class Failure extends Error {}
