import type { NewWebhookEndpoint, WebhookEndpoint } from '@purser/client'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useUrlState } from '../../lib/search.ts'
import { useSignedIn, useTitle } from '../../lib/session.tsx'
import { BackLink } from '../../ui/back-link.tsx'
import { Button } from '../../ui/button.tsx'
import { CodeBlock, CopyId } from '../../ui/copy.tsx'
import { When } from '../../ui/date.tsx'
import { Dialog, useCloseIfOpen } from '../../ui/dialog.tsx'
import { Segments, SelectField } from '../../ui/field.tsx'
import { Panel } from '../../ui/layout.tsx'
import { poll } from '../../ui/poll.ts'
import { Loaded, Skeleton } from '../../ui/states.tsx'
import { useUiText } from '../../ui/text.ts'
import { overlaps } from './api-keys.tsx'
import { Deliveries } from './deliveries.tsx'
import { EndpointStatus, Warnings } from './endpoint-health.tsx'
import { EndpointSettings } from './endpoint-settings.tsx'
import { usePartner, useSentences } from './partner.tsx'
import { Confirm, Failure, SecretPanel } from './parts.tsx'
import { useText } from './text.ts'

const tabs = ['deliveries', 'settings', 'keys'] as const

/** One webhook endpoint: its deliveries, settings and signing keys. */
export function EndpointPage() {
  const t = useText()
  const { endpointId = '' } = useParams({ strict: false })
  const { purser } = useSignedIn()
  const sentences = useSentences()
  useTitle(t.webhooks.title)
  const endpoint = useQuery({
    queryKey: ['webhooks', endpointId],
    queryFn: async () => purser.partner.webhooks.get(endpointId),
    refetchInterval: poll(30_000),
  })
  return (
    <>
      <BackLink to="/partner/webhooks">{t.webhooks.title}</BackLink>
      <Loaded query={endpoint} loading={<Skeleton className="h-96" />} sentences={sentences}>
        {(data) => <Endpoint endpoint={data} />}
      </Loaded>
    </>
  )
}

function Endpoint({ endpoint }: { endpoint: WebhookEndpoint }) {
  const t = useText()
  const [{ tab }, change] = useUrlState(['tab'])
  const [made, setMade] = useState<NewWebhookEndpoint | null>(null)
  const picked = tabs.find((each) => each === tab) ?? 'deliveries'
  const { url, description, endpointId, createdAt } = endpoint
  return (
    <>
      <div className="mb-6 flex flex-wrap items-start justify-between gap-4">
        <div className="min-w-0">
          <h1 className="text-xl font-semibold tracking-tight wrap-anywhere">{url}</h1>
          {description !== '' && <p className="mt-0.5 text-soft">{description}</p>}
          <p className="mt-2 flex flex-wrap items-center gap-x-4 gap-y-1 text-sm text-soft">
            <EndpointStatus endpoint={endpoint} />
            <span>
              {t.created} <When at={createdAt} form="day" />
            </span>
            <CopyId id={endpointId} />
          </p>
        </div>
        <Actions endpoint={endpoint} />
      </div>
      {/* Above the tabs, so that another tab does not remove the secret. */}
      {made !== null && (
        <SecretPanel
          title={t.webhooks.rotatedTitle}
          text={t.secret.once}
          secret={made.secret}
          onDone={() => setMade(null)}
        />
      )}
      <Warnings of={endpoint} />
      <div className="mb-6 max-w-md">
        <Segments
          label={t.webhooks.view}
          value={picked}
          options={tabs.map((value) => ({ value, label: t.webhooks.tabs[value] }))}
          onPick={(value) => change({ tab: value === 'deliveries' ? null : value })}
        />
      </div>
      {picked === 'deliveries' && <Deliveries endpoint={endpoint} />}
      {picked === 'settings' && <EndpointSettings endpoint={endpoint} />}
      {picked === 'keys' && <Keys endpoint={endpoint} onMade={setMade} />}
    </>
  )
}

