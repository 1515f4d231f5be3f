import { useLanguage } from '../lib/language.tsx'
import { remembered } from '../lib/remembered.ts'

const formats = {
  day: { day: 'numeric', month: 'short', year: 'numeric' },
  time: { hour: '2-digit', minute: '2-digit' },
  second: { hour: '2-digit', minute: '2-digit', second: '2-digit' },
  exact: {
    ...{ day: 'numeric', month: 'short', year: 'numeric' },
    ...{ hour: '2-digit', minute: '2-digit', second: '2-digit' },
  },
  full: { day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit' },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>

export type DateForm = keyof typeof formats

const formatOf = remembered((locale: string, form: DateForm) => new Intl.DateTimeFormat(locale, formats[form]))

export const formatDate = (locale: string, at: string | number | Date, form: DateForm = 'full'): string =>
  formatOf(locale, form).format(new Date(at))

/** The same time in UTC, for the tooltip. */
export const utcText = (at: string | number): string =>
  `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`

/** A time in the zone of the reader, with UTC in the tooltip. */
export function When({ at, form = 'full' }: { at: string; form?: DateForm }) {
  const { locale } = useLanguage()
  return (
    <time dateTime={at} title={utcText(at)} className="whitespace-nowrap tabular-nums">
      {formatDate(locale, at, form)}
    </time>
  )
}
