-- What a payout wallet sent, as far as it was read on the chain: what pays a withdrawal among it is in payout_transaction.
create table payout_wallet (
  chain_id integer not null,
  signer text not null,
  -- the first nonce that was not looked at
  unread_nonce bigint not null,
  primary key (chain_id, signer)
);
