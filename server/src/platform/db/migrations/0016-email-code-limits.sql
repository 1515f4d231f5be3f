-- How many codes were sent in an hour to one mail address, which is kept as a hash only.
create table email_code_count (
  email_hash text not null,
  hour timestamptz not null,
  sent integer not null,
  primary key (email_hash, hour)
);
create index email_code_count_hour on email_code_count (hour);
