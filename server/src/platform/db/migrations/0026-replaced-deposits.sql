-- A transaction that is mined again may move something else. Where the deposit that it was is going back to its sender, or went,
-- what it is now is another one: of those with the same name, one stands in the chain at most.
alter table deposit drop constraint deposit_user_id_chain_id_tx_hash_log_position_key;
create unique index deposit_standing on deposit (user_id, chain_id, tx_hash, log_position) where chain_state <> 'reorganised';
create index deposit_reorganised on deposit (user_id, chain_id, tx_hash, log_position) where chain_state = 'reorganised';
