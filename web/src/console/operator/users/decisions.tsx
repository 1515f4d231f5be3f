import { Badge } from '../../../ui/badge.tsx'
import { When } from '../../../ui/date.tsx'
import { commandName } from '../command-name.ts'
import { OperatorName } from '../operator-name.tsx'
import { useOperator } from '../session.tsx'
import { PagedTable, usePages } from '../table.tsx'
import { useText } from '../text.ts'
import { IdLink } from '../values.tsx'
import { useUserText } from './text.ts'
import { useUserId } from './user.tsx'

/** The changes that operators made to the user. */
export function UserDecisions() {
  const { decisions: t, at, id } = useUserText()
  const { decide } = useText()
  const { purser } = useOperator()
  const userId = useUserId()
  const pages = usePages(['user', userId, 'decisions'], (cursor) =>
    purser.operator.users.listDecisions(userId, { ...(cursor !== undefined && { cursor }) }),
  )
  return (
    <PagedTable
      label={t.label}
      pages={pages}
      keyOf={({ decisionId }) => decisionId}
      empty={{ title: t.emptyTitle, text: t.emptyText }}
      columns={[
        { head: at, cell: ({ decidedAt }) => <When at={decidedAt} /> },
        {
          head: t.command,
          cell: ({ command, isBreakGlass }) => (
            <span className="inline-flex flex-wrap items-center gap-x-2">
              {commandName(decide.commands, command)} {isBreakGlass && <Badge tone="warn">{t.breakGlass}</Badge>}
            </span>
          ),
        },
        { head: t.reason, cell: ({ reason }) => <span className="wrap-anywhere">{reason}</span> },
        { head: t.by, cell: ({ decidedBy }) => <OperatorName by={decidedBy} /> },
        { head: t.approvedBy, cell: ({ approvedBy }) => <OperatorName by={approvedBy} /> },
        { head: id, cell: ({ seq, decisionId }) => <IdLink to={`/operator/decisions/${seq}`} id={decisionId} /> },
      ]}
    />
  )
}
