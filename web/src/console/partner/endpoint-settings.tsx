import { PurserError, type WebhookEndpoint } from '@purser/client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useSignedIn } from '../../lib/session.tsx'
import { Notice, Outcome } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Panel } from '../../ui/layout.tsx'
import { DataTable } from '../../ui/table.tsx'
import { useUiText } from '../../ui/text.ts'
import { type EndpointValues, isSameEvents, SettingsFields } from './endpoint-form.tsx'
import { usePartner } from './partner.tsx'
import { Failure } from './parts.tsx'
import { useText } from './text.ts'

const isSameSettings = (one: EndpointValues, other: EndpointValues): boolean =>
  one.url === other.url && one.description === other.description && isSameEvents(one.events, other.events)

const settingsOf = ({ url, description, events }: WebhookEndpoint): EndpointValues => ({ url, description, events })

/**
 * The form of an endpoint's settings. A change names the version that it is based on, so that the changes of two
 * members cannot overwrite each other unseen.
 */
export function EndpointSettings({ endpoint }: { endpoint: WebhookEndpoint }) {
  const t = useText()
  const ui = useUiText()
  const { purser } = useSignedIn()
  const { can } = usePartner()
  const queries = useQueryClient()
  const [base, setBase] = useState(endpoint)
  const [settings, setSettings] = useState(settingsOf(endpoint))
  const [other, setOther] = useState<WebhookEndpoint | null>(null)
  const { endpointId } = endpoint
  const follow = (next: WebhookEndpoint) => {
    setBase(next)
    setSettings(settingsOf(next))
    setOther(null)
  }
  const save = useMutation({
    async mutationFn(version: string) {
      try {
        return await purser.partner.webhooks.update(endpointId, { ...settings, events: [...settings.events], version })
      } catch (error) {
        // If this read fails, its error replaces the conflict, which cannot be shown without the other settings.
        if (isConflict(error)) setOther(await purser.partner.webhooks.get(endpointId))
        throw error
      }
    },
    async onSuccess(changed) {
      follow(changed)
      await queries.invalidateQueries({ queryKey: ['webhooks'] })
    },
    onError(error) {
      // Does not wait for the refresh: the mutation would stay pending until then, but the member can decide at once.
      if (isConflict(error)) void queries.invalidateQueries({ queryKey: ['webhooks'] })
    },
  })
  const isSame = isSameSettings(settings, base)
  // Enabling and disabling an endpoint also change its version. They do not conflict with these settings.
  const { version } = isSameSettings(endpoint, base) ? endpoint : base
  return (
    <Panel>
      <form
        className="grid max-w-xl grid-cols-1 gap-5"
        onSubmit={(event) => {
          event.preventDefault()
          save.mutate(version)
        }}
      >
        {other !== null && (
          <Conflict
            mine={settings}
            theirs={other}
            isPending={save.isPending}
            onTake={() => {
              save.reset()
              follow(other)
            }}
            onOverwrite={() => save.mutate(other.version)}
          />
        )}
        <SettingsFields settings={settings} onChange={setSettings} isDisabled={!can('webhooks:write')} />
        {!isConflict(save.error) && <Failure mutation={save} permission="webhooks:write" />}
        <Outcome>{save.isSuccess && isSame && <Notice tone="good">{t.webhooks.saved}</Notice>}</Outcome>
        {can('webhooks:write') && other === null && (
          <Button
            type="submit"
            className="justify-self-start"
            isPending={save.isPending}
            disabled={isSame || settings.events.length === 0}
          >
            {ui.save}
          </Button>
        )}
      </form>
    </Panel>
  )
}

const isConflict = (error: unknown): boolean => error instanceof PurserError && error.code === 'ENDPOINT_CHANGED'

type ConflictProps = {
  readonly mine: EndpointValues
  readonly theirs: EndpointValues
  readonly isPending: boolean
  readonly onTake: () => void
  readonly onOverwrite: () => void
}

/** Shows where the settings that another member saved differ from the input of this form. */
export function Conflict({ mine, theirs, isPending, onTake, onOverwrite }: ConflictProps) {
  const t = useText()
  const rows = [
    { name: t.webhooks.url, now: theirs.url, own: mine.url },
    { name: t.webhooks.description, now: theirs.description, own: mine.description },
    { name: t.webhooks.events, now: theirs.events.join(', '), own: mine.events.join(', ') },
  ].filter(({ now, own }) => now !== own)
  return (
    <div role="alert" className="grid gap-4 rounded-lg border border-warn bg-surface py-4">
      <div className="px-4 sm:px-6">
        <p className="font-medium text-warn">{t.webhooks.conflictTitle}</p>
        <p className="mt-1 text-sm text-soft">
          {rows.length === 0 ? t.webhooks.conflictSame : t.webhooks.conflictText}
        </p>
      </div>
      {rows.length > 0 && (
        <DataTable
          label={t.webhooks.conflictTitle}
          rows={rows}
          keyOf={({ name }) => name}
          columns={[
            { head: t.webhooks.field, cell: ({ name }) => name },
            { head: t.webhooks.now, cell: ({ now }) => <span className="wrap-anywhere">{now || '–'}</span> },
            { head: t.webhooks.yours, cell: ({ own }) => <span className="wrap-anywhere">{own || '–'}</span> },
          ]}
        />
      )}
      <div className="flex flex-wrap gap-2 px-4 sm:px-6">
        <Button look="secondary" size="sm" onClick={onTake}>
          {t.webhooks.takeTheirs}
        </Button>
        {rows.length > 0 && (
          <Button size="sm" isPending={isPending} onClick={onOverwrite}>
            {t.webhooks.saveMine}
          </Button>
        )}
      </div>
    </div>
  )
}
