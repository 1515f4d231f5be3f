-- Cards, the messages of the card network, and the card transactions derived from them.

-- The user as the issuer knows them.
create table cardholder (
  user_id uuid primary key,
  phone text not null,
  country_code text not null,
  created_at timestamptz not null
);

create table card (
  user_id uuid not null,
  card_id uuid not null,
  name text not null,
  type text not null check (type in ('virtual')),
  status text not null check (status in ('provisioning', 'active', 'blocked', 'canceled', 'lost', 'stolen', 'expired')),
  blocked_by text[] not null default '{}' check (blocked_by <@ array['owner', 'issuer', 'compliance']),
  currency text not null,
  card_token text,
  last4 text,
  expiry_month smallint,
  expiry_year smallint,
  -- the owner's limits, in minor units of the card's currency; null: only the programme's limits apply
  limit_per_transaction numeric(78,0) check (limit_per_transaction >= 0),
  limit_daily numeric(78,0) check (limit_daily >= 0),
  -- the card that replaces this one, which was lost or stolen; null: none was created
  replacement_id uuid,
  -- when a change is due at the issuer; null: nothing is due
  due_at timestamptz,
  leased_by uuid,
  attempts integer not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (user_id, card_id),
  check ((status = 'blocked') = (cardinality(blocked_by) > 0) or status not in ('active', 'blocked'))
);
create index card_due_at on card (due_at) where due_at is not null;
-- Operators find the newest cards by their last digits and expiry.
create index card_last4 on card (last4, expiry_year, expiry_month, card_id) where last4 is not null;

-- Each event of a card that the issuer reported, stored once with its response.
create table card_event (
  user_id uuid not null,
  event_id text not null,
  body_hash text not null,
  card_id uuid not null,
  type text not null check (type in ('activated', 'blocked', 'unblocked', 'lost', 'stolen', 'expired')),
  occurred_at timestamptz not null,
  response text not null,
  created_at timestamptz not null,
  primary key (user_id, event_id)
);
create index card_event_card on card_event (user_id, card_id, occurred_at);

-- A display of a card number or PIN that an owner approved by signature. The data it showed is not stored.
create table card_view (
  user_id uuid not null,
  view_id uuid not null,
  card_id uuid not null,
  signer_address text not null,
  action text not null check (action in ('view-details', 'view-pin')),
  token_hash text not null,
  -- the partner whose pages may show it besides the programme's own pages; null: only the programme's own
  partner_id uuid,
  expires_at timestamptz not null,
  opened_at timestamptz,
  created_at timestamptz not null,
  primary key (user_id, view_id)
);
-- Evidence reads the card views of a period.
create index card_view_created_at on card_view (created_at, view_id);

-- The states of messages and card transactions are domains, for the reason that 0003-ledger.sql gives.
create domain card_message_type as text check (value in (
  'authorization', 'incremental', 'replacement', 'reversal', 'clearing', 'clearing_cancellation', 'refund',
  'refund_reversal', 'advice', 'expiry', 'single_message'));
create domain card_message_outcome as text check (value in ('approved', 'declined', 'deferred'));
create domain card_transaction_kind as text check (value in ('Payment', 'Refund', 'Reversal'));
create domain card_entry_mode as text check (value in (
  'ecommerce', 'chip', 'contactless', 'magstripe', 'manual', 'stored'));
create domain card_transaction_status as text check (value in ('pending', 'settled', 'cancelled', 'declined'));

