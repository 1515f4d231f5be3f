-- Tables that every capability uses and that belong to no single user.

-- Finds the user of each globally unique name, such as wallet:<address> or card:<id>.
create table directory (
  lookup_key text primary key,
  user_id uuid not null,
  ref_id uuid
);
-- A transfer log names its recipient by 20 bytes; the directory stores the checksummed text.
create index directory_account_address on directory (lower(lookup_key)) where lookup_key like 'account:%';

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
  created_at timestamptz not null,
  primary key (user_id, key)
);

-- Kill switches, with which an operator stops a part of the service. Both rows exist from the start.
create table kill_switch (
  name text primary key check (name in ('payouts', 'card-approvals')),
  is_on boolean not null,
  -- null: never changed
  changed_at timestamptz
);
insert into kill_switch (name, is_on) values ('payouts', true), ('card-approvals', true);

-- The offset of the sandbox clock from the system clock, shared by all processes.
create table sandbox_clock (
  id smallint primary key check (id = 1),
  offset_seconds bigint not null
);
