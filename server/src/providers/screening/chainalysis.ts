import { Type } from 'typebox'
import { type AlertLevel, alertLevels, type ChainalysisConfig } from '../../config/screening.ts'
import { findToken } from '../../config/stablecoins.ts'
import { UpstreamError } from '../../lib/errors.ts'
import { formatMajor } from '../../lib/money.ts'
import { call, readResponse } from '../../platform/net/http-call.ts'
import type { ScreeningProvider, ScreeningReport } from './screening.ts'

type Coin = { readonly address: string; readonly symbol: string; readonly decimals: number }

const port = 'screening'

const Registered = Type.Object({ externalId: Type.String({ minLength: 1, maxLength: 200 }) })
/** `updatedAt` is null until the analysis is complete. */
const Summary = Type.Object({ updatedAt: Type.Union([Type.String({ minLength: 1 }), Type.Null()]) })
const Alerts = Type.Object({
  alerts: Type.Array(Type.Object({ alertLevel: Type.Enum([...alertLevels]) })),
})

/**
 * Creates the adapter of Chainalysis KYT, API version 2 (docs.chainalysis.com/api/kyt). A received transfer is
 * registered under a user id and analyzed within about a minute. Its alerts then give the result. Registration is
 * idempotent, so the adapter is stateless. A missing, late, malformed or rejected response is never a result.
 */
export function createChainalysis(config: ChainalysisConfig, tokens: readonly Coin[]): ScreeningProvider {
  const headers = { token: config.apiKey, accept: 'application/json' }

  async function get(path: string) {
    return call({ port, method: 'GET', url: `${config.url}/v2${path}`, headers })
  }

  return {
    async screen({ userId, chainId, txHash, token: address, toAddress, amount, seenAt }) {
      const network = config.networks[chainId]
      const token = findToken(tokens, address)
      if (network === undefined || token === undefined) {
        throw new UpstreamError(
          port,
          'not_configured',
          new Error(`chain ${chainId} or token ${address} is not configured at the provider`),
        )
      }
      const response = await call({
        port,
        method: 'POST',
        url: `${config.url}/v2/users/${encodeURIComponent(userId)}/transfers`,
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({
          network,
          asset: token.symbol,
          transferReference: `${txHash}:${toAddress}`,
          direction: 'received',
          transferTimestamp: seenAt.toISOString(),
          outputAddress: toAddress,
          // The provider requires a JSON number. It only appears in its reports.
          assetAmount: Number(formatMajor(amount, token.decimals)),
        }),
      })
      const transfer = `/transfers/${encodeURIComponent(readResponse(port, Registered, response).externalId)}`
      const { updatedAt } = readResponse(port, Summary, await get(transfer))
      if (updatedAt === null) return { result: 'pending', riskScore: 0, riskTier: 'unknown' }
      const { alerts } = readResponse(port, Alerts, await get(`${transfer}/alerts`))
      return reportOf(
        alerts.map(({ alertLevel }) => alertLevel),
        config.refusedFrom,
      )
    },
  }
}

/** Derives the result from the most severe alert. Each level adds a quarter to the score. */
function reportOf(levels: readonly AlertLevel[], refusedFrom: AlertLevel): ScreeningReport {
  const rank = (level: AlertLevel) => alertLevels.indexOf(level)
  const worst = Math.max(-1, ...levels.map(rank))
  return {
    result: worst >= rank(refusedFrom) ? 'rejected' : 'approved',
    riskScore: (worst + 1) * 25,
    riskTier: (alertLevels[worst] ?? 'LOW').toLowerCase(),
  }
}
