import { expect } from 'vitest'
import { checkUser } from '../../src/money/reconcile/reconcile.ts'
import type { Reply, TestService, TestUser } from './service.ts'

/** A user with a card, money in named tokens, and the network's simulator; the books are checked after every message. */
export type Cardholder = {
  user: TestUser
  cardId: string
  /** Sends a card message about the code `STORY1`, unless told otherwise, and expects it to be taken. */
  send(type: string, amount?: string | null, more?: object): Promise<Reply>
  /** The same without expecting anything. */
  try(type: string, amount?: string | null, more?: object): Promise<Reply>
  fund(symbol: string, units: bigint): Promise<void>
  /** Card rows of the statement, oldest first. */
  rows(): Promise<any[]>
  /** In minor units of the card's currency: free less owed, held, spent over the network. */
  money(): Promise<{ own: bigint; held: bigint; network: bigint }>
  assertBooks(): Promise<void>
}

export async function newCardholder(service: TestService, funds: Record<string, bigint> = {}): Promise<Cardholder> {
  const user = await service.newUser()
  const made = await service.request('POST', '/cards/virtual', {
    token: user.token,
    body: { cardName: 'Everyday', phone: '+4915112345678' },
  })
  expect(made).toMatchObject({ status: 201 })
  const { cardId } = made.body
  const tokens = service.ctx.config.tokens

  const holder: Cardholder = {
    user,
    cardId,
    async try(type, amount, more = {}) {
      const body = { transaction_type: type, card_id: cardId, currency: 'EUR', authorization_code: 'STORY1', ...more }
      return service.sandbox('POST', '/transactions', { ...body, ...(amount == null ? {} : { amount }) })
    },
    async send(type, amount, more) {
      const reply = await holder.try(type, amount, more)
      expect(reply, `${type}: ${reply.text}`).toMatchObject({ status: 200 })
      await holder.assertBooks()
      return reply
    },
    async fund(symbol, units) {
      const token = tokens.find((token) => token.symbol === symbol)?.address
      const made = await service.sandbox('POST', '/deposits', { userId: user.userId, token, amount: String(units) })
      expect(made, made.text).toMatchObject({ status: 201 })
    },
    async rows() {
      let page = await service.request('GET', '/user/statement', { token: user.token })
      // The test has moved the clock past the token's end.
      if (page.status === 401) {
        page = await service.request('GET', '/user/statement', { token: await service.signIn(user.wallet) })
      }
      return page.body.data.filter(({ type }: { type: string }) => type === 'card_transaction').reverse()
    },
    async money() {
      const rows = await service.ctx.db.query<{ token: string; own: bigint; held: bigint; network: bigint }>(
        'select token, available + debt as own, held, network from ledger_balance where user_id = $1',
        [user.userId],
      )
      const total = { own: 0n, held: 0n, network: 0n }
      for (const row of rows) {
        const unit = 10n ** BigInt((tokens.find(({ address }) => address === row.token)?.decimals ?? 2) - 2)
        for (const account of ['own', 'held', 'network'] as const) total[account] += row[account] / unit
      }
      return total
    },
    async assertBooks() {
      expect(await checkUser(service.ctx, user.userId)).toEqual([])
    },
  }
  for (const [symbol, units] of Object.entries(funds)) await holder.fund(symbol, units)
  return holder
}

/** Quantity of a token with 18 decimals. */
export function eure(quantity: number): bigint {
  return BigInt(Math.round(quantity * 100)) * 10n ** 16n
}
