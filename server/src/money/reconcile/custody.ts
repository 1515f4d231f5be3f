import type { Config } from '../../config/config.ts'
import type { Token } from '../../config/stablecoins.ts'
import { type Balances, balanceOf } from '../../ledger/rules.ts'
import { addSeconds } from '../../lib/clock.ts'
import { UpstreamError } from '../../lib/errors.ts'
import { max, sum } from '../../lib/money.ts'
import type { Db } from '../../platform/db/db.ts'
import type { CustodyChain } from '../../providers/chain/custody.ts'
import type { ChainNode } from '../../providers/chain/node.ts'
import { type Custody, custodyOf } from './rules.ts'
import { beforeAllUsers } from './seals.ts'
import { findFinalBlock, type Holder, scanDueHolders, scanDueOutgoing } from './sql.ts'

/**
 * Whether the programme has what its books say that it keeps for users: per token, what stands at its addresses in a final
 * block. Read after the books, so that what the chain has done since can only be on its way out, and is allowed for. Costs one
 * question for a few thousand addresses whose deposits are not known to have been swept.
 */
const holdersAPage = 3000
/** An address that was found empty in a block that is not final is looked at once more. */
const sweptSeconds = 3600

export async function checkCustody(
  { config, db, custody }: { config: Pick<Config, 'tokens'>; db: Db; custody: readonly CustodyChain[] },
  { totals, startedAt, signal }: { totals: Balances; startedAt: Date; signal?: AbortSignal },
): Promise<Custody[]> {
  const checks: Custody[] = []
  for (const chain of custody) {
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
          // What was requested may have been paid since, and what the card network is owed may have been settled.
          mayHaveLeft: withdrawal_processing + outgoing + max(0n, network),
          wallets: await heldBy(chain, token, chain.wallets, block),
          depositAddresses: await heldAtAddresses(db, chain, token, { block, startedAt, signal }),
        }),
      )
    }
  }
  return checks
}

async function heldAtAddresses(
  db: Db,
  chain: CustodyChain,
  token: Token,
  { block, startedAt, signal }: { block: number; startedAt: Date; signal: AbortSignal | undefined },
): Promise<bigint> {
  let held = 0n
  const since = addSeconds(startedAt, -sweptSeconds)
  for (let after: string | undefined = beforeAllUsers; after !== undefined; ) {
    signal?.throwIfAborted()
    const holders: Holder[] = await scanDueHolders(db, token.address, { after, since, limit: holdersAPage })
    const addresses = holders.map(({ address }) => address)
    held += await heldBy(chain, token, addresses, block)
    after = holders.at(-1)?.userId
  }
  return held
}

/** A node that is behind what the watcher has read as final would lack deposits that the books have. */
async function finalBlock(db: Db, chain: CustodyChain): Promise<number> {
  const read = await findFinalBlock(db, chain.chainId)
  return firstAnswer(chain, async (node) => {
    const { final } = await node.heads(chain.finality)
    if (final < read)
      throw new UpstreamError('chain', 'inconsistent', new Error(`${node.name} is behind: ${final} of ${read} blocks`))
    return final
  })
}

async function heldBy(chain: CustodyChain, token: Token, addresses: readonly string[], block: number) {
  if (addresses.length === 0) return 0n
  const balances = await firstAnswer(chain, (node) => node.balances(token.address, addresses, { number: block }))
  if (balances.includes(null))
    throw new UpstreamError('chain', 'invalid_response', new Error(`${token.symbol} does not tell its balances`))
  return sum(balances.map((balance) => balance ?? 0n))
}

async function firstAnswer<T>({ chainId, nodes }: CustodyChain, ask: (node: ChainNode) => Promise<T>): Promise<T> {
  let failure: unknown = new Error(`chain ${chainId} has no node`)
  for (const node of nodes) {
    try {
      return await ask(node)
    } catch (error) {
      failure = error
    }
  }
  throw failure instanceof UpstreamError ? failure : new UpstreamError('chain', 'unavailable', failure)
}
