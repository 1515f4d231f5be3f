import {
  createPurser,
  type OperatorMe,
  operatorSession,
  type Purser,
  type TypedData,
  type WalletAdapter,
} from '@purser/client'
import { findWallet } from '../../lib/browser-wallets.ts'
import { maxRetryAfterSeconds } from '../../lib/purser.ts'
import type { Picked } from '../../lib/session.tsx'
import { keep, recall } from '../../lib/storage.ts'

/** A wallet that cannot sign for the operator: it is not in this browser, or it shows another account. */
class WalletProblem extends Error {
  readonly code: 'WALLET_MISSING' | 'WALLET_OTHER'

  constructor(code: 'WALLET_MISSING' | 'WALLET_OTHER') {
    super(code)
    this.code = code
  }
}

export type Connection = {
  readonly purser: Purser
  /** Signs in with a wallet. If an operator is given, only the wallet of that operator can sign in. */
  signIn(wallet: Picked, operator?: OperatorMe): Promise<void>
  /** Signs typed data with the operator's wallet. */
  sign(data: TypedData, operator: OperatorMe): Promise<string>
  /** Called when a request finds the session ended. Returns whether there is a new session. */
  onEnded: () => Promise<boolean>
}

/**
 * Connects to the service for an operator. The token of the session is in an HttpOnly cookie, so no script can read it.
 * The page remembers only which wallet it was.
 */
export function connectOperator(statement: string): Connection {
  let wallet: Picked | null = null

  async function currentWallet(): Promise<WalletAdapter> {
    // An adapter keeps its first account. For the wallet of an earlier visit, each call therefore builds a new adapter.
    const current = wallet ?? (await findWallet(recall('operator') ?? ''))
    if (current === null) throw new WalletProblem('WALLET_MISSING')
    return current.adapter
  }
  const adapter: WalletAdapter = {
    address: async () => addressOf(await currentWallet()),
    signMessage: async (request) => (await currentWallet()).signMessage(request),
    chainId: async () => (await (await currentWallet()).chainId?.()) ?? 1,
  }
  const session = operatorSession(adapter, { via: 'cookie', statement })
  const connection: Connection = {
    purser: createPurser({
      baseUrl: location.origin,
      maxRetryAfterSeconds,
      auth: { ...session, renew: async (_rejected, code) => code === 'OPERATOR_UNAUTHORIZED' && connection.onEnded() },
    }),
    async signIn(picked, operator) {
      if (operator !== undefined) await requireOwnWallet(picked.adapter, operator)
      wallet = picked
      await session.signIn()
      keep('operator', picked.id)
    },
    async sign(data, operator) {
      const own = await currentWallet()
      await requireOwnWallet(own, operator)
      if (own.signTypedData === undefined) throw new WalletProblem('WALLET_MISSING')
      return own.signTypedData(data)
    },
    onEnded: async () => false,
  }
  return connection
}

async function addressOf({ address }: WalletAdapter): Promise<string> {
  return typeof address === 'string' ? address : address()
}

async function requireOwnWallet(wallet: WalletAdapter, { address }: OperatorMe): Promise<void> {
  if ((await addressOf(wallet)).toLowerCase() !== address.toLowerCase()) throw new WalletProblem('WALLET_OTHER')
}
