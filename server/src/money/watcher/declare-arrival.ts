import type { Ctx } from '../../context.ts'
import { type DecisionNote, recordOperatorDecision } from '../../events/operator-decisions.ts'
import { InvalidInput } from '../../lib/errors.ts'
import { type FollowedTransfer, findTransfer, holdCursor, scanDueUntoldTransfers, tellArrival } from './sql.ts'

/**
 * Transfers of which no node can tell what arrived: several into one address in one block, with a fee, or a block of which
 * no node keeps the state. A person who knows says it; from there on they are like any other.
 */
type TellingCtx = Pick<Ctx, 'config' | 'db' | 'clock'>

export type UntoldTransfer = FollowedTransfer & { readonly name: string }

/** The oldest blocks first. */
export async function listUntold({ db }: Pick<Ctx, 'db'>): Promise<UntoldTransfer[]> {
  return (await scanDueUntoldTransfers(db)).map((transfer) => ({ ...transfer, name: nameOf(transfer) }))
}

function nameOf({ chainId, txHash, logPosition }: FollowedTransfer): string {
  return `${chainId}:${txHash}:${logPosition}`
}

/**
 * `amountIn` reads the amount in the transfer's token. Never more than the log claims: what came beside it is nobody's.
 * Watchers move their cursor under the same row's lock, so the transfer becomes final here or with its block, not never.
 */
export async function tellByHand(
  ctx: TellingCtx,
  name: string,
  amountIn: (token: string) => bigint,
  word: DecisionNote,
): Promise<{ token: string; arrived: bigint }> {
  const found = (await listUntold(ctx)).find((transfer) => transfer.name === name)
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
    await tellArrival(tx, { ...current, arrived }, current.blockNumber <= final ? 'final' : 'unfinal', now)
    await recordOperatorDecision(ctx, tx, word)
  })
  return { token: found.token, arrived }
}
