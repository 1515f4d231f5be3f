import { getAddress, keccak256, stringToHex, toHex } from 'viem/utils'
import { simulatedAddress } from '../../lib/deposit-address.ts'
import { UpstreamError } from '../../lib/errors.ts'
import type { ChainProvider, Payout, Transfer, TransferKey, TransferState } from './chain.ts'

type SettledPayout = 'paid' | 'reverted'

export type SandboxChainControls = {
  /** Mines a transfer. A repeated id returns the same transaction. It is final at once unless scripted otherwise. */
  mineTransfer(id: string, transfer: Omit<Transfer, 'txHash' | 'logPosition'>): Transfer
  /** Sets the state of a transfer. The default is `final`. */
  setTransferState(transfer: TransferKey, state: TransferState): void
  /** Mines a payout with an outcome. Nothing else mines it. */
  settlePayout(txHash: string, outcome: SettledPayout): void
  /** Sets the payout wallet's balance of a token. The default is practically unlimited. */
  setPayoutFunds(token: string, amount: bigint): void
  /** Makes the next calls fail as if the chain were unreachable. */
  failNext(calls: number): void
}

const payoutWallet = getAddress('0x5afe000000000000000000000000000000000001')
const plenty = 10n ** 60n

/**
 * Creates a simulated chain without blocks. A transfer is final once it is mined, and a payout waits until it is
 * settled through the controls. Memory holds only scripted outcomes, so a restart loses no money.
 */
export function createSandboxChain(): { provider: ChainProvider; controls: SandboxChainControls } {
  const transferStates = new Map<string, TransferState>()
  const payoutStates = new Map<string, SettledPayout>()
  const waiting = new Map<string, { token: string; amount: bigint }>()
  const funds = new Map<string, bigint>()
  let failures = 0

  const keyOf = ({ chainId, txHash, logPosition }: TransferKey) => `${chainId}:${txHash}:${logPosition}`

  function respond<T>(value: () => T): Promise<T> {
    if (failures === 0) return Promise.resolve(value())
    failures -= 1
    return Promise.reject(new UpstreamError('chain', 'unavailable', new Error('scripted failure')))
  }

  function sign(payout: Payout & { replaces?: string }) {
    const text = JSON.stringify({ ...payout, amount: String(payout.amount), nonce: String(payout.nonce) })
    const signedTransaction = stringToHex(text)
    return { signedTransaction, txHash: keccak256(signedTransaction) }
  }

  return {
    provider: {
      depositAddress: simulatedAddress,
      transferState: (transfer) => respond(() => transferStates.get(keyOf(transfer)) ?? 'final'),
      payoutSigner: () => respond(() => payoutWallet),
      payoutNonce: () => respond(() => 0n),
      firstNonce: () => respond(() => 0n),
      payoutFunds: (_chainId, token) => respond(() => ({ amount: funds.get(token) ?? plenty, transactions: plenty })),
      signPayout: (payout) => respond(() => sign(payout)),
      bumpPayoutFee: (payout, signedTransaction) =>
        respond(() => sign({ ...payout, replaces: keccak256(toHex(signedTransaction)) })),
      sendPayout: (_chainId, signedTransaction) =>
        respond(() => {
          const bytes = Buffer.from(signedTransaction.slice(2), 'hex')
          const { token, amount } = JSON.parse(bytes.toString())
          const txHash = keccak256(bytes)
          if (!payoutStates.has(txHash)) waiting.set(txHash, { token, amount: BigInt(amount) })
        }),
      payoutAt: () => respond(() => null),
      payoutState: ({ txHashes }) =>
        respond(() => {
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
        const balance = funds.get(token)
        waiting.delete(txHash)
        if (outcome === 'paid' && balance !== undefined) funds.set(token, balance - amount)
        payoutStates.set(txHash, outcome)
      },
      setPayoutFunds: (token, amount) => funds.set(token, amount),
      failNext: (calls) => {
        failures = calls
      },
    },
  }
}
