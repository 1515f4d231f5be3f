import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { faults } from '../support/run/faults.ts'

const tests = join(import.meta.dirname, '..')

test('every fault that the service must survive has a test', () => {
  const files = readdirSync(tests, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.test.ts'))
  const texts = files.map((file) => readFileSync(join(tests, file), 'utf8')).join('\n')
  const tagged = new Set(
    [...texts.matchAll(/tags: \[([^\]]*)\]/g)].flatMap(([, tags = '']) => tags.match(/fault-\d+/g)),
  )
  expect(faults).toHaveLength(20)
  expect(faults.map(({ name }) => name).filter((name) => !tagged.has(name))).toEqual([])
})
