import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../../..')
const src = join(root, 'server/src')

/** Returns the name of each statement that may ask all shards: its function's, or the one in its comment. */
function scansOf(source: string): string[] {
  return [...source.matchAll(/-- scanDue(\w*)/g)].flatMap((marker) => {
    const functions = [...source.slice(0, marker.index).matchAll(/\b(?:function|const) (\w+)/g)]
    const [, name = ''] = functions.findLast(([, name = '']) => name.startsWith('scanDue')) ?? []
    return marker[1] ? `scanDue${marker[1]}` : name
  })
}

test('every statement without a user is in the list of docs/scaling.md, and the list has no other', () => {
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
  const scans = files.flatMap((file) => scansOf(readFileSync(join(src, file), 'utf8'))).filter(Boolean)
  const documented = [...readFileSync(join(root, 'docs/scaling.md'), 'utf8').matchAll(/`(scanDue\w+)`/g)]
  expect(documented.map(([, name]) => name).toSorted()).toEqual([...new Set(scans)].toSorted())
})
