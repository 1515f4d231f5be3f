import { type QueryKey, useInfiniteQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useRef } from 'react'
import { useLanguage } from '../../lib/language.tsx'
import { Notice } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { formatDate, utcText } from '../../ui/date.tsx'
import { Empty, ErrorNote, Skeleton } from '../../ui/states.tsx'
import { useUiText } from '../../ui/text.ts'
import { useText } from './text.ts'

/** Lists of the operator console: a dense table on wide pages, a block for each row on narrow ones. */

type ListPage<Row> = {
  readonly data: readonly Row[]
  readonly pagination: { readonly nextCursor?: string | null; readonly hasNext: boolean }
}

/**
 * Reads a keyset list page by page. A list without a cursor continues after the last loaded row. For such a list,
 * `placeOf` returns the place of a row, such as its `seq`.
 */
export function usePages<Row>(
  key: QueryKey,
  read: (place: string | undefined) => PromiseLike<ListPage<Row>>,
  placeOf?: (row: Row) => string,
) {
  return useInfiniteQuery({
    queryKey: ['operator', ...key],
    queryFn: async ({ pageParam }: { pageParam: string | undefined }) => read(pageParam),
    initialPageParam: undefined,
    getNextPageParam: ({ data, pagination: { nextCursor, hasNext } }) => {
      const last = data.at(-1)
      return nextCursor ?? (hasNext && last !== undefined && placeOf !== undefined ? placeOf(last) : undefined)
    },
  })
}

type Pages<Row> = ReturnType<typeof usePages<Row>>

export type Column<Row> = {
  readonly head: string
  readonly cell: (row: Row) => ReactNode
  /** Numbers align at their end. */
  readonly isNumber?: boolean
}

type TableProps<Row> = {
  /** The name of the table for screen readers. */
  readonly label: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string
  /** Returns whether the URL names the row. */
  readonly isMarked?: (row: Row) => boolean
}

export function Table<Row>({ label, columns, rows, keyOf, isMarked = () => false }: TableProps<Row>) {
  return (
    <table className="w-full text-left text-sm max-sm:block" aria-label={label}>
      <thead className="max-sm:sr-only">
        <tr className="border-b border-line">
          {columns.map(({ head, isNumber }) => (
            <th
              key={head}
              scope="col"
              className={`px-2.5 py-2 text-xs font-medium text-soft first:pl-4 last:pr-4 ${isNumber ? 'text-right not-last:pr-6' : ''}`}
            >
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody className="divide-y divide-line max-sm:block">
        {rows.map((row) => (
          <tr
            key={keyOf(row)}
            aria-current={isMarked(row) ? 'true' : undefined}
            className="hover:bg-sunken/60 aria-current:bg-accent-tint max-sm:grid max-sm:gap-0.5 max-sm:px-4 max-sm:py-3"
          >
            {columns.map(({ head, cell, isNumber }, index) => (
              <td
                key={head}
                className={`py-2 max-sm:has-[>span:last-child:empty]:hidden max-sm:flex max-sm:min-h-7 max-sm:items-baseline max-sm:justify-between max-sm:gap-4 max-sm:py-0.5 sm:px-2.5 sm:first:pl-4 sm:last:pr-4 ${isNumber ? 'tabular-nums sm:text-right sm:not-last:pr-6' : ''}`}
              >
                {/* The first value is the title of its block. */}
                {index > 0 && (
                  <span aria-hidden="true" className="max-w-1/2 shrink-0 text-xs text-soft sm:hidden">
                    {head}
                  </span>
                )}
                <span className={`min-w-0 ${index === 0 ? 'max-sm:font-medium' : 'max-sm:text-right'}`}>
                  {cell(row)}
                </span>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

const skeletonRows = 6

export function SkeletonTable({ rows = skeletonRows }: { rows?: number }) {
  const ui = useUiText()
  return (
    <div aria-busy="true" className="grid gap-px py-1">
      <span role="status" className="sr-only">
        {ui.loading}
      </span>
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} className="flex h-9 items-center gap-6 px-4">
          <Skeleton className="h-3.5 w-1/4" />
          <Skeleton className="h-3.5 w-1/6" />
          <Skeleton className="ml-auto h-3.5 w-24" />
        </div>
      ))}
    </div>
  )
}

type PagedProps<Row> = Omit<TableProps<Row>, 'rows'> & {
  readonly pages: Pages<Row>
  readonly empty: { readonly title: string; readonly text?: string; readonly action?: ReactNode }
}

/** A keyset list with its states: loading, empty, error, stale, more, and whole. */
export function PagedTable<Row>({ pages, empty, ...table }: PagedProps<Row>) {
  const t = useText()
  const ui = useUiText()
  const { locale } = useLanguage()
  const { data, error, isFetchingNextPage, isFetchNextPageError, hasNextPage } = pages
  if (data === undefined && error !== null) return <ErrorNote error={error} onRetry={() => void pages.refetch()} />
  const rows = data?.pages.flatMap((page) => page.data) ?? []
  return (
    <div className="grid gap-3">
      {error !== null && !isFetchNextPageError && (
        <>
          <Notice tone="warn">
            <span title={utcText(pages.dataUpdatedAt)}>
              {ui.asOf(formatDate(locale, pages.dataUpdatedAt, 'second'))}
            </span>
          </Notice>
          <ErrorNote error={error} onRetry={() => void pages.refetch()} />
        </>
      )}
      <Sheet>
        {data === undefined ? (
          <SkeletonTable />
        ) : rows.length === 0 ? (
          <Empty {...empty} />
        ) : (
          <Table {...table} rows={rows} />
        )}
      </Sheet>
      {rows.length > 0 && (
        <div className="flex min-h-9 items-center gap-3 px-1 text-sm text-soft">
          {hasNextPage ? (
            <>
              <Button
                look="secondary"
                size="sm"
                isPending={isFetchingNextPage}
                onClick={() => void pages.fetchNextPage()}
              >
                {ui.more}
              </Button>
              {t.table.first(rows.length)}
            </>
          ) : (
            t.table.all(rows.length)
          )}
        </div>
      )}
      {isFetchNextPageError && <ErrorNote error={error} />}
    </div>
  )
}

/** The surface of a table. One that is wider than the page can be scrolled with the keyboard. */
export function Sheet({ children }: { children: ReactNode }) {
  const sheet = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const element = sheet.current
    if (element === null) return
    const observer = new ResizeObserver(() => {
      if (element.scrollWidth > element.clientWidth) element.tabIndex = 0
      else element.removeAttribute('tabindex')
    })
    for (const each of [element, ...element.children]) observer.observe(each)
    return () => observer.disconnect()
  }, [])
  return (
    // The hidden texts for screen readers are absolute. Without `relative`, they would lie outside of this box and
    // widen the page.
    <div ref={sheet} className="relative overflow-x-auto overflow-y-clip rounded-lg border border-line bg-surface">
      {children}
    </div>
  )
}

/** The head of a screen. */
export function ScreenHead({ title, text, actions }: { title: ReactNode; text?: ReactNode; actions?: ReactNode }) {
  return (
    <div className="mb-5 flex min-h-10 flex-wrap items-center justify-between gap-x-4 gap-y-2">
      <div className="min-w-0">
        <h1 className="text-xl font-semibold tracking-tight">{title}</h1>
        {text !== undefined && <p className="max-w-prose text-sm text-soft">{text}</p>}
      </div>
      {actions !== undefined && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
    </div>
  )
}