function Actions({ endpoint: { endpointId, status, url } }: { endpoint: WebhookEndpoint }) {
  const t = useText()
  const { purser } = useSignedIn()
  const { can } = usePartner()
  const queries = useQueryClient()
  const navigate = useNavigate()
  // Leaves if this page is still open, even if the dialog is not: the page cannot show a removed endpoint.
  const leave = useCloseIfOpen(() => navigate({ to: '/partner/webhooks' }))
  const [asked, setAsked] = useState<'disable' | 'remove' | null>(null)
  async function change(next: 'enabled' | 'disabled') {
    await purser.partner.webhooks.update(endpointId, { status: next })
    await queries.invalidateQueries()
  }
  const enable = useMutation({ mutationFn: async () => change('enabled') })
  if (!can('webhooks:write')) return null
  return (
    <div className="grid gap-3">
      <div className="flex flex-wrap gap-2">
        {status === 'enabled' ? (
          <Button look="secondary" size="sm" onClick={() => setAsked('disable')}>
            {t.webhooks.disable}
          </Button>
        ) : (
          <Button size="sm" isPending={enable.isPending} onClick={() => enable.mutate()}>
            {t.webhooks.enable}
          </Button>
        )}
        <Button look="danger" size="sm" onClick={() => setAsked('remove')}>
          {t.remove}
        </Button>
      </div>
      {status === 'disabled' && <Failure mutation={enable} permission="webhooks:write" />}
      {asked === 'disable' && (
        <Confirm
          title={t.webhooks.disableTitle}
          text={t.webhooks.disableText}
          action={t.webhooks.disable}
          permission="webhooks:write"
          onConfirm={() => change('disabled')}
          onClose={() => setAsked(null)}
        />
      )}
      {asked === 'remove' && (
        <Confirm
          title={t.webhooks.removeTitle(url)}
          text={t.webhooks.removeText}
          action={t.remove}
          permission="webhooks:write"
          onConfirm={async () => {
            await purser.partner.webhooks.remove(endpointId)
            await leave()
            await queries.invalidateQueries({ queryKey: ['webhooks'], exact: true })
          }}
          onClose={() => setAsked(null)}
        />
      )}
    </div>
  )
}

type OnMade = (made: NewWebhookEndpoint) => void

function Keys({ endpoint: { endpointId, publicKeys }, onMade }: { endpoint: WebhookEndpoint; onMade: OnMade }) {
  const t = useText()
  const { can } = usePartner()
  const [isRotating, setRotating] = useState(false)
  return (
    <>
      <Panel
        title={t.webhooks.publicKeys}
        action={
          can('webhooks:write') && (
            <Button look="secondary" size="sm" onClick={() => setRotating(true)}>
              {t.webhooks.rotate}
            </Button>
          )
        }
      >
        <p className="mb-4 max-w-prose text-sm text-soft">{t.webhooks.publicKeysText}</p>
        <ol className="grid grid-cols-1 gap-3">
          {publicKeys.map((key, index) => (
            <li key={key}>
              <p className="mb-1 text-sm font-medium">{index === 0 ? t.webhooks.newestKey : t.webhooks.olderKey}</p>
              <CodeBlock label={index === 0 ? t.webhooks.newestKey : t.webhooks.olderKey} code={key} />
            </li>
          ))}
        </ol>
      </Panel>
      {isRotating && <Rotate endpointId={endpointId} onClose={() => setRotating(false)} onMade={onMade} />}
    </>
  )
}

type RotateProps = { readonly endpointId: string; readonly onClose: () => void; readonly onMade: OnMade }

function Rotate({ endpointId, onClose, onMade }: RotateProps) {
  const t = useText()
  const ui = useUiText()
  const { purser } = useSignedIn()
  const queries = useQueryClient()
  const [overlapSeconds, setOverlap] = useState<number>(overlaps[2])
  const close = useCloseIfOpen(onClose)
  const rotate = useMutation({
    mutationFn: async () => purser.partner.webhooks.rotateKeys(endpointId, { overlapSeconds }),
    async onSuccess(made) {
      onMade(made)
      close()
      await queries.invalidateQueries({ queryKey: ['webhooks', endpointId] })
    },
  })
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t.webhooks.rotate}
      text={t.webhooks.rotateText}
      actions={
        <>
          <Button look="secondary" onClick={onClose}>
            {ui.cancel}
          </Button>
          <Button isPending={rotate.isPending} onClick={() => rotate.mutate()}>
            {t.webhooks.rotate}
          </Button>
        </>
      }
    >
      <SelectField
        label={t.overlap.label}
        value={String(overlapSeconds)}
        options={overlaps.map((value) => ({ value: String(value), label: t.overlap.names(value) }))}
        onPick={(value) => setOverlap(Number(value))}
      />
      <Failure mutation={rotate} permission="webhooks:write" />
    </Dialog>
  )
}
