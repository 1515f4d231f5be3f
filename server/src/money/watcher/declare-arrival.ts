import type { Ctx } from '../../context.ts'
import { type Word, writeDecision } from '../../events/operator-decisions.ts'
import { InvalidInput } from '../../lib/errors.ts'
import { type FollowedTransfer, findTransfer, holdCursor, scanDueUndeclaredTransfers, updateArrival } from './sql.ts'

/**
 * Transfers of which no node can tell what arrived: several into one address in one block, with a fee, or a block of which
 * no node keeps the state. A person who knows says it; from there on they are like any other.
 */
type TellingCtx = Pick<Ctx, 'config' | 'db' | 'clock'>

export type UnknownArrival = FollowedTransfer & { readonly name: string }

/** The oldest blocks first. */
export async function listUnknownArrivals({ db }: Pick<Ctx, 'db'>): Promise<UnknownArrival[]> {
  return (await scanDueUndeclaredTransfers(db)).map((transfer) => ({ ...transfer, name: nameOf(transfer) }))
}

function nameOf({ chainId, txHash, logPosition }: FollowedTransfer): string {
  return `${chainId}:${txHash}:${logPosition}`
}

/**
 * `amountIn` reads the amount in the transfer's token. Never more than the log claims: what came beside it is nobody's.
 * Watchers move their cursor under the same row's lock, so the transfer becomes final here or with its block, not never.
 */
export async function declareArrival(
  ctx: TellingCtx,
  name: string,
  amountIn: (token: string) => bigint,
  word: Word,
): Promise<{ token: string; arrived: bigint }> {
  const found = (await listUnknownArrivals(ctx)).find((transfer) => transfer.name === name)
  if (!found) throw new InvalidInput('There is no such transfer that waits to be told; see "transfers list".')
  const arrived = amountIn(found.token)
  if (arrived > found.claimed) throw new InvalidInput('No more can have arrived than the transfer claims.')
  const now = ctx.clock.now()
  await ctx.db.transaction(async (tx) => {
    const final = await holdCursor(tx, found.chainId, now)
    const current = await findTransfer(tx, found)
    if (current?.arrived !== null || current.chainState !== 'unfinal' || current.blockHash !== found.blockHash) {
      throw new InvalidInput('The transfer has changed meanwhile; see "transfers list".')
    }
    await updateArrival(tx, { ...current, arrived }, current.blockNumber <= final ? 'final' : 'unfinal', now)
    await writeDecision(ctx, tx, word)
  })
  return { token: found.token, arrived }
}
