-- Splits the database over the nodes of a Citus cluster: assigns a place to every table. `npm run distribute` applies
-- this file on the coordinator, after the migrations. After an upgrade, it applies only the statements of new tables
-- and functions. A referenced table comes before those that refer to it.

-- By user, on the same node: everything that belongs to one user. One transaction of a user stays on that node.
select create_distributed_table('app_user', 'user_id');
select create_distributed_table('account', 'user_id', colocate_with => 'app_user');
select create_distributed_table('owner', 'user_id', colocate_with => 'app_user');
select create_distributed_table('accepted_terms', 'user_id', colocate_with => 'app_user');
select create_distributed_table('source_of_funds_answer', 'user_id', colocate_with => 'app_user');
select create_distributed_table('kyc_applicant', 'user_id', colocate_with => 'app_user');
select create_distributed_table('iban', 'user_id', colocate_with => 'app_user');
select create_distributed_table('idempotency_key', 'user_id', colocate_with => 'app_user');
select create_distributed_table('partner_user', 'user_id', colocate_with => 'app_user');
select create_distributed_table('event', 'user_id', colocate_with => 'app_user');
select create_distributed_table('ledger_balance', 'user_id', colocate_with => 'app_user');
select create_distributed_table('movement', 'user_id', colocate_with => 'app_user');
select create_distributed_table('posting', 'user_id', colocate_with => 'app_user');
select create_distributed_table('movement_seal', 'user_id', colocate_with => 'app_user');
select create_distributed_table('statement_item', 'user_id', colocate_with => 'app_user');
select create_distributed_table('cardholder', 'user_id', colocate_with => 'app_user');
select create_distributed_table('card', 'user_id', colocate_with => 'app_user');
select create_distributed_table('card_event', 'user_id', colocate_with => 'app_user');
select create_distributed_table('card_view', 'user_id', colocate_with => 'app_user');
select create_distributed_table('card_message', 'user_id', colocate_with => 'app_user');
select create_distributed_table('late_decline', 'user_id', colocate_with => 'app_user');
select create_distributed_table('card_transaction', 'user_id', colocate_with => 'app_user');
select create_distributed_table('card_transaction_part', 'user_id', colocate_with => 'app_user');
select create_distributed_table('review', 'user_id', colocate_with => 'app_user');
select create_distributed_table('incoming_transfer', 'user_id', colocate_with => 'app_user');
select create_distributed_table('deposit', 'user_id', colocate_with => 'app_user');
select create_distributed_table('withdrawal', 'user_id', colocate_with => 'app_user');

-- By a key of their own: rows that are found before their user is known, each by one statement.
select create_distributed_table('directory', 'lookup_key', colocate_with => 'none');
select create_distributed_table('used_nonce', 'nonce', colocate_with => 'none');
select create_distributed_table('contract_check', 'nonce', colocate_with => 'none');
select create_distributed_table('email_code', 'signer_address', colocate_with => 'none');
select create_distributed_table('email_code_count', 'email_hash', colocate_with => 'none');

-- On all nodes: small tables that every node reads. They must rarely change, because a write locks the whole table.
select create_reference_table('programme');
select create_reference_table('kill_switch');
select create_reference_table('sandbox_clock');
select create_reference_table('signing_key');
select create_reference_table('partner');
select create_reference_table('partner_member');
select create_reference_table('partner_invitation');
select create_reference_table('partner_domain');
select create_reference_table('sign_in_domain');
select create_reference_table('partner_kyc_client');
select create_reference_table('partner_api_key');
select create_reference_table('webhook_endpoint');

-- On the coordinator alone: logs that grow under a lock, the work of single processes, and operators with their sessions.

-- local: applied_migration, service_process, secret_in_use, sealed_log, operator_decision, operator_proposal, personal_data_read, reconcile_run, partner_audit

-- local: partner_stream, partner_event, webhook_failure, webhook_delivery, webhook_attempt, partner_request, partner_day_count

-- local: operator_person, operator, operator_session

-- local: watched_chain, watched_block, unknown_transfer, sweep, payout_transaction, payout_fee_bump, payout_wallet

-- A call runs on the node that has its user, the first parameter.
select create_distributed_function(oid::regprocedure, 'p_user_id', colocate_with => 'app_user')
  from pg_proc where pronamespace = current_schema()::regnamespace and proargnames[1] = 'p_user_id'
    and not exists (select from pg_dist_object where classid = 'pg_proc'::regclass and objid = pg_proc.oid
      and distribution_argument_index is not null);
