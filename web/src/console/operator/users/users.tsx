import { useTitle } from '../../../lib/session.tsx'
import { When } from '../../../ui/date.tsx'
import { useOperator } from '../session.tsx'
import { PagedTable, ScreenHead, usePages } from '../table.tsx'
import { useText } from '../text.ts'
import { IdLink, UserLink } from '../values.tsx'
import { AccountBadge } from './status.tsx'

export function AllUsers() {
  const { users: t, user: names } = useText()
  const { purser } = useOperator()
  useTitle(t.title)
  const pages = usePages(['users'], (cursor) => purser.operator.users.list({ ...(cursor !== undefined && { cursor }) }))
  return (
    <>
      <ScreenHead title={t.title} text={t.lead} />
      <PagedTable
        label={t.title}
        pages={pages}
        keyOf={({ userId }) => userId}
        empty={{ title: t.emptyTitle, text: t.emptyText }}
        columns={[
          { head: names.user, cell: ({ userId }) => <UserLink userId={userId} /> },
          { head: names.email, cell: ({ email }) => email ?? '–' },
          { head: names.account, cell: (user) => <AccountBadge {...user} /> },
          { head: names.kyc, cell: ({ kycStatus }) => names.kycStatuses[kycStatus] },
          { head: names.country, cell: ({ country }) => country ?? '–' },
          {
            head: names.partner,
            cell: ({ partnerId }) =>
              partnerId === null ? '–' : <IdLink to={`/operator/partners/${partnerId}`} id={partnerId} />,
          },
          { head: names.since, cell: ({ createdAt }) => <When at={createdAt} /> },
        ]}
      />
    </>
  )
}
