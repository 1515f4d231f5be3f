import { getAddress } from 'viem/utils'
import type { ChainConfig } from '../../config/chains.ts'
import type { Ctx } from '../../context.ts'
import { UpstreamError } from '../../lib/errors.ts'
import {
  addressIn,
  type Block,
  type ChainNode,
  StateMissing,
  type TransferLog,
  wordOf,
} from '../../providers/chain/node.ts'
import { arrivals } from './rules.ts'
import { findReceivers, type IncomingTransfer, type Receiver, type UnknownTransfer } from './sql.ts'

/** What one node shows of a range of blocks, and which of it is ours. Writes nothing. */

export type Range = { readonly from: number; readonly to: number }

/** `blocks`: the last one, or all where any could still be replaced. */
export type RangeLogs = Range & { readonly blocks: readonly Block[]; readonly logs: readonly TransferLog[] }

export type Shown = {
  readonly transfers: readonly IncomingTransfer[]
  readonly unknown: readonly UnknownTransfer[]
}

/** A range on its way: its logs, and what they are found to be as soon as they are here. */
export type Reading = {
  readonly node: ChainNode
  readonly range: Range
  readonly logs: Promise<RangeLogs>
  readonly shown: Promise<Shown>
}

const addressesALookup = 10_000

export function beginReading(
  { ctx, chain }: { ctx: Ctx; chain: ChainConfig },
  node: ChainNode,
  range: Range,
  isReplaceable: boolean,
): Reading {
  const logs = readLogs(ctx, chain, node, range, isReplaceable)
  const shown = logs.then((read) => describeLogs(ctx, chain, node, read.logs))
  // Who takes the reading is told of a failure; nobody may.
  shown.catch(() => {})
  return { node, range, logs, shown }
}

/**
 * The logs between two looks at the last block: when it changed meanwhile, they could be of either branch.
 * Throws `UpstreamError` where the answers do not fit together.
 */
export async function readLogs(
  ctx: Ctx,
  chain: ChainConfig,
  node: ChainNode,
  range: Range,
  isReplaceable: boolean,
): Promise<RangeLogs> {
  const { from, to } = range
  const before = isReplaceable ? await node.block(to) : null
  const logs = await node.transferLogs(from, to, chain.recordsUnknown ? null : tokensOn(ctx, chain))
  const numbers = isReplaceable ? Array.from({ length: to - from + 1 }, (_, i) => from + i) : [to]
  const blocks = (await Promise.all(numbers.map((number) => node.block(number)))).flatMap((block) => block ?? [])
  const last = blocks.at(-1)
  if (blocks.length !== numbers.length || (before && before.hash !== last?.hash)) {
    throw new UpstreamError('rpc', 'inconsistent', new Error(`blocks ${from} to ${to} changed while they were read`))
  }
  const hashes = new Map(blocks.map(({ number, hash }) => [number, hash]))
  blocks.forEach(({ parentHash }, i) => {
    const parent = blocks[i - 1]
    if (parent && parent.hash !== parentHash)
      throw new UpstreamError('rpc', 'inconsistent', new Error('blocks that do not follow'))
  })
  for (const { blockNumber, blockHash } of logs) {
    const hash = hashes.get(blockNumber)
    if (blockNumber < from || blockNumber > to || (hash !== undefined && hash !== blockHash)) {
      throw new UpstreamError(
        'rpc',
        'inconsistent',
        new Error(`a log of block ${blockNumber} ${blockHash} among ${from} to ${to}`),
      )
    }
  }
  return { from, to, blocks, logs }
}

function tokensOn(ctx: Ctx, { chainId }: ChainConfig): string[] {
  return ctx.config.tokens.filter((token) => token.chainId === chainId).map(({ address }) => address.toLowerCase())
}

/** A log that names one of our addresses as the receiver. */
export type Hit = Pick<IncomingTransfer, 'userId' | 'token' | 'txHash' | 'blockHash' | 'fromAddress' | 'claimed'> & {
  readonly log: TransferLog
  readonly toAddress: string
  /** whether the token is configured */
  readonly isKnown: boolean
}

type Hits = { readonly hits: readonly Hit[]; readonly logs: readonly TransferLog[] }

/** What of the logs is ours: looked up in batches, so that memory does not grow with the number of our addresses. */
export async function findHits(
  ctx: Ctx,
  { chainId }: ChainConfig,
  logs: readonly TransferLog[],
): Promise<{ hits: Hit[] }> {
  const ours = await receiversOf(ctx, logs)
  const configured = ctx.config.tokens.filter((token) => token.chainId === chainId)
  const tokens = new Map(configured.map(({ address }) => [address.toLowerCase(), address]))
  const seen = new Set<string>()
  const senders = new Map<string, string>()
  const hits: Hit[] = []
  for (const log of logs) {
    const receiver = ours.get(log.to)
    if (!receiver || log.from === log.to) continue
    const { txHash, blockHash } = log
    const claimed = BigInt(log.amount)
    // Nothing that moves, or that only goes round, is no transfer; and a node may say the same twice.
    if (claimed === 0n || seen.has(`${blockHash}:${log.logIndex}`)) continue
    seen.add(`${blockHash}:${log.logIndex}`)
    const fromAddress = senders.get(log.from) ?? getAddress(addressIn(log.from))
    senders.set(log.from, fromAddress)
    const token = tokens.get(log.token)
    const names = { userId: receiver.userId, token: token ?? getAddress(log.token), fromAddress }
    hits.push({ ...names, toAddress: receiver.address, txHash, blockHash, claimed, log, isKnown: token !== undefined })
  }
  return { hits }
}

