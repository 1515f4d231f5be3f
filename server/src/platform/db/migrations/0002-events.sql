-- Records of changes, which every capability writes in the transaction of the change.

-- The outbox of events for partners, numbered per user without gaps. A null `due_at` means that the event is published:
-- partner_event then holds its text.
create table event (
  user_id uuid not null,
  seq bigint not null,
  event_id uuid not null,
  partner_id uuid not null,
  type text not null,
  data text not null,
  created_at timestamptz not null,
  due_at timestamptz,
  primary key (user_id, seq)
);
create index event_due_at on event (due_at) where due_at is not null;

-- The last record of each sealed log: operator_decision, or partner_audit and the partner's id. Its row is the lock
-- under which the log grows.
create table sealed_log (
  log text primary key,
  seq bigint not null,
  -- the hash of the last record
  hash bytea not null,
  -- authenticates the end of the log with a key that is not in the database
  mac bytea not null,
  -- the name of the value of SECRET that the key is derived from
  secret_id text not null
);

-- Changes that an operator made by hand, with author and reason. Rows are never updated or deleted, except for the MAC:
-- a rotation of SECRET replaces it.
create table operator_decision (
  decision_id uuid primary key,
  seq bigint not null unique,
  -- of the record and the hash before it
  hash bytea not null,
  -- authenticates the hash
  mac bytea not null,
  secret_id text not null,
  decided_by text not null,
  decided_at timestamptz not null,
  -- with its arguments, as the operators signed it
  command text not null,
  subject text not null,
  reason text not null,
  -- the wallet of the approver; null: one signature was enough, or nobody signed
  approved_by text,
  -- whether the operator used the shell, without a signature
  break_glass boolean not null,
  -- JSON text of the signed message and its signatures; null: break-glass
  proof text,
  check (break_glass = (proof is null))
);
create index operator_decision_subject on operator_decision (subject, seq);
-- Evidence reads the decisions of a period.
create index operator_decision_decided_at on operator_decision (decided_at, decision_id);
-- Decisions by operator, and the number of those without a signature.
create index operator_decision_decided_by on operator_decision (decided_by, seq);
create index operator_decision_approved_by on operator_decision (approved_by, seq) where approved_by is not null;
create index operator_decision_break_glass on operator_decision (seq) where break_glass;
