import type { StatementItem } from '@purser/client'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useSignedIn, useTitle } from '../../lib/session.tsx'
import { BackLink } from '../../ui/back-link.tsx'
import { LinkButton } from '../../ui/button.tsx'
import { CopyId } from '../../ui/copy.tsx'
import { When } from '../../ui/date.tsx'
import { Facts, PageHead, Panel } from '../../ui/layout.tsx'
import { Money } from '../../ui/money.tsx'
import { Pages, usePagedRows } from '../../ui/pages.tsx'
import { Empty, Forbidden, Loaded, Skeleton } from '../../ui/states.tsx'
import { CardBadge, ItemBadge } from '../../ui/status.tsx'
import { DataTable } from '../../ui/table.tsx'
import { declineText, useUiText } from '../../ui/text.ts'
import { usePartner, useSentences } from './partner.tsx'
import { useText } from './text.ts'

const pageSize = 25

/** One user: cards and statement where the programme grants them, and the link to its events. */
export function UserPage() {
  const t = useText()
  const { userId = '' } = useParams({ strict: false })
  const { can } = usePartner()
  useTitle(t.users.one)
  return (
    <>
      <BackLink to="/partner/users">{t.users.title}</BackLink>
      <PageHead
        title={t.users.one}
        text={<CopyId id={userId} isWhole />}
        actions={
          <LinkButton to="/partner/events" search={{ userId } as never} look="secondary">
            {t.users.events}
          </LinkButton>
        }
      />
      {can('users:details') ? (
        <Details userId={userId} />
      ) : (
        <Forbidden permission="users:details" text={t.users.forbidden} />
      )}
    </>
  )
}

function Details({ userId }: { userId: string }) {
  const t = useText()
  const { purser } = useSignedIn()
  const sentences = useSentences('users:details')
  const user = useQuery({ queryKey: ['user', userId], queryFn: async () => purser.partner.users.get(userId) })
  return (
    <div className="grid grid-cols-1 gap-6">
      <Loaded query={user} loading={<Skeleton className="h-56" />} sentences={sentences}>
        {({ createdAt, kyc, accountStatus, currency, cards }) => (
          <div className="grid grid-cols-1 items-start gap-6 xl:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]">
            <Panel title={t.users.facts}>
              <Facts
                rows={[
                  [t.users.registered, <When key="at" at={createdAt} />],
                  [t.users.kyc, t.users.kycStatuses[kyc]],
                  [t.users.account, accountStatus === null ? '–' : t.users.accountStatuses[accountStatus]],
                  [t.users.currency, currency ?? '–'],
                ]}
              />
            </Panel>
            <Panel title={t.users.cards} isFlush>
              {cards.length === 0 ? (
                <Empty title={t.users.noCards} text={t.users.noCardsText} />
              ) : (
                <DataTable
                  label={t.users.cards}
                  rows={cards}
                  keyOf={({ cardId }) => cardId}
                  columns={[
                    {
                      head: t.users.card,
                      cell: ({ cardName, last4 }) => (
                        <>
                          {cardName} <span className="tabular-nums">{last4 === null ? '' : `·· ${last4}`}</span>
                        </>
                      ),
                    },
                    { head: t.users.cardId, cell: ({ cardId }) => <CopyId id={cardId} /> },
                    { head: t.deliveries.status, cell: ({ status }) => <CardBadge status={status} /> },
                  ]}
                />
              )}
            </Panel>
          </div>
        )}
      </Loaded>
      <Statement userId={userId} />
    </div>
  )
}

function Movement({ item }: { item: StatementItem }) {
  const t = useText()
  const ui = useUiText()
  if (item.type !== 'card_transaction') return <>{t.users.movements[item.type]}</>
  return (
    <>
      {item.merchant.name}
      {item.declineReason !== null && (
        <span className="block font-normal text-bad">{declineText(ui, item.declineReason)}</span>
      )}
    </>
  )
}

function Statement({ userId }: { userId: string }) {
  const t = useText()
  const { purser } = useSignedIn()
  const sentences = useSentences('users:details')
  const pages = usePagedRows<StatementItem>(['user', userId, 'statement'], async (cursor) => {
    const query = { limit: pageSize, ...(cursor !== undefined && { cursor }) }
    const { data, pagination } = await purser.partner.users.statement(userId, query)
    return { rows: data, next: pagination.nextCursor }
  })
  return (
    <Panel title={t.users.statement} isFlush>
      <Pages
        pages={pages}
        label={t.users.statement}
        sentences={sentences}
        keyOf={({ id }) => id}
        empty={<Empty title={t.users.noMovements} text={t.users.noMovementsText} />}
        columns={[
          { head: t.users.movement, cell: (item) => <Movement item={item} /> },
          { head: t.created, cell: ({ createdAt }) => <When at={createdAt} /> },
          { head: t.deliveries.status, cell: (item) => <ItemBadge item={item} /> },
          {
            head: t.users.amount,
            isEnd: true,
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
    </Panel>
  )
}
