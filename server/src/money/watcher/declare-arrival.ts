import type { Ctx } from '../../context.ts'
import { type DecisionNote, recordOperatorDecision } from '../../events/operator-decisions.ts'
import { InvalidInput } from '../../lib/errors.ts'
import { type FollowedTransfer, findTransfer, lockCursor, scanDueUndeclaredTransfers, updateArrival } from './sql.ts'

/**
 * Declares the arrival of a transfer that no node can determine. Either several transfers of a token with a fee arrived
 * at one address in one block, or no node has the state of the block. An operator who knows the amount declares it, and
 * the transfer then becomes a deposit like any other.
 */
type DeclareCtx = Pick<Ctx, 'config' | 'db' | 'clock'>

export type UnknownArrival = FollowedTransfer & { readonly name: string }

/** Returns all transfers with unknown arrivals, the oldest blocks first. */
export async function listUnknownArrivals({ db }: Pick<Ctx, 'db'>): Promise<UnknownArrival[]> {
  return (await scanDueUndeclaredTransfers(db)).map((transfer) => ({ ...transfer, name: nameOf(transfer) }))
}

function nameOf({ chainId, txHash, logPosition }: FollowedTransfer): string {
  return `${chainId}:${txHash}:${logPosition}`
}

/**
 * Stores a declared arrival, which must not exceed the claimed amount. `amountIn` parses the amount for the transfer's
 * token. The watcher moves its cursor under the same row lock, so the transfer becomes final here or with its block.
 */
export async function declareArrival(
  ctx: DeclareCtx,
  name: string,
  amountIn: (token: string) => bigint,
  note: DecisionNote,
): Promise<{ token: string; arrived: bigint }> {
  const found = (await listUnknownArrivals(ctx)).find((transfer) => transfer.name === name)
  if (!found) throw new InvalidInput(`${name} is not a transfer with an unknown arrival. See "transfers list".`)
  const arrived = amountIn(found.token)
  if (arrived > found.claimed) throw new InvalidInput('The arrival cannot exceed the amount that the transfer claims.')
  const now = ctx.clock.now()
  await ctx.db.transaction(async (tx) => {
    const final = await lockCursor(tx, found.chainId, now)
    const current = await findTransfer(tx, found)
    if (current?.arrived !== null || current.chainState !== 'unfinal' || current.blockHash !== found.blockHash) {
      throw new InvalidInput('The transfer has changed in the meantime. See "transfers list".')
    }
    await updateArrival(tx, { ...current, arrived }, current.blockNumber <= final ? 'final' : 'unfinal', now)
    await recordOperatorDecision(ctx, tx, note)
  })
  return { token: found.token, arrived }
}
