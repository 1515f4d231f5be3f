-- The seals of the books: each covers the next movements of a user, from the first one on. Never updated, never deleted.
create table movement_seal (
  user_id uuid not null,
  first_seq bigint not null,
  last_seq bigint not null,
  -- 32 bytes a movement: the hash of it, its postings and the hash before it
  hashes bytea not null,
  -- authenticates the last hash, with a key that is not in the database
  mac bytea not null,
  sealed_at timestamptz not null,
  primary key (user_id, first_seq),
  check (last_seq >= first_seq and length(hashes) = 32 * (last_seq - first_seq + 1))
);

-- What moved lately is found by time. Movements are only appended, so a few bytes for each range of blocks are enough.
create index movement_created_at on movement using brin (created_at) with (pages_per_range = 32, autosummarize = on);
