import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type Part, parts, runParts } from './nightly.ts'

const read = (file: string) => readFileSync(join(import.meta.dirname, '../..', file), 'utf8')

const settings = { PATH: process.env['PATH'], PROOF_STEPS: '7' }

test('a part of the nightly run that fails does not keep the next one from running', async () => {
  const wanted = [
    { name: 'first', command: 'false' },
    { name: 'second', command: 'test "$PROOF_STEPS" = 7' },
  ]
  const results = await runParts(wanted, settings)
  expect(results.map(({ name, isPassed }) => [name, isPassed])).toEqual([
    ['first', false],
    ['second', true],
  ])
})

test('a part that measures waits for the part that runs beside the others, even if that part fails', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'nightly-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const wanted: Part[] = [
    { name: 'measure', command: `test -e ${folder}/ended`, runs: 'alone' },
    // This part ends only after the second part has run, so both must run at the same time.
    {
      name: 'long',
      command: `until test -e ${folder}/second; do sleep 0.1; done; touch ${folder}/ended; exit 1`,
      runs: 'beside',
    },
    { name: 'second', command: `touch ${folder}/second` },
  ]
  const results = await runParts(wanted, settings)
  expect(results.map(({ name, isPassed }) => [name, isPassed])).toEqual([
    ['measure', true],
    ['long', false],
    ['second', true],
  ])
})

test('docs/proof.md describes every part of the nightly run', () => {
  const proof = read('docs/proof.md')
  expect(parts.map(({ name }) => name).filter((name) => !proof.includes(`| \`${name}\` |`))).toEqual([])
})
