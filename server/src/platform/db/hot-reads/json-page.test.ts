import { expect, test } from 'vitest'
import { type JsonPage, startPage } from './json-page.ts'

/** Adds an item from the middle of larger memory, as the pipeline passes it. */
function add(page: JsonPage, id: string, length = 0): void {
  const item = JSON.stringify({ id, text: 'x'.repeat(length) })
  page.add(Buffer.from(`before${item}behind`), 6, 6 + item.length)
}

function written(page: JsonPage, cursor: string | null = null): unknown {
  return JSON.parse(page.finish(cursor).bytes.toString())
}

test('an empty page has no items and no last item', () => {
  const page = startPage(2)
  expect(page.last()).toBeNull()
  expect(written(page)).toEqual({ data: [], pagination: { nextCursor: null, hasNext: false } })
})

test('the item beyond the limit is left out and sets hasNext', () => {
  const page = startPage(2)
  for (const id of ['a', 'b', 'c']) add(page, id)
  expect(page.last()).toBe('{"id":"b","text":""}')
  expect(written(page, 'next')).toEqual({
    data: [
      { id: 'a', text: '' },
      { id: 'b', text: '' },
    ],
    pagination: { nextCursor: 'next', hasNext: true },
  })
})

test('a page holds items of any length', () => {
  const lengths = [1, 200_000, 5, 400_000, 159_000]
  const page = startPage(9)
  for (const length of lengths) add(page, 'long', length)
  expect(written(page)).toMatchObject({ data: lengths.map((length) => ({ text: 'x'.repeat(length) })) })
})

test('the memory of a page is reused by the next page only after its release', () => {
  const first = startPage(1)
  add(first, 'first')
  const finished = first.finish(null)
  const second = startPage(1)
  add(second, 'second')
  const meanwhile = second.finish(null)
  expect(JSON.parse(finished.bytes.toString())).toMatchObject({ data: [{ id: 'first' }] })

  finished.release()
  const third = startPage(1)
  add(third, 'third')
  expect(third.finish(null).bytes.buffer).toBe(finished.bytes.buffer)
  expect(JSON.parse(meanwhile.bytes.toString())).toMatchObject({ data: [{ id: 'second' }] })
})