/** Two lists of transfers are the same when this is. */
export function textOf(transfers: readonly Omit<Hit, 'log' | 'toAddress' | 'isKnown'>[]): string {
  return transfers
    .map((one) => [one.userId, one.token, one.txHash, one.blockHash, one.fromAddress, one.claimed].join())
    .sort()
    .join('\n')
}

async function describeLogs(ctx: Ctx, chain: ChainConfig, node: ChainNode, logs: readonly TransferLog[]) {
  return describeHits(chain, node, { ...(await findHits(ctx, chain, logs)), logs })
}

/** What the hits are, with what arrived. `logs` must be all of their blocks: what went out of an address counts, too. */
export async function describeHits({ chainId }: ChainConfig, node: ChainNode, { hits, logs }: Hits): Promise<Shown> {
  const known = hits.filter(({ isKnown }) => isKnown)
  const [told, firsts] = await Promise.all([
    tellArrivals(
      node,
      known.map(({ log }) => log),
      logs,
    ),
    firstLogIndexes(
      node,
      known.map(({ log }) => log),
    ),
  ])
  const transfers = known.map(({ log, isKnown: _, ...hit }) => ({
    ...hit,
    chainId,
    logPosition: log.logIndex - (firsts.get(log.txHash) ?? 0),
    blockNumber: log.blockNumber,
    arrived: told.get(log) ?? null,
  }))
  const unknown = hits
    .filter(({ isKnown }) => !isKnown)
    .map(({ log: { logIndex, blockNumber }, txHash, token, fromAddress, toAddress, claimed: amount }) => {
      return { txHash, logIndex, blockNumber, token, fromAddress, toAddress, amount }
    })
  return { transfers, unknown }
}

async function receiversOf(ctx: Ctx, logs: readonly TransferLog[]): Promise<Map<string, Receiver>> {
  const words = [...new Set(logs.map(({ to }) => to))]
  const found = new Map<string, Receiver>()
  for (let i = 0; i < words.length; i += addressesALookup) {
    const addresses = words.slice(i, i + addressesALookup).map((word) => word.slice(26))
    for (const receiver of await findReceivers(ctx.db, addresses)) found.set(wordOf(receiver.address), receiver)
  }
  return found
}

/** The first transaction of a block has its first log; of another one only its receipt tells how many came before. */
async function firstLogIndexes(node: ChainNode, logs: readonly TransferLog[]): Promise<Map<string, number>> {
  const later = new Map(logs.filter(({ transactionIndex }) => transactionIndex > 0).map((log) => [log.txHash, log]))
  const found = [...later.values()].map(async ({ txHash, blockHash }) => {
    return [txHash, await node.firstLogIndex(txHash, blockHash)] as const
  })
  return new Map(await Promise.all(found))
}

/** What each transfer brought, by the balances before and after its block; null: that cannot be told. */
async function tellArrivals(
  node: ChainNode,
  hits: readonly TransferLog[],
  all: readonly TransferLog[],
): Promise<Map<TransferLog, bigint | null>> {
  const byBlock = Map.groupBy(hits, ({ blockNumber, token }) => `${blockNumber}:${token}`)
  const receivers = new Set(hits.map(({ to }) => to))
  const outflows = Map.groupBy(
    all.filter(({ from, to }) => from !== to && receivers.has(from)),
    ({ blockNumber, token, from }) => `${blockNumber}:${token}:${from}`,
  )
  const told = new Map<TransferLog, bigint | null>()
  const blocks = [...byBlock].map(async ([key, group]) => {
    const inflows = [...Map.groupBy(group, ({ to }) => to)]
    const changes = await balanceChanges(
      node,
      group,
      inflows.map(([account]) => addressIn(account)),
    )
    inflows.forEach(([account, inbound], i) => {
      const outbound = (outflows.get(`${key}:${account}`) ?? []).map(({ amount }) => BigInt(amount))
      const { before, after } = changes[i] ?? { before: null, after: null }
      const brought = arrivals({ inbound: inbound.map(({ amount }) => BigInt(amount)), outbound, before, after })
      for (const [k, log] of inbound.entries()) told.set(log, brought[k] ?? null)
    })
  })
  await Promise.all(blocks)
  return told
}

async function balanceChanges(node: ChainNode, [first]: readonly TransferLog[], accounts: readonly string[]) {
  if (first === undefined) return []
  const { blockNumber, blockHash, token } = first
  try {
    const nothing = accounts.map(() => 0n)
    const before = blockNumber === 0 ? nothing : await node.balances(token, accounts, { number: blockNumber - 1 })
    // Last, and by its hash: a node on whose chain the block is no more does not answer.
    const after = await node.balances(token, accounts, { hash: blockHash })
    return accounts.map((_, i) => ({ before: before[i] ?? null, after: after[i] ?? null }))
  } catch (error) {
    if (error instanceof StateMissing) return []
    throw error
  }
}
