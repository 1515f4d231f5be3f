import { getAddress, keccak256, stringToHex, toHex } from 'viem/utils'
import { simulatedAddress } from '../../lib/deposit-address.ts'
import { UpstreamError } from '../../lib/errors.ts'
import type { ChainProvider, Payout, Transfer, TransferKey, TransferState } from './chain.ts'

type SettledPayout = 'paid' | 'reverted'

export type SandboxChainControls = {
  /** Mines a transfer; the same id is the same transaction. It is final at once, unless finality is held back. */
  mineTransfer(id: string, transfer: Omit<Transfer, 'txHash' | 'logPosition'>): Transfer
  /** From here on a transfer is what the script says; `final` is the default. */
  setTransferState(transfer: TransferKey, state: TransferState): void
  /** Decides the fate of a payout: nothing else mines it. */
  settlePayout(txHash: string, outcome: SettledPayout): void
  /** What the payout wallet holds of a token; without a figure it never runs dry. */
  setPayoutFunds(token: string, amount: bigint): void
  /** The next calls fail, as those of a chain that does not answer. */
  failNext(calls: number): void
}

const payoutWallet = getAddress('0x5afe000000000000000000000000000000000001')
const plenty = 10n ** 60n

/**
 * A chain without blocks: hashes are made up, a transfer is final once it is mined, a payout waits to be settled by hand.
 * What it remembers is scripts alone, so that a restart, or another process, loses no money.
 */
export function createSandboxChain(): { provider: ChainProvider; controls: SandboxChainControls } {
  const transferStates = new Map<string, TransferState>()
  const payoutStates = new Map<string, SettledPayout>()
  const waiting = new Map<string, { token: string; amount: bigint }>()
  const funds = new Map<string, bigint>()
  let failures = 0

  const keyOf = ({ chainId, txHash, logPosition }: TransferKey) => `${chainId}:${txHash}:${logPosition}`

  function answer<T>(value: () => T): Promise<T> {
    if (failures === 0) return Promise.resolve(value())
    failures -= 1
    return Promise.reject(new UpstreamError('chain', 'unavailable', new Error('scripted failure')))
  }

  function sign(payout: Payout & { outbid?: string }) {
    const text = JSON.stringify({ ...payout, amount: String(payout.amount), nonce: String(payout.nonce) })
    const signedTransaction = stringToHex(text)
    return { signedTransaction, txHash: keccak256(signedTransaction) }
  }

  return {
    provider: {
      depositAddress: simulatedAddress,
      transferState: (transfer) => answer(() => transferStates.get(keyOf(transfer)) ?? 'final'),
      payoutSigner: () => answer(() => payoutWallet),
      payoutNonce: () => answer(() => 0n),
      firstNonce: () => answer(() => 0n),
      payoutFunds: (_chainId, token) => answer(() => ({ amount: funds.get(token) ?? plenty, transactions: plenty })),
      signPayout: (payout) => answer(() => sign(payout)),
      outbidPayout: (payout, signedTransaction) =>
        answer(() => sign({ ...payout, outbid: keccak256(toHex(signedTransaction)) })),
      sendPayout: (_chainId, signedTransaction) =>
        answer(() => {
          const bytes = Buffer.from(signedTransaction.slice(2), 'hex')
          const { token, amount } = JSON.parse(bytes.toString())
          const txHash = keccak256(bytes)
          if (!payoutStates.has(txHash)) waiting.set(txHash, { token, amount: BigInt(amount) })
        }),
      payoutAt: () => answer(() => null),
      payoutState: ({ txHashes }) =>
        answer(() => {
          for (const txHash of txHashes) {
            const status = payoutStates.get(txHash)
            if (status) return { status, txHash, fee: 0n }
          }
          return { status: 'unknown', next: null }
        }),
    },
    controls: {
      mineTransfer: (id, transfer) => ({
        ...transfer,
        txHash: keccak256(stringToHex(`transfer ${id}`)),
        logPosition: 0,
      }),
      setTransferState: (transfer, state) => transferStates.set(keyOf(transfer), state),
      settlePayout(txHash, outcome) {
        const { token, amount } = waiting.get(txHash) ?? { token: '', amount: 0n }
        const held = funds.get(token)
        waiting.delete(txHash)
        if (outcome === 'paid' && held !== undefined) funds.set(token, held - amount)
        payoutStates.set(txHash, outcome)
      },
      setPayoutFunds: (token, amount) => funds.set(token, amount),
      failNext: (calls) => {
        failures = calls
      },
    },
  }
}
