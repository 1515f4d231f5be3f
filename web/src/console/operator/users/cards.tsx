import type { OperatorCard } from '@purser/client'
import { useQuery } from '@tanstack/react-query'
import { CopyId } from '../../../ui/copy.tsx'
import { When } from '../../../ui/date.tsx'
import { Empty, Loaded } from '../../../ui/states.tsx'
import { CardBadge } from '../../../ui/status.tsx'
import { useOperator } from '../session.tsx'
import { Sheet, SkeletonTable, Table } from '../table.tsx'
import { MinorAmount } from '../values.tsx'
import { useMarked } from './marked.tsx'
import { useUserText } from './text.ts'
import { useUserId } from './user.tsx'

export function UserCards() {
  const { cards: t, id, status } = useUserText()
  const { purser } = useOperator()
  const userId = useUserId()
  const marked = useMarked()
  const cards = useQuery({
    queryKey: ['operator', 'user', userId, 'cards'],
    queryFn: async () => (await purser.operator.users.listCards(userId)).data,
  })
  return (
    <Loaded query={cards} loading={<Sheet children={<SkeletonTable rows={2} />} />}>
      {(rows) => (
        <Sheet>
          {rows.length === 0 ? (
            <Empty title={t.emptyTitle} text={t.emptyText} />
          ) : (
            <Table
              label={t.label}
              rows={rows}
              keyOf={({ cardId }) => cardId}
              isMarked={({ cardId }) => cardId === marked}
              columns={[
                {
                  head: t.name,
                  cell: ({ name, last4 }) => (
                    <>
                      <span className="font-medium">{name}</span>{' '}
                      <span className="text-soft tabular-nums">{last4 === null ? '' : `·· ${last4}`}</span>
                    </>
                  ),
                },
                {
                  head: status,
                  cell: (card) => (
                    <span className="inline-flex flex-wrap items-center gap-x-2">
                      <CardBadge status={card.status} />
                      {card.blockedBy.length > 0 && (
                        <span className="text-soft">
                          {t.blockedBy(card.blockedBy.map((party) => t.blockers[party]).join(', '))}
                        </span>
                      )}
                    </span>
                  ),
                },
                { head: t.expiry, cell: (card) => <span className="tabular-nums">{expiryOf(card)}</span> },
                { head: t.limits, cell: (card) => <Limits card={card} /> },
                { head: t.created, cell: ({ createdAt }) => <When at={createdAt} /> },
                {
                  head: t.replacement,
                  cell: ({ replacementId }) => (replacementId === null ? '–' : <CopyId id={replacementId} />),
                },
                { head: id, cell: ({ cardId }) => <CopyId id={cardId} /> },
              ]}
            />
          )}
        </Sheet>
      )}
    </Loaded>
  )
}

function expiryOf({ expiryMonth, expiryYear }: OperatorCard): string {
  if (expiryMonth === null || expiryYear === null) return '–'
  return `${String(expiryMonth).padStart(2, '0')}/${expiryYear % 100}`
}

function Limits({ card: { limitPerTransaction, limitDaily, currency } }: { card: OperatorCard }) {
  const { cards: t } = useUserText()
  const limits = [
    [limitPerTransaction, t.perTransaction],
    [limitDaily, t.daily],
  ] as const
  if (limits.every(([amount]) => amount === null)) return '–'
  return limits.map(
    ([amount, label]) =>
      amount !== null && (
        <span key={label} className="block">
          <MinorAmount amount={amount} currency={currency} /> <span className="text-soft">{label}</span>
        </span>
      ),
  )
}
