import { tokenOf } from '../../config/stablecoins.ts'
import type { ReadCtx } from '../../context.ts'
import { sum, unitsPerMinor } from '../../lib/money.ts'
import { countsInFold, type FoldedPayment, foldPayment } from './fold.ts'
import { findAllMessages } from './message-sql.ts'
import { isOpening, isRefundType } from './rules.ts'
import { findAllParts, findTransactions } from './sql.ts'
import type { CardTransaction } from './statement-item.ts'

/** A card transaction that differs from the fold of its messages, with a description of both. */
export type FoldMismatch = { readonly cardTransactionId: string; readonly stored: string; readonly folded: string }

type Outcome = Pick<FoldedPayment, 'amount' | 'held' | 'settled' | 'clearedAt'> & Pick<CardTransaction, 'status'>

/** Folds all messages of a user again. Returns the card transactions that differ from the result. */
export async function findFoldMismatches({ db, config }: ReadCtx, userId: string): Promise<FoldMismatch[]> {
  const messages = await findAllMessages(db, userId)
  const parts = Map.groupBy(await findAllParts(db, userId), ({ cardTransactionId }) => cardTransactionId)
  const ofCode = Map.groupBy(messages, ({ cardId, code }) => `${cardId} ${code}`)
  // Each refund message and each declined authorization makes a card transaction of its own.
  const alone = messages.filter(
    ({ type, outcome }) => isRefundType(type) || (isOpening(type) && outcome === 'declined'),
  )
  const ownAmounts = new Map(alone.map(({ authorizationId, amount }) => [authorizationId, amount]))

  return (await findTransactions(db, userId)).flatMap((row) => {
    const { cardTransactionId, status, clearedAt, amountMinor } = row
    const own = parts.get(cardTransactionId) ?? []
    const total = (side: 'held' | 'settled') =>
      sum(
        own.map((part) => {
          const { decimals, currency } = tokenOf(config.tokens, part.token)
          return part[side] / unitsPerMinor(decimals, currency)
        }),
      )
    const stored = describe({ status, clearedAt, amount: amountMinor, held: total('held'), settled: total('settled') })
    const amount = ownAmounts.get(row.authorizationId) ?? 0n
    const isPayment = row.kind === 'Payment' && status !== 'declined'
    const folded = isPayment
      ? describe(foldPayment((ofCode.get(`${row.cardId} ${row.authorizationCode}`) ?? []).filter(countsInFold)))
      : describe({ status, clearedAt, amount, held: 0n, settled: status === 'declined' ? 0n : amount })
    return stored === folded ? [] : [{ cardTransactionId, stored, folded }]
  })
}

function describe({ status, amount, held, settled, clearedAt }: Outcome): string {
  return `${status} ${amount}, ${held} held, ${settled} settled, cleared ${clearedAt?.toISOString() ?? 'never'}`
}
