import type { ReactNode } from 'react'
import { useUiText } from './text.ts'

type Props<Row extends string, Column extends string> = {
  /** Names the table for those who do not see it. */
  readonly label: string
  /** The head of the rows. */
  readonly head: string
  readonly rows: readonly Row[]
  readonly columns: readonly Column[]
  readonly rowHead: (row: Row) => ReactNode
  readonly columnHead: (column: Column) => string
  readonly has: (row: Row, column: Column) => boolean
}

/** A table of yes and no. It stays a table on a phone, where a block for each row would be endless. */
export function Matrix<Row extends string, Column extends string>(props: Props<Row, Column>) {
  const { label, head, rows, columns, rowHead, columnHead, has } = props
  return (
    <table className="w-full text-sm" aria-label={label}>
      <thead>
        <tr className="border-b border-line bg-sunken/50 text-xs text-soft">
          <th scope="col" className="py-2 pr-1 pl-3 text-left font-medium wrap-anywhere sm:px-6">
            {head}
          </th>
          {columns.map((column) => (
            <th
              key={column}
              scope="col"
              className="px-0.5 py-2 font-medium last:pr-2 max-sm:text-[0.6875rem] sm:px-3 sm:last:pr-6"
            >
              {columnHead(column)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody className="divide-y divide-line">
        {rows.map((row) => (
          <tr key={row}>
            <th scope="row" className="py-2 pr-1 pl-3 text-left font-normal wrap-anywhere sm:pl-6">
              {rowHead(row)}
            </th>
            {columns.map((column) => (
              <td key={column} className="px-0.5 text-center last:pr-2 sm:px-3 sm:last:pr-6">
                <Mark isYes={has(row, column)} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Mark({ isYes }: { isYes: boolean }) {
  const ui = useUiText()
  return (
    <>
      <span className="sr-only">{isYes ? ui.yes : ui.no}</span>
      <svg
        viewBox="0 0 16 16"
        className={`inline size-4 ${isYes ? 'text-good' : 'text-line-strong'}`}
        aria-hidden="true"
        fill="none"
        stroke="currentColor"
        strokeLinecap="round"
      >
        {isYes ? <path d="M3.500 8.500l3 3 6-7" strokeWidth="2" /> : <path d="M6 8h4" strokeWidth="1.500" />}
      </svg>
    </>
  )
}

/** A permission, such as `users:read`. It breaks after its colon. */
export function PermissionName({ name }: { name: string }) {
  const [area, ...rest] = name.split(':')
  return (
    <span className="font-mono text-xs">
      {area}
      {rest.length > 0 && (
        <>
          :<wbr />
          {rest.join(':')}
        </>
      )}
    </span>
  )
}
