-- A message that was answered as declined, since its turn under the user's lock did not come in time: whenever it comes, it is
-- declined, and then stands in card_message, too. Never updated, never deleted.
create table late_decline (
  user_id uuid not null,
  source text not null,
  event_id text not null,
  body_hash text not null,
  created_at timestamptz not null,
  primary key (user_id, source, event_id)
);
