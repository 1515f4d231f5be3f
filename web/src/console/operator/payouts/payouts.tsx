import { useUrlState } from '../../../lib/search.ts'
import { useTitle } from '../../../lib/session.tsx'
import { CopyId } from '../../../ui/copy.tsx'
import { Segments } from '../../../ui/field.tsx'
import { Age } from '../age.tsx'
import { OpenProposals } from '../open-proposals.tsx'
import { useOperator } from '../session.tsx'
import { PagedTable, ScreenHead, usePages } from '../table.tsx'
import { useControlText } from '../text/control.ts'
import { IdLink, TokenAmount, UserLink } from '../values.tsx'
import { PayoutBadge, payoutCommands } from './status.tsx'

const states = ['open', 'unpaid', 'unassigned'] as const

/** Payouts that wait for the chain or for an operator, by state. */
export function Payouts() {
  const { payouts: t, state: label, age } = useControlText()
  const { purser } = useOperator()
  const [search, change] = useUrlState(['state'])
  const state = states.find((each) => each === search.state) ?? 'open'
  useTitle(t.title)
  const pages = usePages(['payouts', state], (cursor) =>
    purser.operator.payouts.list({ state, ...(cursor !== undefined && { cursor }) }),
  )
  return (
    <>
      <ScreenHead
        title={t.title}
        text={t.lead}
        actions={
          <Segments
            label={label}
            value={state}
            options={states.map((value) => ({ value, label: t.states[value] }))}
            onPick={(next) => change({ state: next })}
          />
        }
      />
      <OpenProposals commands={payoutCommands} />
      <PagedTable
        label={`${t.title}: ${t.states[state]}`}
        pages={pages}
        keyOf={({ withdrawalId }) => withdrawalId}
        empty={t.empty[state]}
        columns={[
          {
            head: t.payout,
            cell: ({ withdrawalId }) => <IdLink to={`/operator/payouts/${withdrawalId}`} id={withdrawalId} />,
          },
          { head: t.status, cell: (payout) => <PayoutBadge payout={payout} /> },
          { head: t.amount, isNumber: true, cell: (payout) => <TokenAmount {...payout} /> },
          { head: t.kind, cell: ({ depositId }) => (depositId === null ? t.isWithdrawal : t.isReturn) },
          { head: t.user, cell: ({ userId }) => <UserLink userId={userId} /> },
          { head: t.payee, cell: ({ toAddress }) => <CopyId id={toAddress} /> },
          { head: t.attempts, isNumber: true, cell: ({ attempts }) => attempts },
          { head: age, isNumber: true, cell: ({ createdAt }) => <Age since={createdAt} /> },
        ]}
      />
    </>
  )
}
