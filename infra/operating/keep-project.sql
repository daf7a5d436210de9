-- Keeps only one project in a copy of a database, before anything runs on it: deletes the other projects, as
-- DELETE /v1/projects does, and accounts without a project. The tick removes their rows later. It prints what it
-- deleted; if no project has this id, it changes nothing.
--
--   psql "$DATABASE_URL" -v ON_ERROR_STOP=1 --single-transaction -v project=ID -f infra/operating/keep-project.sql

update projects set account_id = null, updated_at = now()
where account_id is not null and id <> :'project'
  and exists (select from projects where id = :'project' and account_id is not null)
returning id, name as taken_away;

delete from accounts a
where not exists (select from projects p where p.account_id = a.id)
  and exists (select from projects where id = :'project' and account_id is not null)
returning id, name as taken_away;
