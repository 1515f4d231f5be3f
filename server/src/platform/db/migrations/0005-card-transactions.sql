-- Each network message once, with the answer it got. Only the amount of a reversal of everything is written later: when
-- the authorization that it waits for arrives.
create table card_message (
  user_id uuid not null,
  card_message_id uuid not null,
  source text not null,
  event_id text not null,
  body_hash text not null,
  card_id uuid not null,
  authorization_code text not null,
  authorization_id bigint not null,
  type text not null check (type in (
    'authorization', 'incremental', 'replacement', 'reversal', 'clearing', 'clearing_cancellation', 'refund',
    'refund_reversal', 'advice', 'expiry', 'single_message')),
  -- in the card's currency; of a replacement the signed difference
  amount_minor numeric(78,0),
  is_final boolean not null,
  outcome text not null check (outcome in ('approved', 'declined', 'kept')),
  answer text not null,
  created_at timestamptz not null,
  primary key (user_id, card_message_id),
  unique (user_id, source, event_id)
);
create index card_message_code on card_message (user_id, card_id, authorization_code);

-- The whole life of one authorization, as the statement shows it: derived from its messages by the fold. Refunds,
-- reversals of cleared payments and declined authorizations are rows of their own with the same code.
create table card_transaction (
  user_id uuid not null,
  card_transaction_id uuid not null,
  card_id uuid not null,
  card_token text,
  authorization_id bigint not null,
  authorization_code text not null,
  kind text not null check (kind in ('Payment', 'Refund', 'Reversal')),
  status text not null check (status in ('pending', 'settled', 'cancelled', 'declined')),
  is_credit boolean not null,
  currency text not null,
  amount_minor numeric(78,0) not null check (amount_minor >= 0),
  original_currency text not null,
  original_amount_minor numeric(78,0) not null check (original_amount_minor >= 0),
  merchant_name text not null,
  merchant_city text,
  merchant_country text not null,
  mcc text not null,
  entry_mode text not null,
  decline_code text,
  -- the payment that a refund or a reversal belongs to, or the refund that a reversal takes back
  linked_id uuid,
  needs_review boolean not null,
  -- when the hold expires; null: nothing is held
  due_at timestamptz,
  attempts integer not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  cleared_at timestamptz,
  primary key (user_id, card_transaction_id),
  unique (user_id, authorization_id),
  check ((status = 'declined') = (decline_code is not null))
);
create index card_transaction_code on card_transaction (user_id, card_id, authorization_code);
create index card_transaction_due_at on card_transaction (due_at) where due_at is not null;

-- What one card transaction holds and has settled of each token, in token units: always whole minor units.
create table card_transaction_part (
  user_id uuid not null,
  card_transaction_id uuid not null,
  token text not null,
  held numeric(78,0) not null check (held >= 0),
  settled numeric(78,0) not null check (settled >= 0),
  primary key (user_id, card_transaction_id, token),
  foreign key (user_id, card_transaction_id) references card_transaction
);
