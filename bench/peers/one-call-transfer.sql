-- A ledger that books a transfer in one call: it locks two balances, changes both, and writes one transfer and two
-- entries. It has the shape of pgledger (https://github.com/pgr0ss/pgledger), and none of its code.
create table peer_account (
  account_id text primary key,
  currency text not null,
  balance numeric not null default 0,
  version bigint not null default 0,
  may_be_negative boolean not null,
  updated_at timestamptz not null
);

create table peer_transfer (
  transfer_id text primary key,
  from_account text not null references peer_account,
  to_account text not null references peer_account,
  amount numeric not null check (amount > 0),
  created_at timestamptz not null,
  event_at timestamptz not null,
  check (from_account <> to_account)
);
create index on peer_transfer (from_account);
create index on peer_transfer (to_account);
create index on peer_transfer (event_at);

create table peer_entry (
  entry_id text primary key,
  account_id text not null references peer_account,
  transfer_id text not null references peer_transfer,
  amount numeric not null,
  balance_before numeric not null,
  balance_after numeric not null,
  account_version bigint not null,
  created_at timestamptz not null
);
create index on peer_entry (account_id);
create index on peer_entry (transfer_id);

create function peer_id(p_prefix text) returns text language sql volatile as $$
  select p_prefix || '_' || lpad(to_hex((extract(epoch from clock_timestamp()) * 1000000)::bigint), 14, '0')
    || left(md5(random()::text), 18)
$$;

create function peer_move(p_account text, p_transfer text, p_amount numeric) returns void language plpgsql as $$
declare
  v_account peer_account;
begin
  update peer_account set balance = balance + p_amount, version = version + 1, updated_at = now()
    where account_id = p_account returning * into strict v_account;
  if v_account.balance < 0 and not v_account.may_be_negative then
    raise exception 'the balance of % would be negative', p_account;
  end if;
  insert into peer_entry (entry_id, account_id, transfer_id, amount, balance_before, balance_after, account_version, created_at)
    values (peer_id('e'), p_account, p_transfer, p_amount, v_account.balance - p_amount, v_account.balance,
      v_account.version, now());
end $$;

create function peer_book_transfer(p_from text, p_to text, p_amount numeric) returns text language plpgsql as $$
declare
  v_transfer text := peer_id('t');
  v_account text;
begin
  -- In the order of the ids, so that no two transfers wait for each other.
  foreach v_account in array array[least(p_from, p_to), greatest(p_from, p_to)] loop
    perform from peer_account where account_id = v_account for update;
  end loop;
  insert into peer_transfer (transfer_id, from_account, to_account, amount, created_at, event_at)
    values (v_transfer, p_from, p_to, p_amount, now(), now());
  perform peer_move(p_from, v_transfer, -p_amount);
  perform peer_move(p_to, v_transfer, p_amount);
  return v_transfer;
end $$;
