import { expect, test } from 'vitest'
import { tryEach } from './attempts.ts'

test('a failure for one item does not stop the work on later items, and the first error is thrown', async () => {
  const done: number[] = []
  const work = async (item: number) => {
    if (item < 3) throw new Error(`item ${item}`)
    done.push(item)
  }
  await expect(tryEach([1, 2, 3, 4], work)).rejects.toThrow('item 1')
  expect(done).toEqual([3, 4])
  await tryEach([5], work)
  expect(done).toEqual([3, 4, 5])
})
