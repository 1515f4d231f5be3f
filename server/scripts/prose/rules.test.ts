import { describe, expect, test } from 'vitest'
import { lineCommentPassages, markdownPassages, typescriptPassages } from './passages.ts'
import { check } from './rules.ts'

const rulesOf = (text: string) => markdownPassages(text).flatMap(check)
const inCode = (text: string) => typescriptPassages(text, { messages: true }).flatMap(check)

describe('sentences', () => {
  test.each([
    'What was not mined is sent again.',
    'The worker retries. Whoever finds the row may send it.',
    'Of those who find all places taken.',
    'Nothing that was refused is stored.',
    'So that nobody waits, the lock is short.',
    'The default answer is none: an answer that is none.',
    'The worker reserialises what it has normalised.',
    'The reorganisation is over.',
    'The behaviour of a cancelled card has no licence.',
    'The service answers 404 for an unknown card.',
    'A stored answer is sent again.',
    'The order stands in this file.',
    'Partners are told at once.',
    'The block cannot be replaced any more.',
    'The row is kept for ever.',
    'It is not nothing.',
    'Use a short timeout, e.g. one second.',
    `The worker ${'retries the payout and '.repeat(8)} stops.`,
  ])('the rules reject: %s', (text) => {
    expect(rulesOf(text)).not.toEqual([])
  })

  test.each([
    'The worker retries the payout.',
    'What does the worker do?',
    'The status on the wire is `cancelled`, and the error is "What was refused".',
    'The programme issues cards. It authorizes payments and recognizes the issuer.',
    'The service returns 404 for an unknown card.',
    'No lease lasts longer than any more recent one.',
    'A wise enterprise exercises its promise; the rest is noise.',
    '```\nWhat stands here is code.\n```',
  ])('the rules accept: %s', (text) => {
    expect(rulesOf(text)).toEqual([])
  })

  test('a finding carries the line of the sentence and the rule', () => {
    const text = '# Title\n\nThe worker retries.\nThen it stops. What is\nleft waits.'
    expect(rulesOf(text)).toEqual([{ line: 4, rule: expect.stringContaining('clause'), text: 'What is left waits.' }])
  })

  test('each cell of a table and each item of a list is a passage of its own', () => {
    const cell = Array.from({ length: 20 }, () => 'word').join(' ')
    expect(rulesOf(`| ${cell} | ${cell} |\n|---|---|\n\n- ${cell}\n- ${cell}`)).toEqual([])
  })
})

describe('TypeScript', () => {
  test.each([
    ['a line comment over two lines', '// The worker retries. What is\n// left waits.\nexport {}'],
    ['a docstring', '/**\n * What the worker retries.\n */\nexport {}'],
    ['a comment behind code', 'export {} // what is left over'],
    ['a comment before a bracket', 'const list = [\n  1,\n  // What is left over\n]'],
    ['a message', "throw new Error('What is this token that was sent')"],
    ['a template', 'throw new Error(`Whoever sent $' + '{name} has to wait`)'],
    ['a message of several strings', "log.info('the worker retries and ' + 'then it is told')"],
    ['a numbered title', "test('case 7: a repeated clearing is not posted twice', () => {})"],
    ['a title that is a fragment', "test.each(rows)('refuses %s', () => {})"],
    ['a name that begins with most', 'const mostRows = 5'],
    ['a name that begins with LONGEST_', 'const LONGEST_NAME = 5'],
    ['a name that says told', 'function f(untoldArrivals: number) {}'],
  ])('the rules find the mistake in %s', (_where, text) => {
    expect(inCode(text)).not.toEqual([])
  })

  test.each([
    ['SQL', "sql('select what is left from whoever where told and any more')"],
    ['imports', "import { a } from 'what is left of it'"],
    ['short strings', "say('what is')"],
    ['directives', '// biome-ignore lint/style: what is left\nexport {}'],
    ['names that only begin like forbidden words', 'const mostly = 1, leastwise = 2, toldest = 3'],
    ['a title that is a statement', "test('a repeated clearing does not debit the account twice', () => {})"],
    ['a title that the data states', "test.each(rows)('%s', () => {})"],
  ])('the rules find no mistake in %s', (_what, text) => {
    expect(inCode(text)).toEqual([])
  })
})

test('the rules read the comments of SQL, of shell scripts and of Solidity', () => {
  const found = (text: string, mark: '--' | '#' | '//') => lineCommentPassages(text, mark).flatMap(check)
  expect(found('select 1; -- What is left over\n', '--')).toHaveLength(1)
  expect(found('# The worker retries. What is\n# left waits.\n', '#')).toMatchObject([{ line: 1 }])
  expect(found('/// What the token says.\ncontract A {}', '//')).toHaveLength(1)
})
