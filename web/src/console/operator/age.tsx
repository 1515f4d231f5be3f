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
  const seconds = Math.max(0, (Date.now() - Date.parse(since)) / 1000)
  const step = steps.find(([, length]) => seconds >= length)
  const inUnits = ([unit, size]: (typeof steps)[number]) =>
    new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(Math.floor(seconds / size))
  return (
    <time dateTime={since} title={`${since.slice(0, 19).replace('T', ' ')} UTC`} className="whitespace-nowrap">
      {step === undefined ? values.underMinute : inUnits(step)}
    </time>
  )
}
