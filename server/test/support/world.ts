import { expect } from 'vitest'
import { checkUser } from '../../src/money/reconcile/reconcile.ts'
import type { TestPartner } from './partner.ts'
import {
  type DepositOptions,
  type Reply,
  type ServiceOptions,
  type TestService,
  type TestUser,
  useService,
} from './service.ts'

/**
 * A service and the people who use it:
 *
 *     const { service, world } = useWorld({ worker: false })
 *
 *     test('a clearing debits the account', async () => {
 *       const { alice } = await world({ eur: 100, card: true })
 *       await alice.send('authorization', '40.00')
 *       await alice.send('clearing', '40.00')
 *       expect(await alice.money()).toMatchObject({ own: 60_00n, network: 40_00n })
 *     })
 *
 *     const { alice, bob } = await world({ country: 'GB' }, 'alice', 'bob')
 *     const { carol } = await world({ funds: { EURC: 5_000_000n }, partner }, 'carol')
 */
export function useWorld(options: ServiceOptions | (() => ServiceOptions | Promise<ServiceOptions>) = {}) {
  const service = useService(options)
  const world = <Name extends string = 'alice'>(setup: Setup = {}, ...names: Name[]) =>
    populate(service, setup, ...names)
  const cardholder = (eur?: number) => newCardholder(service, eur)
  return { service, world, cardholder }
}

/** The properties of each new person. */
export type Setup = {
  country?: string
  email?: string
  /** The partner that brings the user. */
  partner?: Pick<TestPartner, 'partnerId'>
  /** Whole units of the first token in that currency. */
  eur?: number
  usd?: number
  gbp?: number
  /** Token units by symbol. */
  funds?: Record<string, bigint>
  /** Creates a virtual card. */
  card?: boolean
}

/** A user who is onboarded and signed in, and can pay with a card if `setup.card` is true. */
export type Person = TestUser & {
  readonly cardId: string
  /** Sends a request as the user. Signs in again once the test has moved the clock past the access token's expiry. */
  ask(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>
  /** Deposits token units and returns the deposit's id. */
  deposit(units: bigint, options?: DepositOptions): Promise<string>
  withdraw(units: bigint, symbol?: string): Promise<Reply>
  /** Sends a card message with the authorization code `STORY1`, expects it to be accepted, and checks the ledger. */
  send(type: string, amount?: string | null, more?: object): Promise<Reply>
  /** Sends a card message and checks nothing. */
  try(type: string, amount?: string | null, more?: object): Promise<Reply>
  /** Returns the items of the statement, newest first. */
  statement(): Promise<any[]>
  /** Returns the card transactions of the statement, oldest first. */
  cardRows(): Promise<any[]>
  /** Returns those card transactions as lines: `Payment settled 1000`. */
  cardLines(): Promise<string[]>
  balances(): Promise<any[]>
  /** Returns minor units of the currency: available less debt, held, and spent over the network. */
  money(): Promise<{ own: bigint; held: bigint; network: bigint }>
  /** Expects the user's ledger to pass every check. */
  assertBooks(): Promise<void>
}

/** Adds people to a running service. Without names the one person is Alice. */
export async function populate<Name extends string = 'alice'>(
  service: TestService,
  setup: Setup = {},
  ...names: Name[]
): Promise<Record<Name, Person>> {
  const all = names.length > 0 ? names : ['alice']
  const people = await Promise.all(all.map(async (name) => [name, await newPerson(service, setup)] as const))
  return Object.fromEntries(people) as Record<Name, Person>
}

/** Creates a person with a card and whole euros. */
export async function newCardholder(service: TestService, eur = 100): Promise<Person> {
  return newPerson(service, { eur, card: true })
}

async function newPerson(service: TestService, setup: Setup): Promise<Person> {
  const { country, email, partner, funds = {}, card } = setup
  const user = await service.newUser({ country, email, partnerId: partner?.partnerId })
  const person = personOf(service, user, card ? await newCard(service, user) : undefined)
  for (const currency of ['eur', 'usd', 'gbp'] as const) {
    const quantity = setup[currency]
    if (!quantity) continue
    const token = service.ctx.config.tokens.find((token) => token.currency === currency.toUpperCase())
    if (!token) throw new Error(`no token in ${currency} is configured`)
    await person.deposit(unitsOf(quantity, token.decimals), { symbol: token.symbol })
  }
  for (const [symbol, units] of Object.entries(funds)) await person.deposit(units, { symbol })
  return person
}

/** Creates a virtual card and returns its id. */
async function newCard(service: TestService, { token }: Pick<TestUser, 'token'>): Promise<string> {
  const body = { cardName: 'Everyday', phone: '+4915112345678' }
  const made = await service.request('POST', '/cards/virtual', { token, body })
  if (made.status !== 201) throw new Error(`no card: ${made.status} ${made.text}`)
  return made.body.cardId
}

/** Adds the actions that tests perform as the user. */
function personOf(service: TestService, user: TestUser, cardId?: string): Person {
  const { tokens } = service.ctx.config
  let valid = user.token

  const person: Person = {
    ...user,
    get cardId() {
      if (cardId === undefined) throw new Error('this person has no card: use world({ card: true })')
      return cardId
    },
    async ask(method, path, body, headers) {
      const options = { ...(body === undefined ? {} : { body }), ...(headers === undefined ? {} : { headers }) }
      const response = await service.request(method, path, { token: valid, ...options })
      if (response.body?.error !== 'TOKEN_EXPIRED') return response
      valid = await service.signIn(user.wallet)
      return service.request(method, path, { token: valid, ...options })
    },
    deposit: (units, options) => service.deposit(user, units, options),
    withdraw: (units, symbol) =>
      person.ask('POST', '/user/withdrawal', { tokenAddress: service.tokenAddress(symbol), amount: String(units) }),
    async try(type, amount, more = {}) {
      const message = { transaction_type: type, card_id: person.cardId, currency: 'EUR', authorization_code: 'STORY1' }
      const body = { ...message, ...more, ...(amount == null ? {} : { amount }) }
      return service.sandbox('POST', '/transactions', body)
    },
    async send(type, amount, more) {
      const response = await person.try(type, amount, more)
      expect(response, `${type}: ${response.text}`).toMatchObject({ status: 200 })
      await person.assertBooks()
      return response
    },
    statement: async () => (await person.ask('GET', '/user/statement')).body.data,
    async cardRows() {
      const items = await person.statement()
      return items.filter(({ type }) => type === 'card_transaction').reverse()
    },
    cardLines: async () => (await person.cardRows()).map(({ kind, status, amount }) => `${kind} ${status} ${amount}`),
    balances: async () => (await person.ask('GET', '/user/balances/v2')).body.data,
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
      expect(await checkUser(service.as('reader'), user.userId)).toEqual([])
    },
  }
  return person
}

/** Checks the ledger of every user of a service. */
export async function checkBooks(service: TestService): Promise<void> {
  const users = await service.ctx.db.query<{ userId: string }>('-- scanDue\nselect user_id as "userId" from account')
  for (const { userId } of users) expect(await checkUser(service.as('reader'), userId)).toEqual([])
}

/** Converts a quantity with at most two decimal places to units of a token. */
function unitsOf(quantity: number, decimals = 18): bigint {
  return BigInt(Math.round(quantity * 100)) * 10n ** BigInt(decimals - 2)
}

/** Returns units of a token with 18 decimals. */
export const eure = (quantity: number) => unitsOf(quantity)
