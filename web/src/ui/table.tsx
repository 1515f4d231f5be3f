import type { ReactNode } from 'react'

export type DataColumn<Row> = {
  readonly head: string
  readonly cell: (row: Row) => ReactNode
  readonly isEnd?: boolean
}

type Props<Row> = {
  /** Names the table for those who do not see it. */
  readonly label: string
  readonly columns: readonly DataColumn<Row>[]
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string
}

/** Rows of data. On a small screen each row is a block, and each value has its label beside it. */
export function DataTable<Row>({ label, columns, rows, keyOf }: Props<Row>) {
  return (
    <table aria-label={label} className="w-full text-sm max-md:block">
      <thead className="max-md:sr-only">
        <tr className="border-y border-line bg-sunken/50 text-left text-xs text-soft">
          {columns.map(({ head, isEnd = false }) => (
            <th
              key={head}
              scope="col"
              className={`px-3 py-2 font-medium whitespace-nowrap first:pl-6 last:pr-6 ${isEnd ? 'text-right' : ''}`}
            >
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody className="divide-y divide-line max-md:block max-md:border-t max-md:border-line">
        {rows.map((row) => (
          <tr key={keyOf(row)} className="max-md:block max-md:px-4 max-md:py-3">
            {columns.map(({ head, cell, isEnd = false }, index) => (
              <td
                key={head}
                data-label={head}
                className={`py-3 align-middle max-md:flex max-md:has-[>span:empty]:hidden max-md:min-h-8 max-md:items-center max-md:justify-between max-md:gap-4 max-md:py-0.5 md:px-3 md:first:pl-6 md:last:pr-6 ${isEnd ? 'md:text-right' : ''} ${index === 0 ? 'font-medium' : 'max-md:before:shrink-0 max-md:before:text-soft max-md:before:content-[attr(data-label)]'}`}
              >
                <span className={`min-w-0 max-md:inline-block ${index === 0 ? '' : 'max-md:text-right'}`}>
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

export function TableSkeleton({ rows = 6 }: { rows?: number }) {
  return (
    <div className="divide-y divide-line border-t border-line">
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} className="flex min-h-12 items-center gap-6 px-4 sm:px-6">
          <div className="skeleton h-4 w-1/4" />
          <div className="skeleton h-4 w-1/6" />
          <div className="skeleton ml-auto h-4 w-1/5" />
        </div>
      ))}
    </div>
  )
}
