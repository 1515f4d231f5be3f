-- What operators look for over all users: rare rows, so the indexes are small and hardly ever written.
create index card_transaction_review on card_transaction (created_at) where needs_review;
create index ledger_balance_debt on ledger_balance (token, debt) where debt < 0;
