import type { PartnerRequest } from '@purser/client'
import { useUrlState } from '../../lib/search.ts'
import { useSignedIn, useTitle } from '../../lib/session.tsx'
import { Button } from '../../ui/button.tsx'
import { CopyId } from '../../ui/copy.tsx'
import { When } from '../../ui/date.tsx'
import { Segments } from '../../ui/field.tsx'
import { PageHead, Panel } from '../../ui/layout.tsx'
import { Pages, usePagedRows } from '../../ui/pages.tsx'
import { Empty } from '../../ui/states.tsx'
import { useSentences } from './partner.tsx'
import { ActorName, HttpStatus } from './parts.tsx'
import { useText } from './text.ts'

const pageSize = 25

/** The requests of members and API keys in the last 7 days. */
export function Requests() {
  const t = useText()
  const { purser } = useSignedIn()
  const sentences = useSentences('audit:read')
  const [{ failed }, change] = useUrlState(['failed'])
  useTitle(t.requests.title)
  const pages = usePagedRows<PartnerRequest>(['requests', failed], async (cursor) => {
    const query = {
      limit: pageSize,
      ...(failed !== null && { failed: 'true' as const }),
      ...(cursor !== undefined && { cursor }),
    }
    const { data, pagination } = await purser.partner.requests.list(query)
    return { rows: data, next: pagination.nextCursor }
  })
  return (
    <>
      <PageHead
        title={t.requests.title}
        text={t.requests.lead}
        actions={
          <>
            <Segments
              label={t.requests.which}
              value={failed === null ? 'all' : 'failed'}
              options={[
                { value: 'all', label: t.requests.all },
                { value: 'failed', label: t.requests.failed },
              ]}
              onPick={(value) => change({ failed: value === 'all' ? null : 'true' })}
            />
            <Button look="secondary" size="sm" isPending={pages.isRefetching} onClick={() => void pages.refetch()}>
              {t.refresh}
            </Button>
          </>
        }
      />
      <Panel isFlush>
        <Pages
          pages={pages}
          label={t.requests.title}
          sentences={sentences}
          keyOf={({ requestId }) => requestId}
          empty={
            <Empty title={failed === null ? t.requests.emptyTitle : t.requests.noFailed} text={t.requests.emptyText} />
          }
          columns={[
            {
              head: t.requests.route,
              cell: ({ method, route }) => (
                <span className="font-mono text-[0.8125rem] wrap-anywhere">
                  {method} {route}
                </span>
              ),
            },
            {
              head: t.requests.status,
              cell: ({ status, code }) => (
                <span className="inline-flex flex-wrap items-center gap-2">
                  <HttpStatus status={status} />
                  {code !== null && (
                    <a href={`/docs/errors/${code}/`} className="font-mono text-xs underline">
                      {code}
                    </a>
                  )}
                </span>
              ),
            },
            { head: t.requests.actor, cell: ({ actor }) => <ActorName actor={actor} /> },
            { head: t.requests.time, cell: ({ requestedAt }) => <When at={requestedAt} /> },
            {
              head: t.requests.duration,
              isEnd: true,
              cell: ({ milliseconds }) => (
                <span className="whitespace-nowrap tabular-nums">{t.deliveries.milliseconds(milliseconds)}</span>
              ),
            },
            { head: t.requests.id, isEnd: true, cell: ({ requestId }) => <CopyId id={requestId} /> },
          ]}
        />
      </Panel>
    </>
  )
}
