import type { StatementItem } from '@purser/client'
import { Link } from '@tanstack/react-router'
import { CopyId } from '../../../ui/copy.tsx'
import { When } from '../../../ui/date.tsx'
import { Money } from '../../../ui/money.tsx'
import { ItemBadge } from '../../../ui/status.tsx'
import { declineText, useUiText } from '../../../ui/text.ts'
import { useOperator } from '../session.tsx'
import { PagedTable, usePages } from '../table.tsx'
import { linkClass } from '../values.tsx'
import { useUserText } from './text.ts'
import { useUserId } from './user.tsx'

/** The statement as its owner sees it. */
export function UserStatement() {
  const { statement: t, at, amount, status, id } = useUserText()
  const { purser } = useOperator()
  const userId = useUserId()
  const pages = usePages<StatementItem>(['user', userId, 'statement'], (cursor) =>
    purser.operator.users.listStatement(userId, { ...(cursor !== undefined && { cursor }) }),
  )
  return (
    <PagedTable
      label={t.label}
      pages={pages}
      keyOf={(item) => item.id}
      empty={{ title: t.emptyTitle, text: t.emptyText }}
      columns={[
        { head: at, cell: ({ createdAt }) => <When at={createdAt} /> },
        { head: t.item, cell: (item) => <Item item={item} userId={userId} /> },
        { head: status, cell: (item) => <ItemBadge item={item} /> },
        { head: id, cell: (item) => <CopyId id={item.id} /> },
        {
          head: amount,
          isNumber: true,
          cell: (item) => (
            <Money
              {...item}
              currency={item.type === 'card_transaction' ? item.currency : item.fiatCurrency}
              isCredit={item.isCredit}
            />
          ),
        },
      ]}
    />
  )
}

function Item({ item, userId }: { item: StatementItem; userId: string }) {
  const { statement: t } = useUserText()
  const ui = useUiText()
  const user = `/operator/users/${userId}`
  switch (item.type) {
    case 'card_transaction':
      return (
        <>
          <Link to={`${user}/card-transactions/${item.id}`} className={`${linkClass} font-medium`}>
            {item.merchant.name}
          </Link>
          <span className="block text-xs text-soft">
            {ui.words.kinds[item.kind]}
            {item.declineReason !== null && ` · ${declineText(ui, item.declineReason)} ${item.declineReason.code}`}
          </span>
        </>
      )
    case 'deposit':
      return (
        <Link to={`${user}/deposits`} search={{ id: item.id } as never} className={`${linkClass} font-medium`}>
          {t.deposit}
        </Link>
      )
    case 'withdrawal':
      return (
        <Link to={`${user}/withdrawals`} search={{ id: item.id } as never} className={`${linkClass} font-medium`}>
          {t.withdrawal}
        </Link>
      )
  }
}
