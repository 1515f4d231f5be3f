import { useInfiniteQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { pollAfter } from './poll.ts'
import { ErrorNote, Loaded } from './states.tsx'
import { type DataColumn, DataTable, TableSkeleton } from './table.tsx'
import { useUiText } from './text.ts'

/** A list that comes in pages. */

export type PageOf<Row> = { readonly rows: readonly Row[]; readonly next: string | null }

type Options<Row> = {
  /** The milliseconds after which the loaded pages are read again. */
  readonly refetchInterval?: number | ((rows: readonly Row[]) => number)
}

/**
 * Reads the first page, and later ones when they are asked for. `read` gets the place of the page; undefined: the
 * first.
 */
export function usePagedRows<Row>(
  key: readonly unknown[],
  read: (place: string | undefined) => Promise<PageOf<Row>>,
  { refetchInterval }: Options<Row> = {},
) {
  return useInfiniteQuery({
    queryKey: key,
    queryFn: async ({ pageParam }) => read(pageParam === '' ? undefined : pageParam),
    initialPageParam: '',
    getNextPageParam: ({ next }: PageOf<Row>) => next,
    refetchInterval({ state }) {
      const rows = state.data?.pages.flatMap((page) => page.rows) ?? []
      const milliseconds = typeof refetchInterval === 'function' ? refetchInterval(rows) : refetchInterval
      return milliseconds === undefined ? false : pollAfter(milliseconds, state.error)
    },
  })
}

type Props<Row> = {
  readonly pages: ReturnType<typeof usePagedRows<Row>>
  readonly label: string
  readonly columns: readonly DataColumn<Row>[]
  readonly keyOf: (row: Row) => string
  readonly empty: ReactNode
  readonly sentences?: Readonly<Record<string, string>>
}

/** Shows the rows that are loaded, and whether there are more. */
export function Pages<Row>({ pages, label, columns, keyOf, empty, sentences }: Props<Row>) {
  const ui = useUiText()
  return (
    <Loaded query={pages} loading={<TableSkeleton />} {...(sentences && { sentences })}>
      {({ pages: loaded }) => {
        const rows = loaded.flatMap((page) => page.rows)
        if (rows.length === 0) return <div className="border-t border-line">{empty}</div>
        return (
          <>
            <DataTable label={label} columns={columns} rows={rows} keyOf={keyOf} />
            <div className="flex min-h-14 flex-wrap items-center justify-between gap-3 border-t border-line px-4 py-2.5 text-sm text-soft sm:px-6">
              <p>{pages.hasNextPage ? ui.truncated(rows.length) : ui.complete(rows.length)}</p>
              {pages.hasNextPage && (
                <Button
                  look="secondary"
                  size="sm"
                  isPending={pages.isFetchingNextPage}
                  onClick={() => void pages.fetchNextPage()}
                >
                  {ui.more}
                </Button>
              )}
            </div>
            {pages.isFetchNextPageError && (
              <div className="px-4 pb-4 sm:px-6">
                <ErrorNote error={pages.error} {...(sentences && { sentences })} />
              </div>
            )}
          </>
        )
      }}
    </Loaded>
  )
}
