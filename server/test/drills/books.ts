import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { expect } from 'vitest'
import type { Connection } from '../proof/processes.ts'
import type { Ground } from './ground.ts'
import { cent, type Load } from './load.ts'
import { say } from './needs.ts'

const drainMilliseconds = 300_000

/** The writes that are missing or happened twice at the end of a drill. */
export type Books = {
  readonly acknowledged: number
  readonly lost: number
  readonly doubled: number
  readonly reconcile: number
}

type Options = {
  readonly connection: Connection
  /** Withdrawals that may be missing, by id: a restore lost them before they were paid. */
  readonly mayMiss?: ReadonlySet<string>
}

/**
 * Waits until all deposits are credited and all withdrawals have ended. Then compares the memory of the load with the
 * database and the chain. Each acknowledged write is stored once, each withdrawal is paid once, and each balance is the
 * sum of all writes.
 */
export async function checkBooks(ground: Ground, load: Load, options: Options): Promise<Books> {
  const { connection, mayMiss = new Set() } = options
  expect(load.unexpected).toEqual([])
  const client = new pg.Client(connection)
  await client.connect()
  try {
    say('the traffic has stopped; waiting for deposits and payouts')
    await drain(client, load)
    say('comparing the books')
    const messages = load.people.flatMap((person) => person.messages)
    const withdrawals = load.people.flatMap((person) => person.withdrawals)
    const deposits = load.people.flatMap((person) => person.deposits)
    const stored = await textsOf(client, 'select event_id as text from card_message')
    const lostMessages = messages.filter(({ body }) => !stored.includes(String(body['eventId'])))
    const inBooks = await textsOf(client, 'select withdrawal_id::text as text from withdrawal')
    const lostWithdrawals = withdrawals.filter(({ id }) => !inBooks.includes(id) && !mayMiss.has(id))
    const known = new Set(withdrawals.map(({ id }) => id))
    const madeTwice = inBooks.filter((id) => !known.has(id))
    const transfers = await ground.chain.transfers()
    const paid = load.people.flatMap(({ wallet, withdrawals: own }) => {
      const amounts = transfers.filter(({ to }) => to === wallet.address).map(({ units }) => units)
      return own.map((each) => ({ ...each, times: amounts.filter((units) => units === each.units).length }))
    })
    const unpaid = paid.filter(({ id, times }) => times === 0 && inBooks.includes(id))
    const paidTwice = paid.filter(({ times }) => times > 1)
    const wrong = await wrongBalances(client, load, new Set(inBooks))
    // Each of 200 messages gets its first response again.
    const others: string[] = []
    for (const message of messages.slice(-200)) {
      const { text } = await load.resend(message)
      if (text !== message.text) others.push(`${message.text} became ${text}`)
    }
    const { code, output } = await ground.command('reconcile', connection)
    expect({ wrong, others, lostMessages, lostWithdrawals, madeTwice, unpaid, paidTwice }).toEqual({
      ...{ wrong: [], others: [], lostMessages: [], lostWithdrawals: [], madeTwice: [], unpaid: [], paidTwice: [] },
    })
    expect(code, output).toBe(0)
    return {
      acknowledged: messages.length + withdrawals.length + deposits.length,
      lost: lostMessages.length + lostWithdrawals.length + unpaid.length + wrong.length,
      doubled: madeTwice.length + paidTwice.length,
      reconcile: code,
    }
  } finally {
    await client.end()
  }
}

/** Returns the ids of the acknowledged withdrawals that the chain has not paid. Each amount of a person is unique. */
export async function unpaidWithdrawals(ground: Ground, load: Load): Promise<string[]> {
  const transfers = await ground.chain.transfers()
  const paid = new Set(transfers.map(({ to, units }) => `${to} ${units}`))
  return load.people.flatMap(({ wallet, withdrawals }) =>
    withdrawals.filter(({ units }) => !paid.has(`${wallet.address} ${units}`)).map(({ id }) => id),
  )
}

async function textsOf(client: pg.Client, sql: string): Promise<string[]> {
  return (await client.query<{ text: string }>(sql)).rows.map(({ text }) => text)
}

/** Waits until all deposits are credited and all withdrawals have ended. */
async function drain(client: pg.Client, load: Load): Promise<void> {
  const sent = load.people.reduce((sum, { deposits }) => sum + deposits.length, 0)
  const sql = `select (select count(*)::int from withdrawal where status not in ('completed', 'failed')) as open,
    (select count(*)::int from deposit where status = 'approved') as credited`
  let left = ''
  for (const until = performance.now() + drainMilliseconds; performance.now() < until; await delay(200)) {
    const { open, credited } = (await client.query(sql)).rows[0]
    if (open === 0 && credited === sent) return
    left = `${open} withdrawals are open, and ${credited} of ${sent} deposits are credited`
  }
  throw new Error(left)
}

/** Returns the users whose balances are not the sum of their acknowledged writes. */
async function wrongBalances(client: pg.Client, load: Load, inBooks: ReadonlySet<string>): Promise<string[]> {
  const { rows } = await client.query<{ id: string; available: string; open: string }>(
    `select user_id as id, sum(available)::text as available,
       sum(debt + deposit_processing + withdrawal_processing)::text as open
     from ledger_balance group by user_id`,
  )
  return load.people.flatMap(({ userId, deposits, withdrawals, spent }) => {
    const sum = (units: readonly bigint[]) => units.reduce((total, each) => total + each, 0n)
    const withdrawn = sum(withdrawals.filter(({ id }) => inBooks.has(id)).map(({ units }) => units))
    const wanted = String(sum(deposits) - withdrawn - spent * cent)
    const found = rows.find(({ id }) => id === userId)
    if (found?.available === wanted && found.open === '0') return []
    return [`${userId} has ${found?.available} and ${found?.open} open instead of ${wanted}`]
  })
}
