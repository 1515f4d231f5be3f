-- Each start asks which tokens were ever held, and which currencies accounts are in: a step in an index for each of them.
create index ledger_balance_token on ledger_balance (token);
create index account_currency on account (currency);
