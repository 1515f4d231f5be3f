import type { WebhookEndpoint } from '@purser/client'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useLanguage } from '../../lib/language.tsx'
import { useSignedIn, useTitle } from '../../lib/session.tsx'
import { Button, LinkButton } from '../../ui/button.tsx'
import { Bars } from '../../ui/chart.tsx'
import { useCloseIfOpen } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { PageHead, Panel } from '../../ui/layout.tsx'
import { poll } from '../../ui/poll.ts'
import { Empty, Loaded, Skeleton } from '../../ui/states.tsx'
import { useUiText } from '../../ui/text.ts'
import { isEnded } from './api-keys.tsx'
import { declinesOf, totalOf, wholeDays } from './days.ts'
import { EndpointHealth } from './endpoint-health.tsx'
import { type Permission, usePartner, useSentences } from './partner.tsx'
import { Failure } from './parts.tsx'
import { useText } from './text.ts'

const shownDays = 30
const pollMilliseconds = 20_000

/** The start page: steps that are still to do, the counts of the last days, and the health of the endpoints. */
export function Start() {
  const t = useText()
  const { name, can } = usePartner()
  const [isRenaming, setRenaming] = useState(false)
  useTitle(name)
  return (
    <>
      <PageHead
        title={name}
        text={t.start.lead}
        actions={
          can('members:write') && (
            <Button look="secondary" size="sm" onClick={() => setRenaming(true)}>
              {t.start.rename}
            </Button>
          )
        }
      />
      {isRenaming && <Rename name={name} onClose={() => setRenaming(false)} />}
      <div className="grid grid-cols-1 gap-6">
        <NextSteps />
        <Counts />
        <Endpoints />
      </div>
    </>
  )
}

function Rename({ name: current, onClose }: { name: string; onClose: () => void }) {
  const t = useText()
  const ui = useUiText()
  const { purser } = useSignedIn()
  const queries = useQueryClient()
  const [name, setName] = useState(current)
  const close = useCloseIfOpen(onClose)
  const rename = useMutation({
    mutationFn: async () => purser.partner.rename({ name }),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: ['partner'] })
      close()
    },
  })
  return (
    <FormDialog
      title={t.start.renameTitle}
      action={ui.save}
      isPending={rename.isPending}
      onClose={onClose}
      onSubmit={() => rename.mutate()}
    >
      <TextField
        label={t.join.name}
        required
        maxLength={100}
        pattern=".*\S.*"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Failure mutation={rename} permission="members:write" />
    </FormDialog>
  )
}

type Step = {
  readonly name: 'approval' | 'domain' | 'key' | 'endpoint' | 'user'
  readonly isDone: boolean
  readonly to: string | null
  readonly permission?: Permission
}

function useSteps() {
  const { purser } = useSignedIn()
  const { status } = usePartner()
  return useQuery({
    queryKey: ['steps', status],
    async queryFn(): Promise<Step[]> {
      const [domains, keys, endpoints, users] = await Promise.all([
        purser.partner.domains.list(),
        purser.partner.apiKeys.list(),
        purser.partner.webhooks.list(),
        purser.partner.users.list({ limit: 1 }),
      ])
      const isProven = domains.data.some(({ verifiedAt }) => verifiedAt !== null)
      return [
        { name: 'approval', isDone: status === 'active', to: null },
        { name: 'domain', isDone: isProven, to: '/partner/domains', permission: 'domains:write' },
        { name: 'endpoint', isDone: endpoints.data.length > 0, to: '/partner/webhooks', permission: 'webhooks:write' },
        {
          name: 'key',
          isDone: keys.data.some((key) => !isEnded(key)),
          to: '/partner/api-keys',
          permission: 'keys:write',
        },
        { name: 'user', isDone: users.data.length > 0, to: null },
      ]
    },
    refetchInterval: poll(pollMilliseconds),
    // A suspended partner cannot do the steps, and may not read users.
    enabled: status !== 'suspended',
  })
}

function NextSteps() {
  const t = useText()
  const { can, status } = usePartner()
  const steps = useSteps()
  const sentences = useSentences()
  if (status === 'suspended' || steps.data?.every(({ isDone }) => isDone) === true) return null
  return (
    <Panel title={t.start.steps}>
      <Loaded query={steps} loading={<Skeleton className="h-72" />} sentences={sentences}>
        {(list) => (
          <ol className="-my-2 divide-y divide-line">
            {list.map(({ name, isDone, to, permission }) => (
              <li
                key={name}
                className="grid grid-cols-[auto_minmax(0,1fr)] items-center gap-x-4 gap-y-2 py-3 sm:grid-cols-[auto_minmax(0,1fr)_auto]"
              >
                <StepMark isDone={isDone} />
                <div>
                  <p className={isDone ? 'text-soft' : 'font-medium'}>
                    {t.start.stepNames[name]}
                    <span className="sr-only"> – {isDone ? t.start.done : t.start.open}</span>
                  </p>
                  {!isDone && <p className="text-sm text-soft">{t.start.stepTexts[name]}</p>}
                </div>
                {!isDone && to !== null && permission !== undefined && can(permission) && (
                  <LinkButton to={to} look="secondary" size="sm" className="justify-self-start max-sm:col-start-2">
                    {t.start.stepActions[name]}
                  </LinkButton>
                )}
              </li>
            ))}
          </ol>
        )}
      </Loaded>
    </Panel>
  )
}

