/**
 * Errors come in three kinds. A `Refusal` or an `InvalidInput` is the caller's mistake: the table maps the code of a
 * `Refusal` to a status and a sentence. An `UpstreamError` is the failure of another service: 502 over HTTP, a retry in
 * a job. An unreachable database also counts as an upstream failure. A database with a shortage gives 503. Anything
 * else is a bug: 500. A card decline is a value, not an error.
 */

/** The HTTP status and sentence of every refusal code. `docs/errors.md` is generated from this table. */
export const refusals = {
  // Requests that no route accepts
  INVALID_JSON: [400, 'The body is not valid JSON. Send one JSON value, encoded in UTF-8.'],
  BAD_REQUEST: [400, 'The request is malformed. Check its request line, headers and encoding.'],
  NOT_FOUND: [404, 'No operation has this path. See /openapi.json and /operator/openapi.json.'],
  METHOD_NOT_ALLOWED: [
    405,
    'This path does not support the method. The Allow header lists the methods that it supports.',
  ],
  PAYLOAD_TOO_LARGE: [413, 'The body exceeds the size limit. Send a smaller body.'],
  UNSUPPORTED_MEDIA_TYPE: [415, 'The content type is not supported. Send the body as application/json.'],
  METRICS_UNAUTHORIZED: [401, 'The metrics need their own token. Send Authorization: Bearer <METRICS_TOKEN>.'],
  RATE_LIMITED: [429, 'The rate limit is exceeded. Wait for the number of seconds in Retry-After, then try again.'],
  SERVICE_UNAVAILABLE: [
    503,
    'The service cannot store anything at the moment. Send the same request again after the seconds in Retry-After.',
  ],

  // Access token
  UNAUTHORIZED: [401, 'The request carries no access token. Send Authorization: Bearer <token>.'],
  INVALID_TOKEN: [401, 'The access token is invalid. Sign in again.'],
  TOKEN_EXPIRED: [401, 'The access token has expired. Sign in again.'],
  NOT_REGISTERED: [401, 'The wallet belongs to no user yet. Register with POST /user.'],
  ACCESS_REVOKED: [
    401,
    'The session has ended, the wallet has lost access to this user, or the user is closed. Sign in again.',
  ],

  // Sign-in
  INVALID_NONCE: [401, 'The nonce was not issued by this service. Request a new one.'],
  NONCE_EXPIRED: [401, 'The nonce has expired. Request a new one.'],
  NONCE_USED: [401, 'The nonce has already been used. Request a new one.'],
  DOMAIN_NOT_ALLOWED: [
    401,
    'The domain of the sign-in is not registered, or its partner is not active. Sign in at a registered domain.',
  ],
  DOMAIN_OF_OTHER_PARTNER: [
    401,
    'The domain of the sign-in belongs to another partner. Sign in at a domain of your own partner or of the programme.',
  ],
  MESSAGE_EXPIRED: [401, 'The sign-in message has expired. Sign a new one.'],
  MESSAGE_NOT_YET_VALID: [401, 'The sign-in message is not valid yet. Check the clock of the device that created it.'],
  INVALID_SIGNATURE: [
    401,
    'The signature does not match the address in the sign-in message. Sign the message with that wallet.',
  ],
  CHAIN_NOT_SUPPORTED: [
    401,
    'Contract signatures cannot be verified on the chain in the sign-in message. Use a supported chain.',
  ],

  // Registration
  INVALID_OTP: [422, 'The code is wrong, expired or already used. Request a new one.'],
  WALLET_IN_USE: [
    409,
    'The wallet already belongs to a user. If it is yours, sign in again. Otherwise, use another wallet.',
  ],
  EMAIL_IN_USE: [409, 'The email address already belongs to a user. Use another one, or sign in as that user.'],
  UNKNOWN_TERMS: [422, 'A type or version of the terms is not current. Accept the versions that GET /terms returns.'],
  INVALID_SOURCE_OF_FUNDS: [
    422,
    'The answers do not match the questionnaire. Answer every question once, with one of its answers.',
  ],
  ONBOARDING_INCOMPLETE: [
    422,
    'An earlier onboarding step is incomplete. Complete the step that GET /user/onboarding returns.',
  ],
  KYC_NOT_APPROVED: [422, 'Identity verification is not approved. Complete it first.'],

  // Owners
  WALLET_NOT_PROVEN: [
    422,
    'The message of the new wallet is invalid, expired, for another domain, or does not name this user. Sign a new one.',
  ],
  OWNER_NOT_APPROVED: [
    422,
    'No current owner has signed a valid message that approves this change. Have an owner sign a new one.',
  ],
  OWNER_LIMIT_REACHED: [422, 'The user has the maximum number of owners. Remove an owner first.'],
  OWNER_NOT_FOUND: [404, 'The user has no owner with this address. Check the address.'],
  LAST_WALLET: [422, 'The last owner cannot be removed. Add another owner first, or close the account.'],

  // Account and cards
  ACCOUNT_NOT_FOUND: [404, 'The user has no account. Create one with POST /user/account.'],
  ACCOUNT_NOT_ACTIVE: [422, 'The account is not active. Check its status with GET /user/account.'],
  PHONE_NOT_FOUND: [
    404,
    'No phone number is available, because no card has been created. Create a card, or wait until the issuer has created it.',
  ],
  PHONE_REQUIRED: [422, 'The first card requires a phone number. Send phone with the request.'],
  CARD_LIMIT_REACHED: [422, 'The user has the maximum number of live cards. Cancel a card first.'],
  CARD_NOT_FOUND: [404, 'The user has no card with this id. Check the id.'],
  INVALID_CARD_STATUS: [
    422,
    'The status of the card does not allow this operation. Check it with GET /cards/{cardId}.',
  ],
  LIMIT_ABOVE_PROGRAMME: [
    422,
    "The limit exceeds the programme's limit. Send an amount up to the one that GET /cards/{cardId}/limits returns.",
  ],
  CARD_TRANSACTION_NOT_FOUND: [404, 'The user has no card transaction with this id. Check the id.'],
  BLOCKED_BY_ISSUER: [403, 'The issuer or compliance has also blocked the card. Only they can unblock it.'],

  // Closing
  ACCOUNT_NOT_EMPTY: [
    422,
    'The account still has funds, holds, debt, or deposits or withdrawals in progress. Settle all of them, then try again.',
  ],
  USER_NOT_CLOSED: [409, 'The user is not closed. Close the user before erasing the data.'],

  // Card data
  INVALID_CHALLENGE: [403, 'The challenge was not issued for this wallet, card and action. Request a new one.'],
  CHALLENGE_EXPIRED: [403, 'The challenge has expired. Request a new one.'],
  CHALLENGE_USED: [403, 'The challenge has already been used. Request a new one.'],
  CHALLENGE_NOT_SIGNED: [
    403,
    'The signature does not match the challenge and the wallet that signed in. Sign the challenge with that wallet.',
  ],
  VIEW_REFUSED: [403, 'This card view is unknown, expired or already opened. Request a new one.'],
  FRAME_ONLY: [403, 'Card data can only be opened in a frame. Load the URL in an iframe.'],

  // Withdrawals
  TOKEN_NOT_SUPPORTED: [422, 'The token is not supported. Use a token that GET /user/balances/v2 lists.'],
  INSUFFICIENT_FUNDS: [422, 'The amount exceeds the spendable balance. Request a smaller amount.'],
  WITHDRAWAL_TOO_SMALL: [
    422,
    'The amount is below the minimum of the token. Request a larger amount, or the whole spendable balance.',
  ],
  DAILY_LIMIT_EXCEEDED: [
    422,
    'The amount exceeds the rest of the daily limit. Request a smaller amount, or try again later.',
  ],
  WITHDRAWAL_NOT_CANCELABLE: [
    409,
    'The withdrawal is being paid or was paid, or earlier payouts are still being checked. Check it with GET /user/withdrawals/{withdrawalId}. If it is still pending, try again in a minute.',
  ],
  PAYEE_NOT_ON_CHAIN: [
    422,
    'The wallet is a contract on a different chain from the token. Use a token on the chain of the sign-in.',
  ],

  // Statement
  INVALID_CURSOR: [400, 'The cursor is malformed or belongs to another list. Start again without a cursor.'],
  CURSOR_MISMATCH: [
    400,
    'The cursor belongs to a request with other filters. Repeat those filters, or leave them out.',
  ],
  INVALID_DATE_RANGE: [400, 'startDate is after endDate. Send startDate on or before endDate.'],

  // Idempotency
  IDEMPOTENCY_KEY_REUSED: [422, 'The idempotency key was used with another request. Use a new key for each request.'],
  REQUEST_IN_PROGRESS: [
    409,
    'A request with this idempotency key is in progress. Try again in a moment with the same key.',
  ],

  // KYC sharing
  UNKNOWN_CLIENT: [400, 'forClientId is not a known KYC client. Use the id of a registered KYC client.'],
  KYC_NOT_SHAREABLE: [409, 'Identity verification is not approved. Complete it before you share it.'],

  // IBAN
  IBAN_NOT_AVAILABLE: [422, 'The user is not eligible for an IBAN. Check with GET /api/v1/ibans/available first.'],

  // Partners
  INVALID_API_KEY: [401, 'The API key is unknown, expired or revoked. Use a valid key.'],
  NOT_A_MEMBER: [403, 'The wallet is not a member of a partner. Sign up with POST /partner.'],
  NOT_PERMITTED: [
    403,
    "The member's role or the scopes of the API key do not allow this. Ask an owner of the partner for access.",
  ],
  PARTNER_SUSPENDED: [403, 'The partner is suspended. Contact the programme.'],
  PARTNER_NOT_FOUND: [404, 'No partner has this id. Check the id.'],
  ALREADY_A_MEMBER: [
    409,
    'The wallet is already a member of a partner. Leave that partner first, or use another wallet.',
  ],
  INVITATION_NOT_FOUND: [404, 'No open invitation has this id. Ask the partner for a new one.'],
  INVITATION_LIMIT_REACHED: [422, 'The partner has the maximum number of open invitations. Revoke one first.'],
  MEMBER_NOT_FOUND: [404, 'The partner has no member with this address. Check the address.'],
  LAST_OWNER: [409, 'The last owner of a partner cannot leave or change role. Add another owner first.'],
  DOMAIN_LIMIT_REACHED: [422, 'The partner has the maximum number of domains. Remove a domain first.'],
  DOMAIN_NOT_FOUND: [404, 'The partner has no claim to this domain. Claim it first.'],
  DOMAIN_CLAIMED: [409, 'The partner has already claimed this domain. Prove the existing claim.'],
  DOMAIN_IN_USE: [409, 'The domain is registered to another partner or to the programme. Use another domain.'],
  DOMAIN_NOT_PROVEN: [
    422,
    'The proof was found neither in DNS nor at the proof URL. Publish it, allow time for changes to take effect, and try again.',
  ],
  KYC_CLIENT_LIMIT_REACHED: [422, 'The partner has the maximum number of KYC clients. Remove a client first.'],
  KYC_CLIENT_NOT_FOUND: [404, 'The partner has no KYC client with this id. Check the id.'],
  KYC_CLIENT_IN_USE: [409, 'The KYC client id is already registered. Use another id.'],
  API_KEY_LIMIT_REACHED: [422, 'The partner has the maximum number of valid API keys. Revoke a key first.'],
  API_KEY_NOT_FOUND: [404, 'The partner has no valid API key with this id. Check the id.'],

  // Webhooks
  ENDPOINT_NOT_FOUND: [404, 'The partner has no webhook endpoint with this id. Check the id.'],
  ENDPOINT_LIMIT_REACHED: [422, 'The partner has the maximum number of webhook endpoints. Delete an endpoint first.'],
  ENDPOINT_CHANGED: [409, 'The webhook endpoint has changed since this version. Read it, and send the change again.'],
  ENDPOINT_DISABLED: [409, 'The webhook endpoint is disabled. Enable it first.'],
  EVENT_NOT_FOUND: [
    404,
    'The partner has no event with this id, or it was deleted: after 30 days, or with its user. Check the id.',
  ],
  DELIVERY_NOT_FOUND: [
    404,
    'The webhook endpoint never got this event. Check both ids, and the events of the endpoint.',
  ],

  // Operators
  OPERATOR_UNAUTHORIZED: [
    401,
    'The request carries no open session of an operator. Sign in with POST /operator/session.',
  ],
  NOT_AN_OPERATOR: [
    401,
    'The wallet is not an operator, or the signature does not match it. Sign the message with the wallet of an operator.',
  ],
  ORIGIN_NOT_ALLOWED: [
    403,
    'The request does not come from the console. Send it from CONSOLE_URL, with the header X-Purser-Console: 1.',
  ],
  ROLE_NOT_PERMITTED: [403, 'The role of the operator does not allow this. Ask an operator with the role admin.'],
  DECISION_NOT_SIGNED: [
    403,
    "The signature does not match the decision and the operator's wallet. Request the typed data again and sign it.",
  ],
  DECISION_EXPIRED: [422, 'The decision has expired, or expires in more than 24 hours. Request the typed data again.'],
  DECISION_USED: [409, 'Another operator has already signed this decision. Request the typed data again.'],
  STATE_CHANGED: [
    409,
    'The subject has changed since its state was signed. Check it, and request the typed data again.',
  ],
  PROPOSAL_NOT_FOUND: [404, 'No proposal has this id. Check the id.'],
  PROPOSAL_NOT_OPEN: [
    409,
    'The proposal is executed, rejected, lapsed or expired. Read its status with GET /operator/proposals/{proposalId}.',
  ],
  PROPOSAL_LAPSED: [
    409,
    'The proposal has lapsed, and nothing was changed. GET /operator/proposals/{proposalId} names the reason.',
  ],
  SECOND_PERSON_REQUIRED: [
    403,
    'The proposer cannot approve the proposal, even with another wallet. Ask another person.',
  ],
  OPERATOR_NOT_FOUND: [404, 'No operator has this wallet. Check the address with GET /operator/operators.'],
  REVIEW_NOT_FOUND: [404, 'No open review has this id. Check the id.'],
  SESSION_NOT_FOUND: [404, 'No open session has this id. Check the id with GET /operator/sessions.'],
  MOVEMENT_NOT_FOUND: [404, 'The user has no movement with this number. Check the number.'],
  PERIOD_INVALID: [422, 'The period must start before it ends and last at most 92 days. Check from and to.'],

  // Issuer
  ISSUER_UNAUTHORIZED: [
    401,
    'The message is not signed. Send X-Issuer-Key-Id, X-Issuer-Timestamp and X-Issuer-Signature.',
  ],
  ISSUER_TIMESTAMP_REFUSED: [
    401,
    'The timestamp of the signature is more than 300 seconds from now. Sign the message again.',
  ],
  ISSUER_SIGNATURE_REFUSED: [
    401,
    'The signature does not match the body, the timestamp and a known key. Check the key and the signed bytes.',
  ],

  // Provider callbacks
  CALLBACK_REFUSED: [401, 'The callback has no valid, current signature of a known key. Sign the raw body again.'],

  // Sandbox
  SANDBOX_UNAUTHORIZED: [
    401,
    'Sandbox operations require HTTP Basic authentication. Use the name "simulator" and the sandbox password.',
  ],
  SANDBOX_NOT_SHARED: [
    401,
    'The sandbox uses the default password, which is public, so its simulator responds only on localhost. Set SANDBOX_PASSWORD to share the sandbox.',
  ],
  NOT_A_SANDBOX: [409, 'The database does not belong to a sandbox, so it is not reset. Send the request to a sandbox.'],
  USER_NOT_FOUND: [404, 'No user has this id. Check the id.'],
  DEPOSIT_NOT_FOUND: [404, 'No deposit has this id. Check the id.'],
  WITHDRAWAL_NOT_FOUND: [404, 'No withdrawal has this id. Check the id.'],
  INVALID_DEPOSIT_STATUS: [
    409,
    'The status of the deposit does not allow this operation. Check it with GET /user/statement.',
  ],
  INVALID_WITHDRAWAL_STATUS: [
    409,
    'The status of the withdrawal does not allow this operation. Check it with GET /user/withdrawals/{withdrawalId}.',
  ],
  INVALID_ACCOUNT_STATUS: [
    409,
    'The account cannot change from its current status to this one. Check it with GET /user/account.',
  ],
  AUTHORIZATION_NOT_FOUND: [404, 'The card has no authorization with this code. Send the authorization first.'],
  AUTHORIZATION_CODE_USED: [
    409,
    'The card already has an authorization with this code. Use another code, or leave it out.',
  ],
  AMOUNT_EXCEEDS_ORIGINAL: [422, 'The amount exceeds the rest of the original transaction. Send a smaller amount.'],
  EVENT_ID_REUSED: [409, 'The event id was used with another body. Use a new id for each message.'],
  BILLING_AMOUNT_NEEDED: [
    422,
    'The message has no billing amount in the currency of the card. Send billingAmount and billingCurrency in that currency.',
  ],
  CURRENCY_NOT_SUPPORTED: [422, 'The currency has no exchange rate. Use a currency that GET /sandbox/rates lists.'],
  CHAIN_ATTACHED: [409, 'A chain is attached and decides the outcome. Wait for the chain.'],
  NO_CHAIN: [404, 'No Anvil on this machine is attached. Set RPC_URL_<chainId> to attach one.'],
} as const satisfies Record<string, readonly [status: number, message: string]>

