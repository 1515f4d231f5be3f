import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fundsInGerman } from '../../../web/src/app/onboarding/funds-de.ts'
import { ui as german } from '../../../web/src/ui/text/de.ts'
import { ui as english } from '../../../web/src/ui/text/en.ts'
import { declineMessages } from '../../src/cards/transactions/rules.ts'
import { questions } from '../../src/identity/onboarding/rules.ts'

test('the pages have words for every decline code, in each language', () => {
  for (const { words } of [english, german]) {
    expect(Object.keys(words.declines).sort()).toEqual(Object.keys(declineMessages).sort())
  }
})

test('the pages have German words for the whole questionnaire', () => {
  const texts = questions.flatMap(({ question, answers }) => [question, ...answers])
  expect(Object.keys(fundsInGerman).sort()).toEqual([...texts].sort())
})

test.each(['en', 'de'])(
  'no sentence about an error on the pages names an operation, a header or a field: %s',
  async (of) => {
    const forPrograms =
      /\b(GET|POST|PUT|PATCH|DELETE) \/|\bX-|\bRetry-After\b|\b[a-z]+[A-Z]\w*|typed data|\bheaders?\b|cursor/
    // A path in a variable, because the compiler of the server does not know the imports of the pages.
    const path = join(import.meta.dirname, `../../../web/src/ui/text/errors/${of}.ts`)
    const { sentences }: { sentences: Record<string, string> } = await import(path)
    expect(Object.keys(sentences).length).toBeGreaterThan(100)
    expect(Object.entries(sentences).filter(([, sentence]) => forPrograms.test(sentence))).toEqual([])
  },
)
