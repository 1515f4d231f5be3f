-- Money on chains: the watcher's progress, deposits, sweeps, withdrawals and their payouts.

-- The watcher's cursor of each chain, and the process that holds the lease on it.
create table watched_chain (
  chain_id integer primary key,
  -- the last block that was read, and the last of those that are final
  seen_block bigint not null,
  final_block bigint not null,
  watcher uuid,
  leased_until timestamptz,
  updated_at timestamptz not null,
  check (final_block <= seen_block)
);

-- Hashes of blocks that were read, which reveal a reorganization: every block that is not final, and the ends of final
-- ranges.
create table watched_block (
  chain_id integer not null,
  number bigint not null,
  hash text not null,
  primary key (chain_id, number)
);

-- The chain's record of one transfer to a user. Due work updates the deposit from this row.
create table incoming_transfer (
  user_id uuid not null,
  chain_id integer not null,
  tx_hash text not null,
  -- within the receipt: the index within the block changes when the transaction is mined again
  log_position integer not null,
  token text not null,
  from_address text not null,
  to_address text not null,
  block_number bigint not null,
  block_hash text not null,
  chain_state text not null check (chain_state in ('unfinal', 'final', 'reorganized')),
  -- the amount in the log, which a token may overstate
  claimed numeric(78,0) not null,
  -- the amount by which the balance grew; null: unknown, so the transfer must not become final
  arrived numeric(78,0),
  -- when to update the deposit from this row; null: it is up to date
  due_at timestamptz,
  leased_by uuid,
  attempts integer not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (user_id, chain_id, tx_hash, log_position)
);
create index incoming_transfer_due_at on incoming_transfer (due_at) where due_at is not null;
create index incoming_transfer_block on incoming_transfer (chain_id, block_number);
create index incoming_transfer_unknown_arrival on incoming_transfer (chain_id, block_number, tx_hash, log_position)
  where arrived is null and chain_state <> 'reorganized';
-- The overview of operators shows the oldest transfer whose arrival is unknown.
create index incoming_transfer_unknown_arrival_at on incoming_transfer (created_at)
  where arrived is null and chain_state <> 'reorganized';

-- Transfers of unconfigured tokens to our addresses. They are recorded, never credited.
create table unknown_transfer (
  chain_id integer not null,
  tx_hash text not null,
  -- within the block: nothing is credited, so the key need not survive a reorganization
  log_index integer not null,
  block_number bigint not null,
  token text not null,
  from_address text not null,
  to_address text not null,
  amount numeric(78,0) not null,
  created_at timestamptz not null,
  primary key (chain_id, block_number, tx_hash, log_index)
);

-- Transfers to users, as the ledger and the statement show them.
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
  chain_state text not null check (chain_state in ('unfinal', 'final', 'reorganized')),
  screening text not null check (screening in ('pending', 'approved', 'rejected')),
  risk_score integer not null default 0,
  risk_tier text not null default 'unknown',
  -- null: a rejected deposit is not being returned to its sender
  return_state text check (return_state in ('signed', 'returned')),
  -- When its tokens were found to have left the deposit address for the treasury. Null: not known to have left.
  -- Infinity: they are at an address of an earlier factory, which Purser does not sweep.
  swept_at timestamptz,
  -- when to check the chain or the screening provider (again); null: nothing is due
  due_at timestamptz,
  leased_by uuid,
  attempts integer not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (user_id, deposit_id),
  check (status = case chain_state when 'reorganized' then 'rejected' when 'final' then screening else 'pending' end)
);
create index deposit_created_at on deposit (user_id, created_at, deposit_id);
create index deposit_due_at on deposit (due_at) where due_at is not null;
-- A transaction that is mined again may make a different transfer, which may become another deposit. At most one of the
-- deposits with the same key is on the chain.
create unique index deposit_standing on deposit (user_id, chain_id, tx_hash, log_position) where chain_state <> 'reorganized';
create index deposit_reorganized on deposit (user_id, chain_id, tx_hash, log_position) where chain_state = 'reorganized';
create index deposit_unswept on deposit (chain_id, token) where chain_state = 'final' and swept_at is null;
-- Operators read these two lists across all users. Both are short: most deposits are approved at once.
create index deposit_waiting on deposit (created_at, deposit_id) where status = 'pending';
create index deposit_frozen on deposit (created_at, deposit_id)
  where chain_state = 'final' and screening = 'rejected' and return_state is null;
create index deposit_tx_hash on deposit (tx_hash);

