import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { lockAccount } from '../../src/identity/users/users.ts'
import { sum } from '../../src/lib/money.ts'
import { followTransfers, returnDeposit, type Sighting } from '../../src/money/deposits/deposits.ts'
import { checkUser } from '../../src/money/reconcile/reconcile.ts'
import { seed, timeout, times } from '../support/run/seed.ts'
import { useService } from '../support/service.ts'

/**
 * Plays one transaction that reorganizations remove and replace with other transfers. Screening approves or rejects it,
 * and returns are ordered, paid or abandoned. The books must equal the chain, and the user must own exactly the
 * approved, unreturned deposit.
 */
const service = useService({
  worker: false,
  alter: (ctx) => ({ ...ctx, chain: { ...ctx.chain, transferState: null } }),
})

const amounts = [3n, 5n, 9n]
const which = fc.nat(amounts.length - 1)
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('shown' as const), which, isFinal: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('gone' as const), which }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('screened' as const), isRejected: fc.nat(3).map(Boolean) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('returned' as const) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('ended' as const), which, isPaid: fc.boolean() }) },
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

/** A rejected deposit with a return in flight: the start of most possible errors. */
const rejectedWithReturn: Step[] = [
  { kind: 'shown', which: 0, isFinal: true },
  { kind: 'screened', isRejected: true },
  { kind: 'returned' },
]

type Row = { id: string; amount: bigint; chain_state: string; screening: string; return_state: string | null }

async function play(steps: readonly Step[]): Promise<void> {
  const { ctx } = service
  const { userId, accountAddress } = await service.newUser()
  const [token] = ctx.config.tokens
  if (!token) throw new Error('a sandbox has tokens')
  const transfer = { chainId: token.chainId, txHash: `0x${randomBytes(32).toString('hex')}`, logPosition: 0 }
  const fromAddress = ctx.sandbox?.screening.senderFor('pending') ?? ''
  const sighting = (i: number, chainState: Sighting['chainState']): Sighting => {
    return {
      ...transfer,
      token: token.address,
      fromAddress,
      toAddress: accountAddress,
      amount: amounts[i] ?? 1n,
      chainState,
    }
  }
  const show = (seen: Sighting) =>
    ctx.db.transaction(async (tx) => followTransfers(ctx, tx, await lockAccount(tx, userId), [seen]))
  const rows = () =>
    ctx.db.query<Row>(
      'select deposit_id as id, amount, chain_state, screening, return_state from deposit where user_id = $1',
      [userId],
    )
  const turn = (id: string, to: 'signed' | 'returned' | null) =>
    ctx.db.transaction((tx) => returnDeposit(ctx, tx, id, to))
  /** Signed payouts of returns. Each pays its amount, even if the deposit changes. */
  const returnsInFlight: Row[] = []
  const paid: bigint[] = []

  for (const step of steps) {
    const known = await rows()
    const standing = known.find(({ chain_state }) => chain_state !== 'reorganized')
    switch (step.kind) {
      case 'shown':
        await show(sighting(step.which, step.isFinal ? 'final' : 'unfinal'))
        break
      case 'gone':
        await show(sighting(step.which, 'reorganized'))
        break
      case 'screened':
        // The service responds with 409 to a screening result that is no longer possible.
        if (standing) {
          const result = step.isRejected ? 'rejected' : 'approved'
          const { status } = await service.sandbox('POST', `/deposits/${standing.id}/screening`, { result })
          expect([200, 409]).toContain(status)
        }
        break
      case 'returned':
        if (standing?.chain_state === 'final' && standing.screening === 'rejected' && !standing.return_state) {
          await turn(standing.id, 'signed')
          returnsInFlight.push(standing)
        }
        break
      case 'ended': {
        const [payment] = returnsInFlight.splice(step.which % Math.max(1, returnsInFlight.length), 1)
        if (!payment) break
        await turn(payment.id, step.isPaid ? 'returned' : null)
        if (step.isPaid) paid.push(payment.amount)
      }
    }
    await assertInvariants()
  }

  async function assertInvariants(): Promise<void> {
    expect(await checkUser(ctx, userId)).toEqual([])
    const all = await rows()
    const standing = all.filter(({ chain_state }) => chain_state !== 'reorganized')
    expect(standing.length).toBeLessThanOrEqual(1)
    const [row] = await ctx.db.query<Record<string, bigint>>(
      `select available + debt as own, frozen, deposit_processing as processing, unfinal, chain, loss from ledger_balance
       where user_id = $1 and token = $2`,
      [userId, token?.address],
    )
    const books = { own: 0n, frozen: 0n, processing: 0n, unfinal: 0n, chain: 0n, loss: 0n, ...row }
    const came = sum(standing.map(({ amount }) => amount))
    expect(-books.chain - books.unfinal, 'chain balance').toBe(came - sum(paid))
    const [one] = standing
    const isBack = one?.return_state === 'returned'
    const isDecided = one?.chain_state === 'final' && one.screening !== 'pending'
    const isApproved = isDecided && one.screening === 'approved'
    expect(books.own, 'own').toBe(isApproved ? came : 0n)
    expect(books.frozen, 'frozen').toBe(isDecided && !isApproved && !isBack ? came : 0n)
    expect(books.processing, 'processing').toBe(isDecided ? 0n : came)
    expect(books.loss, 'lost').toBe((isDecided && isBack ? came : 0n) - sum(paid))
    expect(isApproved && isBack, 'the deposit is both credited and returned').toBe(false)
  }
}

test(`a deposit that reorganizations replace is never both credited and returned, and its books match the chain (PROPERTY_SEED=${seed})`, {
  timeout,
}, async () => {
  const stories = fc.array(step, { minLength: 10, maxLength: 30 }).map((more) => [...rejectedWithReturn, ...more])
  await fc.assert(fc.asyncProperty(stories, play), { seed, numRuns: 15 * times, endOnFailure: true })
})
