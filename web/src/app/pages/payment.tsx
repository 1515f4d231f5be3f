import { useQuery } from '@tanstack/react-query'
import { useParams, useRouter } from '@tanstack/react-router'
import { useSignedIn, useTitle } from '../../lib/session.tsx'
import { BackLink } from '../../ui/back-link.tsx'
import { Notice } from '../../ui/badge.tsx'
import { CopyId } from '../../ui/copy.tsx'
import { When } from '../../ui/date.tsx'
import { History } from '../../ui/history.tsx'
import { Facts, Panel } from '../../ui/layout.tsx'
import { Money } from '../../ui/money.tsx'
import { poll } from '../../ui/poll.ts'
import { Loaded, Skeleton } from '../../ui/states.tsx'
import { ItemBadge } from '../../ui/status.tsx'
import { declineText, useUiText } from '../../ui/text.ts'
import { useText } from '../text.ts'

/** A card payment with everything that happened to it. */
export function Payment() {
  const t = useText()
  const ui = useUiText()
  useTitle(t.payment.title)
  const { purser } = useSignedIn()
  const { paymentId = '' } = useParams({ strict: false })
  const history = useQuery({
    queryKey: ['payment', paymentId],
    queryFn: async () => purser.cardTransactions.get(paymentId),
    refetchInterval: poll(4_000),
  })
  return (
    <>
      <BackToStatement />
      <Loaded query={history} loading={<Skeleton className="h-96" />}>
        {(data) => {
          const { transaction } = data
          const { merchant, declineReason } = transaction
          const original = {
            amount: transaction.originalAmount,
            currency: transaction.originalCurrency,
            decimals: transaction.originalDecimals,
          }
          return (
            <div className="grid gap-6">
              <div className="grid gap-1">
                <div className="flex flex-wrap items-end justify-between gap-4">
                  <div className="min-w-0">
                    <h1 className="text-2xl font-semibold tracking-tight wrap-anywhere">{merchant.name}</h1>
                    <p className="mt-1 flex flex-wrap items-center gap-2 text-soft">
                      <ItemBadge item={transaction} />
                      {transaction.kind !== 'Payment' && ui.words.kinds[transaction.kind]}
                      <When at={transaction.createdAt} />
                    </p>
                  </div>
                  <Money {...transaction} isCredit={transaction.isCredit} className="text-2xl font-semibold" />
                </div>
              </div>
              {declineReason !== null && <Notice tone="bad">{declineText(ui, declineReason)}</Notice>}
              <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_20rem]">
                <Panel title={ui.history.title}>
                  <History history={data} />
                </Panel>
                <Panel title={t.payment.details}>
                  <Facts
                    rows={[
                      ...(original.currency === transaction.currency
                        ? []
                        : ([[t.items.original, <Money key="original" {...original} />]] as const)),
                      [
                        t.items.code,
                        <span key="code" className="font-mono text-sm">
                          {transaction.authorizationCode}
                        </span>,
                      ],
                      [t.items.category, merchant.categoryCode],
                      [t.items.id, <CopyId key="id" id={transaction.id} />],
                    ]}
                  />
                </Panel>
              </div>
            </div>
          )
        }}
      </Loaded>
    </>
  )
}

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** Whether the previous entry of the history is the statement. */
    isInStatement?: boolean
  }
}

/** Leads to the statement as it was left, with its filters and its place. */
function BackToStatement() {
  const { statement: t } = useText()
  const { history, latestLocation } = useRouter()
  return (
    <BackLink
      to="/statement"
      onClick={(event) => {
        if (latestLocation.state.isInStatement !== true || event.ctrlKey || event.metaKey || event.shiftKey) return
        event.preventDefault()
        history.back()
      }}
    >
      {t.title}
    </BackLink>
  )
}