-- One nonce of the sweep wallet. The nonce is reserved and the signed bytes are stored before anything is sent.
create table sweep (
  chain_id integer not null,
  signer text not null,
  nonce bigint not null,
  status text not null check (status in ('sent', 'done', 'reverted', 'replaced')),
  accounts integer not null,
  tokens text[] not null,
  -- every transaction that was signed for the nonce, the last with the highest fee; the chain mines at most one
  tx_hashes text[] not null,
  signed_transaction text not null,
  -- transfers that failed: their tokens, and in the same order the addresses that still hold them
  not_swept text[] not null default '{}',
  not_swept_at text[] not null default '{}',
  -- the cost of gas, in the smallest unit of the chain's native coin
  fee numeric(78,0),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (chain_id, signer, nonce),
  check ((fee is null) = (status in ('sent', 'replaced')))
);
create index sweep_not_swept on sweep (chain_id, signer, updated_at) where not_swept <> '{}';

-- Withdrawals of users, and returns of rejected deposits, which the same queue pays.
create table withdrawal (
  user_id uuid not null,
  withdrawal_id uuid not null,
  -- the deposit that this row returns; null: a withdrawal
  deposit_id uuid,
  chain_id integer not null,
  token text not null,
  amount numeric(78,0) not null check (amount > 0),
  to_address text not null,
  status text not null check (status in ('pending', 'processing', 'completed', 'failed')),
  -- the transaction that pays it; chain_id, payout_signer and payout_nonce are its key in payout_transaction
  tx_hash text,
  payout_signer text,
  payout_nonce bigint,
  -- The payout is in a block that is not final yet. The tokens have left the payout wallet, so none are reserved there.
  is_mined boolean not null default false,
  -- The payout is final but paid nobody: 'open' until an operator resolves it.
  unpaid text check (unpaid in ('open', 'paid', 'refund', 'again')),
  -- when to send the payout, or to check it (again); null: nothing is due
  due_at timestamptz,
  leased_by uuid,
  attempts integer not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (user_id, withdrawal_id),
  check (status not in ('processing', 'completed') or tx_hash is not null),
  check ((tx_hash is null) = (payout_signer is null) and (tx_hash is null) = (payout_nonce is null))
);
create index withdrawal_created_at on withdrawal (user_id, created_at, withdrawal_id);
create index withdrawal_due_at on withdrawal (due_at) where due_at is not null;
-- The open payouts of all users, and those that wait for an operator.
create index withdrawal_open on withdrawal (created_at, withdrawal_id) where status in ('pending', 'processing');
create index withdrawal_unpaid on withdrawal (created_at, withdrawal_id) where unpaid = 'open';

-- One nonce of a payout wallet. The nonce is reserved and the signed bytes are stored before anything is sent.
create table payout_transaction (
  chain_id integer not null,
  signer text not null,
  nonce bigint not null,
  -- null: a recovered payout of an unknown user, a return whose deposit is missing or not rejected after a restore, or
  -- a payout of a withdrawal that has another payout
  user_id uuid,
  withdrawal_id uuid not null,
  -- The withdrawal is unknown, so an operator must find its user. Returns need no operator.
  needs_user boolean not null default false,
  tx_hash text not null,
  signed_transaction text not null,
  created_at timestamptz not null,
  primary key (chain_id, signer, nonce),
  check (user_id is null or not needs_user)
);
create index payout_transaction_unassigned on payout_transaction (withdrawal_id) where user_id is null;
create index payout_transaction_tx_hash on payout_transaction (tx_hash);
-- Operators assign recovered payouts of unknown withdrawals.
create index payout_transaction_unknown_user on payout_transaction (withdrawal_id, tx_hash) where needs_user;
create index payout_transaction_unknown_user_at on payout_transaction (created_at) where needs_user;

-- Fee bumps: a payout that waits too long is signed again with the same nonce. The chain mines at most one of them.
create table payout_fee_bump (
  chain_id integer not null,
  signer text not null,
  nonce bigint not null,
  bump smallint not null check (bump > 0),
  tx_hash text not null,
  signed_transaction text not null,
  created_at timestamptz not null,
  primary key (chain_id, signer, nonce, bump)
);
create index payout_fee_bump_tx_hash on payout_fee_bump (tx_hash);

-- The progress of reading each payout wallet's transactions from the chain, to recover payouts that a restored database
-- lacks.
create table payout_wallet (
  chain_id integer not null,
  signer text not null,
  -- the first nonce that was not read
  unread_nonce bigint not null,
  primary key (chain_id, signer)
);

-- The user's bank account number. Euros that arrive there are minted to the wallet that signed the request.
create table iban (
  user_id uuid primary key references app_user,
  address text not null,
  signature text not null,
  status text not null check (status in ('pending', 'assigned', 'refused')),
  iban text,
  bic text,
  -- when to call the provider (again); null: nothing is due
  due_at timestamptz,
  leased_by uuid,
  attempts integer not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  check ((status = 'assigned') = (iban is not null) and (iban is null) = (bic is null))
);
create index iban_due_at on iban (due_at) where due_at is not null;
