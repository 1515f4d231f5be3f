import type { OperatorDeposit } from '@purser/client'
import { Badge, type Tone } from '../../../ui/badge.tsx'
import { CopyId } from '../../../ui/copy.tsx'
import { When } from '../../../ui/date.tsx'
import type { Column } from '../table.tsx'
import { TokenAmount, TxHash, UserLink } from '../values.tsx'
import { DepositActions } from './actions.tsx'
import { useDepositText } from './text.ts'

/** Returns the text of a word of the API, or the word itself if this console is older than the service. */
const wordOf = (words: Readonly<Record<string, string>>, word: string) => words[word] ?? word

const statusTones: Readonly<Record<string, Tone>> = { pending: 'warn', approved: 'good', rejected: 'bad' }

/** Returns the columns of deposits. Lists of all users name the user. */
export function useDepositColumns({ hasUser }: { hasUser: boolean }): readonly Column<OperatorDeposit>[] {
  const t = useDepositText()
  const user: Column<OperatorDeposit> = { head: t.user, cell: ({ userId }) => <UserLink userId={userId} /> }
  return [
    {
      head: t.id,
      cell: ({ depositId, createdAt }) => (
        <>
          {depositId !== null && <CopyId id={depositId} />}
          <span className="block text-xs text-soft">
            <When at={createdAt} />
          </span>
        </>
      ),
    },
    { head: t.amount, cell: ({ token, amount }) => <TokenAmount token={token} amount={amount} /> },
    ...(hasUser ? [user] : []),
    {
      head: t.status,
      cell: ({ status, returnState }) => (
        <Badge tone={returnState === null ? (statusTones[status] ?? 'neutral') : 'neutral'}>
          {returnState === null ? wordOf(t.statuses, status) : wordOf(t.returns, returnState)}
        </Badge>
      ),
    },
    {
      head: t.screening,
      cell: ({ screening, riskTier, riskScore }) => (
        <>
          {wordOf(t.screenings, screening)}
          {screening !== 'pending' && (
            <span className="block text-xs whitespace-nowrap text-soft">{t.risk(riskTier, riskScore)}</span>
          )}
        </>
      ),
    },
    { head: t.from, cell: ({ fromAddress }) => <CopyId id={fromAddress} /> },
    {
      head: t.transaction,
      cell: ({ chainId, chainState, txHash }) => (
        <>
          <TxHash chainId={chainId} hash={txHash} />
          <span className="block text-xs whitespace-nowrap text-soft">
            {wordOf(t.chainStates, chainState)} · {t.chainOf(chainId)}
          </span>
        </>
      ),
    },
    { head: t.action, isNumber: true, cell: (deposit) => <DepositActions deposit={deposit} /> },
  ]
}
