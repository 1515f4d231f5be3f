import { type TSchema, Type } from 'typebox'
import type { OperatorCommand } from '../config/operators.ts'
import type { RefusalCode } from '../lib/errors.ts'
import { Address, Uuid } from '../platform/http/schemas.ts'

/** The source of a route's subject: the path, the body, or a constant. */
type Subject =
  | { readonly path: string; readonly schema: TSchema }
  | { readonly body: string; readonly schema: TSchema }
  | { readonly is: string }

type DecisionRoute = {
  readonly route: `${'POST' | 'PATCH' | 'DELETE'} ${string}`
  readonly command: OperatorCommand
  /** The method of the client package. */
  readonly operationId: `operator.${string}`
  readonly summary: string
  readonly subject: Subject
  /** The rejections of this command, in addition to those of every decision. */
  readonly errors: readonly RefusalCode[]
}

const text = (pattern: string) => Type.String({ pattern, maxLength: 300 })
const user = { path: 'userId', schema: Uuid }
const payout = { path: 'withdrawalId', schema: Uuid }
const partner = { path: 'partnerId', schema: Uuid }
const domain = { schema: text('^[^\\u0000-\\u0020]+$') }
const wallet = Type.String({
  pattern: '^(eip155:[1-9][0-9]{0,9}:)?0x[0-9a-fA-F]{40}$',
  description: 'An address, or `eip155:<chain id>:<address>` for a contract.',
})

