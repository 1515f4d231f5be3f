-- The ledger: balances, movements, postings, their seals, and the statement items derived from them.

-- Amounts with a fixed sign. PostgreSQL reads the check of a domain once per connection, but that of a table for each
-- statement that writes to it.
create domain never_negative as numeric(78,0) check (value >= 0);
create domain never_positive as numeric(78,0) check (value <= 0);
-- The kinds of movements are a domain for the same reason.
create domain movement_kind as text check (value in (
  'deposit_seen', 'deposit_reorganized', 'deposit_approved', 'deposit_refused', 'deposit_overturned',
  'deposit_returned', 'deposit_lost', 'deposit_recovered', 'withdrawal_requested', 'withdrawal_recovered',
  'withdrawal_cancelled', 'withdrawal_completed', 'withdrawal_reverted', 'payout_gas', 'card_authorization',
  'card_clearing', 'card_reversal', 'card_expiry', 'card_refund', 'card_refund_reversal',
  'card_clearing_cancellation'));

-- The balances of one user in one token, one column per ledger account. The checks enforce the ledger's invariants I1,
-- I4 and I5: the database rejects every change that creates or destroys money.
create table ledger_balance (
  user_id uuid not null,
  token text not null,
  available never_negative not null default 0,
  held never_negative not null default 0,
  frozen never_negative not null default 0,
  deposit_processing never_negative not null default 0,
  withdrawal_processing never_negative not null default 0,
  debt never_positive not null default 0,
  network numeric(78,0) not null default 0,
  unfinal never_positive not null default 0,
  chain numeric(78,0) not null default 0,
  gas numeric(78,0) not null default 0,
  loss numeric(78,0) not null default 0,
  primary key (user_id, token),
  check (available + held + frozen + deposit_processing + withdrawal_processing + debt
    + network + unfinal + chain + gas + loss = 0),
  check (not (available > 0 and debt < 0))
) with (fillfactor = 80);
-- Every start reads which tokens were ever held: one index step per token.
create index ledger_balance_token on ledger_balance (token);
-- Metrics and reports read debts across all users. Debts are rare, so the index stays small.
create index ledger_balance_debt on ledger_balance (token, debt) where debt < 0;

-- One fact that moved money. Rows are never updated or deleted.
create table movement (
  user_id uuid not null,
  seq bigint not null,
  kind movement_kind not null,
  ref_id uuid not null,
  created_at timestamptz not null,
  primary key (user_id, seq)
);
-- Finds recent movements. Rows are only appended, so a few bytes per range of pages suffice.
create index movement_created_at on movement using brin (created_at) with (pages_per_range = 32, autosummarize = on);

-- One debit and credit pair of a movement. Rows are never updated or deleted.
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

-- Seals: each covers the next movements of a user, without gaps from the first. Rows are never deleted, and
-- change only when SECRET is rotated.
create table movement_seal (
  user_id uuid not null,
  first_seq bigint not null,
  last_seq bigint not null,
  -- 32 bytes per movement: the hash of the movement, its postings and the preceding hash
  hashes bytea not null,
  -- authenticates the last hash with a key that is not in the database
  mac bytea not null,
  -- the name of the value of SECRET that the key is derived from
  secret_id text not null,
  sealed_at timestamptz not null,
  primary key (user_id, first_seq),
  check (last_seq >= first_seq and length(hashes) = 32 * (last_seq - first_seq + 1))
);

-- The statement: each item is stored as finished JSON, written in the transaction that changes it.
create table statement_item (
  user_id uuid not null,
  created_at timestamptz not null,
  item_id uuid not null,
  item text not null,
  primary key (user_id, created_at, item_id)
);

-- The result of each check of the books over all users. Rows are never updated or deleted.
create table reconcile_run (
  run_id uuid primary key,
  started_at timestamptz not null,
  ended_at timestamptz not null,
  users bigint not null,
  movements bigint not null,
  postings bigint not null,
  items bigint not null,
  -- the number of checked records of the sealed logs
  records bigint not null,
  bad_users bigint not null,
  bad_rows bigint not null,
  -- the first bad rows, each with its user, table, key and problem
  first_bad_rows json not null,
  unsealed json not null,
  -- the sums of all users by token and ledger account
  totals json not null,
  -- the balances on chain by token; null: no chain was read
  custody json
);
-- Evidence reads the checks of a period.
create index reconcile_run_started_at on reconcile_run (started_at, run_id);
