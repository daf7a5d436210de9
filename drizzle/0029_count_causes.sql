-- Counts items by cause, whatever statement writes, decides about or removes their triage rows. The triggers run once a
-- statement, after the rows of runs are locked and after those that count failures (triggers fire in the order of
-- their names); they lock the causes first, in the order of their keys, so that whoever comes second waits there.
CREATE TYPE cause_change AS (
  project_id uuid, cause_id text, run_id uuid, day date, n int, waiting int, cost_micro bigint,
  first_seen timestamptz, last_seen timestamptz, seq int);--> statement-breakpoint
CREATE FUNCTION count_causes() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  changes cause_change[];
BEGIN
  IF TG_OP = 'INSERT' THEN
    SELECT array_agg(row(g.*)::cause_change) INTO changes FROM (
      SELECT project_id, cause_id, run_id, (created_at AT TIME ZONE 'UTC')::date, count(*)::int,
        (count(*) FILTER (WHERE disposition IS NULL))::int, sum(cost_micro)::bigint, min(created_at), max(created_at),
        max(seq)
      FROM added WHERE cause_id IS NOT NULL GROUP BY 1, 2, 3, 4) g;
  ELSIF TG_OP = 'DELETE' THEN
    SELECT array_agg(row(g.*)::cause_change) INTO changes FROM (
      SELECT project_id, cause_id, run_id, (created_at AT TIME ZONE 'UTC')::date, -count(*)::int,
        -(count(*) FILTER (WHERE disposition IS NULL))::int, -sum(cost_micro)::bigint, null::timestamptz,
        null::timestamptz, null::int
      FROM removed WHERE cause_id IS NOT NULL GROUP BY 1, 2, 3, 4) g;
  ELSE
    SELECT array_agg(row(g.*)::cause_change) INTO changes FROM (
      SELECT project_id, cause_id, run_id, (created_at AT TIME ZONE 'UTC')::date, sum(n)::int,
        coalesce(sum(n) FILTER (WHERE disposition IS NULL), 0)::int, sum(n * cost_micro)::bigint,
        min(created_at) FILTER (WHERE n > 0), max(created_at) FILTER (WHERE n > 0), max(seq) FILTER (WHERE n > 0)
      FROM (
        SELECT project_id, cause_id, run_id, created_at, disposition, cost_micro, seq, 1 AS n FROM added
        UNION ALL SELECT project_id, cause_id, run_id, created_at, disposition, cost_micro, seq, -1 FROM removed) moved
      WHERE cause_id IS NOT NULL GROUP BY 1, 2, 3, 4
      HAVING sum(n) <> 0 OR coalesce(sum(n) FILTER (WHERE disposition IS NULL), 0) <> 0 OR sum(n * cost_micro) <> 0) g;
  END IF;
  IF changes IS NULL THEN
    RETURN NULL;
  END IF;
  PERFORM FROM causes WHERE (project_id, id) IN (SELECT project_id, cause_id FROM unnest(changes))
    ORDER BY project_id, id FOR NO KEY UPDATE;
  WITH counted AS (
    INSERT INTO cause_runs AS r (run_id, cause_id, project_id, count, waiting, cost_micro, first_seen, last_seen, seq)
    SELECT run_id, cause_id, project_id, sum(n), sum(waiting), sum(cost_micro), min(first_seen), max(last_seen), max(seq)
    FROM unnest(changes) GROUP BY 1, 2, 3 HAVING sum(n) > 0 ORDER BY 1, 2
    ON CONFLICT (run_id, cause_id) DO UPDATE SET count = r.count + excluded.count,
      waiting = r.waiting + excluded.waiting, cost_micro = r.cost_micro + excluded.cost_micro,
      last_seen = greatest(r.last_seen, excluded.last_seen), seq = excluded.seq
    RETURNING project_id, cause_id, xmax = 0 AS is_new
  ), lessened AS (
    UPDATE cause_runs r SET count = r.count + c.n, waiting = r.waiting + c.waiting, cost_micro = r.cost_micro + c.cost_micro
    FROM (
      SELECT run_id, cause_id, sum(n) AS n, sum(waiting) AS waiting, sum(cost_micro) AS cost_micro
      FROM unnest(changes) GROUP BY 1, 2 HAVING sum(n) <= 0) c
    WHERE r.run_id = c.run_id AND r.cause_id = c.cause_id
    RETURNING r.project_id, r.cause_id, r.count <= 0 AS is_gone
  ), runs_of AS (
    SELECT project_id, cause_id, sum(n)::int AS n FROM (
      SELECT project_id, cause_id, 1 AS n FROM counted WHERE is_new
      UNION ALL SELECT project_id, cause_id, -1 FROM lessened WHERE is_gone) moved GROUP BY 1, 2
  )
  UPDATE causes c SET count = c.count + g.n, waiting = c.waiting + g.waiting, cost_micro = c.cost_micro + g.cost_micro,
    runs = c.runs + coalesce(o.n, 0), first_seen = least(c.first_seen, g.first_seen),
    last_seen = greatest(c.last_seen, g.last_seen)
  FROM (
    SELECT project_id, cause_id, sum(n) AS n, sum(waiting) AS waiting, sum(cost_micro) AS cost_micro,
      min(first_seen) AS first_seen, max(last_seen) AS last_seen
    FROM unnest(changes) GROUP BY 1, 2) g LEFT JOIN runs_of o USING (project_id, cause_id)
  WHERE c.project_id = g.project_id AND c.id = g.cause_id;
  DELETE FROM cause_runs r USING unnest(changes) c
  WHERE r.run_id = c.run_id AND r.cause_id = c.cause_id AND c.n < 0 AND r.count <= 0;
  INSERT INTO cause_days AS d (project_id, cause_id, day, count, waiting, cost_micro)
  SELECT project_id, cause_id, day, sum(n), sum(waiting), sum(cost_micro) FROM unnest(changes)
  GROUP BY 1, 2, 3 HAVING sum(n) > 0 ORDER BY 1, 3, 2
  ON CONFLICT (project_id, day, cause_id) DO UPDATE SET count = d.count + excluded.count,
    waiting = d.waiting + excluded.waiting, cost_micro = d.cost_micro + excluded.cost_micro;
  UPDATE cause_days d SET count = d.count + c.n, waiting = d.waiting + c.waiting, cost_micro = d.cost_micro + c.cost_micro
  FROM (
    SELECT project_id, cause_id, day, sum(n) AS n, sum(waiting) AS waiting, sum(cost_micro) AS cost_micro
    FROM unnest(changes) GROUP BY 1, 2, 3 HAVING sum(n) <= 0) c
  WHERE d.project_id = c.project_id AND d.day = c.day AND d.cause_id = c.cause_id;
  DELETE FROM cause_days d USING unnest(changes) c
  WHERE d.project_id = c.project_id AND d.day = c.day AND d.cause_id = c.cause_id AND c.n < 0 AND d.count <= 0;
  RETURN NULL;
END
$$;--> statement-breakpoint
CREATE TRIGGER triage_with_cause_added AFTER INSERT ON "triage" REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_causes();--> statement-breakpoint
CREATE TRIGGER triage_with_cause_changed AFTER UPDATE ON "triage" REFERENCING OLD TABLE AS removed NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_causes();--> statement-breakpoint
CREATE TRIGGER triage_with_cause_removed AFTER DELETE ON "triage" REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION count_causes();--> statement-breakpoint
ALTER TABLE "causes" SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 1000);--> statement-breakpoint
ALTER TABLE "cause_runs" SET (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);--> statement-breakpoint
ALTER TABLE "cause_days" SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 1000);
