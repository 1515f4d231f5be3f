import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { withDeadline } from './deadline.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const wait = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

/**
 * Runs a decision with the given times for its lock and commit. Returns the response, its time and the stored decision.
 */
async function play({ lock, commit, fails = false }: { lock: number; commit: number; fails?: boolean }) {
  const began = performance.now()
  const lateFailures: unknown[] = []
  let stored = 'nothing'
  const answered = withDeadline(
    { decideBy: began + 1000, answerBy: began + 1500 },
    async (isLate) => {
      await wait(lock)
      const answer = isLate() ? 'late' : 'approved'
      await wait(commit)
      if (fails) throw new Error('no database')
      stored = answer
      return answer
    },
    async () => 'late',
    (error) => lateFailures.push(String(error)),
  ).then(
    (answer) => ({ answer, after: performance.now() - began }),
    (error) => ({ answer: String(error), after: performance.now() - began }),
  )
  await vi.advanceTimersByTimeAsync(10_000)
  return { ...(await answered), stored, lateFailures }
}

test('a decision before the first deadline is the response', async () => {
  expect(await play({ lock: 900, commit: 10 })).toMatchObject({ answer: 'approved', stored: 'approved', after: 910 })
})

test('a decision after the first deadline is a decline', async () => {
  expect(await play({ lock: 1100, commit: 10 })).toMatchObject({ answer: 'late', stored: 'late', after: 1110 })
})

test('the response at the second deadline is a decline, and so is the decision that follows', async () => {
  expect(await play({ lock: 5000, commit: 10 })).toMatchObject({ answer: 'late', stored: 'late', after: 1500 })
})

test('a decision made in time never becomes a decline, even if its commit is slow', async () => {
  expect(await play({ lock: 900, commit: 3000 })).toMatchObject({
    answer: 'approved',
    stored: 'approved',
    after: 3900,
  })
})

test('a failure before the second deadline is thrown, and a later one is only reported', async () => {
  expect(await play({ lock: 10, commit: 10, fails: true })).toMatchObject({
    answer: 'Error: no database',
    lateFailures: [],
  })
  expect(await play({ lock: 5000, commit: 10, fails: true })).toMatchObject({
    answer: 'late',
    stored: 'nothing',
    lateFailures: ['Error: no database'],
  })
})
