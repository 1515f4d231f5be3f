import { expect, test } from 'vitest'
import * as movements from './movements.ts'
import { type Balances, noBalance, type Posting } from './rules.ts'

const T = 'token'
const rich: Balances = new Map([[T, { ...noBalance, available: 100n, network: -100n }]])
const indebted: Balances = new Map([[T, { ...noBalance, debt: -30n, network: 30n }]])

const written = (postings: Posting[]) => postings.map(({ from, to, amount }) => `${from} → ${to} ${amount}`)

test.each<[string, Posting[], string[]]>([
  ['deposit seen', movements.depositSeen(T, 9n), ['unfinal → deposit_processing 9']],
  ['reorganized before final', movements.depositReorganized(T, 9n), ['deposit_processing → unfinal 9']],
  ['approved', movements.depositApproved(rich, T, 9n), ['chain → unfinal 9', 'deposit_processing → available 9']],
  [
    'approved while in debt: the debt first',
    movements.depositApproved(indebted, T, 50n),
    ['chain → unfinal 50', 'deposit_processing → debt 30', 'deposit_processing → available 20'],
  ],
  ['refused by screening', movements.depositRefused(T, 9n), ['chain → unfinal 9', 'deposit_processing → frozen 9']],
  ['overturned', movements.depositOverturned(rich, T, 9n), ['frozen → available 9']],
  ['overturned while in debt', movements.depositOverturned(indebted, T, 9n), ['frozen → debt 9']],
  ['returned to its sender', movements.depositReturned(T, 9n), ['frozen → chain 9']],
  [
    'an approved deposit is lost to a deep reorganization',
    movements.depositLost(rich, T, 120n, 'approved'),
    ['available → chain 100', 'debt → chain 20'],
  ],
  ['a frozen one', movements.depositLost(rich, T, 9n, 'frozen'), ['frozen → chain 9']],
  ['a returned one', movements.depositLost(rich, T, 9n, 'returned'), ['loss → chain 9']],
  ['one that is there again', movements.depositRecovered(T, 9n), ['chain → unfinal 9', 'deposit_processing → loss 9']],
  ['withdrawal requested', movements.withdrawalRequested(T, 9n), ['available → withdrawal_processing 9']],
  [
    'paid already, and the books were set back',
    movements.withdrawalRecovered(rich, T, 109n),
    ['available → withdrawal_processing 100', 'debt → withdrawal_processing 9'],
  ],
  ['given back', movements.withdrawalGivenBack(rich, T, 9n), ['withdrawal_processing → available 9']],
  [
    'given back while in debt',
    movements.withdrawalGivenBack(indebted, T, 31n),
    ['withdrawal_processing → debt 30', 'withdrawal_processing → available 1'],
  ],
  ['completed', movements.withdrawalCompleted(T, 9n), ['withdrawal_processing → chain 9']],
  ['gas', movements.gasSpent(T, 9n), ['gas → chain 9']],
  ['card hold', movements.cardHeld(T, 9n), ['available → held 9']],
  ['card hold by force', movements.cardHeldByForce(rich, T, 101n), ['available → held 100', 'debt → held 1']],
  ['released while in debt', movements.cardReleased(indebted, T, 31n), ['held → debt 30', 'held → available 1']],
  ['settled from the hold', movements.cardSettledFromHold(T, 9n), ['held → network 9']],
  [
    'settled from funds',
    movements.cardSettledFromFunds(rich, T, 130n),
    ['available → network 100', 'debt → network 30'],
  ],
  ['card credit while in debt', movements.cardCredited(indebted, T, 9n), ['network → debt 9']],
  ['nothing moves nothing', movements.depositSeen(T, 0n), []],
])('%s', (_name, postings, expected) => {
  expect(written(postings)).toEqual(expected)
  expect(new Set(postings.map(({ token }) => token)).size).toBeLessThanOrEqual(1)
})
