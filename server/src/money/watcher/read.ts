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
import { findReceivers, type IncomingTransfer, type Receiver, type UnknownTransfer } from './transfers-sql.ts'

/** Reads a range of blocks from one node and finds the transfers to our addresses. Writes nothing. */

export type Range = { readonly from: number; readonly to: number }

/** `blocks`: the last block of a final range, or every block of a range that can still be replaced. */
export type RangeLogs = Range & { readonly blocks: readonly Block[]; readonly logs: readonly TransferLog[] }

export type ReportedTransfers = {
  readonly transfers: readonly IncomingTransfer[]
  readonly unknown: readonly UnknownTransfer[]
}

/** A range that is being read: its logs, and the transfers among them. */
export type Reading = {
  readonly node: ChainNode
  readonly range: Range
  readonly logs: Promise<RangeLogs>
  readonly reported: Promise<ReportedTransfers>
}

const maxAddressesPerLookup = 10_000

export function beginReading(
  { ctx, chain }: { ctx: Ctx; chain: ChainConfig },
  node: ChainNode,
  range: Range,
  isReplaceable: boolean,
): Reading {
  const logs = readLogs(ctx, chain, node, range, isReplaceable)
  const reported = logs.then((read) => describeLogs(ctx, chain, node, read.logs))
  // A reading may be dropped before anybody awaits it. Its failure must not become an unhandled rejection.
  reported.catch(() => {})
  return { node, range, logs, reported }
}

/**
 * Reads the logs of a range, then its blocks. If the range can still be replaced, also reads its last block first: if
 * that block changed, the logs could be of either branch. Throws `UpstreamError` if the responses contradict each
 * other.
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
      throw new UpstreamError('rpc', 'inconsistent', new Error(`blocks ${from} to ${to} do not follow each other`))
  })
  for (const { blockNumber, blockHash } of logs) {
    const hash = hashes.get(blockNumber)
    if (blockNumber < from || blockNumber > to || (hash !== undefined && hash !== blockHash)) {
      throw new UpstreamError(
        'rpc',
        'inconsistent',
        new Error(`logs of blocks ${from} to ${to} include block ${blockNumber} ${blockHash}`),
      )
    }
  }
  return { from, to, blocks, logs }
}

function tokensOn(ctx: Ctx, { chainId }: ChainConfig): string[] {
  return ctx.config.tokens.filter((token) => token.chainId === chainId).map(({ address }) => address.toLowerCase())
}

type Content = Pick<
  IncomingTransfer,
  'userId' | 'token' | 'txHash' | 'blockNumber' | 'blockHash' | 'fromAddress' | 'claimed'
>

/** A log whose recipient is one of our addresses. */
export type Hit = Content & {
  readonly log: TransferLog
  readonly toAddress: string
  /** whether the token is configured */
  readonly isKnown: boolean
}

type Hits = { readonly hits: readonly Hit[]; readonly logs: readonly TransferLog[] }

/** Returns the logs that are ours. Lookups are batched, so memory does not grow with the number of our addresses. */
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
    const { txHash, blockNumber, blockHash } = log
    const claimed = BigInt(log.amount)
    // Skip transfers of zero, and duplicates: a node may return the same log twice.
    if (claimed === 0n || seen.has(`${blockHash}:${log.logIndex}`)) continue
    seen.add(`${blockHash}:${log.logIndex}`)
    const fromAddress = senders.get(log.from) ?? getAddress(addressIn(log.from))
    senders.set(log.from, fromAddress)
    const token = tokens.get(log.token)
    const names = { userId: receiver.userId, token: token ?? getAddress(log.token), fromAddress }
    hits.push({
      ...names,
      toAddress: receiver.address,
      txHash,
      blockNumber,
      blockHash,
      claimed,
      log,
      isKnown: token !== undefined,
    })
  }
  return { hits }
}

/** Adds the position of each log among the logs of its transaction. Fails if the node lacks a receipt. */
export async function locate(node: ChainNode, hits: readonly Hit[]): Promise<(Hit & Located)[]> {
  const firsts = await firstLogIndexes(
    node,
    hits.map(({ log }) => log),
  )
  return hits.map((hit) => ({ ...hit, logPosition: hit.log.logIndex - (firsts.get(hit.txHash) ?? 0) }))
}

