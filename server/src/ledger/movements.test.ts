import { expect, test } from 'vitest'
import * as movements from './movements.ts'
import { type Balances, noBalance, type Posting } from './rules.ts'

const T = 'token'
const rich: Balances = new Map([[T, { ...noBalance, available: 100n, network: -100n }]])
const indebted: Balances = new Map([[T, { ...noBalance, debt: -30n, network: 30n }]])

const written = (postings: Posting[]) => postings.map(({ from, to, amount }) => `${from} → ${to} ${amount}`)

test.each<[string, Posting[], string[]]>([
  ['a pending deposit', movements.depositSeen(T, 9n), ['unfinal → deposit_processing 9']],
  ['a deposit reorganized before it is final', movements.depositReorganized(T, 9n), ['deposit_processing → unfinal 9']],
  [
    'an approved deposit',
    movements.depositApproved(rich, T, 9n),
    ['chain → unfinal 9', 'deposit_processing → available 9'],
  ],
  [
    'an approved deposit of an indebted user',
    movements.depositApproved(indebted, T, 50n),
    ['chain → unfinal 50', 'deposit_processing → debt 30', 'deposit_processing → available 20'],
  ],
  [
    'a deposit refused by screening',
    movements.depositRefused(T, 9n),
    ['chain → unfinal 9', 'deposit_processing → frozen 9'],
  ],
  [
    'a credited deposit that is back at its sender',
    movements.depositRefusedLate(rich, T, 120n),
    ['available → frozen 100', 'debt → frozen 20'],
  ],
  ['an overturned refusal', movements.depositOverturned(rich, T, 9n), ['frozen → available 9']],
  ['an overturned refusal of an indebted user', movements.depositOverturned(indebted, T, 9n), ['frozen → debt 9']],
  ['a deposit returned to its sender', movements.depositReturned(T, 9n), ['frozen → chain 9']],
  [
    'an approved deposit lost to a deep reorganization',
    movements.depositLost(rich, T, 120n, 'approved'),
    ['available → chain 100', 'debt → chain 20'],
  ],
  [
    'a frozen deposit lost to a deep reorganization',
    movements.depositLost(rich, T, 9n, 'frozen'),
    ['frozen → chain 9'],
  ],
  [
    'a returned deposit lost to a deep reorganization',
    movements.depositLost(rich, T, 9n, 'returned'),
    ['loss → chain 9'],
  ],
  [
    'a lost deposit that is mined again',
    movements.depositRecovered(T, 9n),
    ['chain → unfinal 9', 'deposit_processing → loss 9'],
  ],
  ['a requested withdrawal', movements.withdrawalRequested(T, 9n), ['available → withdrawal_processing 9']],
  [
    'a paid withdrawal missing from restored books',
    movements.withdrawalRecovered(rich, T, 109n),
    ['available → withdrawal_processing 100', 'debt → withdrawal_processing 9'],
  ],
  ['a failed withdrawal', movements.withdrawalGivenBack(rich, T, 9n), ['withdrawal_processing → available 9']],
  [
    'a failed withdrawal of an indebted user',
    movements.withdrawalGivenBack(indebted, T, 31n),
    ['withdrawal_processing → debt 30', 'withdrawal_processing → available 1'],
  ],
  ['a completed withdrawal', movements.withdrawalCompleted(T, 9n), ['withdrawal_processing → chain 9']],
  ['spent gas', movements.gasSpent(T, 9n), ['gas → chain 9']],
  ['a card hold', movements.cardHeld(T, 9n), ['available → held 9']],
  [
    'a forced card hold beyond the available funds',
    movements.cardHeldByForce(rich, T, 101n),
    ['available → held 100', 'debt → held 1'],
  ],
  [
    'a released card hold of an indebted user',
    movements.cardReleased(indebted, T, 31n),
    ['held → debt 30', 'held → available 1'],
  ],
  ['a clearing from the hold', movements.cardSettledFromHold(T, 9n), ['held → network 9']],
  [
    'a clearing beyond the available funds',
    movements.cardSettledFromFunds(rich, T, 130n),
    ['available → network 100', 'debt → network 30'],
  ],
  ['a card credit of an indebted user', movements.cardCredited(indebted, T, 9n), ['network → debt 9']],
  ['a zero amount', movements.depositSeen(T, 0n), []],
])('%s makes the expected postings', (_name, postings, expected) => {
  expect(written(postings)).toEqual(expected)
  expect(new Set(postings.map(({ token }) => token)).size).toBeLessThanOrEqual(1)
})
