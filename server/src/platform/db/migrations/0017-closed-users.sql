-- A closed user keeps the books; who they were is erased when `due_at` comes, or sooner by an operator.
alter table app_user add closed_at timestamptz;
alter table app_user add erased_at timestamptz;
-- when personal facts are to be erased; null: nothing is owed
alter table app_user add due_at timestamptz;
alter table app_user add attempts integer not null default 0;
create index app_user_due_at on app_user (due_at) where due_at is not null;
