import type { FastifyRequest } from 'fastify'
import { Refusal } from '../../lib/errors.ts'
import type { Permission } from '../../lib/partner-permission.ts'

/**
 * Who may call a route. Every route names one; the guard lets none be registered that does not.
 * `wallet`: any signed-in wallet, also one that belongs to no user yet. `user`: the wallet of a registered user.
 * `issuer`, `screening`, `kyc`: the card processor, and who judges deposits and people, by a signature over each body.
 * `partner`: a partner's member by wallet, or its server by API key, who has the permission that the route names.
 */
export type Access = 'public' | 'wallet' | 'user' | 'sandbox' | 'issuer' | 'screening' | 'kyc' | 'partner'

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
  /** whose domain a wallet without a user has signed in at; absent: no partner's */
  readonly partnerId?: string
}

/** Who acts for a partner, with what they may do. */
export type PartnerCaller = {
  readonly partnerId: string
  /** `wallet:<address>` or `key:<id>`, as the audit log names it */
  readonly actor: string
  readonly permissions: readonly Permission[]
}

export type UserCaller = Caller & { readonly userId: string }

/** The wallet that acts for a user, whether it calls now or has signed for what is done now. */
export type OwnerKey = Pick<UserCaller, 'userId' | 'signerAddress'>

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access
    /** what a route of access `partner` asks for */
    permission?: Permission
  }
  interface FastifyRequest {
    caller: Caller | null
    partner: PartnerCaller | null
  }
}

export function requireCaller(request: FastifyRequest): Caller {
  if (request.caller === null) throw new Refusal('UNAUTHORIZED')
  return request.caller
}

export function requireUser(request: FastifyRequest): UserCaller {
  const caller = requireCaller(request)
  if (!isUser(caller)) throw new Refusal('NOT_REGISTERED')
  return caller
}

function isUser(caller: Caller): caller is UserCaller {
  return caller.userId !== null
}

export function requirePartner(request: FastifyRequest): PartnerCaller {
  if (request.partner === null) throw new Refusal('UNAUTHORIZED')
  return request.partner
}
