-- The user as the issuer knows them.
create table cardholder (
  user_id uuid primary key,
  phone text not null,
  country_code text not null,
  created_at timestamptz not null
);

create table card (
  user_id uuid not null,
  card_id uuid not null,
  name text not null,
  type text not null check (type in ('virtual')),
  status text not null check (status in ('provisioning', 'active', 'blocked', 'canceled', 'lost', 'stolen', 'expired')),
  blocked_by text[] not null default '{}',
  currency text not null,
  card_token text,
  last4 text,
  expiry_month smallint,
  expiry_year smallint,
  -- work that is owed to the issuer; null: none
  due_at timestamptz,
  attempts integer not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (user_id, card_id),
  check ((status = 'blocked') = (cardinality(blocked_by) > 0) or status not in ('active', 'blocked'))
);
create index card_due_at on card (due_at) where due_at is not null;
