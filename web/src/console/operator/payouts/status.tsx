import type { OperatorCommand, OperatorPayout } from '@purser/client'
import { Badge, type Tone } from '../../../ui/badge.tsx'
import { useControlText } from '../text/control.ts'
import { useUserText } from '../users/text.ts'

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
  const { withdrawals } = useUserText()
  // The payout is not paid or refunded yet: the decision takes effect later.
  const decisions: Readonly<Record<string, string>> = { ...withdrawals.unpaid, open: t.decisions.open }
  if (userId === null) return <Badge tone="bad">{t.states.unassigned}</Badge>
  if (unpaid !== null && status === 'processing')
    return <Badge tone={unpaid === 'open' ? 'bad' : 'warn'}>{decisions[unpaid] ?? unpaid}</Badge>
  return <Badge tone={tones[status] ?? 'neutral'}>{names[status] ?? status}</Badge>
}
