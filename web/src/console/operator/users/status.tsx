import type { OperatorUser } from '@purser/client'
import { Badge, type Tone } from '../../../ui/badge.tsx'
import { useText } from '../text.ts'

const tones: Readonly<Record<NonNullable<OperatorUser['accountStatus']>, Tone>> = {
  provisioning: 'info',
  active: 'good',
  blocked: 'bad',
  closed: 'neutral',
}

/** The status of a user and of their account. A closed user has a closed account. */
export function AccountBadge({ status, accountStatus }: Pick<OperatorUser, 'status' | 'accountStatus'>) {
  const { user: t } = useText()
  if (status === 'closed') return <Badge>{t.accounts.closed}</Badge>
  if (accountStatus === null) return <Badge>{t.noAccount}</Badge>
  return <Badge tone={tones[accountStatus]}>{t.accounts[accountStatus]}</Badge>
}
