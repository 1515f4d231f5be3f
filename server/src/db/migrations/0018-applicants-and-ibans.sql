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
