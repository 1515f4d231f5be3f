/**
 * Every answer that is the caller's doing: code → HTTP status and a sentence for people.
 * `docs/errors.md` is generated from this table. The body's shape is chosen in `http/`, by path.
 */
export const refusals = {
  // Requests that no route takes
  INVALID_JSON: [400, 'The body is not valid JSON.'],
  BAD_REQUEST: [400, 'The request cannot be understood.'],
  NOT_FOUND: [404, 'There is no such path.'],
  METHOD_NOT_ALLOWED: [405, 'The path exists, but not for this method; see the Allow header.'],
  PAYLOAD_TOO_LARGE: [413, 'The body is larger than the limit.'],
  UNSUPPORTED_MEDIA_TYPE: [415, 'The body must be application/json.'],
  RATE_LIMITED: [429, 'Too many requests; try again after the seconds in Retry-After.'],

  // Access token
  UNAUTHORIZED: [401, 'An access token is needed: Authorization: Bearer <token>.'],
  INVALID_TOKEN: [401, 'The access token is not valid; sign in again.'],
  TOKEN_EXPIRED: [401, 'The access token has expired; sign in again.'],
  NOT_REGISTERED: [401, 'The wallet belongs to no user yet; register with POST /user.'],
  ACCESS_REVOKED: [401, 'The wallet may no longer sign in for this user, or the user is closed.'],

  // Sign-in
  INVALID_NONCE: [401, 'The nonce was not issued by this service.'],
  NONCE_EXPIRED: [401, 'The nonce has expired; request a new one.'],
  NONCE_USED: [401, 'The nonce has been used; request a new one.'],
  DOMAIN_NOT_ALLOWED: [401, 'The domain of the sign-in message is not registered.'],
  MESSAGE_EXPIRED: [401, 'The sign-in message has expired.'],
  MESSAGE_NOT_YET_VALID: [401, 'The sign-in message is not valid yet.'],
  INVALID_SIGNATURE: [401, 'The signature does not belong to the address of the message.'],
  CHAIN_NOT_SUPPORTED: [401, 'Contract signatures cannot be checked on the chain of the message.'],

  // Registration
  INVALID_OTP: [422, 'The code is wrong, expired or used; request a new one.'],
  WALLET_IN_USE: [409, 'The wallet belongs to a user already.'],
  EMAIL_IN_USE: [409, 'The e-mail address belongs to a user already.'],
  UNKNOWN_TERMS: [422, 'A type or version of the terms is not the current one.'],
  INVALID_SOURCE_OF_FUNDS: [422, 'Every question must be answered once, with one of its answers.'],
  ONBOARDING_INCOMPLETE: [422, 'An earlier onboarding step is not complete; see GET /user/onboarding.'],
  KYC_NOT_APPROVED: [422, 'Identity verification is not approved.'],

  // Owners
  WALLET_NOT_PROVEN: [422, 'The signed message proves no wallet, is not meant for us now, or does not name the user.'],
  OWNER_NOT_APPROVED: [
    422,
    'No owner of the user has signed, for us and now, that this wallet is to be added or removed.',
  ],
  OWNER_LIMIT_REACHED: [422, 'The user has as many owners as allowed.'],
  OWNER_NOT_FOUND: [404, 'The user has no such owner.'],
  LAST_WALLET: [422, 'The last owner cannot be removed; add another one first, or close the account.'],

  // Account and cards
  ACCOUNT_NOT_FOUND: [404, 'The user has no account.'],
  ACCOUNT_NOT_ACTIVE: [422, 'The account is not active.'],
  PHONE_NOT_FOUND: [404, 'No card was created yet, so no phone number is stored.'],
  PHONE_REQUIRED: [422, 'The first card needs a phone number.'],
  CARD_LIMIT_REACHED: [422, 'The user has as many live cards as allowed.'],
  CARD_NOT_FOUND: [404, 'The user has no such card.'],
  INVALID_CARD_STATUS: [422, 'The card is in a state that does not allow this.'],
  BLOCKED_BY_ISSUER: [403, 'The card is also blocked by the issuer or by compliance.'],

  // Closing
  ACCOUNT_NOT_EMPTY: [422, 'There is money left, on its way, held for a payment, or owed.'],
  CARD_IN_PROGRESS: [422, 'A card is just being made; try again in a moment.'],
  USER_NOT_CLOSED: [409, 'Only a closed user can be erased.'],
  // Card numbers
  INVALID_CHALLENGE: [403, 'The challenge was not issued for this wallet, card and action.'],
  CHALLENGE_EXPIRED: [403, 'The challenge has expired; request a new one.'],
  CHALLENGE_USED: [403, 'The challenge has been used; request a new one.'],
  CHALLENGE_NOT_SIGNED: [403, 'The signature is not that of the wallet that signed in, over this challenge.'],
  VIEW_REFUSED: [403, 'This view was opened before, has expired, or never was. Request a new one.'],
  FRAME_ONLY: [403, 'Card numbers are shown in a frame only.'],

  // Withdrawals
  TOKEN_NOT_SUPPORTED: [422, 'The token is not one of the supported ones.'],
  INSUFFICIENT_FUNDS: [422, 'The amount is more than what is spendable.'],
  DAILY_LIMIT_EXCEEDED: [422, 'The amount is above what is left of the daily limit.'],
  PAYEE_NOT_ON_CHAIN: [422, "The owner is a contract that is not known on the token's chain."],

  // Statement
  INVALID_CURSOR: [400, 'The cursor is not one of this statement.'],
  CURSOR_MISMATCH: [400, 'The cursor belongs to a request with other filters.'],
  INVALID_DATE_RANGE: [400, 'startDate is after endDate.'],

  // Idempotency
  IDEMPOTENCY_KEY_REUSED: [422, 'The idempotency key was used with another request.'],
  REQUEST_IN_PROGRESS: [409, 'A request with this idempotency key is still being worked on.'],

  // KYC sharing
  UNKNOWN_CLIENT: [400, 'forClientId is not a known partner client.'],
  KYC_NOT_SHAREABLE: [409, 'Identity verification is not approved yet.'],

  // IBAN
  IBAN_NOT_AVAILABLE: [422, 'The user is not eligible for an IBAN; see GET /api/v1/ibans/available.'],

  // Partners
  INVALID_API_KEY: [401, 'The API key is unknown, expired or revoked.'],
  NOT_A_MEMBER: [403, 'The wallet is a member of no partner; sign up with POST /partner.'],
  NOT_PERMITTED: [403, 'The role of the member, or the scopes of the API key, do not allow this.'],
  PARTNER_NOT_FOUND: [404, 'There is no such partner.'],
  ALREADY_A_MEMBER: [409, 'The wallet is a member of a partner already.'],
  MEMBER_NOT_FOUND: [404, 'The partner has no such member.'],
  LAST_OWNER: [409, 'The partner needs another owner first.'],
  DOMAIN_NOT_FOUND: [404, 'The partner claims no such domain.'],
  DOMAIN_CLAIMED: [409, 'The partner claims the domain already.'],
  DOMAIN_IN_USE: [409, "The domain is another partner's."],
  DOMAIN_NOT_PROVEN: [422, 'The domain shows the proof neither in its DNS nor on its page; changes may take a while.'],
  KYC_CLIENT_NOT_FOUND: [404, 'The partner has no such KYC client.'],
  KYC_CLIENT_IN_USE: [409, 'The KYC client id is taken.'],
  API_KEY_NOT_FOUND: [404, 'The partner has no such API key that is valid.'],

  // Webhooks
  ENDPOINT_NOT_FOUND: [404, 'The partner has no such webhook endpoint.'],
  ENDPOINT_LIMIT_REACHED: [422, 'The partner has as many webhook endpoints as allowed.'],
  ENDPOINT_DISABLED: [409, 'The webhook endpoint is disabled; enable it first.'],
  EVENT_NOT_FOUND: [404, 'The partner has no such event, or it is older than 30 days.'],

  // Issuer
  ISSUER_UNAUTHORIZED: [401, 'The message needs X-Issuer-Key-Id, X-Issuer-Timestamp and X-Issuer-Signature.'],
  ISSUER_TIMESTAMP_REFUSED: [401, 'The timestamp of the signature is too far from now.'],
  ISSUER_SIGNATURE_REFUSED: [401, 'The signature does not belong to the body, the timestamp and a known key.'],

  // Callbacks of providers
  CALLBACK_REFUSED: [401, 'The callback is not signed with a known key, over its body and the present time.'],

  // Sandbox
  SANDBOX_UNAUTHORIZED: [401, 'Sandbox operations need HTTP Basic: user "simulator" and the sandbox password.'],
  USER_NOT_FOUND: [404, 'There is no such user.'],
  DEPOSIT_NOT_FOUND: [404, 'There is no such deposit.'],
  WITHDRAWAL_NOT_FOUND: [404, 'There is no such withdrawal.'],
  INVALID_DEPOSIT_STATUS: [409, 'The deposit is in a state that does not allow this.'],
  INVALID_WITHDRAWAL_STATUS: [409, 'The withdrawal is in a state that does not allow this.'],
  INVALID_ACCOUNT_STATUS: [409, 'The account cannot change to this state.'],
  AUTHORIZATION_NOT_FOUND: [404, 'The card has no authorization with this code.'],
  AUTHORIZATION_CODE_USED: [409, 'The card has an authorization with this code already.'],
  AMOUNT_EXCEEDS_ORIGINAL: [422, 'The amount is more than what is left of the original.'],
  EVENT_ID_REUSED: [409, 'The event id was used with another body.'],
  BILLING_AMOUNT_NEEDED: [422, "What is billed must be given in the card's currency."],
  CURRENCY_NOT_SUPPORTED: [422, 'There is no exchange rate for the currency.'],
  CHAIN_ATTACHED: [409, 'A chain is attached: it decides the outcome.'],
  NO_CHAIN: [404, 'No chain is attached.'],
} as const satisfies Record<string, readonly [status: number, message: string]>

export type RefusalCode = keyof typeof refusals

/** Thrown where the caller asked for something that the rules refuse. A decline of a card is not one: it is a value. */
export class Refusal extends Error {
  readonly code: RefusalCode
  /** When it is worth another try; null: nobody knows. */
  readonly retryAfterSeconds: number | null

  constructor(code: RefusalCode, retryAfterSeconds: number | null = null) {
    super(refusals[code][1])
    this.name = 'Refusal'
    this.code = code
    this.retryAfterSeconds = retryAfterSeconds
  }

  get status(): number {
    return refusals[this.code][0]
  }
}

/** Thrown for input that the schema could not judge; answered as the interface's validation body. */
export class InvalidInput extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'InvalidInput'
  }
}

/** Thrown by a provider: its side failed or its outcome is unknown. 502 over HTTP, a retry in a job. */
export class UpstreamError extends Error {
  readonly port: string

  constructor(port: string, cause: unknown) {
    super(`${port} failed or did not answer`, { cause })
    this.name = 'UpstreamError'
    this.port = port
  }
}
