import { type Block, type ChainNode, type TransferLog, wordOf } from '../../../src/providers/chain/node.ts'

/** A token transfer in a transaction of the model. */
export type ModelTransfer = { readonly tx: number; readonly to: string; readonly amount: bigint }
type ModelBlock = Block & { readonly transfers: readonly ModelTransfer[] }

/** Creates a chain of blocks in memory that can be truncated at any block, and a node that serves it. */
export function createModelChain(token: string) {
  const blocks: ModelBlock[] = []
  let made = 0

  function mine(transfers: readonly ModelTransfer[]): void {
    made += 1
    const hash = `0x${made.toString(16).padStart(64, '0')}`
    const parentHash = blocks.at(-1)?.hash ?? `0x${'0'.repeat(64)}`
    blocks.push({ number: blocks.length, hash, parentHash, seconds: made, transfers })
  }
  mine([])

  const logsOf = ({ number, hash, transfers }: ModelBlock): TransferLog[] =>
    transfers.map(({ tx, to, amount }, i) => ({
      blockNumber: number,
      blockHash: hash,
      txHash: `0xaa${tx.toString(16).padStart(62, '0')}`,
      transactionIndex: i,
      logIndex: i,
      token: token.toLowerCase(),
      from: wordOf('0x00000000000000000000000000000000000000f0'),
      to: wordOf(to),
      amount: wordOf(`0x${amount.toString(16)}`),
    }))

  function balance(account: string, upTo: number): bigint {
    return blocks
      .slice(0, upTo + 1)
      .flatMap(({ transfers }) => transfers)
      .filter(({ to }) => to.toLowerCase() === account)
      .reduce((total, { amount }) => total + amount, 0n)
  }

  const node: ChainNode = {
    name: 'model',
    async heads(finality) {
      const head = blocks.at(-1)
      if (!head || finality === 'finalized') throw new Error('the model is final by depth')
      return { head, final: head.number - finality }
    },
    block: async (number) => blocks[number] ?? null,
    transferLogs: async (from, to) => blocks.slice(from, to + 1).flatMap(logsOf),
    firstLogIndex: async (txHash, blockHash) => {
      const block = blocks.find(({ hash }) => hash === blockHash)
      return (block ? logsOf(block) : []).find((log) => log.txHash === txHash)?.logIndex ?? 0
    },
    balances: async (_token, accounts, at) => {
      const upTo = 'number' in at ? at.number : blocks.findIndex(({ hash }) => hash === at.hash)
      return accounts.map((account) => balance(account, upTo))
    },
  }
  return {
    node,
    mine,
    /** Removes the last blocks and returns their transfers. */
    cut(depth: number): ModelTransfer[] {
      return blocks.splice(Math.max(1, blocks.length - depth)).flatMap(({ transfers }) => transfers)
    },
    get head(): number {
      return blocks.length - 1
    },
    /** Returns the transfers up to a block. */
    transfers: (upTo: number) => blocks.slice(0, upTo + 1).flatMap(({ transfers }) => transfers),
  }
}
