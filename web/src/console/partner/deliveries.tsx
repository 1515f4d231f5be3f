import type { BodyOf, Delivery, WebhookEndpoint } from '@purser/client'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useOnce } from '../../lib/decided.ts'
import { serviceNow } from '../../lib/facts.ts'
import { useUrlState } from '../../lib/search.ts'
import { useSignedIn } from '../../lib/session.tsx'
import { utcOf } from '../../lib/utc.ts'
import { Notice, Outcome } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { When } from '../../ui/date.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Panel } from '../../ui/layout.tsx'
import { Pages, usePagedRows } from '../../ui/pages.tsx'
import { pollAfter } from '../../ui/poll.ts'
import { Empty, ErrorNote } from '../../ui/states.tsx'
import { useUiText } from '../../ui/text.ts'
import { eventTypeOf, eventTypeOptions } from './event-types.ts'
import { usePartner, useSentences } from './partner.tsx'
import { DeliveryBadge, Failure, HttpStatus } from './parts.tsx'
import { useText } from './text.ts'

const statuses = ['pending', 'delivered', 'dead'] as const
const pageSize = 25
const pollMilliseconds = { soon: 2_000, later: 15_000 } as const

/**
 * Whether an attempt is due or running, which lasts at most a minute. A retry can be a day away, and the deliveries of
 * an inactive partner wait indefinitely.
 */
const changesSoon = ({ nextAttemptAt }: Delivery): boolean =>
  nextAttemptAt !== null && Math.abs(Date.parse(nextAttemptAt) - serviceNow()) < 60_000

/** The deliveries of an endpoint, newest first. The filters are in the URL. */
export function Deliveries({ endpoint }: { endpoint: WebhookEndpoint }) {
  const t = useText()
  const ui = useUiText()
  const { purser } = useSignedIn()
  const { can } = usePartner()
  const sentences = useSentences('events:read')
  const [search, change] = useUrlState(['status', 'type', 'from', 'until'])
  const [isResending, setResending] = useState(false)
  const { endpointId, status: endpointStatus } = endpoint
  const status = statuses.find((each) => each === search.status)
  const type = eventTypeOf(search.type)
  const [from, to] = [utcOf(search.from), utcOf(search.until)]
  const filters = { ...(status && { status }), ...(type && { type }), ...(from && { from }), ...(to && { to }) }
  const isFiltered = Object.keys(filters).length > 0
  const reset = { status: null, type: null, from: null, until: null }
  const pages = usePagedRows<Delivery>(
    ['deliveries', endpointId, filters],
    async (cursor) => {
      const query = { ...filters, limit: pageSize, ...(cursor !== undefined && { cursor }) }
      const { data, pagination } = await purser.partner.webhooks.listDeliveries(endpointId, query)
      return { rows: data, next: pagination.nextCursor }
    },
    {
      refetchInterval: (rows) => (rows.some(changesSoon) ? pollMilliseconds.soon : pollMilliseconds.later),
    },
  )
  const canResend = can('webhooks:write') && endpointStatus === 'enabled'
  return (
    <div className="grid grid-cols-1 gap-6">
      {canResend && <TestEvent endpointId={endpointId} />}
      <Panel
        title={t.deliveries.title}
        isFlush
        action={
          canResend && (
            <Button look="secondary" size="sm" onClick={() => setResending(true)}>
              {t.deliveries.resendMany}
            </Button>
          )
        }
      >
        <div className="grid grid-cols-1 gap-4 px-4 pb-5 sm:grid-cols-2 sm:px-6 xl:grid-cols-[minmax(0,3fr)_minmax(0,5fr)_minmax(0,5fr)_minmax(0,5fr)]">
          <SelectField
            label={t.deliveries.status}
            value={status ?? ''}
            options={[
              { value: '', label: t.all },
              ...statuses.map((value) => ({ value, label: t.deliveries.statuses[value] })),
            ]}
            onPick={(value) => change({ status: value || null })}
          />
          <SelectField
            label={t.deliveries.type}
            value={type ?? ''}
            options={[{ value: '', label: t.all }, ...eventTypeOptions]}
            onPick={(value) => change({ type: value || null })}
          />
          <TextField
            label={t.from}
            type="datetime-local"
            value={search.from ?? ''}
            onChange={(event) => change({ from: event.currentTarget.value || null })}
          />
          <TextField
            label={t.until}
            type="datetime-local"
            value={search.until ?? ''}
            onChange={(event) => change({ until: event.currentTarget.value || null })}
          />
        </div>
        <Pages
          pages={pages}
          label={t.deliveries.title}
          sentences={sentences}
          keyOf={({ eventId }) => eventId}
          empty={
            <Empty
              title={isFiltered ? t.nothingMatches : t.deliveries.emptyTitle}
              text={isFiltered ? undefined : t.deliveries.emptyText}
              action={
                isFiltered && (
                  <Button look="secondary" size="sm" onClick={() => change(reset)}>
                    {t.showAll}
                  </Button>
                )
              }
            />
          }
          columns={[
            {
              head: t.deliveries.type,
              cell: ({ eventId, type: own }) => (
                <Link
                  to="/partner/webhooks/$endpointId/$eventId"
                  params={{ endpointId, eventId }}
                  className="font-mono text-[0.8125rem] underline-offset-4 hover:underline"
                >
                  {own}
                </Link>
              ),
            },
            { head: t.created, cell: ({ createdAt }) => <When at={createdAt} form="full" /> },
            { head: t.deliveries.status, cell: ({ status: own }) => <DeliveryBadge status={own} /> },
            { head: t.deliveries.attempts, isEnd: true, cell: ({ attempts }) => attempts },
            {
              head: t.deliveries.response,
              isEnd: true,
              cell: ({ responseStatus, error }) =>
                error === null ? (
                  <HttpStatus status={responseStatus} />
                ) : (
                  <span className="text-bad wrap-anywhere">{error}</span>
                ),
            },
          ]}
        />
      </Panel>
      {isResending && (
        <Resend
          endpointId={endpointId}
          from={search.from}
          until={search.until}
          onClose={() => setResending(false)}
          closeLabel={ui.close}
        />
      )}
    </div>
  )
}

