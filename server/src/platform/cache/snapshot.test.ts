import { expect, test } from 'vitest'
import { onePer, snapshot } from './snapshot.ts'

function counted() {
  let loads = 0
  return snapshot(async () => ++loads)
}

test('one load serves all who ask at the same time, and those who ask soon after', async () => {
  const table = counted()
  expect(await Promise.all([table.read(1000), table.read(1000), table.read(1000)])).toEqual([1, 1, 1])
  expect(await table.read(1000)).toBe(1)
})

test('who needs it newer gets it newer', async () => {
  const table = counted()
  await table.read(1000)
  expect(await table.read(-1)).toBe(2)
})

test('what is forgotten is loaded again, even while a load is under way', async () => {
  const table = counted()
  const before = table.read(1000)
  table.forget()
  expect(await table.read(1000)).toBe(2)
  expect(await before).toBe(1)
})

test('a failure is not kept', async () => {
  let loads = 0
  const table = snapshot(async () => {
    if (++loads === 1) throw new Error('down')
    return loads
  })
  await expect(table.read(1000)).rejects.toThrow('down')
  expect(await table.read(1000)).toBe(2)
})

test('each key has its one value', () => {
  const listOf = onePer((_key: object) => [] as string[])
  const [a, b] = [{}, {}]
  listOf(a).push('seen')
  expect(listOf(a)).toEqual(['seen'])
  expect(listOf(b)).toEqual([])
})
