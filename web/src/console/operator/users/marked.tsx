import { useUrlState } from '../../../lib/search.ts'
import { Notice } from '../../../ui/badge.tsx'
import { useUserText } from './text.ts'

/** Returns the id of the row that the link to this page marks; null: none. */
export function useMarked(): string | null {
  const [{ id }] = useUrlState(['id'])
  return id
}

/** Says where the marked row is, because a list shows only its first pages. */
export function MarkedNote({ rows }: { rows: readonly (string | null)[] | undefined }) {
  const t = useUserText()
  const id = useMarked()
  if (id === null || rows === undefined) return null
  return (
    <div className="mb-3">
      <Notice tone={rows.includes(id) ? 'info' : 'warn'}>{rows.includes(id) ? t.marked : t.markedBelow}</Notice>
    </div>
  )
}
