-- Partners and what they may do. Small, rarely written, the same for all users; but for partner_user, which is found by
-- its partner.
create table partner (
  partner_id uuid primary key,
  name text not null,
  -- how many changes were made: the number of the latest one in the audit log
  changes bigint not null,
  created_at timestamptz not null
);

-- A wallet works for one partner at most.
create table partner_member (
  address text primary key,
  partner_id uuid not null references partner,
  role text not null check (role in ('owner', 'developer', 'viewer')),
  -- the chain, where the wallet is a contract; null: it signs with a key
  contract_chain_id text,
  created_at timestamptz not null
);
create index partner_member_partner on partner_member (partner_id);

-- A domain that a partner claims. Once it is proven it also stands in sign_in_domain, under that partner alone.
create table partner_domain (
  partner_id uuid not null references partner,
  domain text not null,
  environment text not null check (environment in ('sandbox', 'production')),
  proof text not null,
  created_at timestamptz not null,
  primary key (partner_id, domain)
);
-- null: registered by the operator
alter table sign_in_domain add column partner_id uuid references partner;

create table partner_kyc_client (
  client_id text primary key,
  partner_id uuid not null references partner,
  created_at timestamptz not null
);

-- A key for server calls, kept as its hash only.
create table partner_api_key (
  key_id uuid primary key,
  partner_id uuid not null references partner,
  name text not null,
  key_hash text not null unique,
  last_characters text not null,
  scopes text[] not null,
  expires_at timestamptz,
  revoked_at timestamptz,
  created_at timestamptz not null
);
create index partner_api_key_partner on partner_api_key (partner_id);

-- Every change that was made, numbered without a gap; rows are only ever added.
create table partner_audit (
  partner_id uuid not null references partner,
  seq bigint not null,
  actor text not null,
  action text not null,
  subject text not null,
  -- json and not jsonb: it also keeps text that is no Unicode
  detail json not null,
  created_at timestamptz not null,
  primary key (partner_id, seq)
);

-- The partner that a user came through, for ever; null: none.
alter table app_user add column partner_id uuid;
create table partner_user (
  partner_id uuid not null,
  user_id uuid not null,
  created_at timestamptz not null,
  primary key (partner_id, user_id)
);
