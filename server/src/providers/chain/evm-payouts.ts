import { getAddress, isHex, keccak256, numberToHex, parseTransaction, serializeTransaction } from 'viem/utils'
import type { ChainConfig } from '../../config/chains.ts'
import { UpstreamError } from '../../lib/errors.ts'
import { max, min } from '../../lib/money.ts'
import type { PayoutSigner } from '../payout-signer/payout-signer.ts'
import { type Rpc, RpcRejection } from '../rpc/rpc.ts'
import { type Rpcs, rpcOf } from '../rpc/rpcs.ts'
import type { ChainPayouts, MinedPayout, Payout, PayoutState, SentPayout, SignedPayout } from './chain.ts'
import { agree, readEach } from './evm-agreement.ts'
import {
  asWord,
  finalBlock,
  findByNonce,
  findReceipt,
  hasPaid,
  isInChain,
  isUsedAt,
  type MinedTransaction,
  nonceCount,
  quantity,
  type Receipt,
  type RpcCall,
  readFees,
  text,
  tokenBalance,
} from './evm-reading.ts'
import { type Fees, replacementFees, sendSigned } from './evm-sending.ts'
import { payoutCall, readPayoutCall } from './payout-call.ts'

type EvmPayoutOptions = {
  readonly rpcs: Rpcs
  readonly chains: readonly ChainConfig[]
  readonly signer: PayoutSigner
  readonly feeCeilingPerGas: bigint
}

/** The maximum gas limit of a payout. An honest token needs less. */
const maxGas = 500_000n
/** The assumed gas of a transfer before it is estimated. */
const defaultGas = 100_000n
/**
 * Payouts are signed one at a time, so each of them waits for a node that hangs. A healthy node responds much sooner.
 */
const maxCountMilliseconds = 1_000

