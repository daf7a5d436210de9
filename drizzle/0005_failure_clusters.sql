-- Counts failed items by cluster, whatever statement writes or removes their triage rows. The triggers run once a
-- statement, after the rows of runs are locked, and lock a project's usage before its clusters, always in that order.
CREATE TYPE failure_change AS (project_id uuid, cluster_key text, error_code text, prompt text, n int);--> statement-breakpoint
CREATE FUNCTION count_failures() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  changes failure_change[];
BEGIN
  IF TG_OP = 'INSERT' THEN
    SELECT array_agg(row(g.*)::failure_change) INTO changes FROM (
      SELECT project_id, cluster_key, error_code, prompt, count(*)::int FROM added
      WHERE error_code IS NOT NULL GROUP BY 1, 2, 3, 4) g;
  ELSIF TG_OP = 'DELETE' THEN
    SELECT array_agg(row(g.*)::failure_change) INTO changes FROM (
      SELECT project_id, cluster_key, error_code, prompt, -count(*)::int FROM removed
      WHERE error_code IS NOT NULL GROUP BY 1, 2, 3, 4) g;
  ELSE
    SELECT array_agg(row(g.*)::failure_change) INTO changes FROM (
      SELECT project_id, cluster_key, error_code, prompt, sum(n)::int FROM (
        SELECT project_id, cluster_key, error_code, prompt, 1 AS n FROM added
        UNION ALL SELECT project_id, cluster_key, error_code, prompt, -1 FROM removed) moved
      WHERE error_code IS NOT NULL GROUP BY 1, 2, 3, 4 HAVING sum(n) <> 0) g;
  END IF;
  IF changes IS NULL THEN
    RETURN NULL;
  END IF;
  UPDATE project_usage u SET failures = failures + c.n, failure_changes = failure_changes + 1
  FROM (SELECT project_id, sum(n) AS n FROM unnest(changes) GROUP BY 1) c WHERE u.project_id = c.project_id;
  INSERT INTO failure_clusters AS f (project_id, cluster_key, error_code, sample_prompt, count)
  SELECT project_id, cluster_key, error_code, prompt, n FROM unnest(changes)
  WHERE cluster_key IS NOT NULL AND n > 0 ORDER BY 1, 2
  ON CONFLICT (project_id, cluster_key) DO UPDATE SET count = f.count + excluded.count;
  UPDATE failure_clusters f SET count = f.count + c.n FROM unnest(changes) c
  WHERE f.project_id = c.project_id AND f.cluster_key = c.cluster_key AND c.n < 0;
  DELETE FROM failure_clusters f USING unnest(changes) c
  WHERE f.project_id = c.project_id AND f.cluster_key = c.cluster_key AND c.n < 0 AND f.count <= 0;
  RETURN NULL;
END
$$;--> statement-breakpoint
CREATE TRIGGER triage_added AFTER INSERT ON "triage" REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_failures();--> statement-breakpoint
CREATE TRIGGER triage_changed AFTER UPDATE ON "triage" REFERENCING OLD TABLE AS removed NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_failures();--> statement-breakpoint
CREATE TRIGGER triage_removed AFTER DELETE ON "triage" REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION count_failures();--> statement-breakpoint
ALTER TABLE "failure_clusters" SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 1000);
