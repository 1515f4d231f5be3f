import type { DayStatistics } from '@purser/client'
import { serviceNow } from '../../lib/facts.ts'

const dayMilliseconds = 86_400_000

/** Returns the day in UTC. */
const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10)

/**
 * Returns one record for each day of the range, oldest first. The service leaves out days without any count. Its clock
 * may have moved since it sent the page, so the last day can be later than today.
 */
export function wholeDays(known: readonly DayStatistics[], count: number): DayStatistics[] {
  const latest = Math.max(Date.parse(dayOf(serviceNow())), ...known.map(({ day }) => Date.parse(day)))
  return Array.from({ length: count }, (_, index) => {
    const day = dayOf(latest - (count - 1 - index) * dayMilliseconds)
    return known.find((each) => each.day === day) ?? { day, users: 0, cards: 0, transactions: 0, declines: [] }
  })
}

export const firstDay = (count: number): string => dayOf(serviceNow() - (count - 1) * dayMilliseconds)

export const declinesOf = ({ declines }: DayStatistics): number => declines.reduce((sum, { count }) => sum + count, 0)

export const totalOf = (days: readonly DayStatistics[], value: (day: DayStatistics) => number): number =>
  days.reduce((sum, day) => sum + value(day), 0)
