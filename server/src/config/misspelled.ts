import { allSettings } from './document.ts'
import type { Env } from './setting.ts'

/** A variable that no setting reads, and the setting that it probably means. */
export type Misspelled = { readonly variable: string; readonly setting: string }

/** Finds variables that look like settings. Reads only their names, because a value may be a secret. */
export function findMisspelled(env: Env): readonly Misspelled[] {
  return Object.keys(env)
    .filter((variable) => /^[A-Z][A-Z0-9]*(_[A-Za-z0-9]+)*$/.test(variable))
    .flatMap((variable) => {
      const [stem, suffix] = splitSuffix(variable)
      if (known.has(variable) || known.has(stem)) return []
      const [closest] = [...known]
        // People rarely mistype the first letter, and AWS_REGION is not KMS_REGION.
        .filter((name) => name[0] === variable[0])
        .map((name) => ({ name, distance: distance(stem, name) }))
        .sort((one, other) => one.distance - other.distance)
      if (!closest) return []
      const isClose = closest.distance <= maxDistance(closest.name) || prefixes.has(firstWord(variable))
      return isClose ? [{ variable, setting: closest.name.replace('*', suffix) }] : []
    })
}

/** Every name, with `*` in place of a chain id or currency. */
const known = new Set(
  allSettings.flatMap(({ name, isSecret }) => {
    const pattern = name.replace(/<\w+>/, '*')
    return isSecret ? [pattern, `${pattern}_FILE`] : [pattern]
  }),
)

/** First words that two or more settings share, such as KMS or SUMSUB. Other programs rarely use them. */
const prefixes = new Set(
  allSettings.map(({ name }) => firstWord(name)).filter((word, i, words) => word !== '' && words.indexOf(word) < i),
)

function firstWord(name: string): string {
  return /^[A-Z]+_/.exec(name)?.[0] ?? ''
}

/** Splits TREASURY_100 into TREASURY_* and 100. */
function splitSuffix(variable: string): [stem: string, suffix: string] {
  const [, before, suffix, after = ''] = /^(.+_)([0-9]+|[A-Z]{3})(_FILE)?$/.exec(variable) ?? []
  if (before === undefined || suffix === undefined) return [variable, '']
  const stem = `${before}*${after}`
  return [...known].some((name) => name.includes('*') && distance(stem, name) <= maxDistance(name))
    ? [stem, suffix]
    : [variable, '']
}

/** Short names are close to unrelated ones: TERM is not TERMS, and HOME is not HOST. */
function maxDistance(name: string): number {
  return name.length < 6 ? 0 : name.length < 9 ? 1 : 2
}

/** Returns the edit distance of two texts (Levenshtein). */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, i) => i)
  for (const [i, char] of [...one].entries()) {
    const next = [i + 1]
    for (const [j, otherChar] of [...other].entries()) {
      const replaced = (row[j] ?? 0) + (char === otherChar ? 0 : 1)
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
