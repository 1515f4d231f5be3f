import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'vitest'
import { type Client, newName, type Reply, type User } from './client.ts'
import { expectStatementItem } from './shapes.ts'

type Token = { address: string; symbol: string; currency: string; decimals: number; chainId: number }

/** Deposits, cards and balances of a test, and a check that the balances match the statement. */
export type Money = {
  tokens: Token[]
  tokenOf(currency: string): Token
  newCard(user: User): Promise<string>
  /** Deposits an amount in token units. */
  deposit(user: User, amount: bigint, more?: { currency?: string; result?: string }): Promise<any>
  /** Sends a card message through the simulator. */
  card(cardId: string, type: string, more?: Record<string, unknown>): Promise<Reply>
  /** Creates a user with a card and a deposit in euros. */
  cardholder(quantity?: string): Promise<{ user: User; cardId: string }>
  statement(user: User, query?: string): Promise<any[]>
  /** Returns the card transactions of the statement, oldest first. */
  cardRows(user: User): Promise<any[]>
  balances(user: User): Promise<any[]>
  balance(user: User, currency?: string): Promise<any>
  assertBooks(user: User): Promise<void>
}

export const phone = '+4915112345678'

/** Converts a decimal amount to token units: 12.34 → 12340000000000000000 for 18 decimals. */
export function units(quantity: string, decimals = 18): bigint {
  const [whole = '0', fraction = ''] = quantity.split('.')
  return BigInt(whole + fraction.padEnd(decimals, '0'))
}

export async function money(client: Client): Promise<Money> {
  const tokens: Token[] = (await client.sandbox('GET', '/tokens')).body.data

  function tokenOf(currency: string): Token {
    const found = tokens.find((token) => token.currency === currency)
    if (found === undefined) throw new Error(`no token of ${currency}`)
    return found
  }

  async function newCard(user: User): Promise<string> {
    const made = await client.request('POST', '/cards/virtual', {
      token: user.token,
      body: { cardName: 'Everyday', phone },
    })
    expect(made).toMatchObject({ status: 201 })
    return made.body.cardId
  }

  async function deposit(user: User, amount: bigint, more: { currency?: string; result?: string } = {}) {
    const { currency = 'EUR', ...rest } = more
    const body = { userId: user.userId, token: tokenOf(currency).address, amount: String(amount), ...rest }
    const made = await client.sandbox('POST', '/deposits', body)
    expect(made).toMatchObject({ status: 201 })
    return made.body
  }

  const card: Money['card'] = (cardId, type, more = {}) => {
    const takesAmount = type !== 'expiry' && type !== 'replacement'
    const body = {
      transaction_type: type,
      card_id: cardId,
      currency: 'EUR',
      ...(takesAmount ? { amount: '10.00' } : {}),
    }
    return client.sandbox('POST', '/transactions', { event_id: newName('event-'), ...body, ...more })
  }

  async function cardholder(quantity = '100'): Promise<{ user: User; cardId: string }> {
    const user = await client.newUser()
    const cardId = await newCard(user)
    if (quantity !== '0') await deposit(user, units(quantity))
    return { user, cardId }
  }

  const cardRows = async (user: User) =>
    (await statement(user)).filter(({ type }) => type === 'card_transaction').reverse()

  /** Reads every page and checks every item. */
  async function statement(user: User, query = ''): Promise<any[]> {
    const items: any[] = []
    let cursor: string | null = null
    do {
      const asked: string = cursor === null ? query : `cursor=${encodeURIComponent(cursor)}`
      const { status, body } = await client.request('GET', `/user/statement?${asked}`, { token: user.token })
      expect(status).toBe(200)
      expect(body.pagination.hasNext).toBe(body.pagination.nextCursor !== null)
      items.push(...body.data)
      cursor = body.pagination.nextCursor
    } while (cursor !== null)
    for (const item of items) expectStatementItem(item)
    return items
  }

  async function balances(user: User): Promise<any[]> {
    const { status, body } = await client.request('GET', '/user/balances/v2', { token: user.token })
    expect(status).toBe(200)
    return body.data
  }

  const balance = async (user: User, currency = 'EUR') =>
    (await balances(user)).find((row: any) => row.currency === currency)

  async function assertBooks(user: User): Promise<void> {
    const items = await statement(user)
    for (const row of await balances(user)) expect(row).toMatchObject(balanceByStatement(row, items))
  }

  return { tokens, tokenOf, newCard, deposit, card, cardholder, statement, cardRows, balances, balance, assertBooks }
}

/**
 * Computes the expected balance of a currency from the statement alone. Each currency of the sandbox has one token, so
 * the balance of the token follows too.
 */
function balanceByStatement(row: any, items: any[]): object {
  const [token] = row.tokens
  const scale = 10n ** BigInt(row.decimals - token.decimals)
  const sum = (of: any[]) => of.reduce((total: bigint, { amount }) => total + BigInt(amount), 0n)
  const transfers = (type: string, ...states: string[]) =>
    sum(
      items.filter((item) => item.type === type && item.fiatCurrency === row.currency && states.includes(item.status)),
    )
  const cards = (isCredit: boolean) =>
    items
      .filter((item) => item.type === 'card_transaction' && item.currency === row.currency)
      .filter((item) => item.isCredit === isCredit && ['pending', 'settled'].includes(item.status))
      .reduce((total: bigint, item) => total + BigInt(item.amount) * 10n ** BigInt(token.decimals - item.decimals), 0n)

  const total =
    transfers('deposit', 'approved') -
    transfers('withdrawal', 'pending', 'processing', 'completed') +
    cards(true) -
    cards(false)
  const free = total > 0n ? total : 0n
  const cent = 10n ** BigInt(token.decimals - 2)
  const nonSpendable = transfers('deposit', 'rejected')
  const processing = transfers('deposit', 'pending')
  return {
    spendable: String((free / cent) * cent * scale),
    nonSpendable: String(nonSpendable * scale),
    processingDeposits: String(processing * scale),
    processingWithdrawals: String(transfers('withdrawal', 'pending', 'processing') * scale),
    tokens: [{ spendable: String(free), nonSpendable: String(nonSpendable), processingDeposits: String(processing) }],
  }
}

/** Reads until the value satisfies the condition, because the service does its follow-up work later. */
export async function eventually<T>(read: () => Promise<T>, isDone: (value: T) => boolean): Promise<T> {
  const deadline = performance.now() + 300_000
  for (;;) {
    const value = await read()
    if (isDone(value) || performance.now() > deadline) return value
    await delay(50)
  }
}
