import type { DayStatistics } from '@purser/client'
import { useQuery } from '@tanstack/react-query'
import { useLanguage } from '../../lib/language.tsx'
import { useUrlState } from '../../lib/search.ts'
import { useSignedIn, useTitle } from '../../lib/session.tsx'
import { Bars } from '../../ui/chart.tsx'
import { Segments } from '../../ui/field.tsx'
import { PageHead, Panel } from '../../ui/layout.tsx'
import { poll } from '../../ui/poll.ts'
import { Loaded, Skeleton } from '../../ui/states.tsx'
import { DataTable } from '../../ui/table.tsx'
import { declineText, useUiText } from '../../ui/text.ts'
import { declinesOf, firstDay, totalOf, wholeDays } from './days.ts'
import { useSentences } from './partner.tsx'
import { useText } from './text.ts'

const ranges = [7, 30, 90] as const

/** New users, cards, card transactions and declines by day. */
export function Statistics() {
  const t = useText()
  const { purser } = useSignedIn()
  const sentences = useSentences('users:read')
  const [search, change] = useUrlState(['days'])
  const range = ranges.find((each) => String(each) === search.days) ?? 30
  useTitle(t.statistics.title)
  const statistics = useQuery({
    queryKey: ['statistics', 'page', range],
    queryFn: async () => wholeDays((await purser.partner.statistics({ from: firstDay(range) })).data, range),
    refetchInterval: poll(30_000),
  })
  return (
    <>
      <PageHead
        title={t.statistics.title}
        text={t.statistics.lead}
        actions={
          <Segments
            label={t.statistics.range}
            value={String(range)}
            options={ranges.map((value) => ({ value: String(value), label: t.statistics.days(value) }))}
            onPick={(value) => change({ days: value })}
          />
        }
      />
      <Loaded
        query={statistics}
        loading={
          <div className="grid gap-6 lg:grid-cols-2">
            {[0, 1, 2, 3].map((each) => (
              <Skeleton key={each} className="h-64" />
            ))}
          </div>
        }
        sentences={sentences}
      >
        {(days) => <Charts days={days} />}
      </Loaded>
    </>
  )
}

function Charts({ days }: { days: readonly DayStatistics[] }) {
  const t = useText()
  const { locale } = useLanguage()
  const format = new Intl.NumberFormat(locale)
  const dayFormat = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' })
  const figures = [
    ['users', ({ users }: DayStatistics) => users],
    ['cards', ({ cards }: DayStatistics) => cards],
    ['transactions', ({ transactions }: DayStatistics) => transactions],
    ['declines', declinesOf],
  ] as const
  const counted = days.filter((day) => figures.some(([, value]) => value(day) > 0)).toReversed()
  return (
    <div className="grid grid-cols-1 gap-6">
      <div className="grid gap-6 lg:grid-cols-2">
        {figures.map(([name, value]) => {
          const total = format.format(totalOf(days, value))
          return (
            <Panel key={name} title={t.statistics.names[name]} action={<Total text={total} />}>
              <Bars
                days={days.map((day) => ({ day: day.day, value: value(day) }))}
                label={`${t.statistics.names[name]}: ${total}`}
                tone={name === 'declines' ? 'bad' : 'accent'}
              />
            </Panel>
          )
        })}
      </div>
      <Declines days={days} />
      <Panel title={t.statistics.table} isFlush>
        {counted.length === 0 ? (
          <p className="px-4 pb-5 text-sm text-soft sm:px-6">{t.statistics.none}</p>
        ) : (
          <DataTable
            label={t.statistics.table}
            rows={counted}
            keyOf={({ day }) => day}
            columns={[
              {
                head: t.statistics.day,
                cell: ({ day }) => <time dateTime={day}>{dayFormat.format(new Date(day))}</time>,
              },
              ...figures.map(([name, value]) => ({
                head: t.statistics.names[name],
                isEnd: true,
                cell: (day: DayStatistics) => <span className="tabular-nums">{format.format(value(day))}</span>,
              })),
            ]}
          />
        )}
      </Panel>
      <p className="text-sm text-soft">{t.statistics.note}</p>
    </div>
  )
}

function Total({ text }: { text: string }) {
  return <span className="text-xl font-semibold tracking-tight tabular-nums">{text}</span>
}

/** The declines by code, the most frequent first. */
function Declines({ days }: { days: readonly DayStatistics[] }) {
  const t = useText()
  const ui = useUiText()
  const { locale } = useLanguage()
  const format = new Intl.NumberFormat(locale)
  const all = days.flatMap(({ declines }) => declines)
  const codes = [...Map.groupBy(all, ({ code }) => code)]
    .map(([code, own]) => ({ code, count: own.reduce((sum, { count }) => sum + count, 0) }))
    .toSorted((a, b) => b.count - a.count)
  if (codes.length === 0) return null
  const max = codes[0]?.count ?? 1
  return (
    <Panel title={t.statistics.declines}>
      <ul className="grid gap-3">
        {codes.map(({ code, count }) => (
          <li key={code} className="grid gap-1 text-sm">
            <span className="flex items-baseline justify-between gap-4">
              <span>
                {declineText(ui, { code, message: code })} <span className="font-mono text-xs text-soft">{code}</span>
              </span>
              <span className="font-medium tabular-nums">{format.format(count)}</span>
            </span>
            <svg viewBox="0 0 100 4" preserveAspectRatio="none" className="h-1.5 w-full" aria-hidden="true">
              <rect width="100" height="4" rx="1" className="fill-sunken" />
              <rect width={(count / max) * 100} height="4" rx="1" className="fill-bad" />
            </svg>
          </li>
        ))}
      </ul>
    </Panel>
  )
}
