import type { Ctx } from '../../context.ts'
import { InvalidInput } from '../../lib/errors.ts'
import type { Tx } from '../../platform/db/db.ts'
import { nameOfTransfer, parseTransferName } from './rules.ts'
import { lockCursor } from './sql.ts'
import {
  type FollowedTransfer,
  findTransfer,
  scanDueUndeclaredTransfer,
  scanDueUndeclaredTransfers,
  updateArrival,
} from './transfers-sql.ts'

/**
 * Declares an arrival that the nodes cannot determine. An operator who knows the amount declares it, and the deposit
 * then continues like any other. The nodes cannot determine an arrival in three cases:
 * - Several transfers of a token entered or left one address in one block, and the change of the balance does not
 *   match them.
 * - No node has the state of the block.
 * - The nodes report different arrivals, or only one of several nodes reports an arrival that differs from the claim.
 */
type DeclareCtx = Pick<Ctx, 'config' | 'db' | 'clock'>

export type UnknownArrival = FollowedTransfer & { readonly name: string }

/** Returns all transfers with unknown arrivals, the oldest blocks first. */
export async function listUnknownArrivals({ db }: Pick<Ctx, 'db'>): Promise<UnknownArrival[]> {
  return (await scanDueUndeclaredTransfers(db)).map((transfer) => ({ ...transfer, name: nameOfTransfer(transfer) }))
}

/**
 * Stores a declared arrival, which must not exceed the claimed amount. `amountIn` parses the amount for the transfer's
 * token. The transfer becomes final, because its block is.
 */
export async function declareArrival(
  ctx: DeclareCtx,
  name: string,
  amountIn: (token: string) => bigint,
): Promise<{ token: string; arrived: bigint }> {
  return ctx.db.transaction(async (tx) => {
    const transfer = await lockUnknownArrival(tx, name)
    const { token, claimed } = transfer
    const arrived = amountIn(token)
    if (arrived > claimed) throw new InvalidInput('The arrival cannot exceed the amount that the transfer claims.')
    await updateArrival(tx, { ...transfer, arrived }, 'final', ctx.clock.now())
    return { token, arrived }
  })
}

/**
 * Returns a transfer with an unknown arrival, and keeps it from changing. Its block must be final: until then, the
 * nodes may contradict a declared arrival.
 */
export async function lockUnknownArrival(tx: Tx, name: string): Promise<UnknownArrival> {
  const key = parseTransferName(name)
  const found = key && (await scanDueUndeclaredTransfer(tx, key))
  if (found === null) throw new InvalidInput(`${name} is not a transfer with an unknown arrival. See "transfers list".`)
  const final = await lockCursor(tx, found.chainId)
  const current = await findTransfer(tx, found)
  if (current?.arrived !== null || current.chainState !== 'unfinal' || current.blockHash !== found.blockHash) {
    throw new InvalidInput('The transfer has changed in the meantime. See "transfers list".')
  }
  if (current.blockNumber > final) {
    throw new InvalidInput('The block of the transfer is not final yet. Declare the arrival once it is.')
  }
  return { ...current, name }
}
