// pure

/**
 * The privileges of each database role on each table: all that its SQL needs, and nothing else. Each part of the
 * service connects under a role of its own. The simulator has the role `sandbox`, a member of `api`, `worker` and
 * `watcher`. No production process uses the role `sandbox`. Migrations run as the owner of the tables.
 *
 * A new table needs a row here. `update(a, b)` allows these columns only.
 */
export const databaseRoles = ['api', 'worker', 'watcher', 'operator', 'reader', 'sandbox'] as const
export type DatabaseRole = (typeof databaseRoles)[number]

/** The roles whose privileges the sandbox's role has as well. */
export const playedBySandbox = ['api', 'worker', 'watcher'] as const satisfies readonly DatabaseRole[]

type Privileges = Readonly<Partial<Record<DatabaseRole, string>>>

const read = 'select'
const append = 'select, insert'
/** A rotation of SECRET replaces MACs, and the operator runs it. */
const remac = 'update(mac, secret_id)'
const change = 'select, insert, update'
const all = 'select, insert, update, delete'

/** Facts that no role may change or remove. Only a MAC over a fact may be replaced. */
const appendOnly = {
  movement: { api: append, worker: append, operator: append, reader: read },
  posting: { api: append, worker: append, operator: append, reader: read },
  operator_decision: { worker: read, operator: `${append}, ${remac}`, reader: read },
  partner_audit: { api: append, worker: append, operator: `${append}, ${remac}`, reader: read },
  movement_seal: { worker: append, operator: `${read}, ${remac}`, reader: read },
  accepted_terms: { api: append },
  card_event: { api: append },
  late_decline: { api: append, worker: read, reader: read },
  review: { operator: append, reader: read },
  payout_fee_bump: { worker: append, operator: read, reader: read },
  personal_data_read: { operator: append, reader: read },
  reconcile_run: { worker: append, operator: read, reader: read },
} as const satisfies Readonly<Record<string, Privileges>>

export const appendOnlyTables: readonly string[] = Object.keys(appendOnly)

