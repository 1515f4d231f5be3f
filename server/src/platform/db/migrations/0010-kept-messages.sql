-- What a kept message said, while it waits for the one that it is about; null: it does not wait (any more).
alter table card_message add column waiting text;
-- Kept, and nobody has said that it was looked at.
alter table card_message add column needs_review boolean not null default false;
update card_message m set waiting = '', needs_review = true
where outcome = 'kept' and not exists (
  select from card_message a
  where a.user_id = m.user_id and a.card_id = m.card_id and a.authorization_code = m.authorization_code
    and a.type in ('authorization', 'advice', 'single_message') and a.outcome = 'approved');
create index card_message_review on card_message (created_at) where needs_review;

-- Who looked at what a person should look at: a card transaction, or a kept message. Never updated, never deleted.
create table review (
  user_id uuid not null,
  review_id uuid not null,
  ref_id uuid not null,
  done_by text not null,
  done_at timestamptz not null,
  primary key (user_id, review_id)
);
