import type { FastifyRequest } from 'fastify'
import { Refusal } from '../lib/refusal.ts'

/**
 * Who may call a route. Every route names one; `app.ts` refuses to start with a route that does not.
 * `wallet`: any signed-in wallet, also one that belongs to no user yet. `user`: the wallet of a registered user.
 * `issuer`, `screening`, `kyc`: the card processor, and who judges deposits and people, by a signature over each body.
 */
export type Access = 'public' | 'wallet' | 'user' | 'sandbox' | 'issuer' | 'screening' | 'kyc'

/** Who made a wallet's signature: the key of its address, or the contract that stands there on the message's chain. */
export type Signer = 'key' | 'contract'

/** What a verified access token says of its bearer. */
export type Caller = {
  /** null until the wallet's owner is registered */
  readonly userId: string | null
  /** EIP-55 */
  readonly signerAddress: string
  /** decimal, of the sign-in message */
  readonly chainId: string
  readonly signedBy: Signer
  readonly expiresAt: Date
}

export type UserCaller = Caller & { readonly userId: string }

/** The wallet that acts for a user, whether it calls now or has signed for what is done now. */
export type OwnerKey = Pick<UserCaller, 'userId' | 'signerAddress'>

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access
  }
  interface FastifyRequest {
    caller: Caller | null
  }
}

export function requireCaller(request: FastifyRequest): Caller {
  if (request.caller === null) throw new Refusal('UNAUTHORIZED')
  return request.caller
}

export function requireUser(request: FastifyRequest): UserCaller {
  const caller = requireCaller(request)
  if (caller.userId === null) throw new Refusal('NOT_REGISTERED')
  return { ...caller, userId: caller.userId }
}
