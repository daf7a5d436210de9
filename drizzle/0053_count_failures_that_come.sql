-- Counts what it counted before (0005_failure_clusters.sql). Items that come to triage only add, mostly each a cluster of its
-- own: they are counted as they stand, not gathered in an array that three more statements read for what is less. Nor does
-- a key look for the project of each, since the last item of a cluster takes it along and a project is removed after them.
CREATE OR REPLACE FUNCTION count_failures() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  changes failure_change[];
BEGIN
  IF TG_OP = 'INSERT' THEN
    -- Usage first: whoever adds or takes away clusters of the project waits there.
    UPDATE project_usage u SET failures = failures + c.n, failure_changes = failure_changes + 1
    FROM (SELECT project_id, count(*) AS n FROM added WHERE error_code IS NOT NULL GROUP BY 1) c
    WHERE u.project_id = c.project_id;
    INSERT INTO failure_clusters AS f (project_id, cluster_key, error_code, sample_prompt, count)
    SELECT project_id, cluster_key, min(error_code), min(prompt), count(*) FROM added
    WHERE cluster_key IS NOT NULL GROUP BY 1, 2 ORDER BY 1, 2
    ON CONFLICT (project_id, cluster_key) DO UPDATE SET count = f.count + excluded.count;
    RETURN NULL;
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
ALTER TABLE "failure_clusters" DROP CONSTRAINT "failure_clusters_project_id_projects_id_fk";
