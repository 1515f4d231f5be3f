import { resultByRules, type ScreeningRules } from '../../config/screening-rules.ts'
import { findToken } from '../../config/stablecoins.ts'
import { UpstreamError } from '../../lib/errors.ts'
import type { ScreeningOutcome, ScreeningProvider, ScreeningResult } from './screening.ts'

export type SandboxScreeningControls = {
  /** An address whose transfers get this result. */
  senderFor(result: ScreeningOutcome): string
  resultFor(result: ScreeningOutcome): ScreeningResult
  /** The next questions fail, as those to a provider that is down. */
  failNext(questions: number): void
}

/** The verdict depends on the transfer alone: it needs no memory, so any process gives it, also after a restart. */
const senders: Readonly<Record<ScreeningOutcome, string>> = {
  approved: '0x1000000000000000000000000000000000000001',
  rejected: '0x2000000000000000000000000000000000000002',
  pending: '0x3000000000000000000000000000000000000003',
}

const outcomes = ['approved', 'rejected', 'pending'] as const

const results: Readonly<Record<ScreeningOutcome, ScreeningResult>> = {
  approved: { result: 'approved', riskScore: 5, riskTier: 'low' },
  rejected: { result: 'rejected', riskScore: 95, riskTier: 'severe' },
  pending: { result: 'pending', riskScore: 0, riskTier: 'unknown' },
}

type Coin = { readonly address: string; readonly currency: string; readonly decimals: number }

export function createSandboxScreening(
  rules: ScreeningRules,
  tokens: readonly Coin[],
): { provider: ScreeningProvider; controls: SandboxScreeningControls } {
  let failures = 0
  return {
    provider: {
      async screen(transfer) {
        if (failures > 0) {
          failures -= 1
          throw new UpstreamError('screening', 'scripted failure')
        }
        const { fromAddress } = transfer
        const scripted = outcomes.find((result) => senders[result] === fromAddress)
        if (scripted !== undefined) return results[scripted]
        const token = findToken(tokens, transfer.token)
        return results[token === undefined ? 'pending' : resultByRules(rules, transfer, token)]
      },
    },
    controls: {
      senderFor: (result) => senders[result],
      resultFor: (result) => results[result],
      failNext(questions) {
        failures = questions
      },
    },
  }
}
