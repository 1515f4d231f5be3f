import type { ErrorCode } from '@purser/client'
import { sentences as ofApi } from './api.ts'

/** Replaces the sentences of the API that are written for programs and name operations, headers or fields. */
const ofPages = {
  ACCOUNT_NOT_ACTIVE: 'The account is not active. Contact support.',
  ACCOUNT_NOT_FOUND: 'The user has no account yet. Open one first.',
  BAD_REQUEST: 'The request is malformed. Reload the page.',
  BILLING_AMOUNT_NEEDED: 'The message has no amount in the currency of the card.',
  CURRENCY_NOT_SUPPORTED: 'The currency has no exchange rate. Choose another currency.',
  CURSOR_MISMATCH: 'The filters have changed. Reload the list.',
  DECISION_EXPIRED: 'The decision has expired. Start again.',
  DECISION_NOT_SIGNED: 'The signature does not match the decision and your wallet. Sign again.',
  DECISION_USED: 'Another operator has already signed this decision. Start again.',
  IBAN_NOT_AVAILABLE: 'An IBAN is not available to you.',
  IDEMPOTENCY_KEY_REUSED: 'The form was already sent with other values. Reload the page and start again.',
  INVALID_ACCOUNT_STATUS: 'The status of the account does not allow this. Reload the page.',
  INVALID_CARD_STATUS: 'The status of the card does not allow this. Reload the page.',
  INVALID_CURSOR: 'This part of the list is no longer available. Reload the list.',
  INVALID_DATE_RANGE: 'The first day is after the last one. Choose other days.',
  INVALID_DEPOSIT_STATUS: 'The status of the deposit does not allow this. Reload the page.',
  INVALID_JSON: 'The request is malformed. Reload the page.',
  INVALID_WITHDRAWAL_STATUS: 'The status of the withdrawal does not allow this. Reload the page.',
  ISSUER_UNAUTHORIZED: 'The message is not signed.',
  LIMIT_ABOVE_PROGRAMME: 'The limit exceeds the programme’s limit. Choose a lower one.',
  METHOD_NOT_ALLOWED: 'The service does not support this request. Reload the page.',
  METRICS_UNAUTHORIZED: 'The metrics need their own token.',
  NOT_A_MEMBER: 'The wallet is not a member of a partner. Sign up first.',
  NOT_FOUND: 'This page or operation does not exist. Check the address.',
  NOT_REGISTERED: 'The wallet belongs to no user yet. Open an account first.',
  NO_CHAIN: 'No Anvil on this machine is attached.',
  ONBOARDING_INCOMPLETE: 'An earlier step is incomplete. Reload the page and complete that step.',
  OPERATOR_NOT_FOUND: 'No operator has this wallet. Check the address.',
  OPERATOR_UNAUTHORIZED: 'Your session has ended. Sign in again.',
  ORIGIN_NOT_ALLOWED: 'The request does not come from the console. Open the console at its own address.',
  PHONE_REQUIRED: 'The first card requires a phone number. Enter one.',
  PROPOSAL_LAPSED: 'The proposal has lapsed, and nothing was changed. Its outcome names the reason.',
  PROPOSAL_NOT_OPEN: 'The proposal is executed, rejected, lapsed or expired. Reload the page.',
  RATE_LIMITED: 'There were too many requests. Wait a moment, then try again.',
  REQUEST_IN_PROGRESS: 'The same request is in progress. Try again in a moment.',
  SERVICE_UNAVAILABLE: 'The service cannot store anything at the moment. Try again shortly.',
  SESSION_NOT_FOUND: 'This session has already ended. Reload the list.',
  STATE_CHANGED: 'The subject has changed in the meantime. Check it, and sign again.',
  TOKEN_NOT_SUPPORTED: 'The token is not supported. Choose another token.',
  UNAUTHORIZED: 'You are not signed in. Sign in.',
  UNKNOWN_CLIENT: 'This KYC client is not registered. Check its id.',
  UNKNOWN_TERMS: 'The terms have changed. Reload the page and accept the current version.',
  UNSUPPORTED_MEDIA_TYPE: 'The service does not accept this kind of content.',
  WITHDRAWAL_NOT_CANCELABLE:
    'The withdrawal is being paid or was paid, or earlier payouts are still being checked. If it is still pending, try again in a minute.',
} satisfies Partial<Record<ErrorCode, string>>

/** The English sentences of the error codes in `api.ts`. Pages show other errors by their kind or message. */
export const sentences: Readonly<Record<string, string>> = { ...ofApi, ...ofPages }
