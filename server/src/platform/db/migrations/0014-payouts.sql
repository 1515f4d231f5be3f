-- Its payment stands in a block that is not final yet: it has left the payout wallet, so nothing is kept back for it there.
alter table withdrawal add column is_mined boolean not null default false;

-- A payout that waits too long is signed again for a higher fee, with the nonce of the first. The chain mines one of them.
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
