import type { MovementCause, Posting } from '@purser/client'
import { Link } from '@tanstack/react-router'
import { useOperator } from '../session.tsx'
import { IdLink, linkClass, TokenAmount } from '../values.tsx'
import { useUserText } from './text.ts'

/** Parts of the screens of the ledger. */

/** A ledger account in words, with its name in the database in the tooltip. */
export function AccountName({ account }: { account: string }) {
  const { ledger: t } = useUserText()
  const names: Readonly<Record<string, string>> = t.names
  return <span title={account}>{names[account] ?? account}</span>
}

export function KindName({ kind }: { kind: string }) {
  const { ledger: t } = useUserText()
  return <span title={kind}>{t.kinds[kind] ?? kind}</span>
}

export function MovementLink({ userId, seq }: { userId: string; seq: string }) {
  const { ledger: t } = useUserText()
  const { may } = useOperator()
  const text = t.titleOf(seq)
  if (!may('ledger:read')) return text
  return (
    <Link to={`/operator/users/${userId}/movements/${seq}`} className={`${linkClass} whitespace-nowrap tabular-nums`}>
      {text}
    </Link>
  )
}

const tabs: Readonly<Record<Exclude<MovementCause['type'], 'cardTransaction'>, string>> = {
  deposit: 'deposits',
  withdrawal: 'withdrawals',
}

/** The fact that moved money, with a link to its screen. */
export function CauseLink({ userId, cause: { type, id } }: { userId: string; cause: MovementCause }) {
  const { ledger: t } = useUserText()
  const user = `/operator/users/${userId}`
  const place =
    type === 'cardTransaction' ? { to: `${user}/card-transactions/${id}` } : { to: `${user}/${tabs[type]}`, marked: id }
  return (
    <span className="inline-flex flex-wrap items-baseline gap-x-2">
      {t.causes[type]}
      <IdLink {...place} id={id} />
    </span>
  )
}

/** Each posting takes an amount from one ledger account and gives it to another. */
export function Postings({ postings, label }: { postings: readonly Posting[]; label: string }) {
  const { ledger: t, amount: amountHead } = useUserText()
  return (
    <table className="w-full text-sm" aria-label={label}>
      <thead>
        <tr className="border-b border-line text-left text-xs text-soft">
          {[t.from, t.to].map((head) => (
            <th key={head} scope="col" className="px-2 py-1.5 font-medium first:pl-3 sm:px-3 sm:first:pl-4">
              {head}
            </th>
          ))}
          <th scope="col" className="py-1.5 pr-3 pl-2 text-right sm:pr-4 sm:pl-3 font-medium">
            {amountHead}
          </th>
        </tr>
      </thead>
      <tbody className="divide-y divide-line">
        {postings.map(({ token, from, to, amount }, index) => (
          <tr key={index}>
            <td className="px-2 py-1.5 first:pl-3 sm:px-3 sm:first:pl-4">
              <AccountName account={from} />
            </td>
            <td className="px-2 py-1.5 sm:px-3">
              <AccountName account={to} />
            </td>
            <td className="py-1.5 pr-3 pl-2 text-right sm:pr-4 sm:pl-3 tabular-nums">
              <TokenAmount token={token} amount={amount} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** Returns how much each ledger account of each token changed. The changes of a token sum to zero. */
export function effectOf(postings: readonly Posting[]): ReadonlyMap<string, ReadonlyMap<string, bigint>> {
  const tokens = new Map<string, Map<string, bigint>>()
  for (const { token, from, to, amount } of postings) {
    const accounts = tokens.get(token) ?? new Map<string, bigint>()
    tokens.set(token, accounts)
    accounts.set(from, (accounts.get(from) ?? 0n) - BigInt(amount))
    accounts.set(to, (accounts.get(to) ?? 0n) + BigInt(amount))
  }
  return tokens
}

type SumProps = { readonly token: string; readonly sum: bigint; readonly padding: 'py-1.5' | 'py-2' }

/** The last row of a table of ledger accounts. Any sum but zero is red, because the books are wrong then. */
export function SumFooter({ token, sum, padding }: SumProps) {
  const { ledger: t } = useUserText()
  return (
    <tfoot>
      <tr className="border-t border-line-strong/60 font-medium">
        <th scope="row" className={`px-4 ${padding} text-left`}>
          {t.sum}
        </th>
        <td className={`px-4 ${padding} text-right tabular-nums ${sum === 0n ? '' : 'text-bad'}`}>
          <TokenAmount token={token} amount={String(sum)} />
        </td>
      </tr>
    </tfoot>
  )
}
