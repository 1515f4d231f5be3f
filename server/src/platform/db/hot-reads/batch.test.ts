import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createBatch } from './batch.ts'

/** A batch whose statement returns as many rows to each caller as the caller's value, and records its executions. */
function counted() {
  const runs: (readonly (readonly unknown[])[])[] = []
  const batch = createBatch(async (_text, values) => {
    runs.push(values)
    return (values[0] ?? []).flatMap((count, i) => Array.from({ length: Number(count) }, () => ({ at: i + 1, count })))
  })
  return { runs, read: (count: number, text = 'rows') => batch<{ at: number; count: number }>(text, [count]) }
}

test('reads of one turn run as one statement, and each caller gets its own rows', async () => {
  const { runs, read } = counted()
  const results = await Promise.all([read(2), read(0), read(3), read(2)])
  expect(results.map((rows) => rows.map(({ count }) => count))).toEqual([[2, 2], [], [3, 3, 3], [2, 2]])
  expect(runs).toEqual([[[2, 0, 3, 2]]])
})

test('reads of another SQL text or another turn are not in the same batch', async () => {
  const { runs, read } = counted()
  const first = Promise.all([read(1), read(2, 'other rows')])
  await nextTurn()
  const second = read(3)
  expect([...(await first), await second].map(({ length }) => length)).toEqual([1, 2, 3])
  expect(runs).toEqual([[[1]], [[2]], [[3]]])
})

test('a batch has at most a hundred callers', async () => {
  const { runs, read } = counted()
  const counts = Array.from({ length: 250 }, (_, i) => i % 4)
  const results = await Promise.all(counts.map((count) => read(count)))
  expect(results.map(({ length }) => length)).toEqual(counts)
  expect(runs.map(([column]) => column?.length)).toEqual([100, 100, 50])
})

test('a failed batch rejects all of its callers and no later ones', async () => {
  let isDown = true
  const batch = createBatch(async () => {
    if (isDown) throw new Error('down')
    return [{ at: 1 }]
  })
  const results = await Promise.allSettled([batch('rows', [1]), batch('rows', [2])])
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  isDown = false
  expect(await batch('rows', [1])).toEqual([{ at: 1 }])
})
