import { Refusal } from '../../lib/errors.ts'
import { createSemaphore } from '../rpc/semaphore.ts'

/**
 * The origin of a signature check. The signature is not verified yet, so anyone can request a check for any wallet.
 * Requests above the limit of a wallet or client are rejected before they queue. Unknown wallets share a lower limit,
 * so that known owners always get some calls.
 */
export type Requester = {
  readonly wallet: string
  /** The network address of the client; null: the request has an access token. */
  readonly client: string | null
  /** Whether the wallet belongs to a user or to an operator. */
  readonly isKnown: boolean
}

type Limits = {
  /** Lower than the limit of the wallet, so that one client cannot keep a wallet from signing in elsewhere. */
  readonly maxPerWalletOfClient: number
  readonly maxPerWallet: number
  readonly maxPerClient: number
  readonly maxUnknown: number
  readonly timeoutMilliseconds: number
}

export type WithSlot = <T>(requester: Requester, signal: AbortSignal, work: () => Promise<T>) => Promise<T>

export function createSlots({
  maxPerWalletOfClient,
  maxPerWallet,
  maxPerClient,
  maxUnknown,
  timeoutMilliseconds,
}: Limits): WithSlot {
  /** The requests in progress, queued ones included. */
  const counts = new Map<string, number>()
  const acquireForUnknown = createSemaphore(maxUnknown)

  function add(name: string, change: 1 | -1): void {
    const count = (counts.get(name) ?? 0) + change
    if (count === 0) counts.delete(name)
    else counts.set(name, count)
  }

  return async ({ wallet, client, isKnown }, signal, work) => {
    const limited = [
      { name: `wallet ${wallet} client ${client}`, max: maxPerWalletOfClient },
      { name: `wallet ${wallet}`, max: maxPerWallet },
    ]
    if (client !== null) limited.push({ name: `client ${client}`, max: maxPerClient })
    if (limited.some(({ name, max }) => (counts.get(name) ?? 0) >= max)) {
      throw new Refusal('RATE_LIMITED', Math.ceil(timeoutMilliseconds / 1000))
    }
    for (const { name } of limited) add(name, 1)
    try {
      const release = isKnown ? () => {} : await acquireForUnknown(signal)
      try {
        return await work()
      } finally {
        release()
      }
    } finally {
      for (const { name } of limited) add(name, -1)
    }
  }
}
