import { resultByRules, type ScreeningRules } from '../../config/screening-rules.ts'
import { findToken } from '../../config/stablecoins.ts'
import { UpstreamError } from '../../lib/errors.ts'
import type { ScreeningProvider, ScreeningReport, ScreeningResult } from './screening.ts'

export type SandboxScreeningControls = {
  /** Returns an address whose transfers get this result. */
  senderFor(result: ScreeningResult): string
  reportFor(result: ScreeningResult): ScreeningReport
  /** Makes the next calls fail as if the provider were down. */
  failNext(calls: number): void
}

/** Senders with a fixed result, so that every process returns the same one. */
const senders: Readonly<Record<ScreeningResult, string>> = {
  approved: '0x1000000000000000000000000000000000000001',
  rejected: '0x2000000000000000000000000000000000000002',
  pending: '0x3000000000000000000000000000000000000003',
}

const results = ['approved', 'rejected', 'pending'] as const

const reports: Readonly<Record<ScreeningResult, ScreeningReport>> = {
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
          throw new UpstreamError('screening', 'unavailable', new Error('scripted failure'))
        }
        const { fromAddress } = transfer
        const scripted = results.find((result) => senders[result] === fromAddress)
        if (scripted !== undefined) return reports[scripted]
        const token = findToken(tokens, transfer.token)
        return reports[token === undefined ? 'pending' : resultByRules(rules, transfer, token)]
      },
    },
    controls: {
      senderFor: (result) => senders[result],
      reportFor: (result) => reports[result],
      failNext(calls) {
        failures = calls
      },
    },
  }
}
