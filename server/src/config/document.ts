import { groups } from './groups.ts'
import { formOf } from './read.ts'
import type { Choice, Family, Group, Setting } from './setting.ts'

/** Writes the documentation of all settings: the tables of docs/operations.md, and .env.example. */

/** Every setting, in the order of the documentation. */
export const allSettings: readonly Setting<unknown>[] = Object.values<Group>(groups).flatMap(settingsOf)

function settingsOf({ specs }: Group): Setting<unknown>[] {
  return Object.values(specs).flatMap(settingsIn)
}

function settingsIn(spec: Setting<unknown> | Choice | Family): Setting<unknown>[] {
  switch (spec.kind) {
    case 'setting':
      return [spec]
    case 'choice':
      return [spec.selector, ...Object.values(spec.variants).flatMap((variant) => Object.values(variant))]
    case 'family':
      return Object.values(spec.settings)
  }
}

/** Returns one Markdown table per group. */
export function settingTables(): string {
  return Object.values<Group>(groups)
    .map((group) => {
      const rows = settingsOf(group).map((entry) => {
        const name = `\`${entry.name}\`${entry.isSecret ? ' (secret)' : ''}`
        return `| ${name} | ${defaultOf(entry)} | ${entry.about.replaceAll('|', '\\|')} |`
      })
      return `### Settings: ${group.title}\n\n${group.about}\n\n| Variable | Default | Meaning |\n|---|---|---|\n${rows.join('\n')}\n`
    })
    .join('\n')
}

function defaultOf(entry: Setting<unknown>): string {
  const { shownDefault, neededIn, isNullable, defaults } = entry
  const needed = neededIn === 'production' ? 'needed in production' : ''
  if (shownDefault !== null) return [shownDefault, needed].filter(Boolean).join('; ')
  const { sandbox, production } = defaults
  if (sandbox === undefined && production === undefined) return isNullable ? 'none' : 'needed'
  if (production === undefined) return `${code(entry, sandbox)} in the sandbox; ${needed || 'none in production'}`
  const isSame = JSON.stringify(sandbox) === JSON.stringify(production)
  return isSame ? code(entry, production) : `${code(entry, production)}; ${code(entry, sandbox)} in the sandbox`
}

function code(entry: Setting<unknown>, value: unknown): string {
  const text = written(entry, value)
  return text === '' ? 'none' : `\`${text}\``
}

/** A value as it is written in an environment variable. */
function written({ schema }: Setting<unknown>, value: unknown): string {
  switch (formOf(schema)) {
    case 'on or off':
      return value === true ? 'on' : 'off'
    case 'list':
      return Array.isArray(value) ? value.join(',') : ''
    case 'JSON':
      return JSON.stringify(value)
    case 'integer':
    case 'text':
      return typeof value === 'function' ? '' : String(value)
  }
}

/** Returns the example of an environment file: every variable, commented out, with its default. */
export function envExample(): string {
  const parts = Object.values<Group>(groups).map((group) => {
    const entries = settingsOf(group).map((entry) => {
      const { sandbox, production } = entry.defaults
      const value = entry.shownDefault === null ? (production ?? sandbox) : undefined
      return `# ${plain(entry.about)} Default: ${plain(defaultOf(entry))}.\n#${entry.name}=${value === undefined ? '' : written(entry, value)}`
    })
    return `# --- ${group.title} ---\n\n${entries.join('\n\n')}\n`
  })
  return `# Every setting of Purser. Generated from server/src/config by "npm run build"; do not edit.
# A sandbox needs none of them. In production, the start lists every missing setting: MODE=production bin/purser
# A secret may come from a file instead: SECRET_FILE=/run/secrets/purser names the file that holds SECRET.

${parts.join('\n')}`
}

function plain(markdown: string): string {
  return markdown.replaceAll('`', '').replace(/\s+/g, ' ')
}
