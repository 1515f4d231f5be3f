create table app_user (
  user_id uuid primary key,
  status text not null check (status in ('active', 'closed')),
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
  created_at timestamptz not null,
  updated_at timestamptz not null
);

-- A wallet that may sign in for the user.
create table owner (
  user_id uuid not null references app_user,
  address text not null,
  -- set when the owner is a contract: the chain where it signed in, the only one where it can be paid
  contract_chain_id integer,
  created_at timestamptz not null,
  primary key (user_id, address)
);

-- The user's account with the programme. Its row is the one lock of the user.
create table account (
  user_id uuid primary key references app_user,
  account_id uuid not null,
  address text not null,
  currency text not null,
  status text not null check (status in ('provisioning', 'active', 'blocked', 'closed')),
  created_at timestamptz not null,
  updated_at timestamptz not null
);

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

-- The one-time code that a wallet asked for last, sent by mail. Address and code are kept as hashes only.
create table email_code (
  signer_address text primary key,
  email_hash text not null,
  code_hash text not null,
  attempts smallint not null,
  expires_at timestamptz not null
);
create index email_code_expires_at on email_code (expires_at);
