import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react'

type Props<Row> = {
  readonly pages: readonly (readonly Row[])[]
  readonly keyOf: (row: Row) => string
  /** The height of most rows in pixels, for pages that were never rendered. */
  readonly rowHeight: number
  /** Whether later rows exist that are not loaded. */
  readonly hasMore: boolean
  readonly children: (row: Row) => ReactNode
}

/** Rows within this distance of the visible area are rendered and loaded. */
const nearPixels = 1_500

/** Facts about pages that were rendered. They outlive the list, so that it looks the same when it is shown again. */
const heights = new WeakMap<readonly unknown[], number>()
const nearPages = new WeakSet<readonly unknown[]>()

/** Returns whether the page is rendered, or was when its list was last shown. */
export const isNear = (page: readonly unknown[]): boolean => nearPages.has(page)

/**
 * A list that scrolls with the window and renders only the pages near the visible area. Thousands of rows would make
 * every change slow. The browser's own search (Ctrl+F) therefore finds only the rendered rows. Screen readers get the
 * place of each row in the whole list, and a row with the focus stays rendered.
 */
export function LongList<Row>({ pages, hasMore, ...rest }: Props<Row>) {
  const starts: number[] = []
  let total = 0
  for (const rows of pages) {
    starts.push(total)
    total += rows.length
  }
  return (
    <div className="divide-y divide-line">
      {pages.map((rows, page) => (
        <PageOfRows
          key={`page ${page}`}
          {...rest}
          rows={rows}
          start={starts[page] ?? 0}
          setSize={hasMore ? -1 : total}
        />
      ))}
    </div>
  )
}

type PageProps<Row> = Omit<Props<Row>, 'pages' | 'hasMore'> & {
  readonly rows: readonly Row[]
  /** The number of rows before this page. */
  readonly start: number
  /** The number of all rows; -1: unknown. */
  readonly setSize: number
}

function PageOfRows<Row>({ rows, start, setSize, keyOf, rowHeight, children }: PageProps<Row>) {
  const element = useRef<HTMLUListElement>(null)
  const [isRendered, setRendered] = useState(start === 0 || isNear(rows))
  const [hasFocus, setFocus] = useState(false)
  useEffect(
    () =>
      observe(element.current, ({ isIntersecting, boundingClientRect }) => {
        heights.set(rows, boundingClientRect.height)
        if (isIntersecting) nearPages.add(rows)
        else nearPages.delete(rows)
        setRendered(isIntersecting)
      }),
    [rows],
  )
  useLayoutEffect(() => {
    const page = element.current
    return () => {
      if (page !== null) heights.set(rows, page.offsetHeight)
    }
  }, [rows])
  const isShown = isRendered || hasFocus
  return (
    <ul
      ref={element}
      className="divide-y divide-line"
      style={isShown ? {} : { height: heights.get(rows) ?? rows.length * rowHeight }}
      onFocus={() => setFocus(true)}
      onBlur={() => setFocus(false)}
    >
      {isShown &&
        rows.map((row, place) => (
          <li key={keyOf(row)} aria-posinset={start + place + 1} aria-setsize={setSize}>
            {children(row)}
          </li>
        ))}
    </ul>
  )
}

/**
 * Calls `onNear` each time its children come close to the visible area. While the children stay close, only a new key
 * causes another call.
 */
export function NearEnd({ onNear, children }: { onNear: () => void; children: ReactNode }) {
  const element = useRef<HTMLDivElement>(null)
  const call = useRef(onNear)
  call.current = onNear
  useEffect(() => observe(element.current, ({ isIntersecting }) => isIntersecting && call.current()), [])
  return <div ref={element}>{children}</div>
}

function observe(element: Element | null, report: (entry: IntersectionObserverEntry) => void): () => void {
  const observer = new IntersectionObserver((entries) => entries.forEach(report), {
    rootMargin: `${nearPixels}px 0px`,
  })
  if (element !== null) observer.observe(element)
  return () => observer.disconnect()
}
