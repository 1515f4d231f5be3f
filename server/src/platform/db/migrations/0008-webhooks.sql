-- Each partner's event log, its webhook endpoints and their deliveries.

-- The last position of each partner's event log. Its row is the lock under which the log grows, so a reader that pages
-- by position misses nothing.
create table partner_stream (
  partner_id uuid primary key,
  position bigint not null
);

-- The event log: the finished text of each event, in the order of publication.
create table partner_event (
  partner_id uuid not null,
  position bigint not null,
  event_id uuid not null,
  -- the user that the event is about, whose erasure deletes it; null: an event about the partner itself
  about_user uuid,
  type text not null,
  body text not null,
  -- an event that the partner made to test an endpoint, which its log does not list
  is_test boolean not null,
  created_at timestamptz not null,
  primary key (partner_id, position),
  -- the id first, because operators search for an event without knowing its partner
  unique (event_id, partner_id)
);
create index partner_event_created_at on partner_event (created_at);
create index partner_event_about_user on partner_event (partner_id, about_user, position) where about_user is not null;
create index partner_event_type on partner_event (partner_id, type, position);

create table webhook_endpoint (
  endpoint_id uuid primary key,
  partner_id uuid not null references partner,
  url text not null,
  events text[] not null,
  description text not null,
  status text not null check (status in ('enabled', 'disabled')),
  disabled_reason text check (disabled_reason in ('partner', 'failing', 'gone')),
  -- the seeds of the keys, newest first, encrypted under SECRET; older ones sign as well until `previous_key_until`
  key_seeds text[] not null check (cardinality(key_seeds) between 1 and 4),
  previous_key_until timestamptz,
  created_at timestamptz not null
);
create index webhook_endpoint_partner on webhook_endpoint (partner_id);

-- The time since which every attempt of an endpoint has failed. No row: no attempt has failed since the last success,
-- or since the last change of the URL or the status. It changes too often for the table of the endpoints, where a
-- cluster locks all rows for each write.
create table webhook_failure (
  endpoint_id uuid primary key,
  failing_since timestamptz not null,
  -- the last failed attempt
  failed_at timestamptz not null
);

-- One event for one endpoint.
create table webhook_delivery (
  endpoint_id uuid not null,
  position bigint not null,
  partner_id uuid not null,
  -- the type of the event, for lists of one type
  type text not null,
  status text not null check (status in ('pending', 'delivered', 'dead')),
  attempts integer not null,
  due_at timestamptz,
  leased_by uuid,
  attempted_at timestamptz,
  response_status integer,
  error text,
  created_at timestamptz not null,
  primary key (endpoint_id, position)
);
create index webhook_delivery_due_at on webhook_delivery (endpoint_id, due_at) where due_at is not null;
create index webhook_delivery_event on webhook_delivery (partner_id, position);
create index webhook_delivery_created_at on webhook_delivery (endpoint_id, created_at, position);
create index webhook_delivery_type on webhook_delivery (endpoint_id, type, created_at, position);
create index webhook_delivery_not_delivered on webhook_delivery (endpoint_id, status, created_at, position)
  where status <> 'delivered';
-- Operators read the dead letters of all endpoints.
create index webhook_delivery_dead on webhook_delivery (endpoint_id, position) where status = 'dead';
-- The overview of operators shows the oldest dead letter. One of a disabled endpoint may never have been sent.
create index webhook_delivery_dead_at on webhook_delivery (coalesce(attempted_at, created_at)) where status = 'dead';

-- Each HTTP request of a delivery, kept as long as the delivery.
create table webhook_attempt (
  endpoint_id uuid not null,
  position bigint not null,
  attempt_id uuid not null,
  attempted_at timestamptz not null,
  milliseconds integer not null,
  -- null: there was no response
  response_status integer,
  -- the first KiB of the response
  response text,
  error text,
  primary key (endpoint_id, position, attempt_id)
);
