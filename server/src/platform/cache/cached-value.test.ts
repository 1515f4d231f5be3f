import { expect, test } from 'vitest'
import { cachedValue } from './cached-value.ts'

function counter() {
  const cached = cachedValue<number>()
  let loads = 0
  return { clear: cached.clear, read: (maxAge: number, now?: number) => cached.read(maxAge, async () => ++loads, now) }
}

test('concurrent and later readers share one load', async () => {
  const { read } = counter()
  expect(await Promise.all([read(1000), read(1000), read(1000)])).toEqual([1, 1, 1])
  expect(await read(1000)).toBe(1)
})

test('a reader with a lower maximum age gets a newer value', async () => {
  const { read } = counter()
  await read(1000)
  expect(await read(-1)).toBe(2)
})

test('a value expires by the clock that the reader passes, even when that clock moves backwards', async () => {
  const { read } = counter()
  expect(await read(10, 1000)).toBe(1)
  expect(await read(10, 1010)).toBe(1)
  expect(await read(10, 1011)).toBe(2)
  expect(await read(10, 500)).toBe(3)
})

test('a cleared value is loaded again, even while a load is in progress', async () => {
  const { read, clear } = counter()
  const before = read(1000)
  clear()
  expect(await read(1000)).toBe(2)
  expect(await before).toBe(1)
})

test('a failed load is not cached', async () => {
  const cached = cachedValue<number>()
  let loads = 0
  const load = async () => {
    if (++loads === 1) throw new Error('down')
    return loads
  }
  await expect(cached.read(1000, load)).rejects.toThrow('down')
  expect(await cached.read(1000, load)).toBe(2)
})
