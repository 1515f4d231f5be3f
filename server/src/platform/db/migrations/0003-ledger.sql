-- The balances of one user in one token: one column a ledger account. Together with the postings they are the books.
-- The checks are the invariants I1, I4 and I5 of the ledger: the database itself refuses a cent that appears or vanishes.
create table ledger_balance (
  user_id uuid not null,
  token text not null,
  available numeric(78,0) not null default 0 check (available >= 0),
  held numeric(78,0) not null default 0 check (held >= 0),
  frozen numeric(78,0) not null default 0 check (frozen >= 0),
  deposit_processing numeric(78,0) not null default 0 check (deposit_processing >= 0),
  withdrawal_processing numeric(78,0) not null default 0 check (withdrawal_processing >= 0),
  debt numeric(78,0) not null default 0 check (debt <= 0),
  network numeric(78,0) not null default 0,
  unfinal numeric(78,0) not null default 0 check (unfinal <= 0),
  chain numeric(78,0) not null default 0,
  gas numeric(78,0) not null default 0,
  loss numeric(78,0) not null default 0,
  primary key (user_id, token),
  check (available + held + frozen + deposit_processing + withdrawal_processing + debt
    + network + unfinal + chain + gas + loss = 0),
  check (not (available > 0 and debt < 0))
) with (fillfactor = 80);

-- One fact that moved money. Never updated, never deleted.
create table movement (
  user_id uuid not null,
  seq bigint not null,
  kind text not null,
  ref_id uuid not null,
  created_at timestamptz not null,
  primary key (user_id, seq)
);

-- One debit-credit pair of a movement. Never updated, never deleted.
create table posting (
  user_id uuid not null,
  movement_seq bigint not null,
  line smallint not null,
  token text not null,
  from_account text not null,
  to_account text not null,
  amount numeric(78,0) not null check (amount > 0),
  primary key (user_id, movement_seq, line),
  foreign key (user_id, movement_seq) references movement
);

-- The statement's rows: each movement's finished JSON, written in the transaction that changes it.
create table statement_item (
  user_id uuid not null,
  created_at timestamptz not null,
  item_id uuid not null,
  item text not null,
  primary key (user_id, created_at, item_id)
);
