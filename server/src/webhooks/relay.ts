import { balanceRows } from '../balances/rules.ts'
import type { Ctx } from '../context.ts'
import type { Tx } from '../db/db.ts'
import type { TokenBalance } from '../ledger/rules.ts'
import { newId } from '../lib/id.ts'
import { appendEvents, type NewEvent } from './log.ts'
import { envelope, mayMoveMoney, publicId } from './rules.ts'
import { type DueEvent, findAccounts, findBalances, noteBalances, scanDueEvents, takeEvents } from './sql.ts'

/**
 * From the users' outboxes into the partners' logs, many at once. Done in one transaction for each partner: an event is
 * in the outbox or in the log, and in the log once, also when two workers find it at the same time.
 */
const batch = 500

/** How many events were due. */
export async function relayEvents(ctx: Ctx): Promise<number> {
  const due = await scanDueEvents(ctx.db, ctx.clock.now(), batch)
  for (const [partnerId, events] of Map.groupBy(due, (event) => event.partnerId)) {
    await ctx.db.transaction((tx) => relayTo(ctx, tx, partnerId, events))
  }
  return due.length
}

async function relayTo(ctx: Ctx, tx: Tx, partnerId: string, due: readonly DueEvent[]): Promise<void> {
  const taken = await takeEvents(tx, due)
  const events = due.filter(({ eventId }) => taken.has(eventId))
  if (events.length === 0) return
  const userIds = [...new Set(events.map(({ userId }) => userId))]
  const accounts = new Map((await findAccounts(tx, userIds)).map(({ userId, accountId }) => [userId, accountId]))
  const logged = events.map((event): NewEvent => {
    const { eventId, type, createdAt, data: fields, userId, seq: sequence } = event
    const of = { userId, accountId: accounts.get(userId) ?? null, sequence }
    return { eventId, type, createdAt, body: envelope({ eventId, type, createdAt, fields, of }) }
  })
  await appendEvents(ctx, tx, partnerId, [...logged, ...(await changedBalances(ctx, tx, partnerId, events, accounts))])
}

/**
 * What became of users' balances, told once for all of a batch and only where it is news. It is made here and not by each
 * fact, so that a card decision need not compute it.
 */
async function changedBalances(
  ctx: Ctx,
  tx: Tx,
  partnerId: string,
  events: readonly DueEvent[],
  accounts: ReadonlyMap<string, string>,
): Promise<NewEvent[]> {
  const latest = new Map(events.filter(({ type }) => mayMoveMoney(type)).map((event) => [event.userId, event]))
  if (latest.size === 0) return []
  const balances = Map.groupBy(await findBalances(tx, [...latest.keys()]), ({ userId }) => userId)
  const told = [...latest.keys()].map((userId) => ({ userId, balances: balancesText(ctx, balances.get(userId) ?? []) }))
  const changed = await noteBalances(tx, partnerId, told, balancesText(ctx, []))
  const createdAt = ctx.clock.now()
  return told.flatMap(({ userId, balances }) => {
    const cause = latest.get(userId)
    if (cause === undefined || !changed.has(userId)) return []
    const eventId = newId(createdAt)
    const type = 'account.balance.changed' as const
    const reason = JSON.stringify({ reason: cause.type, referenceId: publicId(cause.eventId) }).slice(0, -1)
    const of = { userId, accountId: accounts.get(userId) ?? null, sequence: cause.seq }
    const body = envelope({ eventId, type, createdAt, fields: `${reason},"balances":${balances}}`, of })
    return [{ eventId, type, createdAt, body }]
  })
}

/** As `GET /user/balances/v2` has them, without the tokens. */
function balancesText({ config }: Ctx, rows: readonly (TokenBalance & { token: string })[]): string {
  const balances = new Map(rows.map((row) => [row.token, row]))
  const currencies = balanceRows(config.currencies, config.tokens, balances, new Map())
  return JSON.stringify(currencies.map(({ tokens: _, ...row }) => row))
}
