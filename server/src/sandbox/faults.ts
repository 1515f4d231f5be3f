import { setTimeout as delay } from 'node:timers/promises'
import { findUserOfCard } from '../cards/cards/cards.ts'
import type { CardDecision, CardMessage } from '../cards/transactions/messages.ts'
import { receiveMessage } from '../cards/transactions/receive.ts'
import { countMessages } from '../cards/transactions/transactions.ts'
import type { Ctx } from '../context.ts'
import { UpstreamError } from '../lib/errors.ts'

/**
 * What a network does to its messages, to be tried out: the message itself and the way it is taken are the usual ones.
 * The verbs can be combined. Owns no table.
 */
export type Fault = {
  /** held back until another message of the card was taken */
  readonly reorder?: boolean
  /** arrives that much later, by the wall clock */
  readonly delay_seconds?: number
  /** so many further copies arrive at the same time */
  readonly duplicate?: number
  /** the process ends at once when the message is committed: nothing is answered, nothing is tidied up */
  readonly crash?: 'after_commit'
  /** the message never arrives, or its answer does not */
  readonly drop?: 'request' | 'answer'
}

const longestWaitMilliseconds = 20_000
const pollMilliseconds = 50

export async function sendThrough(ctx: Ctx, message: CardMessage, fault: Fault): Promise<CardDecision> {
  if (fault.reorder) await untilAnotherMessage(ctx, message.cardId)
  await delay((fault.delay_seconds ?? 0) * 1000)
  if (fault.drop === 'request') throw networkTimeout()
  const take = () =>
    ctx.db.transaction(async (tx) => {
      if (fault.crash) tx.afterCommit(() => process.kill(process.pid, 'SIGKILL'))
      return receiveMessage(ctx, tx, await findUserOfCard(tx, message.cardId), message)
    })
  const copies = Array.from({ length: fault.duplicate ?? 0 }, take)
  const [answer] = await Promise.all([take(), ...copies])
  if (fault.drop === 'answer') throw networkTimeout()
  return answer
}

/** All that the sender of a lost request, or of one whose answer was lost, ever sees. */
function networkTimeout(): UpstreamError {
  return new UpstreamError('the card network', 'unavailable', new Error('a message was dropped, as asked'))
}

async function untilAnotherMessage(ctx: Ctx, cardId: string): Promise<void> {
  const before = await countMessages(ctx, cardId)
  const deadline = performance.now() + longestWaitMilliseconds
  while (performance.now() < deadline && (await countMessages(ctx, cardId)) === before) await delay(pollMilliseconds)
}
