-- One transfer that came in. The log's position is within its transaction's receipt: the block-wide index changes when it is mined again.
create table deposit (
  user_id uuid not null,
  deposit_id uuid not null,
  chain_id integer not null,
  tx_hash text not null,
  log_position integer not null,
  token text not null,
  amount numeric(78,0) not null check (amount > 0),
  from_address text not null,
  status text not null check (status in ('pending', 'approved', 'rejected')),
  chain_state text not null check (chain_state in ('unfinal', 'final', 'reorganised')),
  screening text not null check (screening in ('pending', 'approved', 'rejected')),
  risk_score integer not null default 0,
  risk_tier text not null default 'unknown',
  -- when the chain or screening is to be asked (again); null: nothing is owed
  due_at timestamptz,
  attempts integer not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (user_id, deposit_id),
  unique (user_id, chain_id, tx_hash, log_position),
  check (status = case chain_state when 'reorganised' then 'rejected' when 'final' then screening else 'pending' end)
);
create index deposit_created_at on deposit (user_id, created_at, deposit_id);
create index deposit_due_at on deposit (due_at) where due_at is not null;

create table withdrawal (
  user_id uuid not null,
  withdrawal_id uuid not null,
  chain_id integer not null,
  token text not null,
  amount numeric(78,0) not null check (amount > 0),
  to_address text not null,
  status text not null check (status in ('pending', 'processing', 'completed', 'failed')),
  -- the transaction that pays it, named as in payout_transaction
  tx_hash text,
  payout_signer text,
  payout_nonce bigint,
  -- when it is to be paid, or its payment looked at, (again); null: nothing is owed
  due_at timestamptz,
  attempts integer not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (user_id, withdrawal_id),
  check (status not in ('processing', 'completed') or tx_hash is not null),
  check ((tx_hash is null) = (payout_signer is null) and (tx_hash is null) = (payout_nonce is null))
);
create index withdrawal_created_at on withdrawal (user_id, created_at, withdrawal_id);
create index withdrawal_due_at on withdrawal (due_at) where due_at is not null;

-- One transaction of a payout wallet: the nonce is reserved and the signed bytes are stored before anything is sent.
create table payout_transaction (
  chain_id integer not null,
  signer text not null,
  nonce bigint not null,
  user_id uuid not null,
  withdrawal_id uuid not null,
  tx_hash text not null,
  signed_transaction text not null,
  created_at timestamptz not null,
  primary key (chain_id, signer, nonce)
);
