import { readFileSync } from 'node:fs'
import type { TSchema } from 'typebox'
import type { Choice, Env, Family, Group, Mode, Setting, Settings } from './setting.ts'
import { findProblems } from './validate.ts'

/** Reads settings from an environment, and collects every problem instead of stopping at the first. */
export class Reader {
  readonly problems: string[] = []
  /** The values of all secret settings that were read, by name. */
  readonly secrets = new Map<string, unknown>()
  readonly #env: Env
  readonly #mode: Mode

  constructor(env: Env, mode: Mode) {
    this.#env = env
    this.#mode = mode
  }

  /** Returns the value of each setting. A setting with a problem is absent. */
  readGroup({ specs }: Group): Readonly<Record<string, unknown>> {
    const values = Object.entries(specs).map(([key, spec]) => [key, this.#readSpec(spec)] as const)
    return Object.fromEntries(values.filter(([, value]) => value !== undefined))
  }

  #readSpec(spec: Setting<unknown> | Choice | Family): unknown {
    switch (spec.kind) {
      case 'setting':
        return this.#readSetting(spec)
      case 'choice':
        return this.#readChoice(spec)
      case 'family':
        return this.#readFamily(spec)
    }
  }

  #readChoice({ selector, variants }: Choice): unknown {
    const kind = this.#readSetting(selector)
    const settings = typeof kind === 'string' ? variants[kind] : undefined
    const values = settings && this.#readAll(settings)
    return values && { kind, ...values }
  }

  #readFamily({ placeholder, suffix, settings }: Family): unknown {
    const [first] = Object.values(settings)
    if (!first) return []
    const prefix = first.name.replace(placeholder, '')
    const suffixes = new Set<string>()
    for (const name of Object.keys(this.#env)) {
      if (!name.startsWith(prefix) || !this.#env[name]?.trim()) continue
      const rest = first.isSecret ? name.slice(prefix.length).replace(/_FILE$/, '') : name.slice(prefix.length)
      if (suffix.test(rest)) suffixes.add(rest)
      else this.problems.push(`${name} must end with ${suffix.requirement}.`)
    }
    const members = [...suffixes].sort(byNumberOrName).map((rest) => {
      const values = this.#readAll(settings, (name) => name.replace(placeholder, rest))
      return values && { suffix: rest, ...values }
    })
    return members.includes(undefined) ? undefined : members
  }

  #readAll(settings: Settings, nameOf = (name: string) => name): Record<string, unknown> | undefined {
    const entries = Object.entries(settings).map(
      ([key, entry]) => [key, this.#readSetting({ ...entry, name: nameOf(entry.name) })] as const,
    )
    return entries.some(([, value]) => value === undefined) ? undefined : Object.fromEntries(entries)
  }

  #readSetting(entry: Setting<unknown>): unknown {
    const { name, schema, isSecret, inProduction } = entry
    const before = this.problems.length
    const text = isSecret ? this.#secretText(name) : this.#env[name]?.trim()
    if (this.problems.length > before) return undefined
    if (this.#mode === 'production' && inProduction === 'unset' && text) {
      this.problems.push(`${name} must not be set in production. It belongs to the sandbox.`)
      return undefined
    }
    const raw = text ? this.#parse(entry, text) : this.#default(entry)
    if (raw === undefined || (raw === null && !text)) return raw
    if (text) this.problems.push(...findProblems(name, schema, raw, isSecret))
    if (this.problems.length > before) return undefined
    const value = entry.convert(raw, (predicate) => this.problems.push(`${name} ${predicate}`), this.#env)
    if (this.problems.length > before) return undefined
    if (this.#mode === 'production' && inProduction && inProduction !== 'unset' && !inProduction.holds(value)) {
      const given = isSecret || typeof raw !== 'string' ? '' : `, not ${JSON.stringify(raw)}`
      this.problems.push(`${name} must be ${inProduction.requirement} in production${given}.`)
      return undefined
    }
    if (isSecret) this.secrets.set(name, value)
    return value
  }

  /** Returns the default, null if none is needed, or undefined after reporting a missing required value. */
  #default({ name, defaults, isNullable, neededIn, hint }: Setting<unknown>): unknown {
    const given = defaults[this.#mode]
    const value = typeof given === 'function' ? given(this.#env) : given
    if (value !== undefined) return value
    if (isNullable && neededIn !== this.#mode) return null
    const where = neededIn === 'production' ? ' in production' : ''
    this.problems.push(`${name} must be set${where}.${hint === '' ? '' : ` ${hint}`}`)
    return undefined
  }

  /** Reads `<name>`, or the file that `<name>_FILE` names: Docker, Kubernetes and systemd mount secrets as files. */
  #secretText(name: string): string | undefined {
    const [text, path] = [this.#env[name]?.trim(), this.#env[`${name}_FILE`]?.trim()]
    if (!path) return text
    if (text) {
      this.problems.push(`${name} and ${name}_FILE are both set. Remove one of them.`)
      return undefined
    }
    try {
      const content = readFileSync(path, 'utf8').trim()
      if (content === '') this.problems.push(`${name}_FILE names an empty file: ${path}. Write the secret into it.`)
      return content
    } catch (error) {
      const reason = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
      this.problems.push(
        `${name}_FILE names a file that cannot be read: ${path} (${reason}). Check the path and its permissions.`,
      )
      return undefined
    }
  }

  /**
   * Parses the text into the type of the schema. Returns a malformed number or on/off value unchanged, because the
   * schema then rejects it. Reports malformed JSON itself.
   */
  #parse({ name, schema, isSecret }: Setting<unknown>, text: string): unknown {
    switch (formOf(schema)) {
      case 'integer':
        return /^[0-9]{1,9}$/.test(text) ? Number(text) : text
      case 'on or off':
        return text === 'on' || (text === 'off' ? false : text)
      case 'list':
        return splitList(text)
      case 'JSON':
        try {
          return JSON.parse(text)
        } catch (error) {
          const reason = error instanceof Error && !isSecret ? `: ${error.message}` : ''
          this.problems.push(`${name} must be valid JSON${reason}.`)
          return undefined
        }
      case 'text':
        return text
    }
  }
}

export type Form = 'integer' | 'on or off' | 'list' | 'JSON' | 'text'

/** How the value of a schema is written in an environment variable. */
export function formOf(schema: TSchema): Form {
  const { type, items } = Object(schema)
  if (type === 'integer') return 'integer'
  if (type === 'boolean') return 'on or off'
  if (type === 'array') return Object(items).type === 'string' || Array.isArray(Object(items).enum) ? 'list' : 'JSON'
  return type === 'object' ? 'JSON' : 'text'
}

function splitList(text: string): string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean)
}

function byNumberOrName(one: string, other: string): number {
  return Number(one) - Number(other) || (one < other ? -1 : 1)
}