/** Creates the payouts of EVM chains. */
export function createEvmPayouts({ rpcs, chains, signer, feeCeilingPerGas }: EvmPayoutOptions): ChainPayouts {
  /** Sends requests to the nodes of a chain. A rejection becomes an `UpstreamError`, so that the job retries. */
  function requestVia(rpc: Rpc, limits?: Parameters<Rpc['request']>[2]): RpcCall {
    return async (method, params) => {
      try {
        return await rpc.request(method, params, limits)
      } catch (error) {
        throw error instanceof RpcRejection ? new UpstreamError('chain', 'rejected', error) : error
      }
    }
  }
  const requestOf = (chainId: number) => requestVia(rpcOf(rpcs, chainId))
  const nodesOf = (chainId: number) => rpcOf(rpcs, chainId).nodes.map((node) => requestVia(node))

  /** Allows the base fee to double before the transaction is mined, but never exceeds the configured ceiling. */
  async function chooseFees(request: RpcCall): Promise<Fees> {
    const { base, tip } = await readFees(request)
    const maxPriorityFeePerGas = min(tip, feeCeilingPerGas)
    return { maxFeePerGas: min(2n * base + maxPriorityFeePerGas, feeCeilingPerGas), maxPriorityFeePerGas }
  }

  async function sign({ chainId, token, nonce, ...payout }: Payout, fees: Fees, gas: bigint): Promise<SignedPayout> {
    const unsigned = {
      type: 'eip1559',
      chainId,
      nonce: Number(nonce),
      to: getAddress(token),
      data: payoutCall(payout),
      gas,
      ...fees,
    } as const
    const signature = await signer.sign(keccak256(serializeTransaction(unsigned)))
    const signedTransaction = serializeTransaction(unsigned, signature)
    return { signedTransaction, txHash: keccak256(signedTransaction) }
  }

  return {
    payoutSigner: () => signer.address(),

    async payoutNonce(chainId) {
      const wallet = await signer.address()
      const countOf = (request: RpcCall) => nonceCount(request, wallet, 'pending')
      const { nodes } = rpcOf(rpcs, chainId)
      // Each node has its own pending transactions. Perhaps only one has a payout that a restored database lacks.
      const each = nodes.map((node) => requestVia(node, { timeoutMilliseconds: maxCountMilliseconds }))
      const [count, counts] = await Promise.all([countOf(requestOf(chainId)), readEach(each, countOf)])
      return counts.reduce(max, count)
    },

    async firstNonce(chainId) {
      const startBlock = chains.find((chain) => chain.chainId === chainId)?.startBlock ?? 0n
      if (startBlock === 0n) return 0n
      return nonceCount(requestOf(chainId), await signer.address(), numberToHex(startBlock - 1n))
    },

    async payoutFunds(chainId, token) {
      const request = requestOf(chainId)
      const owner = await signer.address()
      const [amount, coins, { maxFeePerGas }] = await Promise.all([
        tokenBalance(request, token, owner),
        request('eth_getBalance', [owner, 'latest']),
        chooseFees(request),
      ])
      return { amount, transactions: quantity(coins) / max(1n, maxFeePerGas * defaultGas) }
    },

    async signPayout(payout) {
      const request = requestOf(payout.chainId)
      const from = await signer.address()
      const call = { from, to: payout.token, data: payoutCall(payout) }
      // A node rejects the estimate of a transfer that would fail, so such a transfer is never signed.
      const [needed, fees] = await Promise.all([request('eth_estimateGas', [call]), chooseFees(request)])
      const gas = (quantity(needed) * 3n) / 2n
      if (gas > maxGas)
        throw new UpstreamError(
          'chain',
          'rejected',
          new Error(`the token needs ${gas} gas for a transfer, more than ${maxGas}`),
        )
      return sign(payout, fees, gas)
    },

    async bumpPayoutFee(payout, signedTransaction, when) {
      if (payout.signer !== (await signer.address())) return null
      const { gas = 0n, ...before } = readTransaction(signedTransaction)
      const market = await chooseFees(requestOf(payout.chainId))
      if (when === 'below market' && market.maxFeePerGas <= (before.maxFeePerGas ?? 0n)) return null
      const fees = replacementFees(market, before)
      if (fees.maxFeePerGas > feeCeilingPerGas) return null
      return sign(payout, { ...fees, maxPriorityFeePerGas: min(fees.maxPriorityFeePerGas, fees.maxFeePerGas) }, gas)
    },

    async sendPayout(chainId, signedTransaction) {
      const nodes = rpcOf(rpcs, chainId).nodes.map(({ request }) => request)
      await sendSigned(nodes, signedTransaction)
    },

    async payoutState(payout) {
      const { chainId } = payout
      const finality = chains.find((chain) => chain.chainId === chainId)?.finality ?? 'finalized'
      const { state, block } = await readState(requestOf(chainId), payout, finality)
      if (block === null) return state
      const { status, txHash } = state
      // All other states can release the funds. If one lying node sufficed, the payout could be paid twice.
      const minVotes = status === 'paid' ? 1 : 2
      const isConfirmedBy = (request: RpcCall) => confirmsState(request, payout, state, block)
      const isAgreed = await agree(nodesOf(chainId), { block, finality, minVotes, isConfirmedBy })
      return isAgreed ? state : { status: 'disputed', txHash }
    },

    async payoutAt(chainId, nonce) {
      const request = requestOf(chainId)
      const from = await signer.address()
      const head = quantity(await request('eth_blockNumber', []))
      if ((await nonceCount(request, from, numberToHex(head))) <= nonce) return null
      const mined = await findByNonce(request, { signer: from, nonce, to: head })
      if (mined === null) return null
      const block = quantity(mined.fields['blockNumber'])
      const isConfirmedBy = (request: RpcCall) => isUsedAt(request, mined.hash, { signer: from, nonce, to: block })
      if (!(await agree(nodesOf(chainId), { block, finality: null, minVotes: 2, isConfirmedBy })))
        throw new UpstreamError(
          'chain',
          'inconsistent',
          new Error(`nodes disagree on the transaction of nonce ${nonce}`),
        )
      return readMined(chainId, nonce, mined)
    },
  }
}

