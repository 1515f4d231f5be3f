import { setImmediate } from 'node:timers/promises'
import type { Address, Hex } from 'viem'
import {
  encodeFunctionData,
  getAddress,
  numberToHex,
  parseAbi,
  recoverAuthorizationAddress,
  toEventSelector,
} from 'viem/utils'
import type { ChainConfig } from '../../config/chains.ts'
import { UpstreamError } from '../../lib/errors.ts'
import type { Payout } from './chain.ts'
import { wordOf } from './node.ts'

/**
 * Reads of a chain for payouts, sweeps and the sandbox. Responses of nodes are untrusted, so every field is checked.
 */

export type RpcCall = (method: string, params: readonly unknown[]) => Promise<unknown>

export type Receipt = {
  readonly txHash: string
  readonly block: bigint
  readonly blockHash: string
  readonly succeeded: boolean
  /** In the chain's native coin, including a rollup's fee for its parent chain. */
  readonly fee: bigint
  readonly logs: readonly Log[]
}

type Log = { readonly address: string; readonly topics: readonly string[]; readonly content: string }

function invalidResponse(problem: string): UpstreamError {
  return new UpstreamError('chain', 'invalid_response', new Error(`invalid response from a node: ${problem}`))
}

export function quantity(value: unknown): bigint {
  if (typeof value === 'string' && /^0x[0-9a-f]{1,64}$/i.test(value)) return BigInt(value)
  throw invalidResponse('not a number')
}

export function text(value: unknown): string {
  if (typeof value === 'string') return value.toLowerCase()
  throw invalidResponse('not a string')
}

/** Returns a number as 32 bytes, as `r` and `s` of a signature need them. */
export function asWord(value: unknown): Hex {
  return numberToHex(quantity(value), { size: 32 })
}

/** Reads the number that a contract returns. */
export function word(value: unknown): bigint {
  if (typeof value === 'string' && /^0x[0-9a-f]{64}/i.test(value)) return BigInt(value.slice(0, 66))
  throw invalidResponse('not a number from a contract')
}

const tokenAbi = parseAbi(['function balanceOf(address holder) view returns (uint256)'])

export async function tokenBalance(request: RpcCall, token: string, holder: Address): Promise<bigint> {
  const data = encodeFunctionData({ abi: tokenAbi, functionName: 'balanceOf', args: [holder] })
  return word(await request('eth_call', [{ to: token, data }, 'latest']))
}

export async function hasCode(request: RpcCall, address: string): Promise<boolean> {
  return text(await request('eth_getCode', [address, 'latest'])) !== '0x'
}

export async function readFees(request: RpcCall): Promise<{ base: bigint; tip: bigint }> {
  const [block, tip] = await Promise.all([
    request('eth_getBlockByNumber', ['latest', false]),
    request('eth_maxPriorityFeePerGas', []),
  ])
  return { base: quantity(Object(block).baseFeePerGas), tip: quantity(tip) }
}

export async function nonceCount(request: RpcCall, signer: Address, block: string): Promise<bigint> {
  return quantity(await request('eth_getTransactionCount', [signer, block]))
}

/** Returns the highest final block. */
export async function finalBlock(request: RpcCall, finality: ChainConfig['finality']): Promise<bigint> {
  if (finality === 'finalized') return quantity(Object(await request('eth_getBlockByNumber', [finality, false])).number)
  const head = quantity(await request('eth_blockNumber', []))
  return head < BigInt(finality) ? 0n : head - BigInt(finality)
}

/** Returns the receipt of the one transaction that was mined, or null. */
export async function findReceipt(request: RpcCall, txHashes: readonly string[]): Promise<Receipt | null> {
  for (const txHash of txHashes.toReversed()) {
    const response = await request('eth_getTransactionReceipt', [txHash])
    if (response !== null) return readReceipt(txHash, response)
  }
  return null
}

function readReceipt(txHash: string, response: unknown): Receipt {
  const { transactionHash, blockNumber, blockHash, status, gasUsed, effectiveGasPrice, l1Fee, logs } = Object(response)
  if (text(transactionHash) !== txHash) throw invalidResponse('the receipt of another transaction')
  if (!Array.isArray(logs)) throw invalidResponse('no logs')
  return {
    txHash,
    block: quantity(blockNumber),
    blockHash: text(blockHash),
    succeeded: quantity(status) === 1n,
    fee: quantity(gasUsed) * quantity(effectiveGasPrice) + (l1Fee === undefined ? 0n : quantity(l1Fee)),
    logs: logs.map((log: unknown) => {
      const { address, topics, data } = Object(log)
      if (!Array.isArray(topics)) throw invalidResponse('no topics')
      return { address: text(address), topics: topics.map(text), content: text(data) }
    }),
  }
}

