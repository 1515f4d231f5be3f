-- Lists of operators read ranges of indexes, however long a table grows.

-- The overview shows the oldest row of each kind of waiting work.
create index incoming_transfer_untold_at on incoming_transfer (created_at)
  where arrived is null and chain_state <> 'reorganized';
create index webhook_delivery_dead_at on webhook_delivery (attempted_at) where status = 'dead';
-- Recovered payouts of unknown users. The ids of returns have the version 5. They need no operator.
create index payout_transaction_unknown_user on payout_transaction (withdrawal_id, tx_hash)
  where user_id is null and substr(withdrawal_id::text, 15, 1) <> '5';
create index payout_transaction_unknown_user_at on payout_transaction (created_at)
  where user_id is null and substr(withdrawal_id::text, 15, 1) <> '5';

-- Operators close a review by its id alone.
create index card_transaction_review_id on card_transaction (card_transaction_id) where needs_review;
create index card_message_review_id on card_message (card_message_id) where needs_review;

-- Decisions by operator, and the number of those without a signature.
create index operator_decision_decided_by on operator_decision (decided_by, seq);
create index operator_decision_approved_by on operator_decision (approved_by, seq) where approved_by is not null;
create index operator_decision_break_glass on operator_decision (seq) where break_glass;

-- Pages of operators, the removed ones last, and of the sessions of a wallet.
create index operator_listed on operator ((removed_at is not null), created_at, address);
create index operator_session_wallet on operator_session (address, session_id);
drop index operator_session_address;

-- A search by the last digits and the expiry returns the newest cards.
create index card_last4_newest on card (last4, expiry_year, expiry_month, card_id) where last4 is not null;
drop index card_last4;
