-- The database roles, as the first part of the output of npm run db:roles. The migrations give them their privileges.
do $$ begin create role purser_api nologin; exception when duplicate_object or unique_violation then null; end $$;
do $$ begin create role purser_worker nologin; exception when duplicate_object or unique_violation then null; end $$;
do $$ begin create role purser_watcher nologin; exception when duplicate_object or unique_violation then null; end $$;
do $$ begin create role purser_operator nologin; exception when duplicate_object or unique_violation then null; end $$;
do $$ begin create role purser_reader nologin; exception when duplicate_object or unique_violation then null; end $$;
do $$ begin create role purser_sandbox nologin; exception when duplicate_object or unique_violation then null; end $$;
grant purser_api, purser_worker, purser_watcher to purser_sandbox;
