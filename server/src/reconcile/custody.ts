import type { Config } from '../config.ts'
import type { Db } from '../db/db.ts'
import { type Balances, balanceOf } from '../ledger/rules.ts'
import { addSeconds } from '../lib/clock.ts'
import { max, sum } from '../lib/money.ts'
import { UpstreamError } from '../lib/refusal.ts'
import type { ChainNode } from '../providers/chain/node.ts'
import type { Token } from '../token-config.ts'
import { type Custody, custodyOf } from './rules.ts'
import { scanDueHolders, scanDueOutgoing } from './sql.ts'

/**
 * Whether the programme has what its books say that it keeps for users: per token, what stands at its addresses in a final
 * block. Read after the books, so that what the chain has done since can only be on its way out, and is allowed for.
 */
export type CustodyChain = {
  readonly chainId: number
  readonly finality: 'finalized' | number
  readonly nodes: readonly ChainNode[]
  /** the treasury, the wallet that pays: all but the deposit addresses */
  readonly wallets: readonly string[]
}

const holdersAPage = 3000
/** An address that was found empty in a block that is not final is looked at once more. */
const sweptSeconds = 3600

export async function checkCustody(
  { config, db }: { config: Pick<Config, 'tokens'>; db: Db },
  chains: readonly CustodyChain[],
  { totals, startedAt }: { totals: Balances; startedAt: Date },
): Promise<Custody[]> {
  const checks: Custody[] = []
  for (const chain of chains) {
    const tokens = config.tokens.filter(({ chainId }) => chainId === chain.chainId)
    const block = await firstAnswer(chain, async (node) => (await node.heads(chain.finality)).final)
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
          depositAddresses: await heldAtAddresses(db, chain, token, { block, startedAt }),
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
  { block, startedAt }: { block: number; startedAt: Date },
): Promise<bigint> {
  let held = 0n
  const since = addSeconds(startedAt, -sweptSeconds)
  for (let after: string | null = ''; after !== null; ) {
    const addresses: string[] = await scanDueHolders(db, token.address, { after, since, limit: holdersAPage })
    held += await heldBy(chain, token, addresses, block)
    after = addresses.length < holdersAPage ? null : (addresses.at(-1) ?? null)
  }
  return held
}

async function heldBy(chain: CustodyChain, token: Token, addresses: readonly string[], block: number) {
  const balances = await firstAnswer(chain, (node) => node.balances(token.address, addresses, { number: block }))
  if (balances.includes(null)) throw new UpstreamError('chain', new Error(`${token.symbol} does not tell its balances`))
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
  throw failure instanceof UpstreamError ? failure : new UpstreamError('chain', failure)
}
