import type { ResultOf } from '@purser/client'
import { useQuery } from '@tanstack/react-query'
import { useUrlState } from '../../lib/search.ts'
import { useSignedIn, useTitle } from '../../lib/session.tsx'
import { Button } from '../../ui/button.tsx'
import { CopyId } from '../../ui/copy.tsx'
import { When } from '../../ui/date.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { PageHead, Panel } from '../../ui/layout.tsx'
import { Pages, usePagedRows } from '../../ui/pages.tsx'
import { Empty } from '../../ui/states.tsx'
import { useActor, useSentences } from './partner.tsx'
import { ActorName, actorText } from './parts.tsx'
import { useText } from './text.ts'

const pageSize = 25

type Entry = ResultOf<'partner.audit.list'>['data'][number]

/** Every change to the partner and every read of its users' details, newest first. */
export function Audit() {
  const t = useText()
  const { purser } = useSignedIn()
  const sentences = useSentences('audit:read')
  const own = useActor()
  const [{ action, actor, subject: given }, change] = useUrlState(['action', 'actor', 'subject'])
  const subject = given?.trim() || null
  useTitle(t.audit.title)
  const members = useQuery({
    queryKey: ['members'],
    queryFn: async () => (await purser.partner.members.list()).data,
  })
  const keys = useQuery({ queryKey: ['api-keys'], queryFn: async () => (await purser.partner.apiKeys.list()).data })
  const actors = [
    ...(members.data ?? []).map(({ address }) => {
      const value = `wallet:${address}`
      return { value, label: value === own ? `${actorText(value)} (${t.you})` : actorText(value) }
    }),
    ...(keys.data ?? []).map(({ keyId, name }) => ({ value: `key:${keyId}`, label: `${t.actors.key} ${name}` })),
    { value: 'operator', label: t.actors.operator },
    { value: 'purser', label: t.actors.purser },
  ]
  const pages = usePagedRows<Entry>(['audit', action, actor, subject], async (after) => {
    const query = {
      ...{ order: 'newest' as const, limit: pageSize },
      ...(action !== null && { action }),
      ...(actor !== null && { actor }),
      ...(subject !== null && { subject }),
      ...(after !== undefined && { after }),
    }
    const { data, pagination } = await purser.partner.audit.list(query)
    return { rows: data, next: pagination.hasNext ? (data.at(-1)?.seq ?? null) : null }
  })
  const isFiltered = action !== null || actor !== null || subject !== null
  return (
    <>
      <PageHead title={t.audit.title} text={t.audit.lead} />
      <Panel isFlush>
        <div className="grid gap-4 px-4 py-5 sm:grid-cols-2 lg:grid-cols-3 sm:px-6">
          <SelectField
            label={t.audit.action}
            value={action ?? ''}
            options={[
              { value: '', label: t.all },
              ...Object.entries(t.audit.actions).map(([value, label]) => ({ value, label })),
            ]}
            onPick={(value) => change({ action: value || null })}
          />
          <SelectField
            label={t.audit.actor}
            value={actor ?? ''}
            options={[
              { value: '', label: t.all },
              // An actor of the URL that is no longer a member or a key.
              ...(actor === null || actors.some(({ value }) => value === actor)
                ? []
                : [{ value: actor, label: actorText(actor) }]),
              ...actors,
            ]}
            onPick={(value) => change({ actor: value || null })}
          />
          <TextField
            label={t.audit.subject}
            hint={t.audit.subjectHint}
            value={given ?? ''}
            maxLength={300}
            spellCheck={false}
            className="font-mono"
            onChange={(event) => change({ subject: event.currentTarget.value || null })}
          />
        </div>
        <Pages
          pages={pages}
          label={t.audit.title}
          sentences={sentences}
          keyOf={({ seq }) => seq}
          empty={
            <Empty
              title={t.nothingMatches}
              action={
                isFiltered && (
                  <Button
                    look="secondary"
                    size="sm"
                    onClick={() => change({ action: null, actor: null, subject: null })}
                  >
                    {t.showAll}
                  </Button>
                )
              }
            />
          }
          columns={[
            { head: t.audit.action, cell: (entry) => <What entry={entry} /> },
            { head: t.audit.actor, cell: ({ actor: by }) => <ActorName actor={by} /> },
            { head: t.audit.subject, cell: ({ subject }) => <CopyId id={subject} /> },
            { head: t.audit.time, cell: ({ createdAt }) => <When at={createdAt} /> },
            { head: t.audit.number, isEnd: true, cell: ({ seq }) => <span className="tabular-nums">{seq}</span> },
          ]}
        />
      </Panel>
    </>
  )
}

function What({ entry: { action, detail } }: { entry: Entry }) {
  const t = useText()
  const names: Readonly<Record<string, string>> = t.audit.actions
  const parts = Object.entries(detail)
  return (
    <>
      {names[action] ?? action}
      {parts.length > 0 && (
        <span className="block max-w-sm text-xs font-normal text-soft wrap-anywhere">
          {parts.map(([name, value]) => `${name}: ${textOf(value)}`).join(' · ')}
        </span>
      )}
    </>
  )
}

const textOf = (value: unknown): string => {
  if (Array.isArray(value)) return value.join(', ')
  return typeof value === 'string' ? value : JSON.stringify(value)
}