-- Each message of the card network, stored once with its decision. The amount of a deferred full reversal is written
-- later, when the authorization that it refers to arrives.
create table card_message (
  user_id uuid not null,
  card_message_id uuid not null,
  source text not null,
  event_id text not null,
  body_hash text not null,
  card_id uuid not null,
  -- the card transaction that the message created or changed; null: none
  card_transaction_id uuid,
  authorization_code text not null,
  authorization_id bigint not null,
  -- the network's own id of the payment, if the message has one; it links messages whose authorization codes differ
  network_id text,
  type card_message_type not null,
  -- in the card's currency; for the type replacement, the change of the approved amount, which can be negative
  amount_minor numeric(78,0),
  is_final boolean not null,
  outcome card_message_outcome not null,
  decline_code text,
  -- in the message's currency; null unless the message allows a partial approval
  approved_amount_minor numeric(78,0),
  -- the content of a deferred message while it waits for the message it refers to; null: it does not wait
  deferred_message text,
  -- a deferred message that an operator should review, and has not reviewed yet
  needs_review boolean not null default false,
  created_at timestamptz not null,
  -- Each index is one more page to change for each message, and that page is often not in memory. So only the rows to
  -- review, which are rare, have an index by card_message_id.
  primary key (user_id, source, event_id),
  check ((outcome = 'declined') = (decline_code is not null))
);
-- The code first, because operators search for a code without knowing its user.
create index card_message_code on card_message (authorization_code, user_id, card_id);
create index card_message_network_id on card_message (user_id, card_id, network_id) where network_id is not null;
-- Operators search reviews across all users. They are rare, so the index stays small.
create index card_message_review on card_message (created_at, card_message_id) where needs_review;
-- Operators close a review by its id alone.
create index card_message_review_id on card_message (card_message_id) where needs_review;

-- Messages that were declined because the user's lock was not free in time. A retry of the same message is declined
-- too, and then has a row in card_message as well. A message that was decided before its late decline was stored keeps
-- its decision in card_message. Rows are never updated or deleted.
create table late_decline (
  user_id uuid not null,
  source text not null,
  event_id text not null,
  body_hash text not null,
  created_at timestamptz not null,
  primary key (user_id, source, event_id)
);

-- The whole life of one authorization, as the statement shows it, folded from its messages. Refunds, reversals of
-- cleared payments and declined authorizations are separate rows with the same code.
create table card_transaction (
  user_id uuid not null,
  card_transaction_id uuid not null,
  card_id uuid not null,
  card_token text,
  authorization_id bigint not null,
  authorization_code text not null,
  kind card_transaction_kind not null,
  status card_transaction_status not null,
  is_credit boolean not null,
  currency text not null,
  amount_minor never_negative not null,
  original_currency text not null,
  original_amount_minor never_negative not null,
  merchant_name text not null,
  merchant_city text,
  merchant_country text not null,
  mcc text not null,
  entry_mode card_entry_mode not null,
  decline_code text,
  -- the payment that a refund or reversal belongs to, or the refund that a reversal cancels
  linked_id uuid,
  needs_review boolean not null,
  -- when the hold expires; null: nothing is held
  due_at timestamptz,
  leased_by uuid,
  attempts integer not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  cleared_at timestamptz,
  primary key (user_id, card_transaction_id),
  check ((status = 'declined') = (decline_code is not null))
);
-- The statement of one card reads it backwards: ids begin with their time.
create index card_transaction_card on card_transaction (user_id, card_id, card_transaction_id);
create index card_transaction_due_at on card_transaction (due_at) where due_at is not null;
create index card_transaction_review on card_transaction (created_at, card_transaction_id) where needs_review;
create index card_transaction_review_id on card_transaction (card_transaction_id) where needs_review;


-- The held and settled amounts of a card transaction per token, in token units: always whole minor units.
create table card_transaction_part (
  user_id uuid not null,
  card_transaction_id uuid not null,
  token text not null,
  held never_negative not null,
  settled never_negative not null,
  -- The id first: ids begin with their time, so the new rows of all users share one page of the index.
  primary key (card_transaction_id, user_id, token),
  foreign key (user_id, card_transaction_id) references card_transaction
);

-- Reviews of a card transaction or deferred message by an operator. Rows are never updated or deleted.
create table review (
  user_id uuid not null,
  review_id uuid not null,
  ref_id uuid not null,
  done_by text not null,
  done_at timestamptz not null,
  primary key (user_id, review_id)
);
-- Evidence reads the reviews of a period.
create index review_done_at on review (done_at, review_id);
