import { describe, expect, test } from 'vitest'
import { isIdOfName, newId } from '../../lib/id.ts'
import {
  type ChainState,
  chainStates,
  type DepositState,
  depositItem,
  depositStatus,
  mayBeScreened,
  mayMoveOnChain,
  placeOf,
  type ReturnState,
  returnIdOf,
  returnStates,
  type Screening,
  screenings,
  sightingSteps,
} from './rules.ts'

describe('the status and place of a deposit', () => {
  test.each([
    ['unfinal', 'pending', 'pending', 'processing'],
    ['unfinal', 'approved', 'pending', 'processing'],
    ['unfinal', 'rejected', 'pending', 'processing'],
    ['final', 'pending', 'pending', 'processing'],
    ['final', 'approved', 'approved', 'credited'],
    ['final', 'rejected', 'rejected', 'frozen'],
    ['reorganized', 'pending', 'rejected', 'outside'],
    ['reorganized', 'approved', 'rejected', 'outside'],
    ['reorganized', 'rejected', 'rejected', 'outside'],
  ] as const)(
    'a deposit that is %s and screened as %s has the status %s and is %s',
    (chainState, screening, status, place) => {
      expect(depositStatus({ chainState, screening })).toBe(status)
      expect(placeOf({ chainState, screening, returnState: null })).toBe(place)
    },
  )

  test('a deposit is credited only if it is final and approved', () => {
    const states = chainStates.flatMap((chainState) =>
      screenings.flatMap((screening) =>
        [null, ...returnStates].map((returnState) => ({ chainState, screening, returnState })),
      ),
    )
    expect(states).toHaveLength(27)
    const credited = states.filter((state) => placeOf(state) === 'credited')
    expect(credited).toEqual(
      [null, ...returnStates].map((returnState) => ({ chainState: 'final', screening: 'approved', returnState })),
    )
  })

  test.each(['chainState', 'screening', 'returnState'])('a deposit with an unknown %s has no place', (name) => {
    for (const state of ['escrowed', 'toString', '__proto__']) {
      const deposit: DepositState = { chainState: 'final', screening: 'approved', returnState: null, [name]: state }
      expect(() => placeOf(deposit)).toThrow(`the state "${state}"`)
    }
  })
})

test('only a reorganization reverses a transfer, and only mining it again restores it', () => {
  const moves = chainStates.flatMap((from) =>
    chainStates.filter((to) => mayMoveOnChain(from, to)).map((to) => [from, to]),
  )
  expect(moves).toEqual([
    ['unfinal', 'final'],
    ['unfinal', 'reorganized'],
    ['final', 'reorganized'],
    ['reorganized', 'unfinal'],
  ])
})

test('a screening result can be repeated or overturn a rejection, and never revokes an approval', () => {
  const refused = screenings.flatMap((from) =>
    screenings
      .filter((to) => !mayBeScreened({ chainState: 'final', screening: from, returnState: null }, to))
      .map((to) => [from, to]),
  )
  expect(refused).toEqual([
    ['approved', 'pending'],
    ['approved', 'rejected'],
    ['rejected', 'pending'],
  ])
  expect(
    screenings.some((to) => mayBeScreened({ chainState: 'reorganized', screening: to, returnState: null }, to)),
  ).toBe(false)
})

