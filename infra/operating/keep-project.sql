-- Leaves one project in a copy of a database, on which nothing may work yet: the other projects lose their account, as
-- DELETE /v1/projects does it, and accounts without a project go. The tick removes their rows. It prints what it took
-- away; an id that is no project's changes nothing.
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
