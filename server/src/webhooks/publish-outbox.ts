import type { Ctx } from '../context.ts'
import { type DueEvent, deleteTakenEvents, scanDueEvents, takeEvents } from '../events/events.ts'
import type { TokenBalance } from '../ledger/rules.ts'
import { newId } from '../lib/id.ts'
import { balanceRows } from '../money/balances/rules.ts'
import type { Tx } from '../platform/db/db.ts'
import { type DataNode, onlyNode } from '../platform/db/nodes.ts'
import { appendEvents, type NewEvent } from './append-events.ts'
import { canChangeBalances, envelope, publicId } from './rules.ts'
import { findAccounts, findUserBalances, updateReportedBalances } from './sql.ts'

/**
 * Moves events from the users' outboxes to the partners' event logs. A batch is one transaction with a fixed number of
 * statements. So an event is either in the outbox or in the log, never in both, even if two workers find it.
 */
const batchSize = 500

type AccountIds = ReadonlyMap<string, string>

/** Publishes one batch of the due events of a data node, and returns their number. A plain database is one node. */
export async function publishOutbox(ctx: Ctx, node: DataNode = onlyNode(ctx.db)): Promise<number> {
  const due = await scanDueEvents(node, ctx.clock.now(), batchSize)
  if (due.length > 0) await ctx.db.transaction((tx) => publish(ctx, tx, due))
  return due.length
}

async function publish(ctx: Ctx, tx: Tx, due: readonly DueEvent[]): Promise<void> {
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
  accounts: AccountIds,
): NewEvent {
  const of = { userId, accountId: accounts.get(userId) ?? null, sequence }
  return { partnerId, userId, eventId, type, createdAt, body: envelope({ eventId, type, createdAt, fields, of }) }
}

/**
 * Returns one `account.balance.changed` event for each user of the batch whose balances differ from the last reported
 * ones. Computing them here, not with each fact, adds no work to card decisions.
 */
async function changedBalances(
  ctx: Ctx,
  tx: Tx,
  events: readonly DueEvent[],
  accounts: AccountIds,
): Promise<NewEvent[]> {
  const latest = new Map(events.filter(({ type }) => canChangeBalances(type)).map((event) => [event.userId, event]))
  if (latest.size === 0) return []
  const balances = Map.groupBy(await findUserBalances(tx, [...latest.keys()]), ({ userId }) => userId)
  const current = [...latest.values()].map(({ partnerId, userId }) => ({
    partnerId,
    userId,
    balances: balancesText(ctx, balances.get(userId) ?? []),
  }))
  const changed = await updateReportedBalances(tx, current, balancesText(ctx, []))
  const createdAt = ctx.clock.now()
  return current.flatMap(({ userId, balances }) => {
    const cause = latest.get(userId)
    if (cause === undefined || !changed.has(userId)) return []
    const reason = JSON.stringify({ reason: cause.type, referenceId: publicId(cause.eventId) }).slice(0, -1)
    const fields = `${reason},"balances":${balances}}`
    return [
      logEntry({ eventId: newId(createdAt), type: 'account.balance.changed', createdAt }, fields, cause, accounts),
    ]
  })
}

/** Renders the balances as `GET /user/balances/v2` does, without the token rows. */
function balancesText({ config }: Ctx, rows: readonly (TokenBalance & { token: string })[]): string {
  const balances = new Map(rows.map((row) => [row.token, row]))
  const currencies = balanceRows(config.currencies, config.tokens, balances, new Map())
  return JSON.stringify(currencies.map(({ tokens: _, ...row }) => row))
}
