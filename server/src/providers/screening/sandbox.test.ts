import { describe, expect, test } from 'vitest'
import type { ScreeningRules } from '../../config/screening-rules.ts'
import { UpstreamError } from '../../lib/errors.ts'
import { createSandboxScreening } from './sandbox.ts'
import { screenedTransfer, screeningContract } from './screening.contract.ts'

const tokens = [{ address: screenedTransfer.token, currency: 'EUR', decimals: 18 }]
const none: ScreeningRules = { refusedSenders: [], reviewedSenders: [], refusedFrom: {}, reviewedFrom: {} }
const somebody = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const { provider, controls } = createSandboxScreening(none, tokens)

describe('the sandbox screening satisfies the contract of the port', () => {
  screeningContract(() => provider, { clean: controls.senderFor('approved'), refused: controls.senderFor('rejected') })
})

test('scripts can leave a transfer pending or fail the sandbox screening', async () => {
  const transfer = { ...screenedTransfer, fromAddress: controls.senderFor('pending') }
  expect(await provider.screen(transfer)).toEqual({ result: 'pending', riskScore: 0, riskTier: 'unknown' })
  controls.failNext(1)
  await expect(provider.screen(transfer)).rejects.toThrow(UpstreamError)
})

const cent = 10n ** 16n
const other = '0x90F79bf6EB2c4f870365E785982E1f101E93b906'
test.each([
  ['a transfer that matches no rule', 'approved', {}, somebody, 100n * cent],
  ['a transfer from a refused sender', 'rejected', { refusedSenders: [somebody] }, somebody, 1n],
  ['a transfer from another sender', 'approved', { refusedSenders: [somebody] }, other, 1n],
  ['a transfer from a sender under review', 'pending', { reviewedSenders: [somebody] }, somebody, 1n],
  [
    'a transfer one unit below the review amount',
    'approved',
    { reviewedFrom: { EUR: 100n } },
    somebody,
    100n * cent - 1n,
  ],
  ['a transfer of the review amount', 'pending', { reviewedFrom: { EUR: 100n } }, somebody, 100n * cent],
  [
    'a transfer of the refused amount',
    'rejected',
    { reviewedFrom: { EUR: 1n }, refusedFrom: { EUR: 100n } },
    somebody,
    100n * cent,
  ],
  ['a transfer of a large amount in another currency', 'approved', { refusedFrom: { USD: 1n } }, somebody, 100n * cent],
] as const)('for %s, the sandbox screening returns %s', async (_what, result, rules, fromAddress, amount) => {
  const { provider } = createSandboxScreening({ ...none, ...rules }, tokens)
  expect((await provider.screen({ ...screenedTransfer, fromAddress, amount })).result).toBe(result)
})

test('a transfer of an unknown token stays pending in the sandbox screening', async () => {
  const transfer = { ...screenedTransfer, fromAddress: somebody }
  expect((await createSandboxScreening(none, []).provider.screen(transfer)).result).toBe('pending')
})