/** One row per change that an operator can make. The route of each row proposes its command. */
export const decisionRouteTable: readonly DecisionRoute[] = [
  {
    route: 'POST /users/:userId/block',
    command: 'user block',
    operationId: 'operator.users.block',
    summary: 'Block the account of a user',
    subject: user,
    errors: ['USER_NOT_FOUND', 'ACCOUNT_NOT_FOUND'],
  },
  {
    route: 'POST /users/:userId/unblock',
    command: 'user unblock',
    operationId: 'operator.users.unblock',
    summary: 'Unblock an account and restore its previous status',
    subject: user,
    errors: ['USER_NOT_FOUND', 'ACCOUNT_NOT_FOUND'],
  },
  {
    route: 'POST /users/:userId/erase',
    command: 'user erase',
    operationId: 'operator.users.erase',
    summary: 'Erase the personal data of a closed user',
    subject: user,
    errors: ['USER_NOT_FOUND', 'USER_NOT_CLOSED'],
  },
  {
    route: 'POST /deposits/:depositId/return',
    command: 'deposits return',
    operationId: 'operator.deposits.return',
    summary: 'Return a rejected deposit to its sender',
    subject: { path: 'depositId', schema: Uuid },
    errors: ['DEPOSIT_NOT_FOUND', 'INVALID_DEPOSIT_STATUS'],
  },
  {
    route: 'POST /transfers/:transfer/tell',
    command: 'transfers tell',
    operationId: 'operator.transfers.tell',
    summary: 'Declare the arrived amount of a transfer',
    subject: { path: 'transfer', schema: text('^[0-9]+:0x[0-9a-fA-F]{64}:[0-9]+$') },
    errors: [],
  },
  {
    route: 'POST /users/:userId/payout',
    command: 'payouts order',
    operationId: 'operator.users.payOut',
    summary: 'Pay out money that reached a user after closing',
    subject: user,
    errors: ['ACCOUNT_NOT_FOUND', 'USER_NOT_CLOSED'],
  },
  {
    route: 'POST /payouts/:withdrawalId/decide',
    command: 'payouts decide',
    operationId: 'operator.payouts.decide',
    summary: 'Resolve a payout that is final but paid nobody',
    subject: payout,
    errors: ['WITHDRAWAL_NOT_FOUND'],
  },
  {
    route: 'POST /payouts/:withdrawalId/cancel',
    command: 'payouts cancel',
    operationId: 'operator.payouts.cancel',
    summary: 'Cancel a pending payout',
    subject: payout,
    errors: ['WITHDRAWAL_NOT_FOUND'],
  },
  {
    route: 'POST /payouts/:withdrawalId/assign',
    command: 'payouts assign',
    operationId: 'operator.payouts.assign',
    summary: 'Assign a payout of an unknown user',
    subject: payout,
    errors: ['ACCOUNT_NOT_FOUND'],
  },
  {
    route: 'POST /reviews/:reviewId/done',
    command: 'reviews done',
    operationId: 'operator.reviews.finish',
    summary: 'Close a review',
    subject: { path: 'reviewId', schema: Uuid },
    errors: ['REVIEW_NOT_FOUND'],
  },
  {
    route: 'POST /webhooks/:endpointId/resend',
    command: 'webhooks resend',
    operationId: 'operator.webhooks.resend',
    summary: 'Resend up to 10,000 dead letters of a webhook endpoint, the oldest first',
    subject: { path: 'endpointId', schema: Uuid },
    errors: ['ENDPOINT_NOT_FOUND', 'ENDPOINT_DISABLED'],
  },
  {
    route: 'POST /partners/:partnerId/approve',
    command: 'partner approve',
    operationId: 'operator.partners.approve',
    summary: 'Approve a partner',
    subject: partner,
    errors: ['PARTNER_NOT_FOUND'],
  },
  {
    route: 'POST /partners/:partnerId/suspend',
    command: 'partner suspend',
    operationId: 'operator.partners.suspend',
    summary: 'Suspend a partner',
    subject: partner,
    errors: ['PARTNER_NOT_FOUND'],
  },
  {
    route: 'POST /partners/:partnerId/details',
    command: 'partner details',
    operationId: 'operator.partners.setDetails',
    summary: "Grant or revoke a partner's access to the details of its users",
    subject: partner,
    errors: ['PARTNER_NOT_FOUND'],
  },
  {
    route: 'POST /domains',
    command: 'domain add',
    operationId: 'operator.domains.add',
    summary: 'Add a sign-in domain',
    subject: { body: 'domain', ...domain },
    errors: [],
  },
  {
    route: 'DELETE /domains/:domain',
    command: 'domain remove',
    operationId: 'operator.domains.remove',
    summary: 'Remove a sign-in domain',
    subject: { path: 'domain', ...domain },
    errors: [],
  },
  {
    route: 'POST /signing-keys/rotate',
    command: 'keys rotate',
    operationId: 'operator.signingKeys.rotate',
    summary: 'Publish a new signing key',
    subject: { is: 'signing-keys' },
    errors: [],
  },
  {
    route: 'POST /signing-keys/:kid/retire',
    command: 'keys retire',
    operationId: 'operator.signingKeys.retire',
    summary: 'Retire a compromised signing key',
    subject: { path: 'kid', schema: text('^[A-Za-z0-9_-]+$') },
    errors: [],
  },
  {
    route: 'POST /switches/payouts/off',
    command: 'switch payouts off',
    operationId: 'operator.switches.turnPayoutsOff',
    summary: 'Stop all payouts',
    subject: { is: 'payouts' },
    errors: [],
  },
  {
    route: 'POST /switches/payouts/on',
    command: 'switch payouts on',
    operationId: 'operator.switches.turnPayoutsOn',
    summary: 'Resume payouts',
    subject: { is: 'payouts' },
    errors: [],
  },
  {
    route: 'POST /switches/card-approvals/off',
    command: 'switch card-approvals off',
    operationId: 'operator.switches.turnCardApprovalsOff',
    summary: 'Decline every authorization',
    subject: { is: 'card-approvals' },
    errors: [],
  },
  {
    route: 'POST /switches/card-approvals/on',
    command: 'switch card-approvals on',
    operationId: 'operator.switches.turnCardApprovalsOn',
    summary: 'Resume approving authorizations',
    subject: { is: 'card-approvals' },
    errors: [],
  },
  {
    route: 'POST /operators',
    command: 'operator add',
    operationId: 'operator.operators.add',
    summary: 'Add an operator',
    subject: { body: 'wallet', schema: wallet },
    errors: [],
  },
  {
    route: 'PATCH /operators/:address',
    command: 'operator change',
    operationId: 'operator.operators.change',
    summary: 'Give an operator another role',
    subject: { path: 'address', schema: Address },
    errors: ['OPERATOR_NOT_FOUND'],
  },
  {
    route: 'DELETE /operators/:address',
    command: 'operator remove',
    operationId: 'operator.operators.remove',
    summary: 'Remove an operator',
    subject: { path: 'address', schema: Address },
    errors: ['OPERATOR_NOT_FOUND'],
  },
]
