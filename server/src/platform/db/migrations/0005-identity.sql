-- Sign-in, users, onboarding and identity verification.

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

-- Used nonces. The insert decides which of two concurrent attempts wins. The row of a sign-in is also its session, so a
-- sign-in writes one row. Ending the session leaves the nonce used.
create table used_nonce (
  nonce text primary key,
  -- the end of the session, or of the nonce if there is no session
  expires_at timestamptz not null,
  -- the wallet, as `signerOf` names it, and the session's id; null: the nonce has no session, or it has ended
  signer text,
  session_id uuid,
  -- the domain of the sign-in message
  domain text
);
create index used_nonce_expires_at on used_nonce (expires_at);
create index used_nonce_signer on used_nonce (signer, session_id) where signer is not null;

-- Counts the signature checks on a chain per nonce, so that one nonce cannot cause unlimited calls to a node.
create table contract_check (
  nonce text primary key,
  checks integer not null,
  expires_at timestamptz not null
);
create index contract_check_expires_at on contract_check (expires_at);

create table app_user (
  user_id uuid primary key,
  status text not null check (status in ('active', 'closed')),
  -- the partner that the user came through, which never changes; null: none
  partner_id uuid,
  email text,
  country text,
  nationality text,
  first_name text,
  last_name text,
  birth_date date,
  street text,
  city text,
  postal_code text,
  kyc_status text not null check (kyc_status in (
    'notStarted', 'documentsRequested', 'pending', 'processing', 'approved', 'resubmissionRequested', 'requiresAction', 'rejected')),
  -- A closed user's ledger stays; the personal data is erased later.
  closed_at timestamptz,
  erased_at timestamptz,
  -- when the personal data is due for erasure; null: no erasure is due
  due_at timestamptz,
  leased_by uuid,
  attempts integer not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index app_user_due_at on app_user (due_at) where due_at is not null;

-- Wallets that may sign in for the user.
create table owner (
  user_id uuid not null references app_user,
  address text not null,
  -- the chain on which a contract wallet signed in, and the only one on which it can be paid; null: the wallet signs
  -- with a key
  contract_chain_id integer,
  -- the id that access tokens of this owner must name, also the `ref_id` of the directory's row of the wallet; logging
  -- out everywhere replaces it
  access_id uuid not null,
  -- sessions that ended before their tokens expire
  ended_sessions uuid[] not null default '{}',
  created_at timestamptz not null,
  primary key (user_id, address)
);

-- The user's account. Its row is the user's lock: every posting locks it first.
create table account (
  user_id uuid primary key references app_user,
  account_id uuid not null,
  address text not null,
  currency text not null,
  status text not null check (status in ('provisioning', 'active', 'blocked', 'closed')),
  -- whether a blocked account was still provisioning, the status to which unblocking returns it
  was_provisioning boolean not null default false,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
-- Every start reads which currencies accounts use: one index step per currency.
create index account_currency on account (currency);

create table accepted_terms (
  user_id uuid not null references app_user,
  type text not null,
  version text not null,
  accepted_at timestamptz not null,
  primary key (user_id, type, version)
);

create table source_of_funds_answer (
  user_id uuid not null references app_user,
  question text not null,
  answer text not null,
  answered_at timestamptz not null,
  primary key (user_id, question)
);

-- The latest one-time code that was sent by email for a wallet. The code and the email address are stored as hashes
-- only.
create table email_code (
  signer_address text primary key,
  email_hash text not null,
  code_hash text not null,
  attempts smallint not null,
  expires_at timestamptz not null
);
create index email_code_expires_at on email_code (expires_at);

-- Codes sent per hour to one email address, and to one email address for one wallet, stored as hashes only.
create table email_code_count (
  email_hash text not null,
  hour timestamptz not null,
  sent integer not null,
  primary key (email_hash, hour)
);
create index email_code_count_hour on email_code_count (hour);

-- The user as the identity-verification provider knows them.
create table kyc_applicant (
  user_id uuid primary key references app_user,
  applicant_id text not null,
  -- when to read the applicant's status from the provider; null: nothing is due
  due_at timestamptz,
  leased_by uuid,
  attempts integer not null default 0,
  created_at timestamptz not null
);
create index kyc_applicant_due_at on kyc_applicant (due_at) where due_at is not null;
