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
