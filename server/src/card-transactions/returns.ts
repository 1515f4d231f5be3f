import type { Ctx } from '../context.ts'
import type { Tx } from '../db/db.ts'
import { readBalances } from '../ledger/ledger.ts'
import { sum } from '../lib/money.ts'
import { Refusal } from '../lib/refusal.ts'
import type { NetworkMessage, Verdict } from './messages.ts'
import { creditCard, debitCard } from './postings.ts'
import { foldPayment, type ReturnMessageType } from './rules.ts'
import { billedMinor, counted, newRow, type Row, type Scene, save } from './scene.ts'
import type { CardTransaction } from './statement-item.ts'

/**
 * Money that comes back (a refund, a cleared payment that the network cancels) or goes again (a refund reversed): never
 * refused but for its amount, each a row of its own that is settled at once.
 */
export async function addReturn(
  ctx: Ctx,
  tx: Tx,
  scene: Scene,
  message: NetworkMessage,
  type: ReturnMessageType,
): Promise<Verdict> {
  const { account, card, rows, payment } = scene
  // A network's refund may carry a code of its own; from the simulator such a code is a slip.
  const isUnlinked = rows.length === 0 && message.authorizationCode !== null
  if (isUnlinked && (type !== 'refund' || message.source === 'sandbox')) throw new Refusal('AUTHORIZATION_NOT_FOUND')
  const minor = billedMinor(scene, message) ?? 0n
  const total = (kind: CardTransaction['kind'], isCredit: boolean) =>
    sum(rows.filter((row) => row.kind === kind && row.isCredit === isCredit).map((row) => row.amountMinor))
  const cleared = foldPayment(scene.messages.flatMap(counted)).settled
  if (type === 'clearing_cancellation' && minor > cleared - total('Reversal', true)) {
    throw new Refusal('AMOUNT_EXCEEDS_ORIGINAL')
  }
  if (type === 'refund_reversal' && minor > total('Refund', true) - total('Reversal', false)) {
    throw new Refusal('AMOUNT_EXCEEDS_ORIGINAL')
  }

  const balances = await readBalances(tx, account.userId)
  const tokens = ctx.config.tokens.filter(({ currency }) => currency === card.currency)
  const isCredit = type !== 'refund_reversal'
  const posted = isCredit ? creditCard(tokens, balances, minor, stillPaid(rows)) : debitCard(tokens, balances, minor)
  const linked = isCredit ? payment : rows.findLast(({ kind }) => kind === 'Refund')
  const row = {
    ...newRow(scene, message, { kind: type === 'refund' ? 'Refund' : 'Reversal', authorizationId: null, linked }),
    isCredit,
    amountMinor: minor,
    clearedAt: scene.now,
  }
  await save(tx, scene, row, { posted, type, dueAt: null })
  return { outcome: 'approved', authorizationId: row.authorizationId, amount: minor }
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
