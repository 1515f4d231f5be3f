-- What is shared by every capability and belongs to no single user.

-- Finds the user of anything that must be unique or found over all users (wallet:<address>, card:<id>, …).
create table directory (
  lookup_key text primary key,
  user_id uuid not null,
  ref_id uuid
);

-- Domains that may stand in a sign-in message, and origins that CORS lets in.
create table sign_in_domain (
  domain text primary key,
  created_at timestamptz not null
);

-- Keys that sign access tokens. The private part is encrypted with a key derived from SECRET.
create table signing_key (
  kid text primary key,
  algorithm text not null,
  public_jwk jsonb not null,
  encrypted_private_jwk text not null,
  active_from timestamptz not null,
  retired_at timestamptz,
  created_at timestamptz not null
);

-- A sign-in nonce that was used up: the insert decides which of two attempts is the first.
create table used_nonce (
  nonce text primary key,
  expires_at timestamptz not null
);
create index used_nonce_expires_at on used_nonce (expires_at);

-- How often a nonce has made us ask a chain for a contract's word on a signature.
create table contract_check (
  nonce text primary key,
  checks integer not null,
  expires_at timestamptz not null
);
create index contract_check_expires_at on contract_check (expires_at);

-- The sandbox clock: how far it runs ahead of the system's, for all processes.
create table sandbox_clock (
  id smallint primary key check (id = 1),
  offset_seconds bigint not null
);

-- Answers kept for requests that carry an Idempotency-Key. Sandbox callers share the nil user id.
create table idempotency_key (
  user_id uuid not null,
  key text not null,
  request_hash text not null,
  -- names what the request creates, the same for every try
  ref_id uuid not null,
  status smallint,
  body text,
  lease_until timestamptz not null,
  created_at timestamptz not null,
  primary key (user_id, key)
);
