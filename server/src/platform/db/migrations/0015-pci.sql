-- A look at a card's number or code that an owner has signed for: who, which card, what, and whether it was taken.
-- What was shown is nowhere.
create table card_view (
  user_id uuid not null,
  view_id uuid not null,
  card_id uuid not null,
  signer_address text not null,
  action text not null check (action in ('view-details', 'view-pin')),
  token_hash text not null,
  expires_at timestamptz not null,
  opened_at timestamptz,
  created_at timestamptz not null,
  primary key (user_id, view_id)
);
