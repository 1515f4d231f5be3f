-- Evidence reads these by time, page by page.
create index personal_data_read_at on personal_data_read (read_at, read_id);
create index reconcile_run_started_at on reconcile_run (started_at, run_id);
