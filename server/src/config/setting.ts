import { type Static, type TSchema, Type } from 'typebox'

/**
 * The vocabulary of the configuration. A setting is one entry in the file of its capability. The parsed value, the
 * error messages, the table in docs/operations.md and .env.example all come from that entry.
 */
export const modes = ['sandbox', 'production'] as const
export type Mode = (typeof modes)[number]
export type Env = Readonly<Record<string, string | undefined>>

/** Reports a problem: the rest of a sentence whose subject is the variable. */
export type ReportProblem = (predicate: string) => void

type Default<V> = V | ((env: Env) => V)

export type Setting<T> = {
  readonly kind: 'setting'
  readonly name: string
  readonly schema: TSchema
  readonly about: string
  readonly isSecret: boolean
  readonly isNullable: boolean
  readonly neededIn: Mode | null
  readonly hint: string
  /** The default of each mode, in the form that the schema describes. */
  readonly defaults: Readonly<Record<Mode, Default<unknown> | undefined>>
  readonly shownDefault: string | null
  readonly inProduction: ProductionRule<T> | null
  readonly convert: (value: unknown, report: ReportProblem, env: Env) => T
}

/** A rule that holds in production only: `unset`, or a requirement that completes "must be … in production". */
type ProductionRule<T> = 'unset' | { readonly requirement: string; holds(value: T): boolean }

type Options<S extends TSchema, T> = {
  /**
   * The value as it is written: a comma-separated list for an array of strings, JSON for other arrays and for objects.
   */
  readonly schema: S
  /** The documentation, in Markdown. */
  readonly about: string
  /** A setting is required in every mode for which it has no default. */
  readonly default?: Default<Static<S>>
  /** The default of the sandbox, where it differs. */
  readonly inSandbox?: Default<Static<S>>
  /** The default as the documentation shows it. Needed where it is computed or long. */
  readonly shownDefault?: string
  /** Never echoed and never printed; may come from the file that `<NAME>_FILE` names. */
  readonly secret?: true
  /** A sentence on how to set a missing value. */
  readonly hint?: string
  readonly inProduction?: ProductionRule<NoInfer<T>>
  readonly convert?: (value: Static<S>, report: ReportProblem, env: Env) => T
}

type OptionalOptions<S extends TSchema, T> = Omit<Options<S, T>, 'default'> & { readonly neededIn?: Mode }
type Plain<S extends TSchema, O extends Options<S, Static<S>>> = O & { readonly convert?: undefined }
type Converted<S extends TSchema, T, O extends Options<S, T>> = O & Required<Pick<Options<S, T>, 'convert'>>

/** Defines a setting that always has a value: one that is set, or a default. */
export function setting<S extends TSchema>(name: string, options: Plain<S, Options<S, Static<S>>>): Setting<Static<S>>
export function setting<S extends TSchema, T>(name: string, options: Converted<S, T, Options<S, T>>): Setting<T>
export function setting<S extends TSchema, T>(name: string, options: Options<S, T>): Setting<T> {
  const production = options.default
  const sandbox = options.inSandbox ?? options.default
  const neededIn = sandbox === undefined ? 'sandbox' : production === undefined ? 'production' : null
  return define(name, options, { isNullable: false, neededIn, defaults: { production, sandbox } })
}

/** Defines a setting that may be absent: its value is null then. */
export function optional<S extends TSchema>(
  name: string,
  options: Plain<S, OptionalOptions<S, Static<S>>>,
): Setting<Static<S> | null>
export function optional<S extends TSchema, T>(
  name: string,
  options: Converted<S, T, OptionalOptions<S, T>>,
): Setting<T | null>
export function optional<S extends TSchema, T>(name: string, options: OptionalOptions<S, T>): Setting<T | null> {
  const { inSandbox: sandbox, neededIn = null } = options
  return define(name, options, { isNullable: true, neededIn, defaults: { production: undefined, sandbox } })
}

function define<S extends TSchema, T>(
  name: string,
  { schema, about, secret, shownDefault, hint = '', inProduction, convert }: Omit<Options<S, T>, 'default'>,
  more: Pick<Setting<T>, 'isNullable' | 'neededIn' | 'defaults'>,
): Setting<T> {
  return {
    ...{ kind: 'setting', name, schema, about, hint, ...more },
    isSecret: secret ?? false,
    shownDefault: shownDefault ?? null,
    inProduction: inProduction ?? null,
    // The reader has validated the value by the schema. Without a conversion, T is the schema's own type.
    convert: (value, report, env) => (convert ? convert(value as Static<S>, report, env) : (value as T)),
  }
}

/** A setting that selects one of several adapters. Only the settings of the selected adapter are read. */
export type Choice<V extends Readonly<Record<string, Settings>> = Readonly<Record<string, Settings>>> = {
  readonly kind: 'choice'
  readonly selector: Setting<string>
  readonly variants: V
}

/**
 * Defines a choice between adapters. A variant for the sandbox only is the default there, and rejected in production.
 */
export function choice<const V extends Readonly<Record<string, Settings>>>(
  name: string,
  { about, variants, sandboxOnly }: { about: string; variants: V; sandboxOnly: keyof V & string },
): Choice<V> {
  const names = Object.keys(variants)
  const others = names.filter((variant) => variant !== sandboxOnly).join(' or ')
  const selector = setting(name, {
    schema: Type.Enum(names),
    about,
    inSandbox: sandboxOnly,
    hint: `Use ${others}.`,
    inProduction: { requirement: others, holds: (variant) => variant !== sandboxOnly },
  })
  return { kind: 'choice', selector, variants }
}

type Suffix = { readonly test: (text: string) => boolean; readonly requirement: string }

/** Settings that are set once for each chain or currency. The first one decides which suffixes exist. */
export type Family<S extends Settings = Settings> = {
  readonly kind: 'family'
  readonly placeholder: string
  readonly suffix: Suffix
  readonly settings: S
}

export type Settings = Readonly<Record<string, Setting<unknown>>>
export type Specs = Readonly<Record<string, Setting<unknown> | Choice | Family>>

/** The settings of one capability. */
export type Group<S extends Specs = Specs> = { readonly title: string; readonly about: string; readonly specs: S }

type ReadonlyValue<T> = T extends (infer U)[] ? readonly U[] : T
type SettingValues<S extends Settings> = {
  readonly [K in keyof S]: S[K] extends Setting<infer T> ? ReadonlyValue<T> : never
}
type ChoiceValue<V extends Readonly<Record<string, Settings>>> = {
  [K in keyof V]: { readonly kind: K } & SettingValues<V[K]>
}[keyof V]

/** The parsed values of one variant of a choice: the configuration of its adapter. */
export type VariantValues<C extends Choice, K extends keyof C['variants']> = SettingValues<C['variants'][K]>

/** The parsed values of the settings of a group. */
export type ValuesOf<S extends Specs> = {
  readonly [K in keyof S]: S[K] extends Setting<infer T>
    ? ReadonlyValue<T>
    : S[K] extends Choice<infer V>
      ? ChoiceValue<V>
      : S[K] extends Family<infer F>
        ? readonly ({ readonly suffix: string } & SettingValues<F>)[]
        : never
}

export function group<S extends Specs>(title: string, about: string, specs: S): Group<S> {
  return { title, about, specs }
}

/** Defines the settings that exist once for each suffix, such as `RPC_URL_<chainId>`. */
export function family<S extends Settings>(placeholder: string, suffix: Suffix, settings: S): Family<S> {
  return { kind: 'family', placeholder, suffix, settings }
}
