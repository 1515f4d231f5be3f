import { Link } from '@tanstack/react-router'
import { useUrlState } from '../../../lib/search.ts'
import { useTitle } from '../../../lib/session.tsx'
import { Badge } from '../../../ui/badge.tsx'
import { shortened } from '../../../ui/copy.tsx'
import { When } from '../../../ui/date.tsx'
import { OperatorName } from '../operator-name.tsx'
import { useOperator } from '../session.tsx'
import { PagedTable, ScreenHead, usePages } from '../table.tsx'
import { useText } from '../text.ts'
import { linkClass, UserLink } from '../values.tsx'

/** The record of revealed personal data: the operator, the user and the reason. */
export function Reads() {
  const { reads: t, session, user } = useText()
  const { purser } = useOperator()
  const [{ userId }] = useUrlState(['userId'])
  useTitle(t.title)
  const pages = usePages(['reads', userId], (cursor) =>
    purser.operator.reads.list({ ...(userId !== null && { userId }), ...(cursor !== undefined && { cursor }) }),
  )
  return (
    <>
      <ScreenHead
        title={t.title}
        text={t.lead}
        actions={
          userId !== null && (
            <span className="flex flex-wrap items-center gap-x-3 text-sm">
              {t.only(shortened(userId))}
              <Link to="/operator/reads" className={linkClass}>
                {t.all}
              </Link>
            </span>
          )
        }
      />
      <PagedTable
        label={t.title}
        pages={pages}
        keyOf={({ readId }) => readId}
        empty={{ title: t.emptyTitle, text: t.emptyText }}
        columns={[
          { head: t.at, cell: ({ readAt }) => <When at={readAt} /> },
          { head: t.by, cell: ({ readBy }) => <OperatorName by={readBy} /> },
          { head: t.role, cell: ({ role }) => <Badge>{session.roles[role]}</Badge> },
          { head: user.user, cell: (read) => <UserLink userId={read.userId} /> },
          { head: user.reason, cell: ({ reason }) => <span className="wrap-anywhere">{reason}</span> },
        ]}
      />
    </>
  )
}