export const tablePrivileges: Readonly<Record<string, Privileges>> = {
  ...appendOnly,
  applied_migration: { api: read, worker: read, watcher: read, operator: read, reader: read, sandbox: read },

  // Platform
  // The first process stores the row, whatever its roles are. No role may change the mode.
  programme: {
    api: 'select, insert, update(chain_ids)',
    worker: 'select, insert, update(chain_ids)',
    watcher: 'select, insert, update(chain_ids)',
    operator: read,
    reader: read,
  },
  directory: {
    api: 'select, insert, update(ref_id), delete',
    worker: 'select, insert, delete',
    watcher: read,
    operator: 'select, insert, delete',
    reader: read,
  },
  // The worker and the operator erase users.
  idempotency_key: {
    api: all,
    worker: 'select, update(lease_until), delete',
    watcher: 'select, update(lease_until)',
    operator: 'select, delete',
  },
  // Any process may replace a killed one and release its leases. Only workers release those of due work.
  service_process: { api: all, worker: all, watcher: all },
  secret_in_use: {
    api: append,
    worker: append,
    watcher: append,
    operator: 'select, insert, delete',
  },
  kill_switch: { api: read, worker: read, operator: 'select, insert, update(is_on, changed_at)' },
  sandbox_clock: { operator: read, sandbox: change },

  // The first process stores the head of the empty log of decisions.
  sealed_log: { api: change, worker: change, watcher: 'insert', operator: change, reader: read },

  // Events: only the worker publishes those of users. The worker and the operator erase users.
  event: {
    api: append,
    worker: 'select, insert, update(due_at, data), delete',
    operator: 'select, insert, update(due_at, data)',
  },
  // The API appends test events.
  partner_stream: { api: change, worker: change, operator: change },
  partner_event: { api: append, worker: 'select, insert, delete', operator: 'select, delete' },
  webhook_endpoint: { api: all, worker: 'select, update', operator: 'select, update(key_seeds)' },
  webhook_failure: { api: 'select, delete', worker: all, operator: read },
  webhook_delivery: {
    api: all,
    worker: all,
    watcher: 'select, update(due_at, leased_by)',
    operator: 'select, update(status, attempts, due_at), delete',
  },
  webhook_attempt: { api: 'select, delete', worker: 'select, insert, delete', operator: 'select, delete' },

  // Operators: their requests run under the role of the operator.
  operator_person: { operator: append, reader: read },
  operator: { operator: 'select, insert, update', reader: read },
  operator_session: { operator: all },
  operator_proposal: { operator: change, reader: read },

  // Ledger
  ledger_balance: { api: change, worker: change, watcher: 'select(token)', operator: change, reader: read },
  statement_item: {
    api: 'select, insert, update(item)',
    worker: 'select, insert, update(item)',
    operator: 'select, insert, update(item)',
    reader: read,
  },

  // Partners
  // Only operators approve partners and let them read details. PostgreSQL lets the worker lock the row only if it may
  // update a column. The key is safe: references from other tables prevent its change.
  partner: {
    api: 'select, insert(partner_id, name, status, created_at), update(name)',
    worker: 'select, update(partner_id)',
    operator: 'select, update',
    reader: read,
  },
  partner_member: { api: all, operator: read },
  partner_invitation: { api: all, operator: read },
  partner_domain: { api: 'select, insert, delete', operator: read },
  sign_in_domain: { api: 'select, insert, update(partner_id, created_at), delete', operator: 'select, insert, delete' },
  // The suspension of a pending partner deletes its clients.
  partner_kyc_client: { api: 'select, insert, update(partner_id, created_at), delete', operator: 'select, delete' },
  partner_api_key: { api: 'select, insert, update(expires_at, revoked_at)', operator: read },
  // The worker creates cards, which it counts.
  partner_day_count: { api: change, worker: change },
  partner_request: { api: append, worker: 'select, insert, delete' },
  partner_user: { api: append, worker: 'select, update(balances)' },

  // Identity
  // The first process locks the table and creates the first key. A lock needs the privilege on the whole table.
  signing_key: { api: change, operator: change },
  // Erasing a user ends the sessions.
  used_nonce: {
    api: change,
    worker: 'select, update(signer, session_id, domain, expires_at), delete',
    operator: 'select, insert, update(signer, session_id, domain, expires_at)',
  },
  contract_check: { api: change, worker: 'select, delete', operator: change },
  app_user: { api: change, worker: 'select, update', operator: 'select, update', reader: 'select(user_id)' },
  owner: {
    api: 'select, insert, update(contract_chain_id, access_id, ended_sessions), delete',
    worker: 'select, update(contract_chain_id), delete',
    operator: 'select, update(contract_chain_id), delete',
    reader: read,
  },
  account: {
    api: 'select, insert, update(status, was_provisioning, updated_at)',
    worker: 'select, update(status, was_provisioning, updated_at)',
    watcher: read,
    operator: 'select, update(status, was_provisioning, updated_at)',
    reader: read,
  },
  source_of_funds_answer: { api: change, worker: 'select, delete', operator: 'select, delete' },
  email_code: { api: all, worker: 'select, delete' },
  email_code_count: { api: change, worker: 'select, delete' },
  kyc_applicant: {
    api: 'select, insert, update(due_at, attempts)',
    worker: 'select, update(due_at, attempts, leased_by), delete',
    operator: 'select, delete',
  },

  // Cards
  cardholder: {
    api: `${append}, update(phone, country_code)`,
    worker: 'select, delete',
    operator: 'select, delete',
  },
  // The reader sees neither the name on the card nor its digits.
  card: {
    api: change,
    worker: 'select, update',
    operator: 'select, update',
    reader:
      'select(user_id, card_id, type, status, blocked_by, currency, limit_per_transaction, limit_daily, replacement_id, due_at, attempts, created_at, updated_at)',
  },
  card_view: { api: 'select, insert, update(opened_at)', worker: 'select, delete', operator: 'select, delete' },
  card_message: {
    api: 'select, insert, update(card_transaction_id, amount_minor, deferred_message, needs_review)',
    worker: 'select, insert, update(card_transaction_id, amount_minor, deferred_message, needs_review)',
    operator: 'select, update(needs_review)',
    reader: read,
  },
  card_transaction: { api: change, worker: change, operator: 'select, update(needs_review)', reader: read },
  card_transaction_part: { api: change, worker: change, operator: read, reader: read },

  // Money
  watched_chain: {
    api: 'select, update(watcher)',
    worker: 'select, update(watcher)',
    watcher: change,
    // PostgreSQL locks a row only for a role that may change it.
    operator: 'select, update(updated_at)',
    reader: read,
  },
  watched_block: { watcher: all },
  // The API does not close a user with a transfer that is not in the books yet.
  incoming_transfer: {
    api: 'select(user_id, due_at)',
    worker: 'select, update',
    watcher: change,
    operator: 'select, update(arrived, chain_state, due_at, updated_at)',
    reader: read,
  },
  unknown_transfer: { watcher: 'select, insert, delete', reader: read },
  deposit: { api: 'select, update', worker: change, watcher: read, operator: 'select, update', reader: read },
  sweep: { worker: change, reader: read },
  withdrawal: { api: change, worker: change, operator: change, reader: read },
  // A user may cancel a withdrawal only while every payout is known. No returned deposit may be approved. The worker
  // replaces a payout whose nonce a lost payout has used.
  payout_transaction: {
    api: 'select(chain_id, signer, nonce, user_id, withdrawal_id)',
    worker: 'select, insert, update(user_id, withdrawal_id, needs_user, tx_hash, signed_transaction, created_at)',
    operator: 'select, insert, update(user_id, needs_user)',
    reader: read,
  },
  payout_wallet: { api: read, worker: change, operator: read, reader: read },
  iban: { api: change, worker: 'select, update, delete', operator: 'select, delete' },
}

const writers: readonly DatabaseRole[] = ['api', 'worker', 'operator']

/** The roles that may call each function. Each function except the reset runs with the privileges of its caller. */
export const functionPrivileges: Readonly<Record<string, readonly DatabaseRole[]>> = {
  append_event: writers,
  put_statement_item: writers,
  put_statement_items: writers,
  post_movements: writers,
  load_card_message: ['api', 'worker'],
  await_card_message: ['api'],
  record_card_message: ['api', 'worker'],
  reset_sandbox: ['sandbox'],
}
