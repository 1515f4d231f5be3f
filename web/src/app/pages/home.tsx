import { Link } from '@tanstack/react-router'
import { useTitle } from '../../lib/session.tsx'
import { Notice } from '../../ui/badge.tsx'
import { LinkButton } from '../../ui/button.tsx'
import { Panel } from '../../ui/layout.tsx'
import { Money } from '../../ui/money.tsx'
import { Empty, Loaded, Skeleton, SkeletonRows } from '../../ui/states.tsx'
import { CardFace } from '../card-face.tsx'
import { ItemList } from '../items.tsx'
import { type BalanceRow, useBalances, useCards, useLatest, useUser } from '../queries.ts'
import { useText } from '../text.ts'

const shownItems = 6
const balancePlaceholder = <Skeleton className="h-34 sm:h-17" />

export function Home() {
  const t = useText()
  useTitle(t.home.title)
  const user = useUser()
  const balances = useBalances()
  const latest = useLatest({ limit: shownItems })
  const cards = useCards()
  const account = user.data?.account ?? null
  const link = 'rounded text-sm font-medium text-accent hover:underline'
  return (
    <div className="grid gap-8">
      <h1 className="sr-only">{t.home.title}</h1>
      {account?.status === 'blocked' && <Notice tone="bad">{t.home.blocked}</Notice>}
      <Loaded query={user} loading={balancePlaceholder}>
        {() => (
          <Loaded query={balances} loading={balancePlaceholder}>
            {(rows) => {
              const main = rows.find(({ currency }) => currency === account?.currency) ?? rows[0]
              return main === undefined ? null : (
                <Balance main={main} others={rows.filter((row) => row !== main && hasMoney(row))} />
              )
            }}
          </Loaded>
        )}
      </Loaded>
      <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <Panel
          isFlush
          title={t.home.latest}
          action={
            <Link to="/statement" className={link}>
              {t.home.all}
            </Link>
          }
        >
          <Loaded query={latest} loading={<SkeletonRows count={shownItems} />}>
            {(items) =>
              items.length === 0 ? (
                <Empty
                  title={t.home.emptyTitle}
                  text={t.home.emptyText}
                  action={
                    <LinkButton to="/deposit" look="secondary" size="sm">
                      {t.nav.deposit}
                    </LinkButton>
                  }
                />
              ) : (
                <ItemList items={items} />
              )
            }
          </Loaded>
        </Panel>
        <Panel
          title={t.cards.title}
          action={
            <Link to="/cards" className={link}>
              {t.cards.all}
            </Link>
          }
        >
          <Loaded query={cards} loading={<Skeleton className="aspect-[1.6]" />}>
            {(list) => {
              const ofStatus = (wanted: string) => list.find(({ status }) => status === wanted)
              const card = ofStatus('active') ?? ofStatus('blocked') ?? ofStatus('provisioning') ?? list[0]
              return card === undefined ? (
                <Empty
                  title={t.cards.emptyTitle}
                  text={t.cards.emptyText}
                  action={
                    <LinkButton to="/cards" look="secondary" size="sm">
                      {t.cards.create}
                    </LinkButton>
                  }
                />
              ) : (
                <Link to="/cards/$cardId" params={{ cardId: card.cardId }} className="block rounded-xl">
                  <CardFace card={card} />
                </Link>
              )
            }}
          </Loaded>
        </Panel>
      </div>
    </div>
  )
}

const hasMoney = ({ spendable, nonSpendable, processingDeposits, processingWithdrawals }: BalanceRow) =>
  [spendable, nonSpendable, processingDeposits, processingWithdrawals].some((amount) => amount !== '0')

function Balance({ main, others }: { main: BalanceRow; others: readonly BalanceRow[] }) {
  const t = useText()
  const parts = [
    [t.home.onItsWay, main.processingDeposits],
    [t.home.leaving, main.processingWithdrawals],
    [t.home.frozen, main.nonSpendable],
  ] as const
  const shown = parts.filter(([, amount]) => amount !== '0')
  return (
    <section aria-labelledby="balance" className="grid gap-5">
      <div className="flex flex-wrap items-end justify-between gap-6">
        <div>
          <h2 id="balance" className="text-sm text-soft">
            {t.home.spendable}
          </h2>
          <Money {...main} amount={main.spendable} className="text-3xl font-semibold tracking-tight" />
        </div>
        <div className="flex gap-2 max-sm:w-full max-sm:*:grow">
          <LinkButton to="/deposit">{t.nav.deposit}</LinkButton>
          <LinkButton to="/withdraw" look="secondary">
            {t.nav.withdraw}
          </LinkButton>
        </div>
      </div>
      {shown.length > 0 && (
        <div className="grid gap-4 rounded-xl border border-line bg-surface px-4 py-4 shadow-card sm:px-6">
          <dl className="flex flex-wrap gap-x-10 gap-y-3">
            {shown.map(([term, amount]) => (
              <div key={term}>
                <dt className="text-sm text-soft">{term}</dt>
                <dd className="font-medium">
                  <Money {...main} amount={amount} />
                </dd>
              </div>
            ))}
          </dl>
          <details>
            <summary className="disclosure text-accent">{t.home.why}</summary>
            <ul className="mt-3 grid max-w-prose list-disc gap-1.5 pl-5 text-sm text-soft">
              {main.processingDeposits !== '0' && <li>{t.home.whyDeposits}</li>}
              {main.nonSpendable !== '0' && <li>{t.home.whyFrozen}</li>}
              {main.processingWithdrawals !== '0' && <li>{t.home.whyWithdrawals}</li>}
              <li>{t.home.whyCards}</li>
            </ul>
          </details>
        </div>
      )}
      {others.length > 0 && (
        <dl aria-label={t.home.otherCurrencies} className="flex flex-wrap gap-x-8 gap-y-2 text-sm">
          {others.map((row) => (
            <div key={row.currency} className="flex gap-2">
              <dt className="text-soft">{row.currency}</dt>
              <dd>
                <Money {...row} amount={row.spendable} />
              </dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  )
}
