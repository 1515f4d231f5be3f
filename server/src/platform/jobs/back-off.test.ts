import { expect, test } from 'vitest'
import { addSeconds } from '../../lib/clock.ts'
import { createBackOff, isLogged } from './back-off.ts'

const start = new Date('2026-01-01T00:00:00Z')

test('work that fails is retried after 1, 2, 4 seconds and so on, and then every minute', () => {
  const backOff = createBackOff()
  let now = start
  const delays = Array.from({ length: 10 }, (_, i) => {
    const seconds = backOff(i + 1, now)
    now = addSeconds(now, seconds)
    return seconds
  })
  expect(delays).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60, 60])
})

const stepSeconds = 10

/** Lets all rows of a table fail for a time, and returns the seconds between the last two tries of each. */
function failFor(seconds: number, rows: number): { tries: number; intervals: number[] } {
  const backOff = createBackOff()
  const states = Array.from({ length: rows }, () => ({ dueAt: start, attempts: 0, interval: 0 }))
  let tries = 0
  for (let now = start; now < addSeconds(start, seconds); now = addSeconds(now, stepSeconds)) {
    for (const row of states) {
      if (row.dueAt > now) continue
      tries++
      row.interval = backOff(++row.attempts, now)
      row.dueAt = addSeconds(now, row.interval)
    }
  }
  return { tries, intervals: states.map(({ interval }) => interval) }
}

test('each of 500 rows is retried every minute while a vendor is down', () => {
  expect(Math.max(...failFor(3600, 500).intervals)).toBe(60)
})

test('10,000 rows are retried ten times a second in all while a vendor is down, and each within 20 minutes', () => {
  const seconds = 4 * 3600
  const { tries, intervals } = failFor(seconds, 10_000)
  // The first tries are not retries.
  expect(tries - 10_000).toBeLessThan(seconds * 10.5)
  expect(tries).toBeGreaterThan(seconds * 9)
  expect(Math.max(...intervals)).toBeLessThan(1200)
})

test('a clock that steps back does not delay a retry', () => {
  const backOff = createBackOff()
  backOff(1, addSeconds(start, 86_400))
  expect(backOff(1, start)).toBe(1)
})

test('of a thousand failures of one row, ten are logged', () => {
  expect(Array.from({ length: 1000 }, (_, i) => i + 1).filter(isLogged)).toHaveLength(10)
})