/** Sends an invented event, and shows what became of it. */
function TestEvent({ endpointId }: { endpointId: string }) {
  const t = useText()
  const { purser } = useSignedIn()
  const queries = useQueryClient()
  const sentences = useSentences('events:read')
  const [type, setType] = useState<Delivery['type']>('card.transaction.settled')
  const send = useMutation({
    mutationFn: async () => purser.partner.webhooks.test(endpointId, { type }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['deliveries', endpointId] }),
  })
  const eventId = send.data?.eventId
  const sent = useQuery({
    queryKey: ['delivery', endpointId, eventId],
    queryFn: async () => purser.partner.webhooks.getDelivery(endpointId, eventId ?? ''),
    enabled: eventId !== undefined,
    refetchInterval: ({ state }) => state.data?.delivery.status === 'pending' && pollAfter(1_000, state.error),
  })
  const attempt = sent.data?.attempts[0]
  return (
    <Panel>
      <form
        className="flex flex-wrap items-end gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          send.mutate()
        }}
      >
        <div className="min-w-0 grow basis-64 sm:max-w-sm">
          <SelectField
            label={t.deliveries.testType}
            value={type}
            options={eventTypeOptions}
            onPick={(value) => setType(eventTypeOf(value) ?? type)}
          />
        </div>
        <Button type="submit" look="secondary" isPending={send.isPending}>
          {t.deliveries.test}
        </Button>
        <p role="status" className="flex min-h-11 flex-wrap items-center gap-2 text-sm">
          {sent.data !== undefined && (
            <>
              <DeliveryBadge status={sent.data.delivery.status} />
              {attempt !== undefined && (
                <>
                  <HttpStatus status={attempt.responseStatus} />
                  <span className="text-soft tabular-nums">{t.deliveries.milliseconds(attempt.milliseconds)}</span>
                </>
              )}
              {eventId !== undefined && (
                <Link
                  to="/partner/webhooks/$endpointId/$eventId"
                  params={{ endpointId, eventId }}
                  className="text-accent underline-offset-4 hover:underline"
                >
                  {t.deliveries.show}
                </Link>
              )}
            </>
          )}
        </p>
      </form>
      {send.error !== null && (
        <div className="mt-4">
          <Failure mutation={send} permission="webhooks:write" />
        </div>
      )}
      {sent.isLoadingError && (
        <div className="mt-4">
          <ErrorNote error={sent.error} onRetry={() => void sent.refetch()} sentences={sentences} />
        </div>
      )}
    </Panel>
  )
}