function StepMark({ isDone }: { isDone: boolean }) {
  return (
    <span
      aria-hidden="true"
      className={`grid size-6 shrink-0 place-items-center rounded-full ${isDone ? 'bg-good-tint text-good' : 'border border-line-strong'}`}
    >
      {isDone && (
        <svg viewBox="0 0 16 16" className="size-3.5" aria-hidden="true">
          <path d="M3.500 8.500l3 3 6-7" fill="none" stroke="currentColor" strokeWidth="2" strokeLinecap="round" />
        </svg>
      )}
    </span>
  )
}

function Counts() {
  const t = useText()
  const { locale } = useLanguage()
  const { purser } = useSignedIn()
  const { status } = usePartner()
  const sentences = useSentences()
  const statistics = useQuery({
    queryKey: ['statistics', shownDays],
    queryFn: async () => wholeDays((await purser.partner.statistics()).data, shownDays),
    refetchInterval: poll(pollMilliseconds),
    enabled: status !== 'suspended',
  })
  if (status === 'suspended') return null
  const figures = [
    ['users', (day) => day.users],
    ['cards', (day) => day.cards],
    ['transactions', (day) => day.transactions],
    ['declines', declinesOf],
  ] as const satisfies readonly (readonly [string, Parameters<typeof totalOf>[1]])[]
  return (
    <section aria-labelledby="counts">
      <div className="mb-3 flex items-baseline justify-between gap-4">
        <h2 id="counts" className="font-semibold">
          {t.start.counts(shownDays)}
        </h2>
        <Link to="/partner/statistics" className="text-sm text-accent underline-offset-4 hover:underline">
          {t.start.allCounts}
        </Link>
      </div>
      <Loaded
        query={statistics}
        loading={
          <div className="grid grid-cols-2 gap-4 xl:grid-cols-4">
            {figures.map(([name]) => (
              <Skeleton key={name} className="h-52" />
            ))}
          </div>
        }
        sentences={sentences}
      >
        {(days) => (
          <div className="grid grid-cols-2 gap-4 xl:grid-cols-4">
            {figures.map(([name, value]) => {
              const total = totalOf(days, value)
              const shown = new Intl.NumberFormat(locale).format(total)
              return (
                <div
                  key={name}
                  className="flex min-w-0 flex-col justify-between rounded-xl border border-line bg-surface p-4 shadow-card"
                >
                  <p className="text-sm text-soft">{t.statistics.names[name]}</p>
                  <p className="mb-4 text-2xl font-semibold tracking-tight tabular-nums">{shown}</p>
                  <Bars
                    days={days.map((day) => ({ day: day.day, value: value(day) }))}
                    label={`${t.statistics.names[name]}: ${shown}`}
                    tone={name === 'declines' ? 'bad' : 'accent'}
                  />
                </div>
              )
            })}
          </div>
        )}
      </Loaded>
    </section>
  )
}

function Endpoints() {
  const t = useText()
  const { purser } = useSignedIn()
  const { can } = usePartner()
  const sentences = useSentences()
  const endpoints = useQuery({
    queryKey: ['webhooks'],
    queryFn: async () => (await purser.partner.webhooks.list()).data,
    refetchInterval: poll(pollMilliseconds),
  })
  return (
    <Panel
      title={t.start.endpoints}
      isFlush
      action={
        <Link to="/partner/webhooks" className="text-sm text-accent underline-offset-4 hover:underline">
          {t.start.allEndpoints}
        </Link>
      }
    >
      <Loaded query={endpoints} loading={<Skeleton className="m-6 h-24" />} sentences={sentences}>
        {(list) =>
          list.length === 0 ? (
            <Empty
              title={t.webhooks.emptyTitle}
              text={t.webhooks.emptyText}
              action={
                can('webhooks:write') && (
                  <LinkButton to="/partner/webhooks" look="secondary" size="sm">
                    {t.webhooks.create}
                  </LinkButton>
                )
              }
            />
          ) : (
            <ul className="divide-y divide-line border-t border-line">
              {list.map((endpoint) => (
                <EndpointRow key={endpoint.endpointId} endpoint={endpoint} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </Panel>
  )
}

function EndpointRow({ endpoint }: { endpoint: WebhookEndpoint }) {
  const { endpointId, url, description } = endpoint
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2 px-4 py-3 sm:px-6">
      <div className="min-w-0">
        <Link
          to="/partner/webhooks/$endpointId"
          params={{ endpointId }}
          className="block font-mono text-[0.8125rem] font-medium wrap-anywhere underline-offset-4 hover:underline"
        >
          {url}
        </Link>
        {description !== '' && <p className="text-sm text-soft">{description}</p>}
      </div>
      <EndpointHealth endpoint={endpoint} />
    </li>
  )
}
