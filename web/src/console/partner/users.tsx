import type { ResultOf } from '@purser/client'
import { Link } from '@tanstack/react-router'
import { useSignedIn, useTitle } from '../../lib/session.tsx'
import { LinkButton } from '../../ui/button.tsx'
import { CopyId } from '../../ui/copy.tsx'
import { When } from '../../ui/date.tsx'
import { PageHead, Panel } from '../../ui/layout.tsx'
import { Pages, usePagedRows } from '../../ui/pages.tsx'
import { Empty } from '../../ui/states.tsx'
import { useSentences } from './partner.tsx'
import { useText } from './text.ts'

const pageSize = 25

type User = ResultOf<'partner.users.list'>['data'][number]

/** The users who registered at the partner's domains, newest first. */
export function Users() {
  const t = useText()
  const { purser } = useSignedIn()
  const sentences = useSentences('users:read')
  useTitle(t.users.title)
  const pages = usePagedRows<User>(
    ['users'],
    async (after) => {
      const query = { order: 'newest', limit: pageSize, ...(after !== undefined && { after }) } as const
      const { data, pagination } = await purser.partner.users.list(query)
      return { rows: data, next: pagination.hasNext ? (data.at(-1)?.userId ?? null) : null }
    },
    { refetchInterval: 15_000 },
  )
  return (
    <>
      <PageHead title={t.users.title} text={t.users.lead} />
      <Panel isFlush>
        <Pages
          pages={pages}
          label={t.users.title}
          sentences={sentences}
          keyOf={({ userId }) => userId}
          empty={
            <Empty
              title={t.users.emptyTitle}
              text={t.users.emptyText}
              action={
                <LinkButton to="/partner/domains" look="secondary" size="sm">
                  {t.domains.title}
                </LinkButton>
              }
            />
          }
          columns={[
            { head: t.events.user, cell: ({ userId }) => <CopyId id={userId} isWhole /> },
            { head: t.users.registered, cell: ({ createdAt }) => <When at={createdAt} /> },
            {
              head: t.action,
              isEnd: true,
              cell: ({ userId }) => (
                <Link
                  to="/partner/users/$userId"
                  params={{ userId }}
                  aria-label={t.users.openOne(userId)}
                  className="inline-flex min-h-6 items-center text-accent underline-offset-4 hover:underline"
                >
                  {t.users.open}
                </Link>
              ),
            },
          ]}
        />
      </Panel>
    </>
  )
}
