import type { Ctx } from '../context.ts'
import { type DueEvent, deleteTakenEvents, scanDueEvents, takeEvents } from '../events/events.ts'
import type { TokenBalance } from '../ledger/rules.ts'
import { newId } from '../lib/id.ts'
import { balanceRows } from '../money/balances/rules.ts'
import type { Tx } from '../platform/db/db.ts'
import { appendEvents, type NewEvent } from './append-events.ts'
import { envelope, mayMoveMoney, publicId } from './rules.ts'
import { findAccounts, findBalances, noteBalances } from './sql.ts'

/**
 * From the users' outboxes into the partners' logs, many at once, with as many statements for a thousand events as for
 * one. In one transaction: an event is in the outbox or in the log, and in the log once, also when two workers find it.
 */
const batch = 500

type Accounts = ReadonlyMap<string, string>

/** How many events were due. */
export async function relayEvents(ctx: Ctx): Promise<number> {
  const due = await scanDueEvents(ctx.db, ctx.clock.now(), batch)
  if (due.length > 0) await ctx.db.transaction((tx) => relay(ctx, tx, due))
  return due.length
}

async function relay(ctx: Ctx, tx: Tx, due: readonly DueEvent[]): Promise<void> {
  const taken = await takeEvents(tx, due)
  const events = due.filter(({ eventId }) => taken.has(eventId))
  if (events.length === 0) return
  const userIds = [...new Set(events.map(({ userId }) => userId))]
  await deleteTakenEvents(tx, userIds)
  const accounts = new Map((await findAccounts(tx, userIds)).map(({ userId, accountId }) => [userId, accountId]))
  const logged = events.map((event) => logEntry(event, event.data, event, accounts))
  await appendEvents(ctx, tx, [...logged, ...(await changedBalances(ctx, tx, events, accounts))])
}

function logEntry(
  { eventId, type, createdAt }: Pick<DueEvent, 'eventId' | 'type' | 'createdAt'>,
  fields: string,
  { partnerId, userId, seq: sequence }: DueEvent,
  accounts: Accounts,
): NewEvent {
  const of = { userId, accountId: accounts.get(userId) ?? null, sequence }
  return { partnerId, eventId, type, createdAt, body: envelope({ eventId, type, createdAt, fields, of }) }
}

/**
 * What became of users' balances, told once for all of a batch and only where it is news. It is made here and not by each
 * fact, so that a card decision need not compute it.
 */
async function changedBalances(ctx: Ctx, tx: Tx, events: readonly DueEvent[], accounts: Accounts): Promise<NewEvent[]> {
  const latest = new Map(events.filter(({ type }) => mayMoveMoney(type)).map((event) => [event.userId, event]))
  if (latest.size === 0) return []
  const balances = Map.groupBy(await findBalances(tx, [...latest.keys()]), ({ userId }) => userId)
  const told = [...latest.values()].map(({ partnerId, userId }) => ({
    partnerId,
    userId,
    balances: balancesText(ctx, balances.get(userId) ?? []),
  }))
  const changed = await noteBalances(tx, told, balancesText(ctx, []))
  const createdAt = ctx.clock.now()
  return told.flatMap(({ userId, balances }) => {
    const cause = latest.get(userId)
    if (cause === undefined || !changed.has(userId)) return []
    const reason = JSON.stringify({ reason: cause.type, referenceId: publicId(cause.eventId) }).slice(0, -1)
    const fields = `${reason},"balances":${balances}}`
    return [
      logEntry({ eventId: newId(createdAt), type: 'account.balance.changed', createdAt }, fields, cause, accounts),
    ]
  })
}

/** As `GET /user/balances/v2` has them, without the tokens. */
function balancesText({ config }: Ctx, rows: readonly (TokenBalance & { token: string })[]): string {
  const balances = new Map(rows.map((row) => [row.token, row]))
  const currencies = balanceRows(config.currencies, config.tokens, balances, new Map())
  return JSON.stringify(currencies.map(({ tokens: _, ...row }) => row))
}
