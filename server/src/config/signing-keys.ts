import type { SigningKey } from '../lib/signing-key.ts'
import type { ReportProblem } from './setting.ts'

/** Parses keys that have the format `signing-key`. */
export function parseSigningKeys(given: readonly string[], report: ReportProblem): readonly SigningKey[] {
  const keys = given.map((text) => {
    const colon = text.indexOf(':')
    return { id: text.slice(0, colon), secret: text.slice(colon + 1) }
  })
  if (new Set(keys.map(({ id }) => id)).size !== keys.length) report('must not contain a key id twice.')
  return keys
}
