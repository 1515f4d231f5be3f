-- The oldest of the keys that sign until `previous_key_until`; null: the one before the current one.
alter table webhook_endpoint add column oldest_key_version integer;
