import type { Hex } from 'viem'
import balanceReader from '../../../../contracts/artifacts/BalanceReader.json' with { type: 'json' }
import type { ChainConfig } from '../../config/chains.ts'
import { UpstreamError } from '../../lib/errors.ts'
import { createRpc, missingState, type Rpc, RpcRejection } from '../rpc/rpc.ts'
import { transferTopic } from './evm-reading.ts'
import { type Block, type ChainNode, type Heads, StateMissing, type TransferLog } from './node.ts'

/** The call returns the balances as contract code, which EIP-170 limits to 24,576 bytes. */
const maxAccountsPerCall = 300

/** Creates one reader per node of a chain. */
export function createEvmNodes({ chainId, rpcUrls }: Pick<ChainConfig, 'chainId' | 'rpcUrls'>): ChainNode[] {
  return rpcUrls.map((url) => createEvmNode(createRpc({ chainId, urls: [url] }), new URL(url).host))
}

function createEvmNode(rpc: Rpc, name: string): ChainNode {
  const request = (method: string, params: readonly unknown[], limits?: Parameters<Rpc['request']>[2]) =>
    rpc.request(method, params, limits)

  async function block(at: number | 'latest' | 'finalized'): Promise<Block | null> {
    const response = await request('eth_getBlockByNumber', [typeof at === 'number' ? toHex(at) : at, false])
    if (response === null) return null
    const { number, hash, parentHash, timestamp } = Object(response)
    const names = { hash: word(hash), parentHash: word(parentHash) }
    const found = { number: quantity(number), ...names, seconds: quantity(timestamp) }
    if (typeof at === 'number' && found.number !== at) throw invalidResponse(`block ${found.number} instead of ${at}`)
    return found
  }

  async function readBalances(token: string, accounts: readonly string[], at: { hash: string } | { number: number }) {
    const data = readerCall(token, accounts)
    const place = 'hash' in at ? { blockHash: at.hash, requireCanonical: true } : toHex(at.number)
    const response = await request('eth_call', [{ data }, place]).catch((error: unknown) => {
      // Any rejection counts as a missing state of the block, which is safe: nothing is credited without balances.
      const isAboutBlock =
        error instanceof RpcRejection || (error instanceof UpstreamError && missingState.test(`${error.cause}`))
      throw isAboutBlock ? new StateMissing(`${error.message}`, { cause: error }) : error
    })
    if (typeof response !== 'string' || response.length !== 2 + accounts.length * 128)
      throw invalidResponse('balances of the wrong length')
    return accounts.map((_, i) => {
      const at = 2 + i * 128
      return response.slice(at, at + 64).endsWith('1') ? BigInt(`0x${response.slice(at + 64, at + 128)}`) : null
    })
  }

  return {
    name,
    async heads(finality): Promise<Heads> {
      const [head, finalized] = await Promise.all([
        block('latest'),
        finality === 'finalized' ? block('finalized') : null,
      ])
      if (head === null) throw invalidResponse('no latest block')
      const final = finality === 'finalized' ? (finalized?.number ?? -1) : head.number - finality
      return { head, final: Math.min(final, head.number) }
    },
    block,
    async transferLogs(from, to, tokens) {
      const filter = { fromBlock: toHex(from), toBlock: toHex(to), topics: [transferTopic] }
      const params = [tokens === null ? filter : { ...filter, address: tokens }]
      const response = await request('eth_getLogs', params, { timeoutMilliseconds: 30_000 })
      if (!Array.isArray(response)) throw invalidResponse('logs are not a list')
      return response.map(transferOf).filter((log) => log !== null)
    },
    async firstLogIndex(txHash, blockHash) {
      const receipt = Object(await request('eth_getTransactionReceipt', [txHash]))
      const [first] = Array.isArray(receipt.logs) ? receipt.logs : []
      if (receipt.blockHash !== blockHash || !first)
        throw invalidResponse(`the receipt of ${txHash} is from another block`)
      return quantity(Object(first).logIndex)
    },
    async balances(token, accounts, at) {
      const found: (bigint | null)[] = []
      for (let i = 0; i < accounts.length; i += maxAccountsPerCall) {
        found.push(...(await readBalances(token, accounts.slice(i, i + maxAccountsPerCall), at)))
      }
      return found
    },
  }
}

/** Parses a transfer log. Returns null for non-fungible tokens, whose event has a fourth topic and no data. */
function transferOf(log: unknown): TransferLog | null {
  const { address, topics, data, blockNumber, blockHash, transactionHash, transactionIndex, logIndex } = Object(log)
  if (!Array.isArray(topics) || typeof data !== 'string' || typeof address !== 'string')
    throw invalidResponse('malformed log')
  if (topics.length !== 3 || data.length !== 66) return null
  return {
    blockNumber: quantity(blockNumber),
    blockHash: word(blockHash),
    txHash: word(transactionHash),
    transactionIndex: quantity(transactionIndex),
    logIndex: quantity(logIndex),
    token: address.toLowerCase(),
    from: word(topics[1]),
    to: word(topics[2]),
    amount: data,
  }
}

/** Returns the beginning of a value for a log line. A node chooses its length. */
const shown = (value: unknown) => String(JSON.stringify(value)).slice(0, 100)

function quantity(value: unknown): number {
  const number = typeof value === 'string' && value.startsWith('0x') ? Number(value) : Number.NaN
  if (!Number.isSafeInteger(number)) throw invalidResponse(`${shown(value)} is not a quantity`)
  return number
}

function word(value: unknown): string {
  if (typeof value !== 'string' || value.length !== 66) throw invalidResponse(`${shown(value)} is not 32 bytes`)
  return value
}

/** Builds the call by hand, because ABI encoding of hundreds of addresses would dominate its cost. */
function readerCall(token: string, accounts: readonly string[]): string {
  const head = [token, '0x40', toHex(accounts.length)]
  return balanceReader.bytecode + [...head, ...accounts].map((value) => value.slice(2).padStart(64, '0')).join('')
}

function toHex(number: number): Hex {
  return `0x${number.toString(16)}`
}

function invalidResponse(problem: string): UpstreamError {
  return new UpstreamError('rpc', 'invalid_response', new Error(`invalid response: ${problem}`))
}
