import type { OperatorCommand, OperatorPayout } from '@purser/client'
import { Badge, type Tone } from '../../../ui/badge.tsx'
import { useControlText } from '../text/control.ts'

export const payoutCommands: readonly OperatorCommand[] = ['payouts decide', 'payouts cancel', 'payouts assign']

const tones: Readonly<Record<string, Tone>> = {
  pending: 'neutral',
  processing: 'info',
  completed: 'good',
  failed: 'bad',
}

/** The status of a payout. An unpaid or unassigned one shows what it waits for instead. */
export function PayoutBadge({ payout: { userId, status, unpaid } }: { payout: OperatorPayout }) {
  const { payouts: t } = useControlText()
  const names: Readonly<Record<string, string>> = t.statuses
  const decisions: Readonly<Record<string, string>> = t.decisions
  if (userId === null) return <Badge tone="bad">{t.states.unassigned}</Badge>
  if (unpaid !== null && status === 'processing')
    return <Badge tone={unpaid === 'open' ? 'bad' : 'warn'}>{decisions[unpaid] ?? unpaid}</Badge>
  return <Badge tone={tones[status] ?? 'neutral'}>{names[status] ?? status}</Badge>
}
