-- The network's own name of a payment, where a message has one: it links what an authorization code does not.
alter table card_message add column network_id text;
create index card_message_network_id on card_message (user_id, card_id, network_id) where network_id is not null;

-- Each event of a card that the issuer reported once, with the answer it got.
create table card_event (
  user_id uuid not null,
  event_id text not null,
  body_hash text not null,
  card_id uuid not null,
  type text not null check (type in ('activated', 'blocked', 'unblocked', 'lost', 'stolen', 'expired')),
  occurred_at timestamptz not null,
  answer text not null,
  created_at timestamptz not null,
  primary key (user_id, event_id)
);
create index card_event_card on card_event (user_id, card_id, occurred_at);
