import type { OperatorUser, TokenLedgerAccounts } from '@purser/client'
import { useQuery } from '@tanstack/react-query'
import { CopyId } from '../../../ui/copy.tsx'
import { When } from '../../../ui/date.tsx'
import { Panel } from '../../../ui/layout.tsx'
import { Empty, Loaded, Skeleton } from '../../../ui/states.tsx'
import { DecideButton } from '../deciding.tsx'
import { useOperator } from '../session.tsx'
import { PagedTable, Sheet, usePages } from '../table.tsx'
import { TokenAmount, useToken } from '../values.tsx'
import { AccountName, CauseLink, KindName, MovementLink, SumFooter } from './ledger-parts.tsx'
import { useUserText } from './text.ts'
import { useShownUser, useUserId } from './user.tsx'

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
  const user = useShownUser().data
  return (
    <div className="grid grid-cols-1 gap-6">
      {user?.accountStatus === 'closed' && <PayOut user={user} rows={accounts.data ?? []} />}
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

/**
 * The money that reached a user after closing, once for each owner. A button pays it to an owner who can receive it.
 */
function PayOut({ user: { userId, owners }, rows }: { user: OperatorUser; rows: readonly TokenLedgerAccounts[] }) {
  const { ledger: t } = useUserText()
  const payable = rows.filter(({ accounts }) => BigInt(accounts.available) > 0n)
  if (payable.length === 0) return null
  return (
    <Panel title={t.payOutTitle}>
      <p className="text-soft">{owners.length === 0 ? t.payOutErased : t.payOutText}</p>
      <ul className="mt-3 divide-y divide-line border-t border-line">
        {payable.flatMap((row) =>
          owners.map((owner) => (
            <Payable key={`${row.token} ${owner.address}`} userId={userId} row={row} owner={owner} />
          )),
        )}
      </ul>
    </Panel>
  )
}

type PayableProps = {
  readonly userId: string
  readonly row: TokenLedgerAccounts
  readonly owner: OperatorUser['owners'][number]
}

function Payable({ userId, row: { token, accounts }, owner: { address, contractChainId } }: PayableProps) {
  const { ledger: t } = useUserText()
  const chainId = useToken(token)?.chainId
  const isOnOtherChain = contractChainId !== null && chainId !== undefined && contractChainId !== chainId
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 py-3">
      <span className="flex flex-wrap items-baseline gap-x-2">
        <TokenAmount token={token} amount={accounts.available} /> {t.payOutTo} <CopyId id={address} />
      </span>
      {isOnOtherChain ? (
        <span className="text-soft">{t.payOutOtherChain}</span>
      ) : (
        <DecideButton request={{ command: 'payouts order', subject: userId, arguments: { token, payee: address } }}>
          {t.payOut}
        </DecideButton>
      )}
    </li>
  )
}

/** The ledger accounts of one token whose amounts are not zero, and the sum of these amounts. */
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
