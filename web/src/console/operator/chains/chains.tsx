import type { Programme, WatchedChain } from '@purser/client'
import { useQuery } from '@tanstack/react-query'
import { isSandbox, serviceNow } from '../../../lib/facts.ts'
import { useLanguage } from '../../../lib/language.tsx'
import { useTitle } from '../../../lib/session.tsx'
import { Badge, Notice } from '../../../ui/badge.tsx'
import { CopyId } from '../../../ui/copy.tsx'
import { When } from '../../../ui/date.tsx'
import { Facts, Panel } from '../../../ui/layout.tsx'
import { Empty, Loaded, Skeleton } from '../../../ui/states.tsx'
import { useOperator } from '../session.tsx'
import { ScreenHead, Sheet, Table } from '../table.tsx'
import { useControlText } from '../text/control.ts'
import { TokenAmount, useOperatorProgramme } from '../values.tsx'

/** How far the watcher has read each chain. */
export function Chains() {
  const { chains: t } = useControlText()
  const { purser } = useOperator()
  const programme = useOperatorProgramme()
  useTitle(t.title)
  const chains = useQuery({
    queryKey: ['operator', 'chains'],
    queryFn: async () => (await purser.operator.chains.list()).data,
  })
  return (
    <>
      <ScreenHead title={t.title} text={t.lead} />
      <Loaded query={chains} loading={<Skeleton className="h-96" />}>
        {(rows) =>
          rows.length === 0 ? (
            <Sheet>
              <Empty title={t.emptyTitle} text={t.emptyText} />
            </Sheet>
          ) : (
            <div className="grid gap-8">
              {rows.map((chain) => (
                <Chain key={chain.chainId} chain={chain} programme={programme.data} />
              ))}
            </div>
          )
        }
      </Loaded>
    </>
  )
}

/** Real chains make a block within seconds. A sandbox chain waits for transactions, so it never counts as silent. */
const silentMilliseconds = 600_000

function Chain({ chain, programme }: { chain: WatchedChain; programme: Programme | undefined }) {
  const { chains: t } = useControlText()
  const { locale } = useLanguage()
  const { chainId, isWatched, payoutWallets, treasury, factory } = chain
  const [seen, final] = [BigInt(chain.seenBlock), BigInt(chain.finalBlock)]
  const isSilent = !isSandbox && serviceNow() - Date.parse(chain.updatedAt) > silentMilliseconds
  const facts = programme?.chains.find((each) => each.chainId === chainId)
  const tokens = programme?.tokens.filter((token) => token.chainId === chainId) ?? []
  const depth = facts?.finalityBlocks ?? null
  return (
    <section aria-labelledby={`chain-${chainId}`} className="grid gap-4">
      <h2 id={`chain-${chainId}`} className="flex flex-wrap items-center gap-3 font-semibold">
        {t.titleOf(chainId)}
        <Badge tone={!isWatched ? 'bad' : isSilent ? 'warn' : 'good'}>{isWatched ? t.watched : t.unwatched}</Badge>
      </h2>
      {!isWatched && <Notice tone="bad">{t.unwatchedText}</Notice>}
      {isWatched && isSilent && <Notice tone="warn">{t.silentText}</Notice>}
      <div className="grid items-start gap-5 text-sm xl:grid-cols-2">
        <Panel>
          <Facts
            rows={[
              [t.seen, seen.toLocaleString(locale)],
              [t.final, final.toLocaleString(locale)],
              [t.lag, t.blocks((seen - final).toLocaleString(locale))],
              [t.updated, <When key="at" at={chain.updatedAt} form="full" />],
              ...(facts === undefined
                ? []
                : [[t.finality, depth === null ? t.finalityNode : t.finalityDepth(depth)] as const]),
              [t.treasury, treasury === null ? t.noTreasury : <CopyId key="treasury" id={treasury} />],
              ...(factory === null ? [] : [[t.factory, <CopyId key="factory" id={factory.address} />] as const]),
            ]}
          />
          {factory?.deployment && <Deployment deployment={factory.deployment} />}
        </Panel>
        <Panel title={t.wallets}>
          {payoutWallets.length === 0 ? (
            <p className="text-soft">{t.noWallets}</p>
          ) : (
            <ul className="divide-y divide-line">
              {payoutWallets.map(({ address, unreadNonce }) => (
                <li key={address} className="flex flex-wrap items-baseline justify-between gap-x-4 py-2">
                  <CopyId id={address} />
                  <span className="text-soft tabular-nums">
                    {t.nonce}: {unreadNonce}
                  </span>
                </li>
              ))}
            </ul>
          )}
        </Panel>
      </div>
      {tokens.length > 0 && (
        <Sheet>
          <Table
            label={t.tokens}
            rows={tokens}
            keyOf={({ address }) => address}
            columns={[
              { head: t.token, cell: ({ symbol }) => <span className="font-medium">{symbol}</span> },
              { head: t.currency, cell: ({ currency }) => currency },
              { head: t.address, cell: ({ address }) => <CopyId id={address} /> },
              {
                head: t.minimum,
                isNumber: true,
                cell: ({ address, withdrawalMinimum }) => <TokenAmount token={address} amount={withdrawalMinimum} />,
              },
            ]}
          />
        </Sheet>
      )}
    </section>
  )
}

type FactoryDeployment = NonNullable<NonNullable<WatchedChain['factory']>['deployment']>

/** The transaction that deploys the factory. Purser has no key for it. */
function Deployment({ deployment: { to, data } }: { deployment: FactoryDeployment }) {
  const { chains: t } = useControlText()
  return (
    <div className="mt-4 grid gap-2 border-line border-t pt-4">
      <p className="text-soft">{t.deployment}</p>
      <Facts
        rows={[
          [t.to, <CopyId key="to" id={to} />],
          [t.data, <CopyId key="data" id={data} />],
        ]}
      />
    </div>
  )
}
