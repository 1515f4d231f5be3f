import { useMutation } from '@tanstack/react-query'
import { saveFile } from '../../lib/save-file.ts'
import { useUrlState } from '../../lib/search.ts'
import { useSignedIn, useTitle } from '../../lib/session.tsx'
import { utcOf } from '../../lib/utc.ts'
import { Button, LinkButton } from '../../ui/button.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { PageHead, Panel } from '../../ui/layout.tsx'
import { NearEnd } from '../../ui/long-list.tsx'
import { Empty, ErrorNote, Loaded, SkeletonRows } from '../../ui/states.tsx'
import { useUiText } from '../../ui/text.ts'
import { LongItemList } from '../items.tsx'
import { useStatement } from '../queries.ts'
import { useText } from '../text.ts'

/** The whole statement of many years is one response. */
const exportMilliseconds = 10 * 60_000

const types = ['card_transaction', 'deposit', 'withdrawal'] as const

/** The statement, newest first. Its filters are in the URL. It loads more while a person scrolls. */
export function Statement() {
  const { statement: t, home, nav } = useText()
  const ui = useUiText()
  useTitle(t.title)
  const { purser } = useSignedIn()
  const [{ type, from, until }, change] = useUrlState(['type', 'from', 'until'])
  const picked = types.find((each) => each === type)
  // The days are those of the reader's time zone.
  const startDate = utcOf(from && `${from}T00:00:00`)
  const endDate = utcOf(until && `${until}T23:59:59.999`)
  const filters = {
    ...(picked && { type: picked }),
    ...(startDate && { startDate }),
    ...(endDate && { endDate }),
  }
  const pages = useStatement(filters)
  const { data, hasNextPage, isFetchNextPageError } = pages
  const fetchNext = () => void pages.fetchNextPage()
  const loaded = data?.pages.map((page) => page.data) ?? []
  const isEmpty = (loaded[0] ?? []).length === 0
  const exporting = useMutation({
    async mutationFn() {
      const call = purser.request('GET', '/user/statement', {
        query: filters,
        headers: { accept: 'text/csv' },
        timeoutMilliseconds: exportMilliseconds,
      })
      saveFile('statement.csv', 'text/csv', String(await call))
    },
  })
  const isFiltered = picked !== undefined || startDate !== undefined || endDate !== undefined
  return (
    <>
      <PageHead
        title={t.title}
        actions={
          <Button look="secondary" isPending={exporting.isPending} onClick={() => exporting.mutate()}>
            {t.export}
          </Button>
        }
      />
      <div className="mb-6 grid grid-cols-2 gap-x-3 gap-y-4 max-sm:*:first:col-span-2 sm:grid-cols-3 sm:gap-x-4">
        <SelectField
          label={t.type}
          value={picked ?? ''}
          options={[
            { value: '', label: t.all },
            { value: 'card_transaction', label: t.card },
            { value: 'deposit', label: t.deposits },
            { value: 'withdrawal', label: t.withdrawals },
          ]}
          onPick={(value) => change({ type: value || null })}
        />
        <TextField
          label={t.from}
          type="date"
          value={from ?? ''}
          onChange={(event) => change({ from: event.currentTarget.value || null })}
        />
        <TextField
          label={t.until}
          type="date"
          value={until ?? ''}
          onChange={(event) => change({ until: event.currentTarget.value || null })}
        />
      </div>
      {exporting.error !== null && <ErrorNote error={exporting.error} onRetry={() => exporting.mutate()} />}
      <Loaded query={pages} loading={<Panel isFlush children={<SkeletonRows count={8} />} />}>
        {() => (
          <Panel isFlush>
            {!isEmpty ? (
              <LongItemList pages={loaded} hasMore={hasNextPage} />
            ) : isFiltered ? (
              <Empty
                title={t.emptyTitle}
                text={t.emptyText}
                action={
                  <Button look="secondary" size="sm" onClick={() => change({ type: null, from: null, until: null })}>
                    {t.reset}
                  </Button>
                }
              />
            ) : (
              <Empty
                title={home.emptyTitle}
                text={t.noneText}
                action={
                  <LinkButton to="/deposit" look="secondary" size="sm">
                    {nav.deposit}
                  </LinkButton>
                }
              />
            )}
          </Panel>
        )}
      </Loaded>
      {isFetchNextPageError && <ErrorNote error={pages.error} onRetry={fetchNext} />}
      {!isEmpty && (
        <div className="mt-6 text-center text-sm text-soft">
          {!hasNextPage && !isFiltered && t.end}
          {hasNextPage && !isFetchNextPageError && (
            <NearEnd key={loaded.length} onNear={fetchNext}>
              <Button look="secondary" isPending={pages.isFetchingNextPage} onClick={fetchNext}>
                {ui.more}
              </Button>
            </NearEnd>
          )}
        </div>
      )}
    </>
  )
}
