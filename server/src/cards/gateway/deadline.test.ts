import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { withDeadline } from './deadline.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const wait = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

/** A decision whose lock and whose commit take so long; what was answered, what was stored, and when. */
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

test('in time it is what was decided', async () => {
  expect(await play({ lock: 900, commit: 10 })).toMatchObject({ answer: 'approved', stored: 'approved', after: 910 })
})

test('after the first deadline it is a decline', async () => {
  expect(await play({ lock: 1100, commit: 10 })).toMatchObject({ answer: 'late', stored: 'late', after: 1110 })
})

test('at the second deadline nobody waits any more, and what comes after is a decline', async () => {
  expect(await play({ lock: 5000, commit: 10 })).toMatchObject({ answer: 'late', stored: 'late', after: 1500 })
})

test('what was decided in time is never answered as a decline, however long the commit takes', async () => {
  expect(await play({ lock: 900, commit: 3000 })).toMatchObject({
    answer: 'approved',
    stored: 'approved',
    after: 3900,
  })
})

test('a failure is the answer while somebody waits, and is reported after', async () => {
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
