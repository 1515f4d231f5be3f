import type { FastifyRequest } from 'fastify'
import { Refusal } from '../../lib/errors.ts'
import type { OperatorPermission, OperatorRole, SessionVia } from '../../lib/operator-permission.ts'
import type { Permission } from '../../lib/partner-permission.ts'
import type { PartnerStatus } from '../../lib/partner-status.ts'

/**
 * The callers that a route admits. The service does not start if a route names no access.
 * `wallet`: any signed-in wallet, with or without a user. `user`: a wallet of a registered user.
 * `issuer`, `screening`, `kyc`: a card processor or provider, authenticated by a signature of each body.
 * `partner`: a member's wallet or an API key that has the permission of the route.
 * `operator`: an open session of an operator whose role has the permission `may` of the route.
 */
export type Access = 'public' | 'wallet' | 'user' | 'sandbox' | 'issuer' | 'screening' | 'kyc' | 'partner' | 'operator'

/** The signer of a sign-in message: the private key of the address, or the contract at the address on its chain. */
export type Signer = 'key' | 'contract'

/** The bearer of a verified access token. */
export type Caller = {
  /** The id of the sign-in. A new access token of the same sign-in has the same id. */
  readonly sessionId: string
  /** Null until the wallet is registered. */
  readonly userId: string | null
  /** The owner's access id when the token was issued. Null exactly when `userId` is. */
  readonly accessId: string | null
  /** In EIP-55 form. */
  readonly signerAddress: string
  /** The chain id of the sign-in message, in decimal. */
  readonly chainId: string
  readonly signedBy: Signer
  readonly expiresAt: Date
  /** The partner of the sign-in domain; absent: a domain of the programme, or localhost. */
  readonly partnerId?: string
  /** Whether that partner differs from the user's partner. */
  readonly isShared?: true
}

/** A member or API key that acts for a partner. */
export type PartnerCaller = {
  readonly partnerId: string
  readonly status: PartnerStatus
  /** `wallet:<address>` or `key:<id>`, as in the audit log. */
  readonly actor: string
  readonly permissions: readonly Permission[]
}

/** An operator with an open session. */
export type OperatorCaller = {
  readonly sessionId: string
  readonly via: SessionVia
  readonly expiresAt: Date
  /** In EIP-55 form. */
  readonly address: string
  /** The chain of a wallet that is a contract; null: the wallet signs with a key. */
  readonly contractChainId: number | null
  readonly personId: string
  readonly name: string
  readonly role: OperatorRole
}

export type UserCaller = Caller & { readonly userId: string; readonly accessId: string }

/** The parts of a user's access token that the database checks. */
export type SessionKey = Pick<UserCaller, 'userId' | 'accessId' | 'sessionId'>

/** A wallet that acts for a user: the caller's, or one that signed an approval. */
export type OwnerKey = Pick<UserCaller, 'userId' | 'signerAddress'>

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access
    /** The permission that a route of access `partner` requires. */
    permission?: Permission
    /** The permission that a route of access `operator` requires. */
    may?: OperatorPermission
  }
  interface FastifyRequest {
    caller: Caller | null
    partner: PartnerCaller | null
    operator: OperatorCaller | null
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
  return caller.userId !== null && caller.accessId !== null
}

export function requirePartner(request: FastifyRequest): PartnerCaller {
  if (request.partner === null) throw new Refusal('UNAUTHORIZED')
  return request.partner
}

export function requireOperator(request: FastifyRequest): OperatorCaller {
  if (request.operator === null) throw new Refusal('OPERATOR_UNAUTHORIZED')
  return request.operator
}
