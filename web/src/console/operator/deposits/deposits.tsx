import { useUrlState } from '../../../lib/search.ts'
import { useTitle } from '../../../lib/session.tsx'
import { Segments } from '../../../ui/field.tsx'
import { useOperator } from '../session.tsx'
import { PagedTable, ScreenHead, usePages } from '../table.tsx'
import { useDepositColumns } from './columns.tsx'
import { useDepositText } from './text.ts'

const states = ['frozen', 'waiting', 'untold'] as const
type State = (typeof states)[number]

/** The deposits of all users that wait, by what they wait for. */
export function Deposits() {
  const t = useDepositText()
  const [{ state: given }, change] = useUrlState(['state'])
  const state = states.find((each) => each === given) ?? 'frozen'
  useTitle(t.title)
  return (
    <>
      <ScreenHead
        title={t.title}
        text={t.lead}
        actions={
          <Segments
            label={t.filter}
            value={state}
            options={states.map((value) => ({ value, label: t.states[value] }))}
            onPick={(next) => change({ state: next })}
          />
        }
      />
      <Waiting key={state} state={state} />
    </>
  )
}

function Waiting({ state }: { state: State }) {
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
      empty={{ title: t.emptyTitles[state], text: t.emptyTexts[state] }}
      columns={columns}
    />
  )
}
