-- Partners, their permissions, users and activity.

create table partner (
  partner_id uuid primary key,
  name text not null,
  -- only an active partner's domains, KYC clients and webhooks have an effect; an operator approves and suspends
  status text not null check (status in ('pending', 'active', 'suspended')),
  -- whether the partner's owners and API keys may read the cards and statements of the partner's users; null until an
  -- operator decides. It has no default: a cluster inserts defaults as values, and the API's role may not insert this
  -- one.
  reads_details boolean,
  created_at timestamptz not null
);
-- Requests read the suspended partners, at most once a second in each process. Operators list the partners of one
-- status.
create index partner_status on partner (status, partner_id);
-- Operators see how many partners wait for approval, and find a partner by its name.
create index partner_pending on partner (created_at) where status = 'pending';
create index partner_name on partner (lower(name));

-- Every change to a partner, and every read of details of its users, numbered without gaps. Rows are only ever added.
-- A rotation of SECRET replaces the MAC.
create table partner_audit (
  partner_id uuid not null references partner,
  seq bigint not null,
  actor text not null,
  action text not null,
  subject text not null,
  -- json, not jsonb: the hash covers the text as it was written, which jsonb would change
  detail json not null,
  -- of the entry and the hash before it
  hash bytea not null,
  -- authenticates the hash
  mac bytea not null,
  secret_id text not null,
  created_at timestamptz not null,
  primary key (partner_id, seq)
);
-- Members and auditors ask who read the details of a user.
create index partner_audit_subject on partner_audit (partner_id, subject, seq);
-- Evidence lists the reads of user details by all partners, page by page.
create index partner_audit_read on partner_audit (created_at, (partner_id::text || ':' || lpad(seq::text, 19, '0')))
  where action in ('user.details-read', 'user.statement-read');

create index partner_audit_action on partner_audit (partner_id, action, seq);
create index partner_audit_actor on partner_audit (partner_id, actor, seq);

-- A wallet works for at most one partner.
create table partner_member (
  address text primary key,
  partner_id uuid not null references partner,
  role text not null check (role in ('owner', 'developer', 'viewer')),
  -- the chain of a wallet that is a contract; null: the wallet signs with a key
  contract_chain_id text,
  created_at timestamptz not null
);
create index partner_member_partner on partner_member (partner_id);

-- A wallet that is invited to become a member. A new invitation of the wallet replaces the row and its id.
create table partner_invitation (
  partner_id uuid not null references partner,
  address text not null,
  invitation_id uuid not null unique,
  role text not null check (role in ('owner', 'developer', 'viewer')),
  -- the only chain from which a contract may accept; null: the wallet signs with a key
  contract_chain_id text,
  -- the actor in the audit log
  invited_by text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (partner_id, address)
);
create index partner_invitation_address on partner_invitation (address);

-- Domains that a partner claims. A proven domain also has a row in sign_in_domain, for that partner alone.
create table partner_domain (
  partner_id uuid not null references partner,
  domain text not null,
  environment text not null check (environment in ('sandbox', 'production')),
  proof text not null,
  created_at timestamptz not null,
  primary key (partner_id, domain)
);

-- Domains that sign-in messages may name, and origins that CORS allows.
create table sign_in_domain (
  domain text primary key,
  -- null: registered by an operator
  partner_id uuid references partner,
  created_at timestamptz not null
);

create table partner_kyc_client (
  client_id text primary key,
  partner_id uuid not null references partner,
  created_at timestamptz not null
);

-- Keys for server-to-server calls. Only their hashes are stored.
create table partner_api_key (
  key_id uuid primary key,
  partner_id uuid not null references partner,
  name text not null,
  key_hash text not null unique,
  last_characters text not null,
  scopes text[] not null,
  -- the actor in the audit log
  created_by text not null,
  -- the lifetime of the key and of its successors; null: unlimited
  ttl_in_seconds int,
  expires_at timestamptz,
  revoked_at timestamptz,
  created_at timestamptz not null
);
create index partner_api_key_partner on partner_api_key (partner_id);

create table partner_user (
  partner_id uuid not null,
  user_id uuid not null,
  -- the balances in the latest balance event about the user
  balances text,
  created_at timestamptz not null,
  primary key (partner_id, user_id)
);

-- Counts of a partner's users by day: new users, cards, transactions, and declines with their code. Processes count in
-- memory and add their counts every few seconds, so no request or card message waits for a shared row.
create table partner_day_count (
  partner_id uuid not null references partner,
  day date not null,
  name text not null,
  count bigint not null,
  primary key (partner_id, day, name)
);

-- The requests of a partner's members and API keys in the last 7 days, without paths, bodies and addresses.
create table partner_request (
  partner_id uuid not null references partner,
  request_id uuid not null,
  -- the actor in the audit log
  actor text not null,
  method text not null,
  route text not null,
  status smallint not null,
  -- the error code; null: the request succeeded
  code text,
  milliseconds integer not null,
  requested_at timestamptz not null,
  primary key (partner_id, requested_at, request_id)
);
create index partner_request_failed on partner_request (partner_id, requested_at, request_id) where code is not null;
create index partner_request_requested_at on partner_request (requested_at);
