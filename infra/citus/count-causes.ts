// The trigger function that counts causes on a cluster, for the triggers on `triage`. Guarantee: it makes the same
// counts as count_causes of the migrations, project by project.

const GATHERED = `
  IF TG_OP = 'INSERT' THEN
    SELECT array_agg(row(g.*)::cause_change) INTO changes FROM (
      SELECT project_id, cause_id, run_id, (created_at AT TIME ZONE 'UTC')::date, count(*)::int,
        (count(*) FILTER (WHERE disposition IS NULL))::int, sum(cost_micro)::bigint, min(created_at), max(created_at),
        max(seq)
      FROM added WHERE cause_id <> '' GROUP BY 1, 2, 3, 4) g;
  ELSIF TG_OP = 'DELETE' THEN
    SELECT array_agg(row(g.*)::cause_change) INTO changes FROM (
      SELECT project_id, cause_id, run_id, (created_at AT TIME ZONE 'UTC')::date, -count(*)::int,
        -(count(*) FILTER (WHERE disposition IS NULL))::int, -sum(cost_micro)::bigint, null::timestamptz,
        null::timestamptz, null::int
      FROM removed WHERE cause_id <> '' GROUP BY 1, 2, 3, 4) g;
  ELSE
    SELECT array_agg(row(g.*)::cause_change) INTO changes FROM (
      SELECT project_id, cause_id, run_id, (created_at AT TIME ZONE 'UTC')::date, sum(n)::int,
        coalesce(sum(n) FILTER (WHERE disposition IS NULL), 0)::int, sum(n * cost_micro)::bigint,
        min(created_at) FILTER (WHERE n > 0), max(created_at) FILTER (WHERE n > 0), max(seq) FILTER (WHERE n > 0)
      FROM (
        SELECT project_id, cause_id, run_id, created_at, disposition, cost_micro, seq, 1 AS n FROM added
        UNION ALL SELECT project_id, cause_id, run_id, created_at, disposition, cost_micro, seq, -1 FROM removed) moved
      WHERE cause_id <> '' GROUP BY 1, 2, 3, 4
      HAVING sum(n) <> 0 OR coalesce(sum(n) FILTER (WHERE disposition IS NULL), 0) <> 0 OR sum(n * cost_micro) <> 0) g;
  END IF;`

const COUNTED_BY_RUN = `
    PERFORM FROM causes WHERE project_id = of_project AND id IN (SELECT c.cause_id FROM unnest(own) c)
      ORDER BY id FOR NO KEY UPDATE;
    WITH counted AS (
      INSERT INTO cause_runs AS r (run_id, cause_id, project_id, count, waiting, cost_micro, first_seen, last_seen, seq)
      SELECT c.run_id, c.cause_id, of_project, sum(c.n), sum(c.waiting), sum(c.cost_micro), min(c.first_seen),
        max(c.last_seen), max(c.seq)
      FROM unnest(own) c GROUP BY 1, 2 HAVING sum(c.n) > 0 ORDER BY 1, 2
      ON CONFLICT (project_id, run_id, cause_id) DO UPDATE SET count = r.count + excluded.count,
        waiting = r.waiting + excluded.waiting, cost_micro = r.cost_micro + excluded.cost_micro,
        last_seen = greatest(r.last_seen, excluded.last_seen), seq = excluded.seq
      RETURNING cause_id, xmax = 0 AS is_new
    ), lessened AS (
      UPDATE cause_runs r SET count = r.count + c.n, waiting = r.waiting + c.waiting,
        cost_micro = r.cost_micro + c.cost_micro
      FROM (
        SELECT c.run_id, c.cause_id, sum(c.n) AS n, sum(c.waiting) AS waiting, sum(c.cost_micro) AS cost_micro
        FROM unnest(own) c GROUP BY 1, 2 HAVING sum(c.n) <= 0) c
      WHERE r.project_id = of_project AND r.run_id = c.run_id AND r.cause_id = c.cause_id
      RETURNING r.cause_id, r.count <= 0 AS is_gone
    ), runs_of AS (
      SELECT cause_id, sum(n)::int AS n FROM (
        SELECT cause_id, 1 AS n FROM counted WHERE is_new
        UNION ALL SELECT cause_id, -1 FROM lessened WHERE is_gone) moved GROUP BY 1
    )
    UPDATE causes c SET count = c.count + g.n, waiting = c.waiting + g.waiting, cost_micro = c.cost_micro + g.cost_micro,
      runs = c.runs + coalesce(o.n, 0), first_seen = least(c.first_seen, g.first_seen),
      last_seen = greatest(c.last_seen, g.last_seen)
    FROM (
      SELECT c.cause_id, sum(c.n) AS n, sum(c.waiting) AS waiting, sum(c.cost_micro) AS cost_micro,
        min(c.first_seen) AS first_seen, max(c.last_seen) AS last_seen
      FROM unnest(own) c GROUP BY 1) g LEFT JOIN runs_of o USING (cause_id)
    WHERE c.project_id = of_project AND c.id = g.cause_id;
    DELETE FROM cause_runs r USING unnest(own) c
    WHERE r.project_id = of_project AND r.run_id = c.run_id AND r.cause_id = c.cause_id AND c.n < 0 AND r.count <= 0;`

const COUNTED_BY_DAY = `
    INSERT INTO cause_days AS d (project_id, cause_id, day, count, waiting, cost_micro)
    SELECT of_project, c.cause_id, c.day, sum(c.n), sum(c.waiting), sum(c.cost_micro) FROM unnest(own) c
    GROUP BY 2, 3 HAVING sum(c.n) > 0 ORDER BY 3, 2
    ON CONFLICT (project_id, day, cause_id) DO UPDATE SET count = d.count + excluded.count,
      waiting = d.waiting + excluded.waiting, cost_micro = d.cost_micro + excluded.cost_micro;
    UPDATE cause_days d SET count = d.count + c.n, waiting = d.waiting + c.waiting, cost_micro = d.cost_micro + c.cost_micro
    FROM (
      SELECT c.cause_id, c.day, sum(c.n) AS n, sum(c.waiting) AS waiting, sum(c.cost_micro) AS cost_micro
      FROM unnest(own) c GROUP BY 1, 2 HAVING sum(c.n) <= 0) c
    WHERE d.project_id = of_project AND d.day = c.day AND d.cause_id = c.cause_id;
    DELETE FROM cause_days d USING unnest(own) c
    WHERE d.project_id = of_project AND d.day = c.day AND d.cause_id = c.cause_id AND c.n < 0 AND d.count <= 0;`

export const COUNT_CAUSES = `
DECLARE
  changes cause_change[];
  of_project uuid;
  own cause_change[];
BEGIN${GATHERED}
  FOR of_project, own IN SELECT c.project_id, array_agg(c) FROM unnest(changes) c GROUP BY 1 LOOP${COUNTED_BY_RUN}${COUNTED_BY_DAY}
  END LOOP;
  RETURN NULL;
END
`
