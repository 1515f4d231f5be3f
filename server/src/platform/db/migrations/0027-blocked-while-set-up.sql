-- Whether an account that is blocked was being set up before, which it is again when the block ends.
alter table account add column was_provisioning boolean not null default false;
