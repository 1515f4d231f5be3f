import type { OperatorCommand, PartnerSummary } from '@purser/client'
import { Badge, type Tone } from '../../../ui/badge.tsx'
import { useControlText } from '../text/control.ts'

export const partnerCommands: readonly OperatorCommand[] = ['partner approve', 'partner suspend', 'partner details']

const tones: Readonly<Record<PartnerSummary['status'], Tone>> = { pending: 'warn', active: 'good', suspended: 'bad' }

export function PartnerBadge({ status }: Pick<PartnerSummary, 'status'>) {
  const { partners: t } = useControlText()
  return <Badge tone={tones[status]}>{t.statuses[status]}</Badge>
}
