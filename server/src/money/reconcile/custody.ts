import type { Config } from '../../config/config.ts'
import type { Token } from '../../config/stablecoins.ts'
import { type Balances, balanceOf } from '../../ledger/rules.ts'
import { addSeconds } from '../../lib/clock.ts'
import { UpstreamError } from '../../lib/errors.ts'
import { max, sum } from '../../lib/money.ts'
import type { Db } from '../../platform/db/db.ts'
import type { CustodyChain } from '../../providers/chain/custody.ts'
import type { ChainNode } from '../../providers/chain/node.ts'
import { beforeFirstUserId } from './seals.ts'
import { findFinalBlock, type Holder, scanDueHolders, scanDueOutgoing } from './sql.ts'

/**
 * The custody check: compares, per token, the balances of the programme's addresses in a final block with the books.
 * The chain is read after the books, so only outgoing payments can make its balances lower than the books
 * (`maxOutgoing`). A page of deposit addresses takes about ten requests to a node.
 */
const maxHoldersPerPage = 3000
/** Includes addresses swept within this time: the block of their sweep may not be final yet. */
const sweepMarginSeconds = 3600

type CustodyCtx = { readonly config: Pick<Config, 'tokens'>; readonly db: Db }
type Books = { readonly totals: Balances; readonly startedAt: Date; readonly signal?: AbortSignal }

/** Checks the tokens of one chain. */
export async function checkCustodyOf(
  { config, db }: CustodyCtx,
  chain: CustodyChain,
  { totals, startedAt, signal }: Books,
): Promise<Custody[]> {
  const checks: Custody[] = []
  const tokens = config.tokens.filter(({ chainId }) => chainId === chain.chainId)
  const block = await finalBlock(db, chain)
  for (const token of tokens) {
    const outgoing = await scanDueOutgoing(db, token.address, startedAt)
    const { chain: outside, network, withdrawal_processing } = balanceOf(totals, token.address)
    checks.push(
      custodyOf({
        chainId: chain.chainId,
        token: token.address,
        block,
        books: -outside,
        // Requested withdrawals may have been paid since, and the debt to the card network may have been settled.
        maxOutgoing: withdrawal_processing + outgoing + max(0n, network),
        wallets: await balanceAt(chain, token, await chain.wallets(), block),
        depositAddresses: await balanceAtDepositAddresses(db, chain, token, { block, startedAt, signal }),
      }),
    )
  }
  return checks
}

async function balanceAtDepositAddresses(
  db: Db,
  chain: CustodyChain,
  token: Token,
  { block, startedAt, signal }: { block: number; startedAt: Date; signal: AbortSignal | undefined },
): Promise<bigint> {
  let held = 0n
  const since = addSeconds(startedAt, -sweepMarginSeconds)
  for (let after: string | undefined = beforeFirstUserId; after !== undefined; ) {
    signal?.throwIfAborted()
    const holders: Holder[] = await scanDueHolders(db, token.address, { after, since, limit: maxHoldersPerPage })
    const addresses = holders.map(({ address }) => address)
    held += await balanceAt(chain, token, addresses, block)
    after = holders.at(-1)?.userId
  }
  return held
}

/** Returns the node's final block. A node behind the watcher is skipped: it lacks deposits that the books have. */
async function finalBlock(db: Db, chain: CustodyChain): Promise<number> {
  const read = await findFinalBlock(db, chain.chainId)
  return readFromAny(chain, async (node) => {
    const { final } = await node.heads(chain.finality)
    if (final < read)
      throw new UpstreamError('chain', 'inconsistent', new Error(`${node.name} is behind: ${final} of ${read} blocks`))
    return final
  })
}

async function balanceAt(chain: CustodyChain, token: Token, addresses: readonly string[], block: number) {
  if (addresses.length === 0) return 0n
  const balances = await readFromAny(chain, (node) => node.balances(token.address, addresses, { number: block }))
  if (balances.includes(null))
    throw new UpstreamError(
      'chain',
      'invalid_response',
      new Error(`${token.symbol} returned no balance for an address`),
    )
  return sum(balances.map((balance) => balance ?? 0n))
}

/** Reads from the first node that responds. */
async function readFromAny<T>({ chainId, nodes }: CustodyChain, read: (node: ChainNode) => Promise<T>): Promise<T> {
  let failure: unknown = new Error(`chain ${chainId} has no node`)
  for (const node of nodes) {
    try {
      return await read(node)
    } catch (error) {
      failure = error
    }
  }
  throw failure instanceof UpstreamError ? failure : new UpstreamError('chain', 'unavailable', failure)
}

/** One token's on-chain balances in one block, beside the books. Amounts are in token units. */
export type Custody = {
  readonly chainId: number
  readonly token: string
  readonly block: number
  /** final, screened deposits less final withdrawals and returns */
  readonly books: bigint
  /** the maximum amount that can have left since the books were read */
  readonly maxOutgoing: bigint
  readonly wallets: bigint
  readonly depositAddresses: bigint
  /** the amount above the books, which is the programme's own; negative if less is on the chain than in the books */
  readonly surplus: bigint
  readonly isShort: boolean
}

function custodyOf(found: Omit<Custody, 'surplus' | 'isShort'>): Custody {
  const surplus = found.wallets + found.depositAddresses - found.books
  return { ...found, surplus, isShort: surplus < -found.maxOutgoing }
}
