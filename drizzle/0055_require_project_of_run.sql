-- Rows of before have their project: infra/migrate.ts gives it to them, in bounded pieces, before it applies this, and
-- leaves a constraint that PostgreSQL believes instead of reading the table under the lock that this takes.
DO $$
DECLARE
  one text;
BEGIN
  FOREACH one IN ARRAY ARRAY['items', 'attempts', 'due_items', 'steps', 'unindexed_steps', 'purges', 'replays', 'ended_runs', 'suspected_items', 'delivery_tries'] LOOP
    -- filled by a trigger before insert
    EXECUTE format('ALTER TABLE %I ALTER COLUMN project_id SET NOT NULL', one);
    EXECUTE format('ALTER TABLE %I DROP CONSTRAINT IF EXISTS %I', one, one || '_project_named');
  END LOOP;
END
$$;
