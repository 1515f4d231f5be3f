-- When the coins of a deposit were found to have left its address for the treasury; null: they have not, as far as we know.
alter table deposit add column swept_at timestamptz;
create index deposit_unswept on deposit (chain_id, token) where chain_state = 'final' and swept_at is null;

-- One transaction of the wallet that sweeps: the nonce is reserved and the signed bytes are stored before anything is sent.
create table sweep (
  chain_id integer not null,
  signer text not null,
  nonce bigint not null,
  status text not null check (status in ('sent', 'done', 'reverted', 'replaced')),
  accounts integer not null,
  tokens text[] not null,
  -- all that was signed for the nonce, the last for the highest fee; the chain mines one of them at most
  tx_hashes text[] not null,
  signed_transaction text not null,
  -- tokens that refused to move
  not_swept text[] not null default '{}',
  -- what the gas cost, in the smallest unit of the chain's own coin
  fee numeric(78,0),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (chain_id, signer, nonce),
  check ((fee is null) = (status in ('sent', 'replaced')))
);
