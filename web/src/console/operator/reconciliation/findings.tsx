import type { BadRow } from '@purser/client'
import { Table } from '../table.tsx'
import { useControlText } from '../text/control.ts'
import { UserLink } from '../values.tsx'

type Finding = BadRow & { readonly userId: string | null }

/** Lists rows that fail a check. A text says what is wrong with each row. */
export function Findings({ rows }: { rows: readonly Finding[] }) {
  const { books: t } = useControlText()
  return (
    <div className="overflow-clip rounded-lg border border-bad/40 bg-surface">
      <Table
        label={t.findings}
        rows={rows}
        keyOf={({ userId, table, key, wrong }) => `${userId} ${table} ${key} ${wrong}`}
        columns={[
          { head: t.wrong, cell: ({ wrong }) => <Wrong text={wrong} /> },
          { head: t.table, cell: ({ table }) => <code className="text-[0.8125rem]">{table}</code> },
          { head: t.row, cell: ({ key }) => <span className="wrap-anywhere">{key}</span> },
          { head: t.user, cell: ({ userId }) => (isId(userId) ? <UserLink userId={userId} /> : (userId ?? '–')) },
        ]}
      />
    </div>
  )
}

/** Returns whether a row belongs to a user. In rows of the sealed logs, the user id is `none`. */
const isId = (userId: string | null): userId is string => userId !== null && /^[0-9a-f-]{36}$/i.test(userId)

function Wrong({ text }: { text: string }) {
  return <span className="font-medium text-bad wrap-anywhere">{text}</span>
}