test('a return id depends on every field of its transfer and differs from withdrawal ids', () => {
  const transfer = { chainId: 1, txHash: '0xab', logPosition: 0, token: '0xt', fromAddress: '0xf', amount: 5n }
  const id = returnIdOf(transfer)
  expect(id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
  expect(returnIdOf({ ...transfer })).toBe(id)
  const others = [{ chainId: 2 }, { txHash: '0xac' }, { logPosition: 1 }, { amount: 6n }, { fromAddress: '0xe' }]
  expect(others.map((other) => returnIdOf({ ...transfer, ...other }))).not.toContain(id)
  expect([isIdOfName(id), isIdOfName(newId(new Date()))]).toEqual([true, false])
})

test('the statement item of a deposit has every field, with the amount in token units', () => {
  const deposit = {
    depositId: '01a1fc4e-f39c-748a-b04f-9ca8209a4d4a',
    chainId: 31337,
    txHash: '0xab',
    amount: 10n ** 20n,
    fromAddress: '0x1000000000000000000000000000000000000001',
    status: 'pending',
    chainState: 'unfinal',
    returnState: null,
    createdAt: new Date('2026-01-31T12:00:00.120Z'),
  } as const
  const token = { symbol: 'EURe', currency: 'EUR', decimals: 18 }
  expect(depositItem(deposit, token)).toEqual({
    type: 'deposit',
    id: deposit.depositId,
    status: 'pending',
    amount: '100000000000000000000',
    currency: 'EURe',
    decimals: 18,
    fiatCurrency: 'EUR',
    isCredit: true,
    createdAt: '2026-01-31T12:00:00.120Z',
    description: 'Deposit of EURe',
    txHash: '0xab',
    fromAddress: deposit.fromAddress,
    chainId: 31337,
  })
  expect(depositItem({ ...deposit, status: 'rejected', chainState: 'reorganized' }, token)).toMatchObject({
    status: 'rejected',
    description: 'Deposit of EURe (REORGED)',
  })
})

describe('the steps from known deposits to the state of their transfer', () => {
  const known = {
    token: '0xa',
    amount: 5n,
    fromAddress: '0xb',
    chainState: 'unfinal' as ChainState,
    screening: 'approved' as Screening,
    returnState: null as ReturnState | null,
  }
  const seen = { token: '0xa', amount: 5n, fromAddress: '0xb', chainState: 'unfinal' as ChainState }
  const begin = () => ({ ...known, screening: 'pending' as Screening })
  const path = (from: typeof known | null, to: Partial<typeof seen>) =>
    sightingSteps(from ? [from] : [], { ...seen, ...to }, begin).map(
      ({ after }) => `${after.chainState} ${after.amount} ${after.screening}`,
    )

  test.each([
    ['a new transfer', null, {}, ['unfinal 5 pending']],
    ['a new transfer that is already final', null, { chainState: 'final' }, ['unfinal 5 pending', 'final 5 pending']],
    ['an unknown transfer that was reorganized', null, { chainState: 'reorganized' }, []],
    ['a repeated transfer', known, {}, []],
    ['a transfer that becomes final', known, { chainState: 'final' }, ['final 5 approved']],
    ['a transfer that was reorganized', known, { chainState: 'reorganized' }, ['reorganized 5 approved']],
    ['a transfer that is mined again', { ...known, chainState: 'reorganized' }, {}, ['unfinal 5 approved']],
    [
      'a final transfer that moved to another block',
      { ...known, chainState: 'final' },
      {},
      ['reorganized 5 approved', 'unfinal 5 approved'],
    ],
    ['a transfer with another amount', known, { amount: 6n }, ['reorganized 5 approved', 'unfinal 6 pending']],
    [
      'a final transfer with another amount',
      known,
      { amount: 6n, chainState: 'final' },
      ['reorganized 5 approved', 'unfinal 6 pending', 'final 6 pending'],
    ],
  ] as const)('%s causes the expected steps of its deposit', (_what, from, to, expected) => {
    expect(path(from as typeof known | null, to as Partial<typeof seen>)).toEqual(expected)
  })

  test('a transfer of another sender or token becomes another deposit', () => {
    for (const change of [{ fromAddress: '0xc' }, { token: '0xd' }]) {
      const begun = { ...begin(), ...change }
      expect(sightingSteps([known], { ...seen, ...change }, () => begun)).toEqual([
        { before: known, after: { ...known, chainState: 'reorganized' } },
        { before: null, after: begun },
      ])
    }
  })

  const sentBack = { ...known, chainState: 'final' as ChainState, screening: 'rejected' as Screening }
  const gone = { chainState: 'reorganized' as ChainState }
  test.each(['signed', 'returned'] as const)(
    'a deposit with the return state "%s" keeps its content, and a different transfer becomes another deposit',
    (returnState) => {
      const old = { ...sentBack, returnState }
      const other = { ...seen, amount: 6n, chainState: 'final' as ChainState }
      const begun = { ...known, ...other, screening: 'pending' as Screening, chainState: 'unfinal' as ChainState }
      const steps = sightingSteps([old], other, () => begun)
      expect(steps).toEqual([
        { before: old, after: { ...old, ...gone } },
        { before: null, after: begun },
        { before: begun, after: { ...begun, chainState: 'final' } },
      ])
      // The reverse: the later deposit is reorganized, and the earlier one is restored.
      const now = [
        { ...old, ...gone },
        { ...begun, chainState: 'final' as ChainState },
      ]
      expect(sightingSteps(now, { ...seen, chainState: 'unfinal' }, () => begun)).toEqual([
        { before: now[1], after: { ...begun, ...gone } },
        { before: now[0], after: { ...old, chainState: 'unfinal' } },
      ])
      expect(sightingSteps(now, { ...seen, ...gone }, () => begun)).toEqual([
        { before: now[1], after: { ...begun, ...gone } },
      ])
    },
  )
})
