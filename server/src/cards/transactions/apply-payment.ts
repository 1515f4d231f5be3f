import type { Ctx } from '../../context.ts'
import { currencySpendable } from '../../ledger/rules.ts'
import type { Tx } from '../../platform/db/db.ts'
import { raiseAlarm } from '../../platform/observability/alarms.ts'
import { convert } from './convert.ts'
import { limitCode } from './limits.ts'
import type { NetworkMessage, Verdict } from './messages.ts'
import { reachTarget } from './postings.ts'
import {
  type CodeFacts,
  type DeclineCode,
  decide,
  type FoldMessage,
  foldPayment,
  holdExpiry,
  isOpening,
  isReturn,
  mayBeDeclined,
  replacementChange,
  resolveReversals,
  reviewReason,
} from './rules.ts'
import { billedMinor, counted, newAuthorizationId, newRow, type Scene, save } from './scene.ts'
import { type Card, endWait, setMessageAmount } from './sql.ts'

/** A message about a payment: decided, folded with all earlier ones, and only the difference posted. */
export async function addToPayment(
  ctx: Ctx,
  tx: Tx,
  scene: Scene,
  message: NetworkMessage,
  type: FoldMessage['type'],
  isLate: () => boolean,
): Promise<Verdict> {
  const { account, card, balances, payment } = scene
  const tokens = ctx.config.tokens.filter(({ currency }) => currency === card.currency)
  const earlier = scene.messages.flatMap(counted)
  const amount = amountOf(ctx, scene, message, earlier)
  const incoming = { type, amount, isFinal: message.isFinal, at: scene.now, messageId: null }
  const decision = decide(
    incoming,
    codeFacts(scene),
    { ...card, accountStatus: account.status },
    {
      limitCode: mayBeDeclined(type) ? await limitCode(ctx, tx, scene, message, totalWith(earlier, incoming)) : null,
      spendable: currencySpendable(tokens, balances, card.currency),
      isPartialAllowed: message.isPartialAllowed,
    },
  )
  if (mayBeDeclined(type) && isLate()) return decline(tx, scene, message, amount ?? 0n, 'TMO')
  if (decision.outcome === 'declined') return decline(tx, scene, message, amount ?? 0n, decision.code)

  const ownId = payment?.authorizationId ?? unusedId(scene)
  if (decision.outcome === 'kept') {
    return { outcome: 'kept', authorizationId: ownId ?? scene.rows[0]?.authorizationId ?? newAuthorizationId(), amount }
  }
  const messages = resolveReversals([...earlier, { ...incoming, amount: decision.amount }])
  for (const [i, { amount, messageId }] of messages.entries()) {
    if (messageId === null || amount === earlier[i]?.amount) continue
    await setMessageAmount(tx, account.userId, messageId, amount)
  }
  const folded = foldPayment(messages)
  const approvedPart = message.isPartialAllowed
    ? approvedPartOf(ctx, message, card, amount, decision.amount)
    : undefined
  const opened = payment ?? newRow(scene, message, { kind: 'Payment', authorizationId: ownId, approvedPart })
  const waited = folded.isAuthorized
    ? scene.messages.filter(({ type, waiting }) => waiting !== null && !isReturn(type))
    : []
  if (waited.length > 0)
    await endWait(
      tx,
      account.userId,
      waited.map(({ messageId }) => messageId),
    )
  const posted = reachTarget(tokens, balances, payment?.parts ?? [], folded, { mayOwe: !mayBeDeclined(type) })
  const isForeign = opened.originalCurrency !== opened.currency
  const review = reviewReason(folded, { mcc: opened.mcc, isForeign }, ctx.config.clearingTolerance)
  const row = {
    ...opened,
    status: folded.status,
    amountMinor: folded.amount,
    clearedAt: folded.clearedAt,
    needsReview: review !== null,
  }
  const isNew = !payment?.needsReview
  if (review !== null && isNew)
    tx.afterCommit(() => raiseAlarm(ctx, { area: 'card', reason: review }, { id: row.cardTransactionId, type }))
  const expiresAt = holdExpiry(folded.lastApprovedAt ?? scene.now, row.mcc, ctx.config.holdDays)
  await save(tx, scene, row, { posted, type, dueAt: row.status === 'pending' ? expiresAt : null })
  return {
    outcome: 'approved',
    authorizationId: row.authorizationId,
    amount: messages.at(-1)?.amount ?? null,
    ...(approvedPart === undefined ? {} : { approvedPart }),
  }
}

/** What the payment would come to. */
function totalWith(earlier: readonly FoldMessage[], incoming: FoldMessage): bigint {
  const { held, settled } = foldPayment(resolveReversals([...earlier, incoming]))
  return held + settled
}

/** A declined authorization is a row, for ever; a declined increment leaves its payment as it is. */
async function decline(
  tx: Tx,
  scene: Scene,
  message: NetworkMessage,
  amount: bigint,
  declineCode: DeclineCode,
): Promise<Verdict> {
  if (!isOpening(message.type)) {
    const { authorizationId } = scene.payment ?? scene.rows[0] ?? { authorizationId: newAuthorizationId() }
    return { outcome: 'declined', authorizationId, amount, declineCode }
  }
  const row = newRow(scene, message, { kind: 'Payment', authorizationId: null })
  const declined = { ...row, status: 'declined', amountMinor: amount, declineCode } as const
  await save(tx, scene, declined, { posted: null, type: message.type, dueAt: null })
  return { outcome: 'declined', authorizationId: row.authorizationId, amount, declineCode }
}

/** A reversal of everything has no amount yet; a replacement counts as the difference to what is approved now. */
function amountOf(ctx: Ctx, scene: Scene, message: NetworkMessage, earlier: readonly FoldMessage[]): bigint | null {
  const billed = billedMinor(ctx, scene, message)
  return message.type === 'replacement' && billed !== null ? replacementChange(earlier, billed) : billed
}

/** What was approved of an authorization that may be approved in part, in its own currency. */
function approvedPartOf(
  ctx: Ctx,
  { amount, billed }: NetworkMessage,
  card: Card,
  asked: bigint | null,
  approved: bigint | null,
) {
  if (amount === null) return undefined
  // The network's own rate is known from what it asks and bills.
  if (billed && asked !== approved) return (amount.minor * (approved ?? 0n)) / (asked ?? 1n)
  return asked === approved
    ? amount.minor
    : convert(ctx.rates?.current() ?? new Map(), approved ?? 0n, card.currency, amount.currency, 'down')
}

function codeFacts({ messages, rows, payment }: Scene): CodeFacts {
  return {
    messages: messages.flatMap(counted),
    wasDecided: messages.some(({ type }) => isOpening(type)),
    hasRow: rows.length > 0,
    hasPayment: payment !== null,
  }
}

/** The id that was answered for messages kept for this authorization, if no row has it. */
function unusedId({ messages, rows }: Scene): bigint | null {
  const used = new Set(rows.map(({ authorizationId }) => authorizationId))
  const unused = messages.find(({ type, authorizationId }) => !isReturn(type) && !used.has(authorizationId))
  return unused?.authorizationId ?? null
}
