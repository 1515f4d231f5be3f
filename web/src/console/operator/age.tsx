import { serviceNow } from '../../lib/facts.ts'
import { useLanguage } from '../../lib/language.tsx'
import { useText } from './text.ts'

const steps = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const

/** The time since a moment in its largest unit, such as `3 hours`. The moment itself is in the tooltip. */
export function Age({ since }: { since: string }) {
  const { locale } = useLanguage()
  const { values } = useText()
  const seconds = Math.max(0, (serviceNow() - Date.parse(since)) / 1000)
  const step = steps.find(([, length]) => seconds >= length)
  const inUnits = ([unit, size]: (typeof steps)[number]) =>
    new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(Math.floor(seconds / size))
  return (
    <time dateTime={since} title={`${since.slice(0, 19).replace('T', ' ')} UTC`} className="whitespace-nowrap">
      {step === undefined ? values.underMinute : inUnits(step)}
    </time>
  )
}

/** The time until a moment in its largest unit, such as `in 3 hours`. The moment itself is in the tooltip. */
export function Until({ at }: { at: string }) {
  const { locale } = useLanguage()
  const seconds = (Date.parse(at) - serviceNow()) / 1000
  const [unit, size] = steps.find(([, length]) => Math.abs(seconds) >= length) ?? ['minute', 60]
  const text = new Intl.RelativeTimeFormat(locale).format(Math.trunc(seconds / size), unit)
  return (
    <time dateTime={at} title={`${at.slice(0, 19).replace('T', ' ')} UTC`} className="whitespace-nowrap">
      {text}
    </time>
  )
}
