-- The reset of a sandbox. No role may truncate a table, so this function does it, as the owner of the tables.

-- Deletes all users, partners and their data. Fails in a database of another mode. The tables that it keeps
-- describe the database and its chains, not the people in it.
create function reset_sandbox() returns void language plpgsql security definer as $$
begin
  if (select mode from programme where id = 1) is distinct from 'sandbox' then
    raise exception 'this database does not belong to a sandbox' using errcode = 'object_not_in_prerequisite_state';
  end if;
  -- On a cluster, several connections of one transaction to a node would wait for each other.
  perform set_config('citus.multi_shard_modify_mode', 'sequential', true);
  -- The chain keeps the payouts. Their nonces count as read, so that none is mistaken for a lost payout.
  insert into payout_wallet (chain_id, signer, unread_nonce)
    select chain_id, signer, max(nonce) + 1 from payout_transaction group by chain_id, signer
    on conflict (chain_id, signer) do update
      set unread_nonce = greatest(payout_wallet.unread_nonce, excluded.unread_nonce);
  -- All sessions end. A used nonce stays used.
  update used_nonce set signer = null, session_id = null, domain = null;
  update kill_switch set is_on = true, changed_at = null;
  execute (
    select 'truncate ' || string_agg(format('%I', tablename), ', ') from pg_tables
    where schemaname = current_schema() and tablename not in (
      'applied_migration', 'programme', 'secret_in_use', 'signing_key', 'service_process', 'sandbox_clock', 'kill_switch',
      'used_nonce', 'watched_chain', 'watched_block', 'payout_wallet'));
end $$;
-- Otherwise a caller could replace the tables by temporary ones of its own, since PostgreSQL looks for those first.
do $$ begin
  execute format('alter function reset_sandbox() set search_path = %I, pg_temp', current_schema());
end $$;
revoke all on function reset_sandbox() from public;
