import type { DeliveryAttempt } from '@purser/client'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useSignedIn, useTitle } from '../../lib/session.tsx'
import { BackLink } from '../../ui/back-link.tsx'
import { Button } from '../../ui/button.tsx'
import { CodeBlock, CopyId } from '../../ui/copy.tsx'
import { When } from '../../ui/date.tsx'
import { Facts, PageHead, Panel } from '../../ui/layout.tsx'
import { pollAfter } from '../../ui/poll.ts'
import { Loaded, Skeleton } from '../../ui/states.tsx'
import { EventBody } from './event-body.tsx'
import { usePartner, useSentences } from './partner.tsx'
import { DeliveryBadge, Failure, HttpStatus } from './parts.tsx'
import { useText } from './text.ts'

const pollMilliseconds = 2_000
const maxAttempts = 50

/** One delivery: each attempt with its response, and the event. */
export function DeliveryPage() {
  const t = useText()
  const { endpointId = '', eventId = '' } = useParams({ strict: false })
  const { purser } = useSignedIn()
  const { can } = usePartner()
  const queries = useQueryClient()
  const sentences = useSentences('events:read')
  useTitle(t.deliveries.one)
  const delivery = useQuery({
    queryKey: ['delivery', endpointId, eventId],
    queryFn: async () => purser.partner.webhooks.getDelivery(endpointId, eventId),
    refetchInterval: ({ state }) =>
      state.data?.delivery.status === 'pending' && pollAfter(pollMilliseconds, state.error),
  })
  const resend = useMutation({
    mutationFn: async () => purser.partner.events.resend(eventId, { endpointId }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['delivery', endpointId, eventId] }),
  })
  return (
    <>
      <BackLink to="/partner/webhooks/$endpointId" params={{ endpointId } as never}>
        {t.deliveries.title}
      </BackLink>
      <PageHead
        title={delivery.data?.delivery.type ?? t.deliveries.one}
        titleWhileLoading={t.deliveries.one}
        actions={
          can('webhooks:write') && (
            <Button look="secondary" isPending={resend.isPending} onClick={() => resend.mutate()}>
              {t.deliveries.resend}
            </Button>
          )
        }
      />
      {resend.error !== null && (
        <div className="mb-6">
          <Failure mutation={resend} permission="webhooks:write" />
        </div>
      )}
      <Loaded query={delivery} loading={<Skeleton className="h-96" />} sentences={sentences}>
        {({ delivery: one, attempts }) => (
          <div className="grid grid-cols-1 items-start gap-6 xl:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
            <Panel title={t.deliveries.history} isFlush>
              {attempts.length === 0 ? (
                <p className="px-4 pb-5 text-sm text-soft sm:px-6">{t.deliveries.noAttempt}</p>
              ) : (
                <ol className="divide-y divide-line border-t border-line">
                  {attempts.map((attempt) => (
                    <Attempt key={attempt.attemptedAt} attempt={attempt} />
                  ))}
                </ol>
              )}
              {attempts.length >= maxAttempts && (
                <p className="border-t border-line px-4 py-3 text-sm text-soft sm:px-6">
                  {t.deliveries.latestAttempts(maxAttempts)}
                </p>
              )}
            </Panel>
            <div className="max-xl:order-first">
              <Panel title={t.deliveries.one}>
                <Facts
                  rows={[
                    [t.deliveries.status, <DeliveryBadge key="status" status={one.status} />],
                    [t.created, <When key="created" at={one.createdAt} form="full" />],
                    [
                      t.deliveries.nextAttempt,
                      one.nextAttemptAt === null ? '–' : <When key="next" at={one.nextAttemptAt} form="second" />,
                    ],
                    [t.deliveries.event, <CopyId key="event" id={one.eventId} />],
                  ]}
                />
              </Panel>
            </div>
            <div className="xl:col-span-2">
              <EventBody eventId={eventId} />
            </div>
          </div>
        )}
      </Loaded>
    </>
  )
}

function Attempt({ attempt }: { attempt: DeliveryAttempt }) {
  const t = useText()
  const { attemptedAt, milliseconds, responseStatus, response, error } = attempt
  return (
    <li className="grid grid-cols-1 gap-3 px-4 py-4 text-sm sm:px-6">
      <p className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <HttpStatus status={responseStatus} />
        <span className="tabular-nums">{t.deliveries.milliseconds(milliseconds)}</span>
        <span className="text-soft">
          <When at={attemptedAt} form="day" /> <When at={attemptedAt} form="second" />
        </span>
      </p>
      {error !== null && <p className="text-bad wrap-anywhere">{error}</p>}
      {response === '' && <p className="text-soft">{t.deliveries.emptyResponse}</p>}
      {response !== null && response !== '' && <CodeBlock label={t.deliveries.responseBody} code={response} />}
    </li>
  )
}
