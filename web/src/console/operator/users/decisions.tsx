import { Badge } from '../../../ui/badge.tsx'
import { CopyId } from '../../../ui/copy.tsx'
import { When } from '../../../ui/date.tsx'
import { useOperator } from '../session.tsx'
import { PagedTable, usePages } from '../table.tsx'
import { useText } from '../text.ts'
import { useUserText } from './text.ts'
import { useUserId } from './user.tsx'

/** The changes that operators made to the user. */
export function UserDecisions() {
  const { decisions: t, at, id } = useUserText()
  const { decide } = useText()
  const { purser } = useOperator()
  const userId = useUserId()
  const commands: Readonly<Record<string, string>> = decide.commands
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
              {commands[command] ?? command} {isBreakGlass && <Badge tone="warn">{t.breakGlass}</Badge>}
            </span>
          ),
        },
        { head: t.reason, cell: ({ reason }) => <span className="wrap-anywhere">{reason}</span> },
        { head: t.by, cell: ({ decidedBy }) => <CopyId id={decidedBy} /> },
        { head: t.approvedBy, cell: ({ approvedBy }) => (approvedBy === null ? '–' : <CopyId id={approvedBy} />) },
        { head: id, cell: ({ decisionId }) => <CopyId id={decisionId} /> },
      ]}
    />
  )
}
