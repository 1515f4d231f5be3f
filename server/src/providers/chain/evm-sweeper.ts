import type { Address, Hex } from 'viem'
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
import type { ChainConfig } from '../../config/chains.ts'
import { accountSalt } from '../../lib/deposit-address.ts'
import { UpstreamError } from '../../lib/errors.ts'
import { max, min } from '../../lib/money.ts'
import { type Rpcs, rpcOf } from '../rpc/rpcs.ts'
import type { SignedPayout } from './chain.ts'
import { readFromTwo } from './evm-agreement.ts'
import {
  finalBlock,
  findReceipt,
  isInChain,
  nonceCount,
  quantity,
  type RpcCall,
  readFees,
  tokenBalance,
} from './evm-reading.ts'
import { type Fees, replacementFees, sendSigned } from './evm-sending.ts'
import type { Sweeper, SweepState } from './sweeper.ts'

const factoryAbi = parseAbi(['function sweep(bytes32[] salts, address[] tokens)'])
const notSweptTopic = toEventSelector('NotSwept(address,uint256)')

type Options = {
  readonly rpcs: Rpcs
  readonly chains: readonly ChainConfig[]
  readonly key: Hex
  readonly feeCeilingPerGas: bigint
}

type Call = { readonly to: Hex; readonly data: Hex; readonly gas: bigint; readonly nonce: number }

/** The gas limit of one transaction (EIP-7825). */
const maxGas = 2n ** 24n

/**
 * Sweeps through the factory (`contracts/ForwarderFactory.sol`), which deploys missing deposit contracts. If there are
 * two nodes, they must agree: a single lying node could hide funds or burn gas repeatedly. The gas price comes from one
 * node, and stays below the configured ceiling.
 */
