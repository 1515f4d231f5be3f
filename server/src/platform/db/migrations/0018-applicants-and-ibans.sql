-- The user as the provider of identity verification knows them.
create table kyc_applicant (
  user_id uuid primary key references app_user,
  applicant_id text not null,
  -- when the provider is to be asked what it thinks; null: nothing is owed
  due_at timestamptz,
  attempts integer not null default 0,
  created_at timestamptz not null
);
create index kyc_applicant_due_at on kyc_applicant (due_at) where due_at is not null;

-- The user's bank account number: euros that arrive there are minted to the wallet that has signed for it.
create table iban (
  user_id uuid primary key references app_user,
  address text not null,
  signature text not null,
  status text not null check (status in ('pending', 'assigned', 'refused')),
  iban text,
  bic text,
  -- when the provider is to be asked (again); null: nothing is owed
  due_at timestamptz,
  attempts integer not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  check ((status = 'assigned') = (iban is not null) and (iban is null) = (bic is null))
);
create index iban_due_at on iban (due_at) where due_at is not null;
