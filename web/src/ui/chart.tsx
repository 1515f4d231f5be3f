import { useLanguage } from '../lib/language.tsx'

export type Day = { readonly day: string; readonly value: number }

const height = 96
const slot = 10

/** Bars, one for each day. `label` states the figures for those who do not see them. */
export function Bars({
  days,
  label,
  tone = 'accent',
}: {
  days: readonly Day[]
  label: string
  tone?: 'accent' | 'bad'
}) {
  const { locale } = useLanguage()
  const max = Math.max(0, ...days.map(({ value }) => value))
  const format = new Intl.NumberFormat(locale)
  const day = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' })
  const width = days.length * slot
  const [first, last] = [days.at(0), days.at(-1)]
  return (
    <div>
      <svg
        role="img"
        aria-label={label}
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        className={`h-24 w-full ${tone === 'accent' ? 'text-accent' : 'text-bad'}`}
      >
        {max > 0 && (
          <line x1="0" x2={width} y1="0.5" y2="0.5" className="stroke-line" vectorEffect="non-scaling-stroke" />
        )}
        {days.map(({ day: at, value }, index) => {
          const size = value === 0 ? 1.5 : Math.max(4, (value / max) * (height - 2))
          return (
            <g key={at}>
              <title>{`${day.format(new Date(at))}: ${format.format(value)}`}</title>
              {/* The whole slot shows the tooltip. */}
              <rect x={index * slot} y="0" width={slot} height={height} fill="transparent" />
              <rect
                x={index * slot + 1.5}
                y={height - size}
                width={slot - 3}
                height={size}
                rx="1.5"
                className={value === 0 ? 'fill-line' : 'fill-current'}
              />
            </g>
          )
        })}
      </svg>
      <div className="@container mt-1.5 flex justify-between gap-2 text-xs whitespace-nowrap text-soft tabular-nums">
        <span>{first === undefined ? '' : day.format(new Date(first.day))}</span>
        <span aria-hidden="true" className="@max-[11rem]:hidden">
          {max > 0 && `max. ${format.format(max)}`}
        </span>
        <span>{last === undefined ? '' : day.format(new Date(last.day))}</span>
      </div>
    </div>
  )
}