export function createEvmSweeper({ rpcs, chains, key, feeCeilingPerGas }: Options): Sweeper {
  const account = privateKeyToAccount(key)
  const requestOf = (chainId: number): RpcCall => rpcOf(rpcs, chainId).request
  const nodesOf = (chainId: number): RpcCall[] => rpcOf(rpcs, chainId).nodes.map(({ request }) => request)

  /**
   * Adds half to the estimate. A token that runs out of gas does not revert the sweep, so a node may estimate too
   * little.
   */
  async function gasFor(chainId: number, call: Pick<Call, 'to' | 'data'>): Promise<bigint> {
    const params = [{ from: account.address, ...call }]
    const needed = await readFromTwo(nodesOf(chainId), async (request) =>
      quantity(await request('eth_estimateGas', params)),
    )
    const highest = needed.reduce(max)
    if (highest > 2n * needed.reduce(min)) throw new Error(`nodes disagree on the gas of a sweep: ${needed.join(', ')}`)
    return min((highest * 3n) / 2n + 50_000n, maxGas)
  }

  async function signed(chainId: number, call: Call, fees: Fees): Promise<SignedPayout | null> {
    if (fees.maxFeePerGas > feeCeilingPerGas) return null
    const signedTransaction = await account.signTransaction({ type: 'eip1559', chainId, ...call, ...fees })
    return { signedTransaction, txHash: keccak256(signedTransaction) }
  }

  return {
    address: account.address,

    nextNonce: (chainId) =>
      withUpstreamErrors(async () => {
        const counts = await readFromTwo(nodesOf(chainId), (request) => nonceCount(request, account.address, 'pending'))
        if (counts.reduce(max) !== counts.reduce(min))
          throw new Error(`nodes disagree on the next nonce: ${counts.join(', ')}`)
        return counts.reduce(max)
      }),

    holdings: (chainId, token, addresses) =>
      withUpstreamErrors(async () => {
        const read = (request: RpcCall) => addresses.map((holder) => tokenBalance(request, token, getAddress(holder)))
        const balances = await readFromTwo(nodesOf(chainId), (request) => Promise.all(read(request)))
        return addresses.map((_, i) => {
          const held = balances.map((each) => each[i] ?? 0n)
          return held.includes(0n) && held.reduce(max) > 0n ? null : held.reduce(min)
        })
      }),

    sign: ({ chainId, userIds, tokens, nonce }) =>
      withUpstreamErrors(async () => {
        const to = chains.find((chain) => chain.chainId === chainId)?.factory
        if (!to) throw new Error(`chain ${chainId} has no factory`)
        const args = [userIds.map(accountSalt), tokens.map((token) => getAddress(token))] as const
        const data = encodeFunctionData({ abi: factoryAbi, functionName: 'sweep', args })
        const [gas, fees] = await Promise.all([gasFor(chainId, { to, data }), chooseFees(requestOf(chainId))])
        return signed(chainId, { to, data, gas, nonce: Number(nonce) }, fees)
      }),

    bumpFee: (chainId, signedTransaction) =>
      withUpstreamErrors(async () => {
        if (!isHex(signedTransaction)) throw new Error('a stored transaction is not hex')
        const before = parseTransaction(signedTransaction)
        const { to, data, nonce } = before
        if (!to || !data || nonce === undefined) throw new Error('a stored sweep is not a call')
        // Gas is estimated again: a limit that is too high may have prevented the mining of the sweep.
        const [gas, now] = await Promise.all([gasFor(chainId, { to, data }), chooseFees(requestOf(chainId))])
        return signed(chainId, { to, data, gas, nonce }, replacementFees(now, before))
      }),

    send: (chainId, signedTransaction) => withUpstreamErrors(() => sendSigned(nodesOf(chainId), signedTransaction)),

    state: ({ chainId, nonce, txHashes }) =>
      withUpstreamErrors(async (): Promise<SweepState> => {
        const finality = chains.find((chain) => chain.chainId === chainId)?.finality ?? 'finalized'
        const sent = { signer: account.address, nonce, txHashes }
        const nodes = nodesOf(chainId)
        const states = await readFromTwo(nodes, (request) => readState(request, sent, finality))
        const ended = states.filter(({ status }) => status !== 'open' && status !== 'mined')
        const [first] = ended
        if (!first || ended.length < Math.min(2, nodes.length)) {
          return { status: states.some(({ status }) => status === 'open') ? 'open' : 'mined' }
        }
        if (ended.every(({ status }) => status === first.status)) return first
        throw new Error(`nodes disagree on the state of the sweep with nonce ${nonce}`)
      }),
  }
}

type Sent = { readonly signer: Address; readonly nonce: bigint; readonly txHashes: readonly string[] }

/** Reads the state of a sweep from one node. */
async function readState(
  request: RpcCall,
  { signer, nonce, txHashes }: Sent,
  finality: ChainConfig['finality'],
): Promise<SweepState> {
  const final = await finalBlock(request, finality)
  const receipt = await findReceipt(request, txHashes)
  if (receipt) {
    if (!(await isInChain(request, receipt))) return { status: 'open' }
    if (receipt.block > final) return { status: 'mined' }
    const failed = receipt.logs.filter(({ topics }) => topics[0] === notSweptTopic)
    const notSwept = failed.map(({ address, topics: [, token = ''] }) => ({
      token: getAddress(`0x${token.slice(26)}`),
      address: getAddress(address),
    }))
    return { status: receipt.succeeded ? 'done' : 'reverted', fee: receipt.fee, notSwept }
  }
  const isUsed = (await nonceCount(request, signer, numberToHex(final))) > nonce
  return { status: isUsed ? 'replaced' : 'open' }
}

/** Allows the base fee to rise by a fifth. A sweep can wait for cheaper gas. */
async function chooseFees(request: RpcCall): Promise<Fees> {
  const { base, tip } = await readFees(request)
  return { maxFeePerGas: (base * 6n) / 5n + tip, maxPriorityFeePerGas: tip }
}

/** Converts every failure to an `UpstreamError`, so that the sweep is retried later. */
async function withUpstreamErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof UpstreamError ? error : new UpstreamError('chain', 'unavailable', error)
  }
}
