import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useLanguage } from '../../lib/language.tsx'
import { CopyButton, CopyId, shortened } from '../../ui/copy.tsx'
import { Money } from '../../ui/money.tsx'
import { Skeleton } from '../../ui/states.tsx'
import { useOperator } from './session.tsx'
import { useText } from './text.ts'

/** Values that many screens of operators show. */

export function useOperatorProgramme() {
  const { purser } = useOperator()
  return useQuery({ queryKey: ['programme'], queryFn: async () => purser.programme.get(), staleTime: 300_000 })
}

/** Returns a configured token. */
export function useToken(address: string) {
  const { data } = useOperatorProgramme()
  return data?.tokens.find((each) => each.address.toLowerCase() === address.toLowerCase())
}

const amountPlaceholder = <Skeleton className="inline-block h-4 w-20 align-middle" />

/**
 * Shows an amount of token units in tokens with all its digits, such as `12.50 EURe`. If the token is not configured,
 * it shows the token units with the address of the token. An amount of a gas token is in wei.
 */
export function TokenAmount({ token: address, amount }: { token: string; amount: string }) {
  const { locale } = useLanguage()
  const { isPending } = useOperatorProgramme()
  const token = useToken(address)
  const isNegative = amount.startsWith('-')
  // An amount in the smallest unit would be misread, and the table would jump.
  if (isPending) return amountPlaceholder
  if (token === undefined) {
    const units = new Intl.NumberFormat(locale).format(BigInt(amount)).replace('-', '−')
    return (
      <span className="tabular-nums">
        {units} {address.startsWith('native:') ? 'wei' : <CopyId id={address} />}
      </span>
    )
  }
  return (
    <>
      {isNegative && '−'}
      <Money amount={isNegative ? amount.slice(1) : amount} decimals={token.decimals} currency={token.symbol} isExact />
    </>
  )
}

/**
 * Shows an amount in minor units in its currency, such as `€12.50`. If the currencies cannot be read, it shows the
 * minor units.
 */
export function MinorAmount({ amount, currency }: { amount: string; currency: string }) {
  const t = useText()
  const { locale } = useLanguage()
  const { data, isPending } = useOperatorProgramme()
  if (isPending) return amountPlaceholder
  if (data === undefined) return t.values.minorUnits(new Intl.NumberFormat(locale).format(BigInt(amount)), currency)
  const decimals = data.limits.currencies.find((each) => each.currency === currency)?.decimals ?? 2
  return <Money amount={amount} decimals={decimals} currency={currency} />
}

/** The hash of a transaction on a chain, and a link to it in the explorer of the chain. */
export function TxHash({ chainId, hash }: { chainId: number; hash: string }) {
  const t = useText()
  const { data } = useOperatorProgramme()
  const explorer = data?.chains.find((chain) => chain.chainId === chainId)?.explorerUrl ?? null
  return (
    <span className="inline-flex items-center gap-2">
      <CopyId id={hash} />
      {explorer !== null && (
        <a href={`${explorer}/tx/${hash}`} target="_blank" rel="noreferrer" className={linkClass}>
          {t.values.explorer}
        </a>
      )}
    </span>
  )
}

export const linkClass = 'rounded text-accent underline-offset-2 hover:underline'
const idLinkClass = `${linkClass} font-mono text-[0.8125rem] whitespace-nowrap`

export function UserLink({ userId }: { userId: string | null }) {
  if (userId === null) return '–'
  return <IdLink to={`/operator/users/${userId}`} id={userId} />
}

/** A link to a path of the console, with an id as its text. `marked` marks a row of the page. */
export function IdLink({ to, id, marked }: { to: string; id: string; marked?: string | undefined }) {
  return (
    <span className="inline-flex items-center gap-x-1.5">
      <Link
        to={to}
        {...(marked !== undefined && { search: { id: marked } as never })}
        className={idLinkClass}
        title={id}
      >
        {shortened(id)}
      </Link>
      <CopyButton id={id} />
    </span>
  )
}
