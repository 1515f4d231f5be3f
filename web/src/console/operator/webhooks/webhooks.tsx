import type { DeadLetter } from '@purser/client'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useTitle } from '../../../lib/session.tsx'
import { Button } from '../../../ui/button.tsx'
import { CopyId } from '../../../ui/copy.tsx'
import { When } from '../../../ui/date.tsx'
import { Empty, ErrorNote, Loaded } from '../../../ui/states.tsx'
import { useUiText } from '../../../ui/text.ts'
import { DecideButton } from '../deciding.tsx'
import { OpenProposals } from '../open-proposals.tsx'
import { EndpointBadge } from '../partners/registrations.tsx'
import { useOperator } from '../session.tsx'
import { ScreenHead, Sheet, SkeletonTable, Table, usePages } from '../table.tsx'
import { useControlText } from '../text/control.ts'

/** Dead letters, endpoint by endpoint: whose endpoint it is, how it fails, and the resend. */
export function DeadLetters() {
  const { webhooks: t } = useControlText()
  const ui = useUiText()
  const { purser } = useOperator()
  useTitle(t.title)
  const pages = usePages(['dead-letters'], (cursor) =>
    purser.operator.webhooks.listDead({ limit: 100, ...(cursor !== undefined && { cursor }) }),
  )
  const letters = pages.data?.pages.flatMap(({ data }) => data) ?? []
  const byEndpoint = [...Map.groupBy(letters, ({ endpointId }) => endpointId)]
  return (
    <>
      <ScreenHead title={t.title} text={t.lead} />
      <OpenProposals commands={['webhooks resend']} />
      <Loaded query={pages} loading={<Sheet children={<SkeletonTable />} />}>
        {() =>
          letters.length === 0 ? (
            <Sheet>
              <Empty title={t.emptyTitle} text={t.emptyText} />
            </Sheet>
          ) : (
            <div className="grid gap-8">
              {byEndpoint.map(([endpointId, rows], index) => (
                <Endpoint
                  key={endpointId}
                  endpointId={endpointId}
                  letters={rows}
                  isCut={pages.hasNextPage && index === byEndpoint.length - 1}
                />
              ))}
              {pages.hasNextPage && (
                <div className="flex items-center gap-3 text-sm text-soft">
                  <Button
                    look="secondary"
                    size="sm"
                    isPending={pages.isFetchingNextPage}
                    onClick={() => void pages.fetchNextPage()}
                  >
                    {ui.more}
                  </Button>
                  {t.truncated(letters.length)}
                </div>
              )}
              {pages.isFetchNextPageError && <ErrorNote error={pages.error} />}
            </div>
          )
        }
      </Loaded>
    </>
  )
}

type Props = {
  readonly endpointId: string
  readonly letters: readonly DeadLetter[]
  /** Whether the endpoint may have more dead letters than were read. */
  readonly isCut: boolean
}

const shownLetters = 10

function Endpoint({ endpointId, letters, isCut }: Props) {
  const { webhooks: t } = useControlText()
  const { purser, may } = useOperator()
  const partnerId = letters[0]?.partnerId ?? ''
  const { data: partner } = useQuery({
    queryKey: ['operator', 'partner', partnerId],
    enabled: may('partners:read'),
    queryFn: async () => purser.operator.partners.get(partnerId),
  })
  const endpoint = partner?.endpoints.find((each) => each.endpointId === endpointId)
  return (
    <section aria-label={endpoint?.url ?? endpointId} className="grid gap-3">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <div className="grid min-w-0 gap-0.5">
          <h2 className="font-semibold wrap-anywhere">{endpoint?.url ?? <CopyId id={endpointId} />}</h2>
          <p className="flex flex-wrap items-baseline gap-x-3 text-sm text-soft">
            {isCut ? t.atLeast(letters.length) : t.count(letters.length)}
            <Link to={`/operator/partners/${partnerId}`} className="text-accent underline underline-offset-2">
              {partner?.name ?? t.partner}
            </Link>
            {endpoint !== undefined && <EndpointBadge endpoint={endpoint} />}
          </p>
        </div>
        <DecideButton request={{ command: 'webhooks resend', subject: endpointId }}>
          {t.resend} <span className="sr-only">{endpoint?.url}</span>
        </DecideButton>
      </div>
      <Sheet>
        <Table
          label={endpoint?.url ?? endpointId}
          rows={letters.slice(0, shownLetters)}
          keyOf={({ eventId }) => eventId}
          columns={[
            { head: t.event, cell: ({ eventId }) => <CopyId id={eventId} /> },
            { head: t.type, cell: ({ type }) => <code className="text-[0.8125rem]">{type}</code> },
            { head: t.failure, cell: (letter) => <Failure letter={letter} /> },
            { head: t.attempts, isNumber: true, cell: ({ attempts }) => attempts },
            { head: t.attempted, cell: ({ attemptedAt }) => (attemptedAt === null ? '–' : <When at={attemptedAt} />) },
          ]}
        />
      </Sheet>
      {letters.length > shownLetters && <p className="text-sm text-soft">{t.truncated(shownLetters)}</p>}
    </section>
  )
}

function Failure({ letter: { responseStatus, error } }: { letter: DeadLetter }) {
  const { webhooks: t } = useControlText()
  const parts = [responseStatus === null ? null : t.status(responseStatus), error].filter((part) => part !== null)
  return <span className="text-bad wrap-anywhere">{parts.join(' · ') || '–'}</span>
}
