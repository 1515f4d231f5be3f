import type { Decision } from '@purser/client'
import { useQuery } from '@tanstack/react-query'
import { Badge } from '../../../ui/badge.tsx'
import { useControlText } from '../text/control.ts'

/** Verifies a decision once. The first verification loads the cryptography. */
export function useVerified(decision: Decision) {
  return useQuery({
    queryKey: ['operator', 'verified', decision.decisionId, decision],
    enabled: !decision.isBreakGlass,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () => (await import('./verify.ts')).verifyDecision(decision),
  })
}

export function VerificationBadge({ decision }: { decision: Decision }) {
  const { decisions: t } = useControlText()
  const { data, error } = useVerified(decision)
  if (decision.isBreakGlass) return <Badge tone="warn">{t.breakGlass}</Badge>
  if (error !== null) return <Badge tone="bad">{t.invalid}</Badge>
  if (data === undefined) return <Badge>{t.verifying}</Badge>
  if (data.problems.length > 0) return <Badge tone="bad">{t.invalid}</Badge>
  const verified = data.signers.length - data.contracts
  return (
    <span className="inline-flex gap-1">
      {verified > 0 && <Badge tone="good">{t.valid(verified)}</Badge>}
      {data.contracts > 0 && <Badge>{t.unverified}</Badge>}
    </span>
  )
}
