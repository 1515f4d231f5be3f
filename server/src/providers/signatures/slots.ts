import { Refusal } from '../../lib/errors.ts'
import { createTurns } from '../rpc/turns.ts'

/**
 * Shares the calls of one chain among those who ask for them. A signature is not verified yet, so anyone can ask, in the
 * name of any wallet. Requests beyond the limit of a wallet or client are rejected before they queue, and strangers leave
 * some calls to wallets that are known owners.
 */
export type Asker = {
  readonly wallet: string
  /** The network address of the client; null: the request has an access token. */
  readonly client: string | null
  /** Whether the wallet is an owner of a user. */
  readonly isKnown: boolean
}

type Limits = {
  readonly maxPerWallet: number
  readonly maxPerClient: number
  readonly maxStrangers: number
  readonly timeoutMilliseconds: number
}

export type WithSlot = <T>(asker: Asker, signal: AbortSignal, work: () => Promise<T>) => Promise<T>

export function createSlots({ maxPerWallet, maxPerClient, maxStrangers, timeoutMilliseconds }: Limits): WithSlot {
  /** The requests in progress, queued ones included. */
  const counts = new Map<string, number>()
  const takeStrangersTurn = createTurns(maxStrangers)

  function add(name: string, change: 1 | -1): void {
    const count = (counts.get(name) ?? 0) + change
    if (count === 0) counts.delete(name)
    else counts.set(name, count)
  }

  return async ({ wallet, client, isKnown }, signal, work) => {
    const held = [{ name: `wallet ${wallet}`, max: maxPerWallet }]
    if (client !== null) held.push({ name: `client ${client}`, max: maxPerClient })
    if (held.some(({ name, max }) => (counts.get(name) ?? 0) >= max)) {
      throw new Refusal('RATE_LIMITED', Math.ceil(timeoutMilliseconds / 1000))
    }
    for (const { name } of held) add(name, 1)
    try {
      const endTurn = isKnown ? () => {} : await takeStrangersTurn(signal)
      try {
        return await work()
      } finally {
        endTurn()
      }
    } finally {
      for (const { name } of held) add(name, -1)
    }
  }
}
