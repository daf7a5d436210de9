-- Deletes one project while nothing runs, as DELETE /v1/projects does, for a time when the API is stopped too. The tick
-- removes its rows later. It prints the project that it deleted; no row means that no project has this id.
--
--   psql "$DATABASE_URL" -v ON_ERROR_STOP=1 --single-transaction -v project=ID -f infra/operating/drop-project.sql

update projects set account_id = null, updated_at = now()
where account_id is not null and id = :'project'
returning id, name as taken_away;
