import { useUrlState } from '../../../lib/search.ts'
import { useTitle } from '../../../lib/session.tsx'
import { Segments } from '../../../ui/field.tsx'
import { useOperator } from '../session.tsx'
import { PagedTable, ScreenHead, usePages } from '../table.tsx'
import { useDepositColumns } from './columns.tsx'
import { useDepositText } from './text.ts'

/** The states by which the API lists deposits, each with its name in the work list. */
const lists = [
  ['frozen', 'depositsFrozen'],
  ['waiting', 'depositsWaiting'],
  ['untold', 'arrivalsUnknown'],
] as const
type List = (typeof lists)[number]

/** The waiting deposits of all users, by state. */
export function Deposits() {
  const t = useDepositText()
  const [{ state: given }, change] = useUrlState(['state'])
  const list = lists.find(([state]) => state === given) ?? lists[0]
  useTitle(t.title)
  return (
    <>
      <ScreenHead
        title={t.title}
        text={t.lead}
        actions={
          <Segments
            label={t.filter}
            value={list[0]}
            options={lists.map(([value, work]) => ({ value, label: t.states[work] }))}
            onPick={(next) => change({ state: next })}
          />
        }
      />
      <Waiting key={list[0]} list={list} />
    </>
  )
}

function Waiting({ list: [state, work] }: { list: List }) {
  const t = useDepositText()
  const { purser } = useOperator()
  const columns = useDepositColumns({ hasUser: true })
  const pages = usePages(['deposits', state], (cursor) =>
    purser.operator.deposits.list({ state, ...(cursor !== undefined && { cursor }) }),
  )
  return (
    <PagedTable
      label={t.title}
      pages={pages}
      keyOf={({ depositId, transfer }) => depositId ?? `${transfer}`}
      empty={{ title: t.emptyTitles[work], text: t.emptyTexts[work] }}
      columns={columns}
    />
  )
}
