import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type Blocker,
  type CardState,
  cardStatuses,
  liveStatuses,
  mayBecome,
  parseCardName,
  parsePhone,
  withBlocker,
  withStatus,
} from './rules.ts'

test('an ended card keeps its status', () => {
  const ended = cardStatuses.filter((status) => !liveStatuses.includes(status))
  expect(ended).toEqual(['canceled', 'lost', 'stolen', 'expired'])
  for (const from of ended) {
    for (const to of cardStatuses) expect(mayBecome(from, to)).toBe(from === to)
    expect(withBlocker({ status: from, blockedBy: [] }, 'owner', true)).toBeNull()
  }
})

test('a card that is not issued yet can be neither blocked nor unblocked', () => {
  expect(withBlocker({ status: 'provisioning', blockedBy: [] }, 'owner', true)).toBeNull()
  expect(withBlocker({ status: 'provisioning', blockedBy: [] }, 'issuer', false)).toBeNull()
})

test('a card is blocked exactly while it has a blocker, in any order of blocks and unblocks', () => {
  const blocker = fc.constantFrom<Blocker>('owner', 'issuer', 'compliance')
  fc.assert(
    fc.property(fc.array(fc.tuple(blocker, fc.boolean())), (steps) => {
      let state: CardState = { status: 'active', blockedBy: [] }
      const wanted = new Set<Blocker>()
      for (const [by, isBlocking] of steps) {
        const next = withBlocker(state, by, isBlocking)
        if (next === null) throw new Error('rejected')
        state = next
        if (isBlocking) wanted.add(by)
        else wanted.delete(by)
        expect(new Set(state.blockedBy)).toEqual(wanted)
        expect(state.blockedBy).toHaveLength(wanted.size)
        expect(state.status).toBe(wanted.size > 0 ? 'blocked' : 'active')
      }
    }),
  )
})

test('a report of "active" does not end a block', () => {
  const blocked: CardState = { status: 'blocked', blockedBy: ['compliance'] }
  expect(withStatus(blocked, 'active')).toBeNull()
  expect(withStatus(blocked, 'stolen')).toEqual({ status: 'stolen', blockedBy: [] })
  expect(withStatus({ status: 'provisioning', blockedBy: [] }, 'active')).toEqual({ status: 'active', blockedBy: [] })
})

test('a card name has 1 to 50 printable characters', () => {
  expect(parseCardName('  Café 🚲  ')).toBe('Café 🚲')
  expect(parseCardName('🚲'.repeat(50))).toBe('🚲'.repeat(50))
  for (const bad of ['', '   ', 'x'.repeat(51), 'a\u0000b', 'a\nb', 'a\ud800']) expect(parseCardName(bad)).toBeNull()
})

test('a phone number must be in E.164 format and valid in its country', () => {
  expect(parsePhone('+4915123456789')).toEqual({ phone: '+4915123456789', countryCode: '49' })
  expect(parsePhone('+12025550123')).toEqual({ phone: '+12025550123', countryCode: '1' })
  const bad = [
    '',
    '015123456789',
    '+49 151 23456789',
    '+49',
    '+4915',
    '+999123456789',
    '+12025550123x',
    '+49151234567891234',
  ]
  for (const text of bad) expect(parsePhone(text)).toBeNull()
})
