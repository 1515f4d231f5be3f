import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { readTogether } from './batch.ts'

/** Answers each with as many rows as it asks for, and notes what was run. */
function counted() {
  const runs: (readonly (readonly unknown[])[])[] = []
  const together = readTogether(async (_text, values) => {
    runs.push(values)
    return (values[0] ?? []).flatMap((count, i) => Array.from({ length: Number(count) }, () => ({ at: i + 1, count })))
  })
  return { runs, ask: (count: number, text = 'rows') => together<{ at: number; count: number }>(text, [count]) }
}

test('all who ask in one turn are answered by one statement, each with its own rows', async () => {
  const { runs, ask } = counted()
  const answers = await Promise.all([ask(2), ask(0), ask(3), ask(2)])
  expect(answers.map((rows) => rows.map(({ count }) => count))).toEqual([[2, 2], [], [3, 3, 3], [2, 2]])
  expect(runs).toEqual([[[2, 0, 3, 2]]])
})

test('another text and another turn are statements of their own', async () => {
  const { runs, ask } = counted()
  const first = Promise.all([ask(1), ask(2, 'other rows')])
  await nextTurn()
  const second = ask(3)
  expect([...(await first), await second].map(({ length }) => length)).toEqual([1, 2, 3])
  expect(runs).toEqual([[[1]], [[2]], [[3]]])
})

test('more than a hundred are several statements', async () => {
  const { runs, ask } = counted()
  const counts = Array.from({ length: 250 }, (_, i) => i % 4)
  const answers = await Promise.all(counts.map((count) => ask(count)))
  expect(answers.map(({ length }) => length)).toEqual(counts)
  expect(runs.map(([column]) => column?.length)).toEqual([100, 100, 50])
})

test('one that fails fails all of its own, and no other', async () => {
  let isDown = true
  const together = readTogether(async () => {
    if (isDown) throw new Error('down')
    return [{ at: 1 }]
  })
  const answers = await Promise.allSettled([together('rows', [1]), together('rows', [2])])
  expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  isDown = false
  expect(await together('rows', [1])).toEqual([{ at: 1 }])
})
