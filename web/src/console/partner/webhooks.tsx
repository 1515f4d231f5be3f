import type { NewWebhookEndpoint } from '@purser/client'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useSignedIn, useTitle } from '../../lib/session.tsx'
import { Button } from '../../ui/button.tsx'
import { When } from '../../ui/date.tsx'
import { useCloseIfOpen } from '../../ui/dialog.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { PageHead, Panel } from '../../ui/layout.tsx'
import { poll } from '../../ui/poll.ts'
import { Empty, Loaded } from '../../ui/states.tsx'
import { DataTable, TableSkeleton } from '../../ui/table.tsx'
import { type EndpointValues, SettingsFields } from './endpoint-form.tsx'
import { EndpointHealth, Warnings } from './endpoint-health.tsx'
import { usePartner, useSentences } from './partner.tsx'
import { Failure, SecretPanel } from './parts.tsx'
import { useText } from './text.ts'

const initial: EndpointValues = { url: '', description: '', events: ['*'] }

/** The partner's webhook endpoints. */
export function Webhooks() {
  const t = useText()
  const { purser } = useSignedIn()
  const { can } = usePartner()
  const sentences = useSentences()
  const [isCreating, setCreating] = useState(false)
  const [made, setMade] = useState<readonly NewWebhookEndpoint[]>([])
  useTitle(t.webhooks.title)
  const endpoints = useQuery({
    queryKey: ['webhooks'],
    queryFn: async () => (await purser.partner.webhooks.list()).data,
    refetchInterval: poll(30_000),
  })
  const create = can('webhooks:write') && <Button onClick={() => setCreating(true)}>{t.webhooks.create}</Button>
  return (
    <>
      <PageHead title={t.webhooks.title} text={t.webhooks.lead} actions={create} />
      {made.map(({ endpointId, url, secret }) => (
        <SecretPanel
          key={endpointId}
          title={t.webhooks.madeTitle(url)}
          text={t.secret.once}
          secret={secret}
          onDone={() => setMade((before) => before.filter((each) => each.endpointId !== endpointId))}
        />
      ))}
      <Warnings of={endpoints.data?.[0]} />
      <Panel isFlush>
        <Loaded query={endpoints} loading={<TableSkeleton rows={3} />} sentences={sentences}>
          {(list) =>
            list.length === 0 ? (
              <Empty title={t.webhooks.emptyTitle} text={t.webhooks.emptyText} />
            ) : (
              <DataTable
                label={t.webhooks.title}
                rows={list}
                keyOf={({ endpointId }) => endpointId}
                columns={[
                  {
                    head: t.webhooks.url,
                    cell: ({ endpointId, url, description }) => (
                      <>
                        <Link
                          to="/partner/webhooks/$endpointId"
                          params={{ endpointId }}
                          className="font-mono text-[0.8125rem] wrap-anywhere underline-offset-4 hover:underline"
                        >
                          {url}
                        </Link>
                        {description !== '' && <span className="block font-normal text-soft">{description}</span>}
                      </>
                    ),
                  },
                  {
                    head: t.webhooks.events,
                    cell: ({ events }) => (
                      <span className="whitespace-nowrap">
                        {events.includes('*') ? t.webhooks.allEvents : t.webhooks.filters(events.length)}
                      </span>
                    ),
                  },
                  { head: t.created, cell: ({ createdAt }) => <When at={createdAt} form="day" /> },
                  {
                    head: t.keys.state,
                    isEnd: true,
                    cell: (endpoint) => <EndpointHealth endpoint={endpoint} isEnd />,
                  },
                ]}
              />
            )
          }
        </Loaded>
      </Panel>
      {isCreating && (
        <Create onClose={() => setCreating(false)} onMade={(one) => setMade((before) => [one, ...before])} />
      )}
    </>
  )
}

function Create({ onClose, onMade }: { onClose: () => void; onMade: (made: NewWebhookEndpoint) => void }) {
  const t = useText()
  const { purser } = useSignedIn()
  const queries = useQueryClient()
  const [settings, setSettings] = useState(initial)
  const close = useCloseIfOpen(onClose)
  const create = useMutation({
    mutationFn: async () => purser.partner.webhooks.create({ ...settings, events: [...settings.events] }),
    async onSuccess(made) {
      onMade(made)
      close()
      await queries.invalidateQueries({ queryKey: ['webhooks'] })
    },
  })
  return (
    <FormDialog
      title={t.webhooks.create}
      text={t.webhooks.createText}
      action={t.webhooks.create}
      isPending={create.isPending}
      isDisabled={settings.events.length === 0}
      onClose={onClose}
      onSubmit={() => create.mutate()}
    >
      <SettingsFields settings={settings} onChange={setSettings} />
      <Failure mutation={create} permission="webhooks:write" />
    </FormDialog>
  )
}
