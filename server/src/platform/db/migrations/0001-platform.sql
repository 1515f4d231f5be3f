-- Tables of the platform, which every capability uses.

-- The mode of the first start, and every chain that tokens have been on. A start in another mode fails.
create table programme (
  id smallint primary key check (id = 1),
  mode text not null check (mode in ('sandbox', 'production')),
  chain_ids integer[] not null
);

-- Finds the user of each globally unique name, such as wallet:<address> or card:<id>. Its key is the first half of the
-- SHA-256 of the name: left(encode(sha256('card:<id>'), 'hex'), 32)::uuid. The address of account:<address> is in lower
-- case, because a transfer log names its recipient by 20 bytes.
create table directory (
  lookup_key uuid,
  user_id uuid not null,
  ref_id uuid,
  -- of a wallet: the partner of its user, which never changes; null: none. A sign-in reads it with the user.
  partner_id uuid,
  -- The index has the columns that most lookups read, so that they need not read the table as well.
  primary key (lookup_key) include (user_id, ref_id)
);

-- Stored responses of requests with an Idempotency-Key. Sandbox callers share the nil user id.
create table idempotency_key (
  user_id uuid not null,
  key text not null,
  request_hash text not null,
  -- the id of the resource that the request creates, the same for every retry
  ref_id uuid not null,
  status smallint,
  body text,
  lease_until timestamptz not null,
  -- the process that runs or ran the request; null: it needed no lease
  leased_by uuid,
  created_at timestamptz not null,
  -- null: never, because the request moved money or may still move it
  expires_at timestamptz,
  primary key (user_id, key)
);
create index idempotency_key_expires_at on idempotency_key (expires_at) where expires_at is not null;
create index idempotency_key_leased_by on idempotency_key (leased_by) where leased_by is not null;
create index idempotency_key_newest on idempotency_key (user_id, expires_at) where expires_at is not null;

-- The processes that are running, or were killed, by the address on which only one process can listen.
create table service_process (
  address text primary key,
  process_id uuid not null,
  started_at timestamptz not null
);

-- Kill switches, with which an operator stops a part of the service. Both rows exist from the start.
create table kill_switch (
  name text primary key check (name in ('payouts', 'card-approvals')),
  is_on boolean not null,
  -- null: never changed
  changed_at timestamptz
);
insert into kill_switch (name, is_on) values ('payouts', true), ('card-approvals', true);

-- The names of the values of SECRET that stored data may depend on. A process that lacks one of them does not start.
create table secret_in_use (
  secret_id text primary key,
  since timestamptz not null
);

-- The offset of the sandbox clock from the system clock, shared by all processes.
create table sandbox_clock (
  id smallint primary key check (id = 1),
  offset_seconds bigint not null,
  -- the last steps, newest first: a repeated request must not advance the clock again
  steps uuid[] not null
);
