-- How far each chain was read, how far of that cannot be replaced any more, and which process reads it.
create table watched_chain (
  chain_id integer primary key,
  seen_block bigint not null,
  final_block bigint not null,
  watcher uuid,
  leased_until timestamptz,
  updated_at timestamptz not null,
  check (final_block <= seen_block)
);

-- Hashes of what was read, to notice that a block was replaced: each block that could be, and the ends of ranges behind them.
create table watched_block (
  chain_id integer not null,
  number bigint not null,
  hash text not null,
  primary key (chain_id, number)
);

-- What the chain says of one transfer to a user, and that the books are to follow it. The log's position is within its
-- transaction's receipt.
create table incoming_transfer (
  user_id uuid not null,
  chain_id integer not null,
  tx_hash text not null,
  log_position integer not null,
  token text not null,
  from_address text not null,
  to_address text not null,
  block_number bigint not null,
  block_hash text not null,
  chain_state text not null check (chain_state in ('unfinal', 'final', 'reorganised')),
  -- what the log claims, and what arrived by the balance; null: that cannot be told, so it must not become final
  claimed numeric(78,0) not null,
  arrived numeric(78,0),
  -- when the books are to follow; null: they did
  due_at timestamptz,
  attempts integer not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (user_id, chain_id, tx_hash, log_position)
);
create index incoming_transfer_due_at on incoming_transfer (due_at) where due_at is not null;
create index incoming_transfer_block on incoming_transfer (chain_id, block_number);
create index incoming_transfer_untold on incoming_transfer (chain_id) where arrived is null and chain_state <> 'reorganised';

-- Tokens that are not configured, sent to one of our addresses: outside the books, never credited.
create table unknown_transfer (
  chain_id integer not null,
  tx_hash text not null,
  -- within the block: nothing is ever paid for these, so no name is needed that outlives a reorganisation
  log_index integer not null,
  block_number bigint not null,
  token text not null,
  from_address text not null,
  to_address text not null,
  amount numeric(78,0) not null,
  created_at timestamptz not null,
  primary key (chain_id, block_number, tx_hash, log_index)
);

-- A log names its receiver by 20 bytes; the directory by the checksummed text.
create index directory_account_address on directory (lower(lookup_key)) where lookup_key like 'account:%';

-- Money that goes back to its sender.
alter table deposit add column return_state text check (return_state in ('signed', 'returned'));
