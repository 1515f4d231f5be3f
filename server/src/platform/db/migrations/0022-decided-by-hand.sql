-- A refused deposit that goes back to its sender is paid as withdrawals are, in their queue; it is shown as its deposit.
alter table withdrawal add column deposit_id uuid;

-- Its payment is final, and the token does not say that the payee got the amount: 'open' until a person has decided.
alter table withdrawal add column unpaid text check (unpaid in ('open', 'paid', 'refund', 'again'));

-- The return of a deposit that a database that was set back does not know, or not as refused, is nobody's until it does.
alter table payout_transaction alter column user_id drop not null;
create index payout_transaction_unclaimed on payout_transaction (withdrawal_id) where user_id is null;
create index deposit_frozen on deposit (user_id)
  where chain_state = 'final' and screening = 'rejected' and return_state is null;

-- What a person decided about money, why, and who it was.
create table operator_decision (
  decision_id uuid primary key,
  decided_by text not null,
  decided_at timestamptz not null,
  command text not null,
  subject text not null,
  reason text not null
);
