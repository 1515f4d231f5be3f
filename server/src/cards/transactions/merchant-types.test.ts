import { expect, test } from 'vitest'
import { readConfig } from '../../config/config.ts'
import { figureForMerchant } from './merchant-types.ts'

test('the figure configured for a merchant type takes precedence over the default', () => {
  const { holdDays, clearingTolerance } = readConfig({})
  const figures = ['3350', '3351', '3500', '3501', '4411', '5541', '5542', '7011'].map((mcc) =>
    figureForMerchant(holdDays, mcc),
  )
  expect(figures).toEqual([7, 31, 31, 7, 31, 3, 3, 31])
  expect([clearingTolerance.default, clearingTolerance.foreign]).toEqual([0, 3])
  expect([figureForMerchant(clearingTolerance, '5813'), figureForMerchant(clearingTolerance, '7512')]).toEqual([20, 15])
})
