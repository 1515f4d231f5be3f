import { useTitle } from '../../lib/session.tsx'
import { Notice } from '../../ui/badge.tsx'
import { CopyId } from '../../ui/copy.tsx'
import { PageHead, Panel } from '../../ui/layout.tsx'
import { QrCode } from '../../ui/qr.tsx'
import { Empty, Loaded, Skeleton, SkeletonRows } from '../../ui/states.tsx'
import { RecentList } from '../items.tsx'
import { useLatest, useProgramme, useUser } from '../queries.ts'
import { useText } from '../text.ts'

const shownItems = 5

export function Deposit() {
  const { deposit: t } = useText()
  useTitle(t.title)
  const user = useUser()
  const programme = useProgramme()
  const latest = useLatest({ type: 'deposit', limit: shownItems + 1 })
  return (
    <>
      <PageHead title={t.title} text={t.lead} />
      <div className="grid grid-cols-1 items-start gap-6 lg:grid-cols-2">
        <Panel title={t.address}>
          <Loaded query={user} loading={<Skeleton className="h-84 sm:h-48" />}>
            {({ account }) =>
              account === null ? null : (
                <div className="flex flex-wrap items-center justify-center gap-x-6 gap-y-4">
                  <QrCode text={account.address} label={t.qr} />
                  <div className="grid min-w-0 grow basis-48 gap-3">
                    <CopyId id={account.address} isWhole />
                    <Notice tone="warn">{t.warning}</Notice>
                  </div>
                </div>
              )
            }
          </Loaded>
        </Panel>
        <Panel title={t.tokens}>
          <Loaded query={programme} loading={<Skeleton className="h-48" />}>
            {({ tokens, chains }) => (
              <ul className="divide-y divide-line">
                {tokens.map(({ address, symbol, currency, chainId }) => {
                  const blocks = chains.find((chain) => chain.chainId === chainId)?.finalityBlocks ?? null
                  return (
                    <li key={address} className="grid gap-0.5 py-3 first:pt-0 last:pb-0">
                      <div className="flex flex-wrap items-baseline justify-between gap-x-4">
                        <span className="font-medium">
                          {symbol} <span className="font-normal text-soft">{currency}</span>
                        </span>
                        <CopyId id={address} />
                      </div>
                      <p className="text-sm text-soft">
                        {t.onChain(chainId)} · {blocks === null ? t.finalityUnknown : t.finality(blocks)}
                      </p>
                    </li>
                  )
                })}
              </ul>
            )}
          </Loaded>
        </Panel>
        <div className="lg:col-span-2">
          <Panel isFlush title={t.recent}>
            <Loaded query={latest} loading={<SkeletonRows count={2} />}>
              {(items) =>
                items.length === 0 ? (
                  <Empty title={t.none} text={t.noneText} />
                ) : (
                  <RecentList items={items} max={shownItems} type="deposit" />
                )
              }
            </Loaded>
          </Panel>
        </div>
      </div>
    </>
  )
}
