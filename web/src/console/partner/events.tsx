import type { Event } from '@purser/client'
import { Link } from '@tanstack/react-router'
import { useUrlState } from '../../lib/search.ts'
import { useSignedIn, useTitle } from '../../lib/session.tsx'
import { Button, LinkButton } from '../../ui/button.tsx'
import { CopyId } from '../../ui/copy.tsx'
import { When } from '../../ui/date.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { PageHead, Panel } from '../../ui/layout.tsx'
import { Pages, usePagedRows } from '../../ui/pages.tsx'
import { Empty } from '../../ui/states.tsx'
import { eventTypeOf, eventTypeOptions } from './event-types.ts'
import { useSentences } from './partner.tsx'
import { useText } from './text.ts'

const pageSize = 25
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Returns the user of an event; null: it is about the partner. */
export const userOf = ({ data }: Event): string | null =>
  typeof data['userId'] === 'string' && uuid.test(data['userId']) ? data['userId'] : null

/** The event log of the last 30 days, newest first. */
export function Events() {
  const t = useText()
  const { purser } = useSignedIn()
  const sentences = useSentences('events:read')
  const [search, change] = useUrlState(['type', 'userId'])
  useTitle(t.events.title)
  const type = eventTypeOf(search.type)
  const userId = search.userId?.trim() ?? ''
  const isWrong = userId !== '' && !uuid.test(userId)
  const filters = { ...(type && { type }), ...(uuid.test(userId) && { userId }) }
  const isFiltered = Object.keys(filters).length > 0
  const pages = usePagedRows<Event>(
    ['events', filters],
    async (after) => {
      const query = { ...filters, order: 'newest', limit: pageSize, ...(after !== undefined && { after }) } as const
      const { data, pagination } = await purser.partner.events.list(query)
      return { rows: data, next: pagination.hasNext ? (data.at(-1)?.id ?? null) : null }
    },
    { refetchInterval: 15_000 },
  )
  return (
    <>
      <PageHead title={t.events.title} text={t.events.lead} />
      <Panel isFlush>
        <div className="grid gap-4 px-4 py-5 sm:grid-cols-2 sm:px-6">
          <SelectField
            label={t.deliveries.type}
            value={type ?? ''}
            options={[{ value: '', label: t.all }, ...eventTypeOptions]}
            onPick={(value) => change({ type: value || null })}
          />
          <TextField
            label={t.events.user}
            error={isWrong ? t.events.userWrong : null}
            value={search.userId ?? ''}
            className="font-mono"
            onChange={(event) => change({ userId: event.currentTarget.value || null })}
          />
        </div>
        <Pages
          pages={pages}
          label={t.events.title}
          sentences={sentences}
          keyOf={({ id }) => id}
          empty={
            <Empty
              title={isFiltered ? t.nothingMatches : t.events.emptyTitle}
              text={isFiltered ? undefined : t.events.emptyText}
              action={
                isFiltered ? (
                  <Button look="secondary" size="sm" onClick={() => change({ type: null, userId: null })}>
                    {t.showAll}
                  </Button>
                ) : (
                  <LinkButton to="/partner/webhooks" look="secondary" size="sm">
                    {t.webhooks.title}
                  </LinkButton>
                )
              }
            />
          }
          columns={[
            {
              head: t.deliveries.type,
              cell: ({ id, type: own }) => (
                <Link
                  to="/partner/events/$eventId"
                  params={{ eventId: id }}
                  className="font-mono text-[0.8125rem] underline-offset-4 hover:underline"
                >
                  {own}
                </Link>
              ),
            },
            { head: t.created, cell: ({ createdAt }) => <When at={createdAt} /> },
            {
              head: t.events.userColumn,
              cell: (event) => {
                const id = userOf(event)
                return id === null ? '–' : <CopyId id={id} />
              },
            },
            { head: t.deliveries.event, isEnd: true, cell: ({ id }) => <CopyId id={id} /> },
          ]}
        />
      </Panel>
    </>
  )
}
