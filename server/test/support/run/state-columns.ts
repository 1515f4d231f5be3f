import { blockers, cardStatuses, cardTypes } from '../../../src/cards/cards/rules.ts'
import { cardEventTypes } from '../../../src/cards/gateway/rules.ts'
import { viewActions } from '../../../src/cards/pci/rules.ts'
import {
  entryModes,
  messageOutcomes,
  messageTypes,
  transactionKinds,
  transactionStatuses,
} from '../../../src/cards/transactions/rules.ts'
import { modes } from '../../../src/config/setting.ts'
import { movementKinds } from '../../../src/ledger/movements.ts'
import { kycStatuses } from '../../../src/lib/kyc-status.ts'
import { operatorRoles, sessionVias } from '../../../src/lib/operator-permission.ts'
import { partnerStatuses } from '../../../src/lib/partner-status.ts'
import { accountStatuses, userStatuses } from '../../../src/lib/user-status.ts'
import { chainStates, depositStatuses, returnStates, screenings } from '../../../src/money/deposits/rules.ts'
import { ibanStatuses } from '../../../src/money/ibans/rules.ts'
import { sweepStatuses } from '../../../src/money/sweeps/sql.ts'
import { unpaidDecisions, withdrawalStatuses } from '../../../src/money/withdrawals/rules.ts'
import { proposalStatuses } from '../../../src/operators/proposal-sql.ts'
import { environments, roles } from '../../../src/partners/rules.ts'
import { killSwitches } from '../../../src/switches/rules.ts'
import { deliveryStatuses, disabledReasons, endpointStatuses } from '../../../src/webhooks/rules.ts'

/**
 * The columns that hold states, each with the list that its TypeScript type comes from. A law compares the lists with
 * the checks of the database. Every value of these columns that a test reads must be in its list.
 */
export const stateColumns: Readonly<Record<string, readonly string[]>> = {
  'account.status': accountStatuses,
  'app_user.kyc_status': kycStatuses,
  'app_user.status': userStatuses,
  'card.blocked_by': blockers,
  'card.status': cardStatuses,
  'card.type': cardTypes,
  'card_event.type': cardEventTypes,
  'card_message.outcome': messageOutcomes,
  'card_message.type': messageTypes,
  'card_transaction.entry_mode': entryModes,
  'card_transaction.kind': transactionKinds,
  'card_transaction.status': transactionStatuses,
  'card_view.action': viewActions,
  'deposit.chain_state': chainStates,
  'deposit.return_state': returnStates,
  'deposit.screening': screenings,
  'deposit.status': depositStatuses,
  'iban.status': ibanStatuses,
  'incoming_transfer.chain_state': chainStates,
  'kill_switch.name': killSwitches,
  'movement.kind': movementKinds,
  'operator.role': operatorRoles,
  'operator_proposal.status': proposalStatuses,
  'operator_session.via': sessionVias,
  'partner.status': partnerStatuses,
  'partner_domain.environment': environments,
  'partner_invitation.role': roles,
  'partner_member.role': roles,
  'programme.mode': modes,
  'sweep.status': sweepStatuses,
  'webhook_delivery.status': deliveryStatuses,
  'webhook_endpoint.disabled_reason': disabledReasons,
  'webhook_endpoint.status': endpointStatuses,
  'withdrawal.status': withdrawalStatuses,
  'withdrawal.unpaid': ['open', ...unpaidDecisions],
}
