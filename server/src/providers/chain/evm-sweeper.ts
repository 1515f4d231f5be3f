import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import {
  encodeFunctionData,
  getAddress,
  isHex,
  keccak256,
  numberToHex,
  parseAbi,
  parseTransaction,
  toEventSelector,
} from 'viem/utils'
import type { ChainConfig } from '../../lib/chains.ts'
import { accountSalt } from '../../lib/deposit-address.ts'
import { UpstreamError } from '../../lib/refusal.ts'
import { type Rpcs, rpcOf } from '../rpc/rpcs.ts'
import type { SignedPayout } from './chain.ts'
import {
  type Ask,
  feesNow,
  finalBlock,
  findReceipt,
  isInChain,
  nonceCount,
  quantity,
  tokenBalance,
} from './evm-reading.ts'
import { type Fees, outbidding, sendSigned } from './evm-sending.ts'
import type { Sweeper, SweepState } from './sweeper.ts'

const factoryAbi = parseAbi(['function sweep(bytes32[] salts, address[] tokens)'])
const notSweptTopic = toEventSelector('NotSwept(address,uint256)')

type Options = {
  readonly rpcs: Rpcs
  readonly chains: readonly ChainConfig[]
  readonly key: Hex
  readonly mostFeePerGas: bigint
}

type Call = { readonly to: Hex; readonly data: Hex; readonly gas: bigint; readonly nonce: number }

/** Sweeps through the factory (`contracts/ForwarderFactory.sol`), which makes the contract of an address that has none yet. */
export function createEvmSweeper({ rpcs, chains, key, mostFeePerGas }: Options): Sweeper {
  const account = privateKeyToAccount(key)
  const askOf = (chainId: number): Ask => rpcOf(rpcs, chainId).request

  async function signed(chainId: number, call: Call, fees: Fees): Promise<SignedPayout | null> {
    if (fees.maxFeePerGas > mostFeePerGas) return null
    const signedTransaction = await account.signTransaction({ type: 'eip1559', chainId, ...call, ...fees })
    return { signedTransaction, txHash: keccak256(signedTransaction) }
  }

  return {
    address: account.address,

    nextNonce: (chainId) => failing(() => nonceCount(askOf(chainId), account.address, 'pending')),

    holdings: (chainId, token, addresses) =>
      failing(() => Promise.all(addresses.map((holder) => tokenBalance(askOf(chainId), token, getAddress(holder))))),

    sign: ({ chainId, userIds, tokens, nonce }) =>
      failing(async () => {
        const to = chains.find((chain) => chain.chainId === chainId)?.factory
        if (!to) throw new Error(`chain ${chainId} has no factory`)
        const args = [userIds.map(accountSalt), tokens.map((token) => getAddress(token))] as const
        const data = encodeFunctionData({ abi: factoryAbi, functionName: 'sweep', args })
        const ask = askOf(chainId)
        const call = { from: account.address, to, data }
        const [needed, fees] = await Promise.all([ask('eth_estimateGas', [call]), bidNow(ask)])
        // The node looks for the least with which the sweep does not fail, and a token that ran out of gas fails alone.
        return signed(chainId, { to, data, gas: (quantity(needed) * 3n) / 2n + 50_000n, nonce: Number(nonce) }, fees)
      }),

    outbid: (chainId, signedTransaction) =>
      failing(async () => {
        if (!isHex(signedTransaction)) throw new Error('a stored transaction is not hex')
        const before = parseTransaction(signedTransaction)
        const { to, data, gas, nonce } = before
        if (!to || !data || gas === undefined || nonce === undefined) throw new Error('a stored sweep is not a call')
        const now = await bidNow(askOf(chainId))
        return signed(chainId, { to, data, gas, nonce }, outbidding(now, before))
      }),

    send: (chainId, signedTransaction) => failing(() => sendSigned(askOf(chainId), signedTransaction)),

    state: ({ chainId, nonce, txHashes }) =>
      failing(async (): Promise<SweepState> => {
        const ask = askOf(chainId)
        const finality = chains.find((chain) => chain.chainId === chainId)?.finality ?? 'finalized'
        const final = await finalBlock(ask, finality)
        const receipt = await findReceipt(ask, txHashes)
        if (receipt) {
          if (receipt.block > final || !(await isInChain(ask, receipt))) return { status: 'open' }
          const refused = receipt.logs.filter(({ topics }) => topics[0] === notSweptTopic)
          const notSwept = refused.map(({ topics: [, token = ''] }) => getAddress(`0x${token.slice(26)}`))
          const status = receipt.succeeded ? 'done' : 'reverted'
          return { status, fee: receipt.fee, notSwept: [...new Set(notSwept)] }
        }
        const isUsed = (await nonceCount(ask, account.address, numberToHex(final))) > nonce
        return { status: isUsed ? 'replaced' : 'open' }
      }),
  }
}

/** A sweep can wait: the base fee may rise by a fifth, no more, before it is mined. */
async function bidNow(ask: Ask): Promise<Fees> {
  const { base, tip } = await feesNow(ask)
  return { maxFeePerGas: (base * 6n) / 5n + tip, maxPriorityFeePerGas: tip }
}

/** Whatever goes wrong, the sweep is tried again later: nobody waits for it. */
async function failing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof UpstreamError ? error : new UpstreamError('chain', error)
  }
}
