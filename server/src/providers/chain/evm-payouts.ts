import {
  concat,
  encodeFunctionData,
  erc20Abi,
  getAddress,
  type Hex,
  isHex,
  keccak256,
  numberToHex,
  parseTransaction,
  serializeTransaction,
} from 'viem'
import type { ChainConfig } from '../../lib/chains.ts'
import { max, min } from '../../lib/money.ts'
import { UpstreamError } from '../../lib/refusal.ts'
import type { PayoutSigner } from '../payout-signer/payout-signer.ts'
import { RpcRefusal } from '../rpc/rpc.ts'
import { type Rpcs, rpcOf } from '../rpc/rpcs.ts'
import type { ChainProvider, Payout, PayoutState, SentPayout, SignedPayout } from './chain.ts'
import { type Ask, finalBlock, findReceipt, hasPaid, isInChain, nonceCount, quantity, whoUsed } from './evm-reading.ts'

/** The part of the chain's port that pays, on a chain of the Ethereum kind. */
type EvmPayouts = Omit<ChainProvider, 'transferState' | 'depositAddress'>

type EvmPayoutOptions = {
  readonly rpcs: Rpcs
  readonly chains: readonly ChainConfig[]
  readonly signer: PayoutSigner
  readonly mostFeePerGas: bigint
}

/** More than any honest token asks for; one that wants more is not paid. */
const mostGas = 500_000n
/** What a transfer is taken to need where it is not known yet. */
const usualGas = 100_000n

type Fees = { readonly maxFeePerGas: bigint; readonly maxPriorityFeePerGas: bigint }

export function createEvmPayouts({ rpcs, chains, signer, mostFeePerGas }: EvmPayoutOptions): EvmPayouts {
  /** Asks the nodes of a chain. What a node refuses is no more than a failure to those who pay: they try again. */
  function askOf(chainId: number): Ask {
    const rpc = rpcOf(rpcs, chainId)
    return async (method, params) => {
      try {
        return await rpc.request(method, params)
      } catch (error) {
        throw error instanceof RpcRefusal ? new UpstreamError('chain', error) : error
      }
    }
  }

  /** The base fee may double before it is mined. Whatever a node says, the ceiling stands. */
  async function feesNow(ask: Ask): Promise<Fees> {
    const [block, tip] = await Promise.all([ask('eth_getBlockByNumber', ['latest', false]), ask(tipMethod, [])])
    const maxPriorityFeePerGas = min(quantity(tip), mostFeePerGas)
    const { baseFeePerGas } = Object(block)
    return {
      maxFeePerGas: min(2n * quantity(baseFeePerGas) + maxPriorityFeePerGas, mostFeePerGas),
      maxPriorityFeePerGas,
    }
  }

  async function sign({ chainId, token, nonce, ...payout }: Payout, fees: Fees, gas: bigint): Promise<SignedPayout> {
    const unsigned = {
      type: 'eip1559',
      chainId,
      nonce: Number(nonce),
      to: getAddress(token),
      data: callOf(payout),
      gas,
      ...fees,
    } as const
    const signature = await signer.sign(keccak256(serializeTransaction(unsigned)))
    const signedTransaction = serializeTransaction(unsigned, signature)
    return { signedTransaction, txHash: keccak256(signedTransaction) }
  }

  return {
    payoutSigner: () => signer.address(),

    payoutNonce: async (chainId) => nonceCount(askOf(chainId), await signer.address(), 'pending'),

    async payoutFunds(chainId, token) {
      const ask = askOf(chainId)
      const owner = await signer.address()
      const data = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [owner] })
      const [amount, coins, { maxFeePerGas }] = await Promise.all([
        ask('eth_call', [{ to: token, data }, 'latest']),
        ask('eth_getBalance', [owner, 'latest']),
        feesNow(ask),
      ])
      return { amount: word(amount), transactions: quantity(coins) / max(1n, maxFeePerGas * usualGas) }
    },

    async signPayout(payout) {
      const ask = askOf(payout.chainId)
      const from = await signer.address()
      const call = { from, to: payout.token, data: callOf(payout) }
      // A transfer that would fail is not even signed: the node refuses to estimate it.
      const [needed, fees] = await Promise.all([ask('eth_estimateGas', [call]), feesNow(ask)])
      const gas = (quantity(needed) * 3n) / 2n
      if (gas > mostGas) throw new UpstreamError('chain', new Error(`the token wants ${gas} gas for a transfer`))
      return sign(payout, fees, gas)
    },

    async outbidPayout(payout, signedTransaction) {
      const { gas = 0n, maxFeePerGas = 0n, maxPriorityFeePerGas = 0n } = readTransaction(signedTransaction)
      const now = await feesNow(askOf(payout.chainId))
      const fees = {
        maxFeePerGas: max(now.maxFeePerGas, raised(maxFeePerGas)),
        maxPriorityFeePerGas: max(now.maxPriorityFeePerGas, raised(maxPriorityFeePerGas)),
      }
      if (fees.maxFeePerGas > mostFeePerGas) return null
      return sign(payout, { ...fees, maxPriorityFeePerGas: min(fees.maxPriorityFeePerGas, fees.maxFeePerGas) }, gas)
    },

    async sendPayout(chainId, signedTransaction) {
      try {
        await rpcOf(rpcs, chainId).request('eth_sendRawTransaction', [signedTransaction])
      } catch (error) {
        if (!(error instanceof RpcRefusal)) throw error
        // It is there already, or its nonce has been used, or a higher bid is there: what became of it is read, not guessed.
        if (!/already|known|nonce too low|underpriced/i.test(error.message)) throw new UpstreamError('chain', error)
      }
    },

    payoutState(payout) {
      const chain = chains.find(({ chainId }) => chainId === payout.chainId)
      return readState(askOf(payout.chainId), payout, chain?.finality ?? 'finalized')
    },
  }
}

