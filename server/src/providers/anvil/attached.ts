import {
  encodeFunctionData,
  getAddress,
  keccak256,
  numberToHex,
  parseAbi,
  stringToHex,
  toEventSelector,
} from 'viem/utils'
import type { ChainConfig } from '../../config/chains.ts'
import type { Transfer } from '../chain/chain.ts'
import { finalBlock, quantity, text } from '../chain/evm-reading.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { isAnvil, transact, upstream } from './transact.ts'

/** The simulator's control over a real chain: sending tokens and mining blocks. */
export type AttachedChain = {
  readonly chainId: number
  readonly rpcUrl: string
  /** The number of blocks after which a block is final. */
  readonly finalityDepth: number
  /** Whether it is an Anvil on this machine, whose blocks the simulator may make and replace. */
  readonly isOwn: boolean
  positions(): Promise<ChainPositions>
  /** Mines blocks, which include pending transactions. */
  mine(blocks: number): Promise<void>
  /** Replaces the newest blocks with empty ones. */
  reorganize(blocks: number): Promise<void>
  /** Keeps `mineWhilePending` from mining for 30 seconds, or until blocks are mined or replaced on request. */
  hold(): void
  /** Resolves when the transfer is mined. A repeated id returns the same transaction. */
  sendTokens(id: string, transfer: Omit<Transfer, 'txHash' | 'logPosition'>): Promise<Transfer>
  /** Resolves when the current head is final. */
  mineToFinality(): Promise<void>
  /** Mines blocks while a transaction is pending or not final, so that a chain without traffic makes progress. */
  mineWhilePending(): Promise<void>
}

/** The numbers of the newest block, and of the newest final one. */
type ChainPositions = { readonly head: bigint; readonly final: bigint }

const paidTopic = toEventSelector('Paid(bytes32)')
const tokenAbi = parseAbi(['function pay(bytes32 id, address from, address to, uint256 amount)'])
const maxRounds = 100
const zeroAddress = '0x0000000000000000000000000000000000000000'
/** A block becomes final in about this many steps, so that both states are observable. */
const stepsToFinality = 3
const holdMilliseconds = 30_000
const ownHosts: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

export async function attachChain(rpc: Rpc, { chainId, rpcUrls, finality }: ChainConfig): Promise<AttachedChain> {
  const isTestChain = await isAnvil(rpc)

  const rpcUrl = rpcUrls[0] ?? ''
  let heldUntil = 0

  async function positions(): Promise<ChainPositions> {
    const head = quantity(await rpc.request('eth_blockNumber', []))
    return { head, final: await finalBlock(rpc.request, finality) }
  }

  const mine = (blocks: bigint) => rpc.request('anvil_mine', [numberToHex(blocks)])

  async function mineToFinality(): Promise<void> {
    const { head: wanted } = await positions()
    for (let rounds = 0; rounds < maxRounds; rounds++) {
      const { final } = await positions()
      if (final >= wanted) return
      await mine(wanted - final)
    }
    throw new Error(`block ${wanted} did not become final`)
  }

  async function hasFinalState(): Promise<boolean> {
    const { final } = await positions()
    const balance = rpc.request('eth_getBalance', [zeroAddress, numberToHex(final)])
    return final > 0n && (await balance.then(Boolean, () => false))
  }

  async function measureDepth(): Promise<number> {
    if (finality !== 'finalized') return finality
    // On a new chain the genesis block is the last final one at any depth. A restarted chain has lost the state of old
    // blocks. Both would give a wrong depth.
    if (isTestChain && !(await hasFinalState())) await mineToFinality()
    const { head, final } = await positions()
    return Number(head - final)
  }

  async function findPaid(token: string, id: string): Promise<string | null> {
    const topics = [paidTopic, keccak256(stringToHex(id))]
    const found = await rpc.request('eth_getLogs', [{ address: getAddress(token), topics, fromBlock: '0x0' }])
    const [paid] = Array.isArray(found) ? found : []
    return paid === undefined ? null : text(Object(paid).transactionHash)
  }

  async function pay(id: string, transfer: Omit<Transfer, 'txHash' | 'logPosition'>): Promise<string> {
    if (!isTestChain) throw new Error('tokens can only be minted on an Anvil chain')
    const { token, fromAddress, toAddress, amount } = transfer
    const args = [keccak256(stringToHex(id)), getAddress(fromAddress), getAddress(toAddress), amount] as const
    const data = encodeFunctionData({ abi: tokenAbi, functionName: 'pay', args })
    return (await transact(rpc, id, { to: getAddress(token), data })).txHash
  }

  async function hasUnfinalTransactions(): Promise<boolean> {
    const { pending } = Object(await rpc.request('txpool_status', []))
    if (pending !== '0x0') return true
    const { head, final } = await positions()
    for (let number = head; number > final; number--) {
      const count = await rpc.request('eth_getBlockTransactionCountByNumber', [numberToHex(number)])
      if (quantity(count) > 0n) return true
    }
    return false
  }

  const finalityDepth = await measureDepth()
  return {
    chainId,
    rpcUrl,
    finalityDepth,
    isOwn: isTestChain && ownHosts.includes(new URL(rpcUrl).hostname),
    positions: () => upstream(positions),
    mine: (blocks) =>
      upstream(async () => {
        heldUntil = 0
        await mine(BigInt(blocks))
      }),
    reorganize: (blocks) =>
      upstream(async () => {
        heldUntil = 0
        await rpc.request('anvil_reorg', [blocks, []])
      }),
    hold() {
      heldUntil = performance.now() + holdMilliseconds
    },
    mineToFinality: () => upstream(mineToFinality),

    sendTokens: (id, transfer) =>
      upstream(async () => {
        const txHash = (await findPaid(transfer.token, id)) ?? (await pay(id, transfer))
        // The transfer is the first event of the test token.
        return { ...transfer, txHash, logPosition: 0 }
      }),

    mineWhilePending: () =>
      upstream(async () => {
        if (!isTestChain || performance.now() < heldUntil || !(await hasUnfinalTransactions())) return
        await mine(BigInt(Math.max(1, Math.ceil(finalityDepth / stepsToFinality))))
      }),
  }
}
