import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { UpstreamError } from '../../lib/errors.ts'
import { inPayoutTurn, type PayoutTurns } from './payout-turn.ts'

const [gnosis, polygon] = [100, 137]

/** Queues payouts, which begin when it is their turn and end when the test ends them. */
function queue() {
  const turns: PayoutTurns = new Map()
  const begun: string[] = []
  function pay(chainId: number, name: string) {
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    const reserve = () => {
      begun.push(name)
      return promise
    }
    return {
      ended: inPayoutTurn(turns, chainId, reserve).catch((error: unknown) => error),
      end: () => resolve(name),
      reject,
    }
  }
  return { pay, begun, turns }
}

const unreachable = new UpstreamError('rpc', 'unavailable', new Error('no response'))

test('a payout waits for the earlier payouts of its chain', async () => {
  const { pay, begun } = queue()
  const [first, second] = [pay(gnosis, 'first'), pay(gnosis, 'second')]
  await setImmediate()
  expect(begun).toEqual(['first'])
  first.end()
  second.end()
  expect(await second.ended).toBe('second')
})

test('a payout does not wait for the payouts of another chain', async () => {
  const { pay } = queue()
  pay(gnosis, 'that hangs')
  const other = pay(polygon, 'other')
  other.end()
  expect(await other.ended).toBe('other')
})

test('a chain that does not respond is asked once for all payouts that wait for it, and again for a later one', async () => {
  const { pay, begun, turns } = queue()
  const [first, second, third] = [pay(gnosis, 'first'), pay(gnosis, 'second'), pay(gnosis, 'third')]
  first.reject(unreachable)
  expect(await Promise.all([first.ended, second.ended, third.ended])).toEqual([unreachable, unreachable, unreachable])
  expect([begun, turns.size]).toEqual([['first'], 0])

  const later = pay(gnosis, 'later')
  later.end()
  expect(await later.ended).toBe('later')
})

test('a payout that fails while the chain responds does not make the waiting payouts fail', async () => {
  const { pay } = queue()
  const [first, second] = [pay(gnosis, 'first'), pay(gnosis, 'second')]
  const rejected = new UpstreamError('rpc', 'rejected', new Error('reverted'))
  first.reject(rejected)
  second.end()
  expect(await Promise.all([first.ended, second.ended])).toEqual([rejected, 'second'])
})