type ResendProps = {
  readonly endpointId: string
  readonly from: string | null
  readonly until: string | null
  readonly closeLabel: string
  readonly onClose: () => void
}

const resendStatuses = ['dead', 'delivered', 'all'] as const

/** The progress of the requests for one window. After a failure, a retry continues where the last request ended. */
type Run = {
  readonly window: BodyOf<'partner.webhooks.resendDeadLetters'>
  total: number
  cursor: string | null | undefined
}

/**
 * Resends the deliveries in a window of time. One request resends at most 10,000, so it is repeated until none is left.
 */
function Resend({ endpointId, from: firstFrom, until: firstUntil, closeLabel, onClose }: ResendProps) {
  const t = useText()
  const { purser } = useSignedIn()
  const queries = useQueryClient()
  const [from, setFrom] = useState(firstFrom ?? '')
  const [until, setUntil] = useState(firstUntil ?? '')
  const [status, setStatus] = useState<(typeof resendStatuses)[number]>('dead')
  // A request whose response was lost is repeated with its idempotency key, so it resends nothing twice.
  const resendOnce = useOnce(async (body: Run['window'], options) =>
    purser.partner.webhooks.resendDeadLetters(endpointId, body, options),
  )
  const resend = useMutation({
    async mutationFn(run: Run) {
      while (run.cursor !== null) {
        const body = run.cursor === undefined ? run.window : { ...run.window, cursor: run.cursor }
        const part = await resendOnce(body)
        run.total += part.deliveries
        run.cursor = part.nextCursor
      }
      return run.total
    },
    onSuccess: () => queries.invalidateQueries(),
  })
  function submit() {
    const [earliest, latest] = [utcOf(from), utcOf(until)]
    const window = { status, ...(earliest && { from: earliest }), ...(latest && { to: latest }) }
    const failed = resend.isError ? resend.variables : null
    const isSame = JSON.stringify(failed?.window) === JSON.stringify(window)
    resend.mutate(failed !== null && isSame ? failed : { window, total: 0, cursor: undefined })
  }
  return (
    <FormDialog
      title={t.deliveries.resendMany}
      text={t.deliveries.resendText}
      action={t.deliveries.resend}
      leave={closeLabel}
      isPending={resend.isPending}
      onClose={onClose}
      onSubmit={submit}
    >
      <SelectField
        label={t.deliveries.which}
        value={status}
        options={resendStatuses.map((value) => ({ value, label: t.deliveries.resendStatuses[value] }))}
        onPick={(value) => setStatus(resendStatuses.find((each) => each === value) ?? 'dead')}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label={t.from}
          type="datetime-local"
          value={from}
          onChange={(event) => setFrom(event.currentTarget.value)}
        />
        <TextField
          label={t.until}
          type="datetime-local"
          value={until}
          onChange={(event) => setUntil(event.currentTarget.value)}
        />
      </div>
      <Failure mutation={resend} permission="webhooks:write" />
      <Outcome>{resend.isSuccess && <Notice tone="good">{t.deliveries.resent(resend.data)}</Notice>}</Outcome>
    </FormDialog>
  )
}
