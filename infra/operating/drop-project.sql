-- Takes one project away where nothing works: as DELETE /v1/projects does it, for when the API is stopped as well. The
-- tick removes its rows. It prints what it took away: one row, or the id is no project's.
--
--   psql "$DATABASE_URL" -v ON_ERROR_STOP=1 --single-transaction -v project=ID -f infra/operating/drop-project.sql

update projects set account_id = null, updated_at = now()
where account_id is not null and id = :'project'
returning id, name as taken_away;