/** Returns whether the receipt's block is still part of the chain. */
export async function isInChain(request: RpcCall, { block, blockHash }: Receipt): Promise<boolean> {
  const { hash } = Object(await request('eth_getBlockByNumber', [numberToHex(block), false]))
  return text(hash) === blockHash
}

export const transferTopic = toEventSelector('Transfer(address,address,uint256)')

/** Returns whether the token logged a transfer of exactly the amount. Return values of tokens are unreliable. */
export function hasPaid(
  { logs }: Receipt,
  payout: Pick<Payout, 'token' | 'toAddress' | 'amount'> & { signer: string },
): boolean {
  const topics = [transferTopic, wordOf(payout.signer), wordOf(payout.toAddress)]
  return logs.some(
    (log) =>
      log.address === payout.token.toLowerCase() &&
      log.topics.join() === topics.join() &&
      log.content === numberToHex(payout.amount, { size: 32 }),
  )
}

/** A transaction as the node returned it, with unchecked fields. */
export type MinedTransaction = { readonly hash: string; readonly fields: Readonly<Record<string, unknown>> }

type Used = { readonly signer: Address; readonly nonce: bigint; readonly to: bigint }

/** Returns the transaction that used a nonce in a block up to `to`; null when the node contradicts itself. */
export async function findByNonce(request: RpcCall, used: Used): Promise<MinedTransaction | null> {
  return (await findIndexed(request, used)) ?? findInBlock(request, used)
}

/** Queries the node's index of senders, if it has one. The transaction itself must confirm the entry. */
async function findIndexed(request: RpcCall, used: Used): Promise<MinedTransaction | null> {
  try {
    const hash = text(await request('ots_getTransactionBySenderAndNonce', [used.signer, Number(used.nonce)]))
    const fields = Object(await request('eth_getTransactionByHash', [hash]))
    return isUse(fields, used) && text(fields.hash) === hash && quantity(fields.blockNumber) <= used.to
      ? { hash, fields }
      : null
  } catch (error) {
    if (error instanceof UpstreamError) return null
    throw error
  }
}

/** Finds the transaction without an index, by a binary search for the block in which the signer used the nonce. */
async function findInBlock(request: RpcCall, used: Used): Promise<MinedTransaction | null> {
  let [low, high] = [0n, used.to]
  while (low < high) {
    const middle = (low + high) / 2n
    if ((await nonceCount(request, used.signer, numberToHex(middle))) > used.nonce) high = middle
    else low = middle + 1n
  }
  const { transactions } = Object(await request('eth_getBlockByNumber', [numberToHex(high), true]))
  if (!Array.isArray(transactions)) throw invalidResponse('no transactions')
  const all = transactions.map(Object)
  const fields = all.find((transaction) => isUse(transaction, used)) ?? (await findAuthorizing(all, used))
  return fields === null ? null : { hash: text(fields.hash), fields }
}

/** Finds a transaction with an authorization by the signer (EIP-7702), which also uses a nonce of the signer. */
async function findAuthorizing(transactions: readonly Record<string, unknown>[], { signer, nonce }: Used) {
  for (const transaction of transactions) {
    const list = transaction['authorizationList']
    for (const { address, chainId, nonce: given, yParity, r, s } of Array.isArray(list) ? list.map(Object) : []) {
      if (quantity(given) !== nonce) continue
      const signed = { r: asWord(r), s: asWord(s), yParity: Number(quantity(yParity)) }
      const authorization = {
        address: getAddress(text(address)),
        chainId: Number(quantity(chainId)),
        nonce: Number(nonce),
      }
      // A block can have thousands of authorizations, so each recovery leaves the event loop to others first.
      await setImmediate()
      // An invalid signature authorizes nothing.
      const by = await recoverAuthorizationAddress({ authorization: { ...authorization, ...signed } }).catch(() => null)
      if (by === signer) return transaction
    }
  }
  return null
}

/**
 * Returns whether the transaction is in block `to` and used the signer's nonce: the signer sent it, or signed an
 * authorization in it.
 */
export async function isUsedAt(request: RpcCall, hash: string, used: Used): Promise<boolean> {
  const fields = Object(await request('eth_getTransactionByHash', [hash]))
  if (!fields.blockNumber || quantity(fields.blockNumber) !== used.to) return false
  return isUse(fields, used) || (await findAuthorizing([fields], used)) !== null
}

function isUse(fields: Record<string, unknown>, { signer, nonce }: Used): boolean {
  return text(fields['from']) === signer.toLowerCase() && quantity(fields['nonce']) === nonce
}
