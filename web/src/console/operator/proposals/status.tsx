import type { Proposal } from '@purser/client'
import { Badge, type Tone } from '../../../ui/badge.tsx'
import { useControlText } from '../text/control.ts'

const tones: Readonly<Record<Proposal['status'], Tone>> = {
  open: 'warn',
  executed: 'good',
  rejected: 'neutral',
  lapsed: 'bad',
  expired: 'neutral',
}

export function ProposalBadge({ status }: Pick<Proposal, 'status'>) {
  const { proposals: t } = useControlText()
  return <Badge tone={tones[status]}>{t.statuses[status]}</Badge>
}
