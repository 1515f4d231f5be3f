import type { SearchHit } from '@purser/client'
import { useQuery } from '@tanstack/react-query'
import { useLocation } from '@tanstack/react-router'
import { useTitle } from '../../../lib/session.tsx'
import { CopyId, shortened } from '../../../ui/copy.tsx'
import { Panel } from '../../../ui/layout.tsx'
import { Empty, Loaded } from '../../../ui/states.tsx'
import { useOperator } from '../session.tsx'
import { ScreenHead, Sheet, SkeletonTable, Table } from '../table.tsx'
import { IdLink, UserLink } from '../values.tsx'
import { useSearchText } from './text.ts'

/** The records that match the text in the fragment, which the browser sends to no server. */
export function Search() {
  const t = useSearchText()
  const text = useLocation({ select: ({ hash }) => decoded(hash) })
  useTitle(t.title)
  return (
    <>
      <ScreenHead title={t.title} {...(text !== '' && { text: t.resultsFor(shortened(text, 24, 12)) })} />
      {text === '' ? <Guide /> : <Results text={text} />}
    </>
  )
}

/** Somebody may type a fragment that is not encoded. */
function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment).trim()
  } catch {
    return fragment
  }
}

function Results({ text }: { text: string }) {
  const t = useSearchText()
  const { purser } = useOperator()
  const hits = useQuery({
    queryKey: ['operator', 'search', text],
    queryFn: async () => (await purser.operator.search({ q: text })).data,
  })
  return (
    <Loaded query={hits} loading={<Sheet children={<SkeletonTable rows={1} />} />}>
      {(rows) => (
        <div className="grid gap-6">
          <Sheet>
            {rows.length === 0 ? (
              <Empty title={t.emptyTitle} text={t.emptyText} />
            ) : (
              <Table
                label={t.label}
                rows={rows}
                keyOf={({ kind, id }) => `${kind} ${id}`}
                columns={[
                  { head: t.found, cell: (hit) => <Hit hit={hit} /> },
                  { head: t.by, cell: ({ matched }) => t.names[matched] },
                  { head: t.user, cell: ({ userId }) => <UserLink userId={userId} /> },
                ]}
              />
            )}
          </Sheet>
          {rows.length === 0 && <Guide />}
        </div>
      )}
    </Loaded>
  )
}

function Hit({ hit }: { hit: SearchHit }) {
  const t = useSearchText()
  const place = placeOf(hit)
  return (
    <span className="inline-flex flex-wrap items-baseline gap-x-2">
      {t.kinds[hit.kind]}
      {place === null ? <CopyId id={hit.id} /> : <IdLink to={place.to} id={hit.id} marked={place.search?.id} />}
    </span>
  )
}

/** Returns the screen that shows a thing. A tab of a user marks the row. */
function placeOf({ kind, id, userId }: SearchHit): { to: string; search?: { id: string } } | null {
  switch (kind) {
    case 'partner':
      return { to: `/operator/partners/${id}` }
    case 'payout':
      return userId === null
        ? { to: `/operator/payouts/${id}` }
        : { to: `/operator/users/${userId}/withdrawals`, search: { id } }
    case 'user':
      return { to: `/operator/users/${id}` }
    case 'cardTransaction':
      return userId === null ? null : { to: `/operator/users/${userId}/card-transactions/${id}` }
    case 'card':
      return userId === null ? null : { to: `/operator/users/${userId}/cards`, search: { id } }
    case 'deposit':
      return userId === null ? null : { to: `/operator/users/${userId}/deposits`, search: { id } }
    case 'event':
      return userId === null ? null : { to: `/operator/users/${userId}/events`, search: { id } }
  }
}

function Guide() {
  const t = useSearchText()
  return (
    <Panel title={t.what}>
      <p className="-mt-3 mb-5 text-sm text-soft">{t.whole}</p>
      <dl className="grid gap-x-8 gap-y-1 text-sm sm:grid-cols-[max-content_minmax(0,1fr)] sm:gap-y-3">
        {t.examples.map(([what, detail]) => (
          <div key={what} className="max-sm:mb-2 sm:contents">
            <dt className="font-medium">{what}</dt>
            <dd className="text-soft">{detail}</dd>
          </div>
        ))}
      </dl>
    </Panel>
  )
}
