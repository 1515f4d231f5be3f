-- What partners are told of: the outbox of the facts, each partner's log, and who is told how.

-- An event, written in the transaction of its fact. Numbered per user without a gap. `due_at` null: it is in its
-- partner's log, which has the text from then on.
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

-- How far each partner's log has got: its row is the lock under which the log grows, so a reader misses nothing.
create table partner_stream (
  partner_id uuid primary key,
  position bigint not null
);

-- The log: the finished text of each event, in the order in which they joined.
create table partner_event (
  partner_id uuid not null,
  position bigint not null,
  event_id uuid not null,
  type text not null,
  body text not null,
  created_at timestamptz not null,
  primary key (partner_id, position),
  unique (partner_id, event_id)
);

-- What the partner was last told of a user's balances.
alter table partner_user add column balances text;

create index partner_event_created_at on partner_event (created_at);

create table webhook_endpoint (
  endpoint_id uuid primary key,
  partner_id uuid not null references partner,
  url text not null,
  events text[] not null,
  description text not null,
  status text not null check (status in ('enabled', 'disabled')),
  disabled_reason text check (disabled_reason in ('partner', 'failing', 'gone')),
  -- which of the keys that are derived for it signs, and until when the one before signs too
  key_version integer not null,
  previous_key_until timestamptz,
  -- since when no attempt has succeeded; null: the last one did
  failing_since timestamptz,
  created_at timestamptz not null
);
create index webhook_endpoint_partner on webhook_endpoint (partner_id);

-- One event to one endpoint.
create table webhook_delivery (
  endpoint_id uuid not null,
  position bigint not null,
  partner_id uuid not null,
  status text not null check (status in ('pending', 'delivered', 'dead')),
  attempts integer not null,
  due_at timestamptz,
  attempted_at timestamptz,
  response_status integer,
  error text,
  primary key (endpoint_id, position)
);
create index webhook_delivery_due_at on webhook_delivery (endpoint_id, due_at) where due_at is not null;
create index webhook_delivery_event on webhook_delivery (partner_id, position);
create index webhook_delivery_not_delivered on webhook_delivery (status) where status <> 'delivered';
