-- Operators: the people who work for the programme, their wallets, sessions and proposals.

-- A person, who may have several wallets. Two approvals by one person count as one.
create table operator_person (
  person_id uuid primary key,
  name text not null,
  created_at timestamptz not null
);

-- A wallet that may sign in as an operator. Removed wallets keep their row.
create table operator (
  address text primary key,
  -- the chain of a wallet that is a contract; null: the wallet signs with a key
  contract_chain_id integer,
  person_id uuid not null references operator_person,
  role text not null check (role in ('viewer', 'support', 'money', 'admin', 'auditor')),
  -- the operator who added this one: a wallet, a name given in the shell, or `sandbox` for the test operator
  added_by text not null,
  created_at timestamptz not null,
  -- null: the wallet is an operator
  removed_at timestamptz
);
create index operator_person_id on operator (person_id);
-- Pages of operators, the removed ones last.
create index operator_listed on operator ((removed_at is not null), created_at, address);

-- An open session. Only a hash of its token is stored. Ending a session deletes the row.
create table operator_session (
  session_id uuid primary key,
  token_hash text not null unique,
  address text not null references operator,
  -- a cookie of the console, or a bearer token
  via text not null check (via in ('cookie', 'bearer')),
  created_at timestamptz not null,
  -- the last request, from which the idle time counts
  used_at timestamptz not null,
  expires_at timestamptz not null
);
create index operator_session_wallet on operator_session (address, session_id);

-- A change that an operator has signed. It is executed by its last signature, or ends without an effect.
create table operator_proposal (
  proposal_id uuid primary key,
  -- the hash that the wallets sign; a signature makes only one proposal
  digest text not null unique,
  -- the name of the command, and the command with its arguments as it is signed
  name text not null,
  command text not null,
  subject text not null,
  arguments json not null,
  reason text not null,
  state json not null,
  -- the other signed parts: the state, the end of the proposal, and the console
  state_hash text not null,
  expires_at timestamptz not null,
  origin text not null,
  -- the number of people who must sign
  needed smallint not null check (needed between 1 and 2),
  -- an open proposal past its end counts as expired
  status text not null check (status in ('open', 'executed', 'rejected', 'lapsed')),
  proposed_by text not null,
  proposed_at timestamptz not null,
  proposer json not null,
  -- the wallet whose signature executed the proposal, the wallet that rejected it, or the wallet whose approval found
  -- it lapsed; null: none
  closed_by text,
  closed_at timestamptz,
  -- the result in words, the reason for a rejection, or the reason why the proposal lapsed
  outcome text,
  decision_id uuid
);
create index operator_proposal_status on operator_proposal (status, proposal_id);
-- Each reading of a user's personal data without masks: by whom, when and why. Rows are never updated or deleted.
create table personal_data_read (
  read_id uuid primary key,
  -- the wallet and the role of the operator
  read_by text not null,
  role text not null,
  about_user uuid not null,
  reason text not null,
  read_at timestamptz not null
);
create index personal_data_read_about on personal_data_read (about_user, read_id);
-- Evidence reads them by time, page by page.
create index personal_data_read_at on personal_data_read (read_at, read_id);