type FinalState = Extract<PayoutState, { status: 'paid' | 'reverted' | 'unpaid' | 'replaced' }>
/** A state, with its block if it is final. */
type ReadState =
  | { readonly state: Exclude<PayoutState, FinalState>; readonly block: null }
  | { readonly state: FinalState; readonly block: bigint }

/** Reads the state of a payout from one node. A missing receipt proves nothing, because nodes prune their history. */
async function readState(request: RpcCall, payout: SentPayout, finality: ChainConfig['finality']): Promise<ReadState> {
  const final = await finalBlock(request, finality)
  const receipt = await findReceipt(request, payout.txHashes)
  if (receipt) {
    const { txHash, fee, block } = receipt
    if (block > final || !(await isInChain(request, receipt)))
      return { state: { status: 'mined', txHash }, block: null }
    return { state: { status: receiptStatus(receipt, payout), txHash, fee }, block }
  }
  const { nonce } = payout
  const signer = getAddress(payout.signer)
  const next = await nonceCount(request, signer, 'latest')
  const unknown = { state: { status: 'unknown', next }, block: null } as const
  if (next <= nonce || (await nonceCount(request, signer, numberToHex(final))) <= nonce) return unknown
  const used = await findByNonce(request, { signer, nonce, to: final })
  // A node that now reports one of our transactions has contradicted itself. The job checks again later.
  if (used === null || payout.txHashes.includes(used.hash)) return unknown
  // A restored database may not know a transaction that pays the same withdrawal.
  if (isSamePayment(used, payout)) return readState(request, { ...payout, txHashes: [used.hash] }, finality)
  const block = quantity(used.fields['blockNumber'])
  return { state: { status: 'replaced', ...readMined(payout.chainId, nonce, used) }, block }
}

function receiptStatus(receipt: Receipt, payout: SentPayout): 'reverted' | 'paid' | 'unpaid' {
  if (!receipt.succeeded) return 'reverted'
  return hasPaid(receipt, payout) ? 'paid' : 'unpaid'
}

/** Returns whether a node confirms a state at a block. */
async function confirmsState(
  request: RpcCall,
  payout: SentPayout,
  { status, txHash }: FinalState,
  block: bigint,
): Promise<boolean> {
  if (status === 'replaced') {
    return isUsedAt(request, txHash, { signer: getAddress(payout.signer), nonce: payout.nonce, to: block })
  }
  const receipt = await findReceipt(request, [txHash])
  if (receipt?.block !== block || !(await isInChain(request, receipt))) return false
  return receiptStatus(receipt, payout) === status
}

function isSamePayment({ fields }: MinedTransaction, payout: SentPayout): boolean {
  return text(fields['to']) === payout.token.toLowerCase() && text(fields['input']) === payoutCall(payout)
}

/** Returns a mined transaction with its payout, if it is one, and its bytes for sending it again. */
function readMined(chainId: number, nonce: bigint, { hash: txHash, fields }: MinedTransaction): MinedPayout {
  const input = text(fields['input'])
  const call = readPayoutCall(input)
  if (!isHex(input) || call === null || fields['type'] !== '0x2')
    return { txHash, signedTransaction: '0x', payout: null }
  const token = getAddress(text(fields['to']))
  const signedTransaction = serializeTransaction(
    {
      type: 'eip1559',
      chainId,
      nonce: Number(nonce),
      to: token,
      data: input,
      gas: quantity(fields['gas']),
      maxFeePerGas: quantity(fields['maxFeePerGas']),
      maxPriorityFeePerGas: quantity(fields['maxPriorityFeePerGas']),
    },
    { r: asWord(fields['r']), s: asWord(fields['s']), yParity: Number(quantity(fields['v'])) },
  )
  if (keccak256(signedTransaction) !== txHash)
    throw new UpstreamError('chain', 'inconsistent', new Error('a transaction does not match its hash'))
  return { txHash, signedTransaction, payout: { token, ...call } }
}

function readTransaction(signedTransaction: string) {
  if (!isHex(signedTransaction)) throw new Error('a stored transaction is not hex')
  return parseTransaction(signedTransaction)
}