/** Returns a text that is equal for equal lists of logs, in any order. */
export function textOfLogs(hits: readonly Hit[]): string {
  return textOf(hits.map((hit) => [...contentOf(hit), hit.log.transactionIndex, hit.log.logIndex]))
}

type Located = Content & Pick<IncomingTransfer, 'logPosition'>

/** Returns a text that is equal for equal lists of transfers, in any order. */
export function textOfTransfers(transfers: readonly Located[]): string {
  return textOf(transfers.map((transfer) => [...contentOf(transfer), transfer.logPosition]))
}

function textOf(rows: readonly (readonly (string | number | bigint)[])[]): string {
  return rows
    .map((row) => row.join())
    .sort()
    .join('\n')
}

function contentOf({ userId, token, txHash, blockNumber, blockHash, fromAddress, claimed }: Content) {
  return [userId, token, txHash, blockNumber, blockHash, fromAddress, claimed]
}

async function describeLogs(ctx: Ctx, chain: ChainConfig, node: ChainNode, logs: readonly TransferLog[]) {
  return describeHits(chain, node, { ...(await findHits(ctx, chain, logs)), logs })
}

/**
 * Returns the transfers with their arrivals. `logs` must contain all logs of the blocks with hits, since outflows count
 * too.
 */
export async function describeHits(
  { chainId }: ChainConfig,
  node: ChainNode,
  { hits, logs }: Hits,
): Promise<ReportedTransfers> {
  const known = hits.filter(({ isKnown }) => isKnown)
  const [arrived, located] = await Promise.all([
    determineArrivals(
      node,
      known.map(({ log }) => log),
      logs,
    ),
    locate(node, known),
  ])
  const transfers = located.map(({ log, isKnown: _, ...hit }) => ({
    ...hit,
    chainId,
    arrived: arrived.get(log) ?? null,
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
  for (let i = 0; i < words.length; i += maxAddressesPerLookup) {
    const addresses = words.slice(i, i + maxAddressesPerLookup).map((word) => word.slice(26))
    for (const receiver of await findReceivers(ctx.db, addresses)) found.set(wordOf(receiver.address), receiver)
  }
  return found
}

/**
 * The logs of a block's first transaction begin at index 0. For any other transaction, only the receipt shows the index
 * of its first log.
 */
async function firstLogIndexes(node: ChainNode, logs: readonly TransferLog[]): Promise<Map<string, number>> {
  const later = new Map(logs.filter(({ transactionIndex }) => transactionIndex > 0).map((log) => [log.txHash, log]))
  const found = [...later.values()].map(async ({ txHash, blockHash }) => {
    return [txHash, await node.firstLogIndex(txHash, blockHash)] as const
  })
  return new Map(await Promise.all(found))
}

/** Determines each arrival from the balances before and after its block; null: unknown. */
async function determineArrivals(
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
  const found = new Map<TransferLog, bigint | null>()
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
      const credited = arrivals({ inbound: inbound.map(({ amount }) => BigInt(amount)), outbound, before, after })
      for (const [k, log] of inbound.entries()) found.set(log, credited[k] ?? null)
    })
  })
  await Promise.all(blocks)
  return found
}

async function balanceChanges(node: ChainNode, [first]: readonly TransferLog[], accounts: readonly string[]) {
  if (first === undefined) return []
  const { blockNumber, blockHash, token } = first
  try {
    const zeros = accounts.map(() => 0n)
    const before = blockNumber === 0 ? zeros : await node.balances(token, accounts, { number: blockNumber - 1 })
    // Read last and by hash: a node that no longer has the block on its branch fails.
    const after = await node.balances(token, accounts, { hash: blockHash })
    return accounts.map((_, i) => ({ before: before[i] ?? null, after: after[i] ?? null }))
  } catch (error) {
    if (error instanceof StateMissing) return []
    throw error
  }
}
