import type { TokenLedgerAccounts } from '@purser/client'
import { useQuery } from '@tanstack/react-query'
import { CopyId } from '../../../ui/copy.tsx'
import { When } from '../../../ui/date.tsx'
import { Empty, Loaded, Skeleton } from '../../../ui/states.tsx'
import { useOperator } from '../session.tsx'
import { PagedTable, Sheet, usePages } from '../table.tsx'
import { TokenAmount } from '../values.tsx'
import { AccountName, CauseLink, KindName, MovementLink, SumFooter } from './ledger-parts.tsx'
import { useUserText } from './text.ts'
import { useUserId } from './user.tsx'

/** The ledger accounts of a user, and the movements that made them. */
export function Ledger() {
  const { ledger: t, at } = useUserText()
  const { purser } = useOperator()
  const userId = useUserId()
  const accounts = useQuery({
    queryKey: ['operator', 'user', userId, 'ledger-accounts'],
    queryFn: async () => (await purser.operator.users.listLedgerAccounts(userId)).data,
  })
  const pages = usePages(['user', userId, 'movements'], (cursor) =>
    purser.operator.users.listMovements(userId, { ...(cursor !== undefined && { cursor }) }),
  )
  return (
    <div className="grid grid-cols-1 gap-6">
      <section aria-labelledby="accounts" className="grid grid-cols-1 gap-2">
        <div>
          <h2 id="accounts" className="font-medium">
            {t.accounts}
          </h2>
          <p className="text-sm text-soft">{t.sumHint}</p>
        </div>
        <Loaded query={accounts} loading={<Skeleton className="h-80" />}>
          {(rows) =>
            rows.length === 0 ? (
              <Sheet>
                <Empty title={t.noAccounts} />
              </Sheet>
            ) : (
              <div className="grid grid-cols-1 items-start gap-4 xl:grid-cols-2">
                {rows.map((row) => (
                  <Accounts key={row.token} row={row} />
                ))}
              </div>
            )
          }
        </Loaded>
      </section>
      <section aria-labelledby="movements" className="grid grid-cols-1 gap-2">
        <h2 id="movements" className="font-medium">
          {t.movements}
        </h2>
        <PagedTable
          label={t.movements}
          pages={pages}
          keyOf={({ seq }) => seq}
          empty={{ title: t.emptyTitle, text: t.emptyText }}
          columns={[
            { head: t.movement, cell: ({ seq }) => <MovementLink userId={userId} seq={seq} /> },
            { head: at, cell: ({ createdAt }) => <When at={createdAt} form="exact" /> },
            { head: t.kind, cell: ({ kind }) => <KindName kind={kind} /> },
            { head: t.cause, cell: ({ cause }) => <CauseLink userId={userId} cause={cause} /> },
          ]}
        />
      </section>
    </div>
  )
}

/** Every account of one token that is not zero, and their sum. */
function Accounts({ row: { token, symbol, accounts } }: { row: TokenLedgerAccounts }) {
  const { ledger: t } = useUserText()
  const amounts = Object.entries(accounts)
  const sum = amounts.reduce((total, [, amount]) => total + BigInt(amount), 0n)
  return (
    <Sheet>
      <table className="w-full text-sm" aria-label={`${t.accounts} ${symbol ?? token}`}>
        <thead>
          <tr className="border-b border-line text-left text-xs text-soft">
            <th scope="col" className="px-4 py-2 font-medium">
              {t.account}
            </th>
            <th scope="col" className="px-4 py-2 text-right font-medium">
              {symbol ??
                (token.startsWith('native:') ? t.gasToken(token.slice('native:'.length)) : <CopyId id={token} />)}
            </th>
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {amounts
            .filter(([, amount]) => amount !== '0')
            .map(([account, amount]) => (
              <tr key={account}>
                <th scope="row" className="px-4 py-2 text-left font-normal">
                  <AccountName account={account} />
                </th>
                <td className="px-4 py-2 text-right tabular-nums">
                  <TokenAmount token={token} amount={amount} />
                </td>
              </tr>
            ))}
        </tbody>
        <SumFooter token={token} sum={sum} padding="py-2" />
      </table>
    </Sheet>
  )
}
