import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { allSettings } from '../../src/config/document.ts'
import { groups } from '../../src/config/groups.ts'
import type { Group, Setting } from '../../src/config/setting.ts'
import { problemsOf } from '../support/config-problems.ts'

const inventory = readFileSync(join(import.meta.dirname, '../../../docs/secrets.md'), 'utf8')
const secrets = allSettings.filter(({ isSecret }) => isSecret)

test('the inventory of secrets lists every secret setting and no others, and fills every column', () => {
  const table = inventory.split('\n## ')[1]?.split('\n\nThese secrets')[0] ?? ''
  const rows = [...table.matchAll(/^\| `([^`]+)` \| (.+) \| (.+) \| (.+) \|$/gm)]
  expect(rows.map(([, name]) => name).sort()).toEqual(secrets.map(({ name }) => name).sort())
  expect(rows.flatMap((cells) => cells.slice(2)).filter((cell) => !/\w/.test(cell))).toEqual([])
})

/** Selects the adapter that reads a setting. */
function selectionFor({ name }: Setting<unknown>): Record<string, string> {
  for (const { specs } of Object.values<Group>(groups)) {
    for (const spec of Object.values(specs)) {
      if (spec.kind !== 'choice') continue
      for (const [variant, settings] of Object.entries(spec.variants)) {
        if (Object.values(settings).some((entry) => entry.name === name)) return { [spec.selector.name]: variant }
      }
    }
  }
  return {}
}

test.each(secrets.map((secret) => [secret.name, secret] as const))(
  '%s can come from a file, and not from both a file and the environment',
  (placeholder, secret) => {
    const name = placeholder.replace('<chainId>', '100')
    const env = { ...selectionFor(secret), [`${name}_FILE`]: '/nowhere/secret' }
    expect(problemsOf(env)).toContain(
      `${name}_FILE names a file that cannot be read: /nowhere/secret (ENOENT). Check the path and its permissions.`,
    )
    const both = `${name} and ${name}_FILE are both set. Remove one of them.`
    expect(problemsOf({ ...env, [name]: 'x' })).toContain(both)
  },
)
