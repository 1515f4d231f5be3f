import { CopyId } from '../../../ui/copy.tsx'
import { When } from '../../../ui/date.tsx'
import { useOperator } from '../session.tsx'
import { PagedTable, usePages } from '../table.tsx'
import { MarkedNote, useMarked } from './marked.tsx'
import { useUserText } from './text.ts'
import { useUserId } from './user.tsx'

/** The user's events in the event log of the partner. */
export function UserEvents() {
  const { events: t, at, id } = useUserText()
  const { purser } = useOperator()
  const userId = useUserId()
  const marked = useMarked()
  const pages = usePages(['user', userId, 'events'], (cursor) =>
    purser.operator.users.listEvents(userId, { ...(cursor !== undefined && { cursor }) }),
  )
  return (
    <>
      <MarkedNote rows={pages.data?.pages.flatMap(({ data }) => data.map((event) => event.id))} />
      <PagedTable
        label={t.label}
        pages={pages}
        keyOf={(event) => event.id}
        isMarked={(event) => event.id === marked}
        empty={{ title: t.emptyTitle, text: t.emptyText }}
        columns={[
          { head: at, cell: ({ createdAt }) => <When at={createdAt} form="exact" /> },
          { head: t.type, cell: ({ type }) => <code className="text-[0.8125rem]">{type}</code> },
          { head: id, cell: (event) => <CopyId id={event.id} /> },
        ]}
      />
    </>
  )
}
