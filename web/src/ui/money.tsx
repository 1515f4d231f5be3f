import { formatAmount } from '@purser/client'
import { useLanguage } from '../lib/language.tsx'
import { remembered } from '../lib/remembered.ts'

type Amount = {
  readonly amount: string | bigint
  readonly decimals: number
  readonly currency: string
  /** Shows all decimals that are not trailing zeros, for people who check the books. */
  readonly isExact?: boolean
}

/** Returns the digits after the decimal point: those of ISO 4217 for a currency, and 2 for the symbol of a token. */
const fractionDigits = remembered((currency: string): number => {
  try {
    return new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2
  } catch {
    return 2
  }
})

const isCurrency = (currency: string) => /^[A-Z]{3}$/.test(currency)

const moneyFormat = remembered((locale: string, currency: string, min: string, max: string) => {
  const style = isCurrency(currency) ? ({ style: 'currency', currency } as const) : {}
  return new Intl.NumberFormat(locale, {
    ...style,
    minimumFractionDigits: Number(min),
    maximumFractionDigits: Number(max),
  })
})

/** Renders money without a floating-point number. It rounds down, so that nobody sees more than they have. */
export function formatMoney(locale: string, { amount, decimals, currency, isExact = false }: Amount): string {
  const min = Math.min(decimals, fractionDigits(currency))
  const max = isExact ? decimals : min
  // Intl reads the exact decimal text.
  const text = formatAmount({ amount: BigInt(amount), decimals }, { fractionDigits: max }) as `${number}`
  const shown = moneyFormat(locale, currency, String(min), String(max)).format(text)
  return isCurrency(currency) ? shown : `${shown} ${currency}`
}

export function useMoney(): (amount: Amount) => string {
  const { locale } = useLanguage()
  return (amount) => formatMoney(locale, amount)
}

type Props = Amount & {
  /** Shows the direction: `+` for a credit. */
  readonly isCredit?: boolean
  readonly className?: string
}

export function Money({ isCredit, className = '', ...amount }: Props) {
  const money = useMoney()
  return (
    <span
      className={`whitespace-nowrap tabular-nums ${amount.isExact ? 'max-sm:wrap-anywhere max-sm:whitespace-normal' : ''} ${className}`}
    >
      {isCredit === undefined ? '' : isCredit ? '+' : '−'}
      {money(amount)}
    </span>
  )
}
