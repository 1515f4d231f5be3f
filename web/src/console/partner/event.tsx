import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useSignedIn, useTitle } from '../../lib/session.tsx'
import { BackLink } from '../../ui/back-link.tsx'
import { Notice, Outcome } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { CopyId } from '../../ui/copy.tsx'
import { When } from '../../ui/date.tsx'
import { PageHead, Panel } from '../../ui/layout.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { DataTable, TableSkeleton } from '../../ui/table.tsx'
import { EventBody, useEvent } from './event-body.tsx'
import { usePartner, useSentences } from './partner.tsx'
import { DeliveryBadge, Failure, HttpStatus } from './parts.tsx'
import { useText } from './text.ts'

/** One event with its deliveries. */
export function EventPage() {
  const t = useText()
  const { eventId = '' } = useParams({ strict: false })
  const { purser } = useSignedIn()
  const { can } = usePartner()
  const queries = useQueryClient()
  const event = useEvent(eventId)
  const sentences = useSentences('events:read')
  useTitle(t.events.title)
  const endpoints = useQuery({
    queryKey: ['webhooks'],
    queryFn: async () => (await purser.partner.webhooks.list()).data,
  })
  const urlOf = (id: string) => endpoints.data?.find(({ endpointId }) => endpointId === id)?.url ?? id
  const resend = useMutation({
    mutationFn: async () => purser.partner.events.resend(eventId, {}),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['event', eventId] }),
  })
  return (
    <>
      <BackLink to="/partner/events">{t.events.title}</BackLink>
      <PageHead
        title={event.data?.event.type ?? t.events.one}
        titleWhileLoading={t.events.one}
        text={<CopyId id={eventId} isWhole />}
        actions={
          can('webhooks:write') && (
            <Button look="secondary" isPending={resend.isPending} onClick={() => resend.mutate()}>
              {t.deliveries.resend}
            </Button>
          )
        }
      />
      <div className="grid grid-cols-1 gap-6">
        <Outcome>
          {resend.isSuccess && <Notice tone="good">{t.deliveries.resent(resend.data.deliveries)}</Notice>}
        </Outcome>
        <Failure mutation={resend} permission="webhooks:write" />
        <Panel title={t.deliveries.title} isFlush>
          <Loaded query={event} loading={<TableSkeleton rows={1} />} sentences={sentences}>
            {({ deliveries }) =>
              deliveries.length === 0 ? (
                <Empty title={t.events.noDeliveries} text={t.events.noDeliveriesText} />
              ) : (
                <DataTable
                  label={t.deliveries.title}
                  rows={deliveries}
                  keyOf={({ endpointId }) => endpointId}
                  columns={[
                    {
                      head: t.deliveries.endpoint,
                      cell: ({ endpointId }) => (
                        <Link
                          to="/partner/webhooks/$endpointId/$eventId"
                          params={{ endpointId, eventId }}
                          className="font-mono text-[0.8125rem] wrap-anywhere underline-offset-4 hover:underline"
                        >
                          {urlOf(endpointId)}
                        </Link>
                      ),
                    },
                    { head: t.deliveries.status, cell: ({ status }) => <DeliveryBadge status={status} /> },
                    { head: t.deliveries.attempts, isEnd: true, cell: ({ attempts }) => attempts },
                    {
                      head: t.deliveries.response,
                      cell: ({ responseStatus }) => <HttpStatus status={responseStatus} />,
                    },
                    {
                      head: t.deliveries.lastAttempt,
                      isEnd: true,
                      cell: ({ attemptedAt }) => (attemptedAt === null ? '–' : <When at={attemptedAt} />),
                    },
                  ]}
                />
              )
            }
          </Loaded>
        </Panel>
        <EventBody eventId={eventId} />
      </div>
    </>
  )
}