export type RefusalCode = keyof typeof refusals

/** Rejects a request that breaks a rule. The code selects the status and the sentence. */
export class Refusal extends Error {
  readonly code: RefusalCode
  /** Seconds until a retry can succeed; null: unknown. */
  readonly retryAfterSeconds: number | null

  /** `detail` is a further sentence of the message, such as a configured limit. */
  constructor(code: RefusalCode, retryAfterSeconds: number | null = null, detail: string | null = null) {
    super(detail === null ? refusals[code][1] : `${refusals[code][1]} ${detail}`)
    this.name = 'Refusal'
    this.code = code
    this.retryAfterSeconds = retryAfterSeconds
  }

  get status(): number {
    return refusals[this.code][0]
  }
}

/** Rejects invalid input that a schema does not catch. Rendered as the validation error of the interface. */
export class InvalidInput extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'InvalidInput'
  }
}

/**
 * How another service failed. A job retries every failure, since the outcome is unknown. `retryable` tells operators
 * whether the same request can succeed without a change of the configuration or the request.
 */
const upstreamFailures = {
  unavailable: { retryable: true, message: 'failed or did not respond' },
  invalid_response: { retryable: true, message: 'sent an invalid response' },
  inconsistent: { retryable: true, message: 'contradicted itself or another source' },
  rejected: { retryable: false, message: 'rejected the request' },
  unauthorized: { retryable: false, message: 'rejected the credentials' },
  not_configured: { retryable: false, message: 'is not configured for this request' },
} as const

export type UpstreamCode = keyof typeof upstreamFailures

/** The failure of an external service, behind the named port. */
export class UpstreamError extends Error {
  readonly port: string
  readonly code: UpstreamCode
  readonly retryable: boolean

  constructor(port: string, code: UpstreamCode, cause: unknown) {
    const { retryable, message } = upstreamFailures[code]
    super(`${port} ${message}`, { cause })
    this.name = 'UpstreamError'
    this.port = port
    this.code = code
    this.retryable = retryable
  }
}

/** Stops the start with a sentence for the operator at the terminal. Shown without a stack trace. */
export class StartError extends Error {}
