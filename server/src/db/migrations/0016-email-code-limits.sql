-- How many codes were sent in an hour to one mail address, or to one wallet's wish. Subjects are kept as hashes only.
create table email_code_count (
  subject_hash text not null,
  hour timestamptz not null,
  sent integer not null,
  primary key (subject_hash, hour)
);
create index email_code_count_hour on email_code_count (hour);
