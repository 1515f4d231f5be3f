import type { Movement } from '@purser/client'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useTitle } from '../../../lib/session.tsx'
import { BackLink } from '../../../ui/back-link.tsx'
import { Badge } from '../../../ui/badge.tsx'
import { CopyId } from '../../../ui/copy.tsx'
import { When } from '../../../ui/date.tsx'
import { Facts, Panel } from '../../../ui/layout.tsx'
import { Loaded, Skeleton } from '../../../ui/states.tsx'
import { useOperator } from '../session.tsx'
import { Sheet } from '../table.tsx'
import { useText } from '../text.ts'
import { TokenAmount } from '../values.tsx'
import { AccountName, CauseLink, effectOf, KindName, Postings, SumFooter } from './ledger-parts.tsx'
import { useUserText } from './text.ts'
import { useUserId } from './user.tsx'

/** One movement: its postings, what they did to the ledger accounts, its cause and its seal. */
export function MovementScreen() {
  const { ledger: t } = useUserText()
  const { errors } = useText()
  const { purser } = useOperator()
  const userId = useUserId()
  const { seq = '' }: { seq?: string } = useParams({ strict: false })
  useTitle(t.titleOf(seq))
  const movement = useQuery({
    queryKey: ['operator', 'user', userId, 'movement', seq],
    queryFn: async () => purser.operator.users.getMovement(userId, seq),
  })
  return (
    <>
      <BackLink to={`/operator/users/${userId}/ledger`}>{t.back}</BackLink>
      <Loaded query={movement} loading={<Skeleton className="h-72" />} sentences={errors}>
        {(found) => <Details movement={found} userId={userId} />}
      </Loaded>
    </>
  )
}

function Details({ movement, userId }: { movement: Movement; userId: string }) {
  const { ledger: t, at } = useUserText()
  const { seq, kind, cause, createdAt, postings, seal } = movement
  return (
    <div className="grid grid-cols-1 items-start gap-5 xl:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
      <div className="grid grid-cols-1 gap-5">
        <section aria-labelledby="postings" className="grid grid-cols-1 gap-2">
          <h2 id="postings" className="font-semibold">
            {t.titleOf(seq)}
          </h2>
          <Sheet>
            <Postings postings={postings} label={t.postings} />
          </Sheet>
        </section>
        <section aria-labelledby="effect" className="grid grid-cols-1 gap-2">
          <h2 id="effect" className="font-semibold">
            {t.effect}
          </h2>
          {[...effectOf(postings)].map(([token, accounts]) => (
            <Sheet key={token}>
              <Effect token={token} accounts={accounts} />
            </Sheet>
          ))}
        </section>
      </div>
      <div className="grid grid-cols-1 gap-5 text-sm">
        <Panel title={t.facts}>
          <Facts
            rows={[
              [t.kind, <KindName key="kind" kind={kind} />],
              [t.cause, <CauseLink key="cause" userId={userId} cause={cause} />],
              [at, <When key="at" at={createdAt} form="exact" />],
            ]}
          />
        </Panel>
        <Panel
          title={t.seal}
          action={
            seal !== null && <Badge tone={seal.isIntact ? 'good' : 'bad'}>{seal.isIntact ? t.intact : t.broken}</Badge>
          }
        >
          {seal === null ? (
            <p className="text-soft">{t.unsealed}</p>
          ) : (
            <Facts
              rows={[
                [t.sealed, <When key="at" at={seal.sealedAt} />],
                [t.range, t.rangeOf(seal.firstSeq, seal.lastSeq)],
                [t.hash, <CopyId key="hash" id={seal.hash} />],
              ]}
            />
          )}
        </Panel>
      </div>
    </div>
  )
}

function Effect({ token, accounts }: { token: string; accounts: ReadonlyMap<string, bigint> }) {
  const { ledger: t } = useUserText()
  const sum = [...accounts.values()].reduce((total, change) => total + change, 0n)
  return (
    <table className="w-full text-sm" aria-label={t.effect}>
      <thead>
        <tr className="border-b border-line text-left text-xs text-soft">
          <th scope="col" className="px-4 py-1.5 font-medium">
            {t.account}
          </th>
          <th scope="col" className="px-4 py-1.5 text-right font-medium">
            {t.change}
          </th>
        </tr>
      </thead>
      <tbody className="divide-y divide-line">
        {[...accounts].map(([account, change]) => (
          <tr key={account}>
            <td className="px-4 py-1.5">
              <AccountName account={account} />
            </td>
            <td className="px-4 py-1.5 text-right tabular-nums">
              {change > 0n && '+'}
              <TokenAmount token={token} amount={String(change)} />
            </td>
          </tr>
        ))}
      </tbody>
      <SumFooter token={token} sum={sum} padding="py-1.5" />
    </table>
  )
}
