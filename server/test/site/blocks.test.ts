import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { catalog } from '../../../web/docs/catalog.ts'
import { type Snippet, snippetsOf } from '../support/snippets.ts'
import { exceptions, isAbout, readByTests } from './blocks.ts'
import { sessions } from './sessions.ts'

const root = join(import.meta.dirname, '../../..')

const documents = execFileSync('git', ['ls-files', '*.md'], { cwd: root, encoding: 'utf8' }).trim().split('\n')
const blocks: readonly Snippet[] = [
  ...documents.flatMap((document) => snippetsOf(document)),
  ...catalog()
    .filter(({ source }) => source === null)
    .flatMap(({ path, markdown }) => snippetsOf(path, markdown)),
]
const nameOf = ({ document, language, code }: Snippet) => `${document}: ${language} ${code.split('\n', 1)}`

/** Returns how often a block is accounted for, which must be once. */
function timesTested(block: Snippet): number {
  const rows = [...readByTests, ...exceptions].filter((row) => isAbout(row, block)).length
  const isRun = ['sh', 'ts', 'python', 'go', 'sql'].includes(block.language) && block.document in sessions
  return rows > 0 ? rows : isRun ? 1 : 0
}

test('a test runs or reads every block of the documents, or the list of exceptions says why no test does', () => {
  expect(blocks.length).toBeGreaterThan(150)
  expect(blocks.filter((block) => timesTested(block) !== 1).map(nameOf)).toEqual([])
  const [block] = snippetsOf('docs/new.md', '```sh\nnothing runs this\n```\n')
  expect(block === undefined ? [] : [nameOf(block), timesTested(block)]).toEqual([
    'docs/new.md: sh nothing runs this',
    0,
  ])
})

test('every block of a document names its language', () => {
  expect(blocks.filter(({ language }) => !/^[a-z]+$/.test(language)).map(nameOf)).toEqual([])
})

test('every row of the list of tested blocks and of the exceptions is about a block', () => {
  const idle = [...readByTests, ...exceptions].filter((row) => !blocks.some((block) => isAbout(row, block)))
  expect(idle).toEqual([])
})

test('every test in the list of tested blocks exists, and every file in the reason of an exception', () => {
  const missing = readByTests.filter(([, , proof]) => {
    const [, file = '', title = ''] = /^`([^`]+)`: (.+)$/.exec(proof) ?? []
    const text = existsSync(join(root, file)) ? readFileSync(join(root, file), 'utf8').replace(/\(\s+/g, '(') : ''
    return !text.includes(`('${title}'`)
  })
  expect(missing).toEqual([])
  const files = exceptions.flatMap(([, , reason]) =>
    [...reason.matchAll(/`([^` ]+\/[^` ]+)`/g)].map(([, file = '']) => file),
  )
  expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([])
})
