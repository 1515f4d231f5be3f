import { createSecretKey } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Keys } from '../../platform/crypto/derive-key.ts'
import {
  type ChainedMovement,
  chainStart,
  hashesBySeq,
  hashMovement,
  headOf,
  isAuthentic,
  sealMovements,
} from './hash-chain.ts'

const keys: Keys = [createSecretKey(Buffer.alloc(32, 7))]
const at = new Date('2026-01-01T00:00:00Z')
const movement: ChainedMovement = {
  seq: 1n,
  kind: 'card_clearing',
  refId: 'r',
  createdAtMicros: 5n,
  postings: [
    { line: 1, token: 'A', from: 'held', to: 'network', amount: 12n },
    { line: 2, token: 'A', from: 'held', to: 'available', amount: 3n },
  ],
}
const [one, two] = movement.postings
if (!one || !two) throw new Error('two postings are needed')

test.each<[string, Partial<ChainedMovement>]>([
  ['another sequence number', { seq: 2n }],
  ['another kind', { kind: 'card_reversal' }],
  ['another reference', { refId: 's' }],
  ['a time one microsecond later', { createdAtMicros: 6n }],
  ['no postings', { postings: [] }],
  ['one posting fewer', { postings: [one] }],
  ['one posting more', { postings: [one, two, { ...two, line: 3 }] }],
  ['postings in another order', { postings: [two, one] }],
  ['another amount', { postings: [one, { ...two, amount: 4n }] }],
  ['another token', { postings: [one, { ...two, token: 'B' }] }],
  ['another ledger account', { postings: [one, { ...two, to: 'debt' }] }],
  ['another line', { postings: [one, { ...two, line: 3 }] }],
])('a movement changed to have %s has another hash', (_change, change) => {
  const before = hashMovement('u', chainStart, movement)
  expect(hashMovement('u', chainStart, { ...movement, ...change })).not.toEqual(before)
})

test('the hash of a movement depends on the field boundaries, the user and the previous hash', () => {
  const split = (kind: string, refId: string) => hashMovement('u', chainStart, { ...movement, kind, refId })
  expect(split('ab', 'c')).not.toEqual(split('a', 'bc'))
  expect(hashMovement('v', chainStart, movement)).not.toEqual(hashMovement('u', chainStart, movement))
  expect(hashMovement('u', Buffer.alloc(32, 1), movement)).not.toEqual(hashMovement('u', chainStart, movement))
})

test('a seal is authentic only for its own key, user, movements and time', () => {
  const seal = sealMovements(keys, 'u', chainStart, [movement, { ...movement, seq: 2n }], at)
  expect(seal).toMatchObject({ firstSeq: 1n, lastSeq: 2n })
  expect([...hashesBySeq([seal]).keys()]).toEqual([1n, 2n])
  expect(hashesBySeq([seal]).get(2n)).toEqual(headOf(seal))
  expect(isAuthentic(keys, 'u', seal)).toBe(true)
  expect(isAuthentic(keys, 'v', seal)).toBe(false)
  expect(isAuthentic([createSecretKey(Buffer.alloc(32, 8))], 'u', seal)).toBe(false)
  expect(isAuthentic(keys, 'u', { ...seal, firstSeq: 2n, lastSeq: 3n })).toBe(false)
  expect(isAuthentic(keys, 'u', { ...seal, hashes: Buffer.alloc(64) })).toBe(false)
  expect(isAuthentic(keys, 'u', { ...seal, sealedAt: new Date(0) })).toBe(false)
  expect(isAuthentic(keys, 'u', { ...seal, mac: Buffer.alloc(0) })).toBe(false)
})
