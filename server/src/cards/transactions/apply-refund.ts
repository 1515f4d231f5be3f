import type { Ctx } from '../../context.ts'
import { Refusal } from '../../lib/errors.ts'
import { sum } from '../../lib/money.ts'
import type { Tx } from '../../platform/db/db.ts'
import { messageOf, type NetworkMessage, type Verdict } from './messages.ts'
import { creditCard, debitCard } from './postings.ts'
import { foldPayment, isReturn, type ReturnMessageType } from './rules.ts'
import { billedMinor, counted, newAuthorizationId, newRow, type Row, rereadScene, type Scene, save } from './scene.ts'
import { endWait } from './sql.ts'
import type { CardTransaction } from './statement-item.ts'

/**
 * Money that comes back (a refund, a cleared payment that the network cancels) or goes again (a refund reversed): each
 * a row of its own that is settled at once. No more is cancelled than was cleared, nor reversed than was refunded: what
 * comes early, or is more, is kept, and gets its row as soon as it is covered.
 */
export async function addReturn(
  ctx: Ctx,
  tx: Tx,
  scene: Scene,
  message: NetworkMessage,
  type: ReturnMessageType,
): Promise<Verdict> {
  const amount = billedMinor(ctx, scene, message) ?? 0n
  // From the simulator it is a slip of whoever writes the script.
  if (message.source === 'sandbox') {
    if (scene.rows.length === 0 && message.authorizationCode !== null) throw new Refusal('AUTHORIZATION_NOT_FOUND')
    if (!isCovered(scene, type, amount)) throw new Refusal('AMOUNT_EXCEEDS_ORIGINAL')
  }
  const authorizationId = newAuthorizationId()
  if (!isCovered(scene, type, amount)) return { outcome: 'kept', authorizationId, amount }
  await postReturn(ctx, tx, scene, message, type, authorizationId)
  return { outcome: 'approved', authorizationId, amount }
}

/** The kept returns of the code that are covered by now, in the order of their arrival; one that does not fit waits on. */
export async function postWaiting(ctx: Ctx, tx: Tx, before: Scene, cardId: string): Promise<void> {
  for (const { messageId, type, amount, authorizationId, waiting } of before.messages) {
    if (waiting === null || !isReturn(type)) continue
    const scene = await rereadScene(ctx, tx, before, cardId)
    if (!isCovered(scene, type, amount ?? 0n)) continue
    await postReturn(ctx, tx, scene, messageOf(waiting), type, authorizationId)
    await endWait(tx, scene.account.userId, [messageId])
  }
}

/** Whether the code's clearings, or refunds, suffice for what is to be taken back of them beside all that was already. */
function isCovered({ messages, rows }: Scene, type: ReturnMessageType, amount: bigint): boolean {
  if (type === 'refund') return true
  const total = (kind: CardTransaction['kind'], isCredit: boolean) =>
    sum(rows.filter((row) => row.kind === kind && row.isCredit === isCredit).map((row) => row.amountMinor))
  const left =
    type === 'clearing_cancellation'
      ? foldPayment(messages.flatMap(counted)).settled - total('Reversal', true)
      : total('Refund', true) - total('Reversal', false)
  return rows.length > 0 && amount <= left
}

async function postReturn(
  ctx: Ctx,
  tx: Tx,
  scene: Scene,
  message: NetworkMessage,
  type: ReturnMessageType,
  authorizationId: bigint,
): Promise<void> {
  const { card, balances, rows, payment } = scene
  const minor = billedMinor(ctx, scene, message) ?? 0n
  const tokens = ctx.config.tokens.filter(({ currency }) => currency === card.currency)
  const isCredit = type !== 'refund_reversal'
  const posted = isCredit ? creditCard(tokens, balances, minor, stillPaid(rows)) : debitCard(tokens, balances, minor)
  const linked = isCredit ? payment : rows.findLast(({ kind }) => kind === 'Refund')
  const row = {
    ...newRow(scene, message, { kind: type === 'refund' ? 'Refund' : 'Reversal', authorizationId, linked }),
    isCredit,
    amountMinor: minor,
    clearedAt: scene.now,
  }
  await save(tx, scene, row, { posted, type, dueAt: null })
}

/** Per token what the code's payment took and was not given back. */
function stillPaid(rows: readonly Row[]): Map<string, bigint> {
  const paid = new Map<string, bigint>()
  for (const { isCredit, parts } of rows) {
    for (const { token, settled } of parts) {
      paid.set(token, (paid.get(token) ?? 0n) + (isCredit ? -settled : settled))
    }
  }
  return paid
}
