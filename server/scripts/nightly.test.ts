import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parts, runParts } from './nightly.ts'

const read = (file: string) => readFileSync(join(import.meta.dirname, '../..', file), 'utf8')

test('a part of the nightly run that fails does not keep the next one from running', () => {
  const wanted = [
    { name: 'first', command: 'false' },
    { name: 'second', command: 'test "$PROOF_STEPS" = 7' },
  ]
  const results = runParts(wanted, { PATH: process.env['PATH'], PROOF_STEPS: '7' })
  expect(results.map(({ name, isPassed }) => [name, isPassed])).toEqual([
    ['first', false],
    ['second', true],
  ])
})

test('docs/proof.md describes every part of the nightly run', () => {
  const proof = read('docs/proof.md')
  expect(parts.map(({ name }) => name).filter((name) => !proof.includes(`| \`${name}\` |`))).toEqual([])
})