const tipMethod = 'eth_maxPriorityFeePerGas'

/** Nodes want a tenth more than what is replaced, of both fees. */
function raised(fee: bigint): bigint {
  return fee + max(1n, fee / 5n)
}

/** What the chain made of it. Only what is found counts: an answer that is missing may be a gap in the node's memory. */
async function readState(ask: Ask, payout: SentPayout, finality: ChainConfig['finality']): Promise<PayoutState> {
  const receipt = await findReceipt(ask, payout.txHashes)
  const final = await finalBlock(ask, finality)
  if (receipt) {
    const { txHash, fee } = receipt
    if (receipt.block > final || !(await isInChain(ask, receipt))) return { status: 'mined', txHash }
    if (!receipt.succeeded) return { status: 'reverted', txHash, fee }
    return { status: hasPaid(receipt, payout) ? 'paid' : 'unpaid', txHash, fee }
  }
  const signer = getAddress(payout.signer)
  const next = await nonceCount(ask, signer, 'latest')
  if (next > payout.nonce && (await nonceCount(ask, signer, numberToHex(final))) > payout.nonce) {
    const used = await whoUsed(ask, { signer, nonce: payout.nonce, to: final })
    if (used !== null && !payout.txHashes.includes(used)) return { status: 'replaced', txHash: used }
  }
  return { status: 'unknown', next }
}

/** The transfer, and behind its arguments, where the token does not look, the withdrawal's id. */
function callOf({ toAddress, amount, withdrawalId }: Pick<Payout, 'toAddress' | 'amount' | 'withdrawalId'>): Hex {
  const args = [getAddress(toAddress), amount] as const
  const transfer = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args })
  return concat([transfer, `0x${withdrawalId.replaceAll('-', '')}`])
}

function readTransaction(signedTransaction: string) {
  if (!isHex(signedTransaction)) throw new Error('a stored transaction is not hex')
  return parseTransaction(signedTransaction)
}

/** What a contract answers as one number. */
function word(result: unknown): bigint {
  if (typeof result === 'string' && /^0x[0-9a-f]{64}/i.test(result)) return BigInt(result.slice(0, 66))
  throw new UpstreamError('chain', new Error('the token does not say what the wallet holds'))
}
