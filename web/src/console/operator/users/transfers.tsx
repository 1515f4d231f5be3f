import type { OperatorPayout } from '@purser/client'
import { Badge, type Tone } from '../../../ui/badge.tsx'
import { CopyId } from '../../../ui/copy.tsx'
import { When } from '../../../ui/date.tsx'
import { useDepositColumns } from '../deposits/columns.tsx'
import { useDepositText } from '../deposits/text.ts'
import { useOperator } from '../session.tsx'
import { PagedTable, usePages } from '../table.tsx'
import { IdLink, TokenAmount, TxHash } from '../values.tsx'
import { MarkedNote, useMarked } from './marked.tsx'
import { useUserText } from './text.ts'
import { useUserId } from './user.tsx'

/** The deposits, and the withdrawals and returns, of a user. */

export function UserDeposits() {
  const { deposits: t } = useUserText()
  const { title } = useDepositText()
  const { purser } = useOperator()
  const userId = useUserId()
  const marked = useMarked()
  const columns = useDepositColumns({ hasUser: false })
  const pages = usePages(['user', userId, 'deposits'], (cursor) =>
    purser.operator.users.listDeposits(userId, { ...(cursor !== undefined && { cursor }) }),
  )
  return (
    <>
      <MarkedNote rows={pages.data?.pages.flatMap(({ data }) => data.map(({ depositId }) => depositId))} />
      <PagedTable
        label={title}
        pages={pages}
        keyOf={({ depositId, transfer }) => depositId ?? `${transfer}`}
        isMarked={({ depositId }) => depositId === marked}
        empty={{ title: t.emptyTitle, text: t.emptyText }}
        columns={columns}
      />
    </>
  )
}

const tones: Readonly<Record<string, Tone>> = { pending: 'warn', processing: 'info', completed: 'good', failed: 'bad' }

export function UserWithdrawals() {
  const { withdrawals: t, at, amount, status, id } = useUserText()
  const { purser } = useOperator()
  const userId = useUserId()
  const marked = useMarked()
  const pages = usePages(['user', userId, 'withdrawals'], (cursor) =>
    purser.operator.users.listWithdrawals(userId, { ...(cursor !== undefined && { cursor }) }),
  )
  return (
    <>
      <MarkedNote rows={pages.data?.pages.flatMap(({ data }) => data.map(({ withdrawalId }) => withdrawalId))} />
      <PagedTable
        label={t.label}
        pages={pages}
        keyOf={({ withdrawalId }) => withdrawalId}
        isMarked={({ withdrawalId }) => withdrawalId === marked}
        empty={{ title: t.emptyTitle, text: t.emptyText }}
        columns={[
          { head: at, cell: ({ createdAt }) => <When at={createdAt} /> },
          { head: amount, cell: (payout) => <TokenAmount token={payout.token} amount={payout.amount} /> },
          { head: t.kind, cell: ({ depositId }) => (depositId === null ? t.withdrawal : t.return) },
          { head: status, cell: (payout) => <PayoutStatus payout={payout} /> },
          { head: t.to, cell: ({ toAddress }) => <CopyId id={toAddress} /> },
          {
            head: t.transaction,
            cell: ({ chainId, txHash }) => (txHash === null ? '–' : <TxHash chainId={chainId} hash={txHash} />),
          },
          { head: t.nonce, cell: ({ nonce }) => <span className="tabular-nums">{nonce ?? '–'}</span> },
          {
            head: id,
            cell: ({ withdrawalId }) => <IdLink to={`/operator/payouts/${withdrawalId}`} id={withdrawalId} />,
          },
        ]}
      />
    </>
  )
}

function PayoutStatus({ payout: { status, unpaid } }: { payout: OperatorPayout }) {
  const { withdrawals: t } = useUserText()
  const statuses: Readonly<Record<string, string>> = t.statuses
  const decisions: Readonly<Record<string, string>> = t.unpaid
  return (
    <span className="inline-flex flex-wrap items-center gap-x-2">
      <Badge tone={tones[status] ?? 'neutral'}>{statuses[status] ?? status}</Badge>
      {unpaid !== null && <Badge tone={unpaid === 'open' ? 'bad' : 'neutral'}>{decisions[unpaid] ?? unpaid}</Badge>}
    </span>
  )
}
