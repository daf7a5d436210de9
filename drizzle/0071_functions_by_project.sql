-- contract: not read since v0.1.0
DROP INDEX "deliveries_due";--> statement-breakpoint
CREATE INDEX "deliveries_due" ON "deliveries" USING btree ("project_id","host","due_at") WHERE due_at is not null;--> statement-breakpoint
-- Functions of triggers work project by project, so that one text serves one machine and a cluster, where the node
-- whose row fires a trigger executes all of it. Transition tables exist only in that session: they are gathered first,
-- then statements that name the project write each project's part.
create or replace function check_runs_of_triage() returns trigger language plpgsql as $$
DECLARE
  of_project uuid;
  of_runs uuid[];
  found int;
BEGIN
  FOR of_project, of_runs IN SELECT project_id, array_agg(DISTINCT run_id) FROM added GROUP BY 1 LOOP
    SELECT count(*) INTO found FROM (
      SELECT FROM runs WHERE project_id = of_project AND id = ANY(of_runs) FOR KEY SHARE) r;
    IF found < cardinality(of_runs) THEN
      RAISE EXCEPTION 'a row of triage names no run of its project' USING ERRCODE = 'foreign_key_violation';
    END IF;
  END LOOP;
  RETURN NULL;
END
$$;--> statement-breakpoint
create or replace function count_causes() returns trigger language plpgsql as $$
DECLARE
  changes cause_change[];
  of_project uuid;
  own cause_change[];
BEGIN
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
  END IF;
  FOR of_project, own IN SELECT c.project_id, array_agg(c) FROM unnest(changes) c GROUP BY 1 LOOP
    PERFORM FROM causes WHERE project_id = of_project AND id IN (SELECT c.cause_id FROM unnest(own) c)
      ORDER BY id FOR NO KEY UPDATE;
    WITH counted AS (
      INSERT INTO cause_runs AS r (run_id, cause_id, project_id, count, waiting, cost_micro, first_seen, last_seen, seq)
      SELECT c.run_id, c.cause_id, of_project, sum(c.n), sum(c.waiting), sum(c.cost_micro), min(c.first_seen),
        max(c.last_seen), max(c.seq)
      FROM unnest(own) c GROUP BY 1, 2 HAVING sum(c.n) > 0 ORDER BY 1, 2
      ON CONFLICT ON CONSTRAINT cause_runs_run_id_cause_id_pk DO UPDATE SET count = r.count + excluded.count,
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
    WHERE r.project_id = of_project AND r.run_id = c.run_id AND r.cause_id = c.cause_id AND c.n < 0 AND r.count <= 0;
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
    WHERE d.project_id = of_project AND d.day = c.day AND d.cause_id = c.cause_id AND c.n < 0 AND d.count <= 0;
  END LOOP;
  RETURN NULL;
END
$$;--> statement-breakpoint
create or replace function count_step_errors() returns trigger language plpgsql as $$
DECLARE
  changes step_error_change[];
  of_project uuid;
  own step_error_change[];
BEGIN
  IF TG_OP = 'INSERT' THEN
    SELECT array_agg(row(project_id, hour, outcome, error_code, tool_name, outcome_reason, steps, last_at)::step_error_change)
    INTO changes FROM added;
  ELSIF TG_OP = 'DELETE' THEN
    SELECT array_agg(row(project_id, hour, outcome, error_code, tool_name, outcome_reason, -steps, last_at)::step_error_change)
    INTO changes FROM removed;
  ELSE
    SELECT array_agg(row(project_id, hour, outcome, error_code, tool_name, outcome_reason, n, last_at)::step_error_change)
    INTO changes FROM (SELECT *, steps AS n FROM added UNION ALL SELECT *, -steps FROM removed) moved;
  END IF;
  FOR of_project, own IN SELECT c.project_id, array_agg(c) FROM unnest(changes) c GROUP BY 1 LOOP
    INSERT INTO project_step_errors AS p (project_id, hour, outcome, error_code, tool_name, outcome_reason, steps, last_at)
    SELECT of_project, c.hour, c.outcome, c.error_code, c.tool_name, c.outcome_reason, sum(c.steps), max(c.last_at)
    FROM unnest(own) c GROUP BY 2, 3, 4, 5, 6 ORDER BY 2, 3, 4, 5, 6
    ON CONFLICT ON CONSTRAINT project_step_errors_kind
    DO UPDATE SET steps = p.steps + excluded.steps, last_at = greatest(p.last_at, excluded.last_at);
    IF TG_OP = 'DELETE' THEN
      DELETE FROM project_step_errors p USING (SELECT DISTINCT c.hour FROM unnest(own) c) c
      WHERE p.project_id = of_project AND p.hour = c.hour AND p.steps <= 0;
      UPDATE project_step_errors p SET last_at = (
        SELECT max(e.last_at) FROM run_step_errors e
        WHERE e.project_id = of_project AND e.hour = p.hour AND e.outcome = p.outcome
          AND (e.error_code, e.tool_name, e.outcome_reason)
            IS NOT DISTINCT FROM (p.error_code, p.tool_name, p.outcome_reason))
      FROM (SELECT DISTINCT c.hour, c.outcome, c.error_code, c.tool_name, c.outcome_reason, c.last_at FROM unnest(own) c) c
      WHERE p.project_id = of_project AND p.hour = c.hour AND p.outcome = c.outcome AND p.last_at = c.last_at
        AND (p.error_code, p.tool_name, p.outcome_reason)
          IS NOT DISTINCT FROM (c.error_code, c.tool_name, c.outcome_reason);
    END IF;
  END LOOP;
  RETURN NULL;
END
$$;--> statement-breakpoint
create or replace function count_failures() returns trigger language plpgsql as $$
DECLARE
  changes failure_change[];
  of_project uuid;
  own failure_change[];
  sum_n int;
BEGIN
  IF TG_OP = 'INSERT' THEN
    SELECT array_agg(row(g.*)::failure_change) INTO changes FROM (
      SELECT project_id, cluster_key, error_code, min(prompt), count(*)::int FROM added
      WHERE error_code IS NOT NULL GROUP BY 1, 2, 3) g;
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
  FOR of_project, own, sum_n IN SELECT c.project_id, array_agg(c), sum(c.n) FROM unnest(changes) c GROUP BY 1 LOOP
    UPDATE project_usage u SET failures = failures + sum_n, failure_changes = failure_changes + 1
    WHERE u.project_id = of_project;
    INSERT INTO failure_clusters AS f (project_id, cluster_key, error_code, sample_prompt, count)
    SELECT of_project, c.cluster_key, min(c.error_code), min(c.prompt), sum(c.n) FROM unnest(own) c
    WHERE c.cluster_key IS NOT NULL AND c.n > 0 GROUP BY 2 ORDER BY 2
    ON CONFLICT (project_id, cluster_key) DO UPDATE SET count = f.count + excluded.count;
    UPDATE failure_clusters f SET count = f.count + c.n FROM unnest(own) c
    WHERE f.project_id = of_project AND f.cluster_key = c.cluster_key AND c.n < 0;
    DELETE FROM failure_clusters f USING unnest(own) c
    WHERE f.project_id = of_project AND f.cluster_key = c.cluster_key AND c.n < 0 AND f.count <= 0;
  END LOOP;
  RETURN NULL;
END
$$;--> statement-breakpoint
create or replace function file_steps() returns trigger language plpgsql as $$
DECLARE
  filed record;
BEGIN
  FOR filed IN
    SELECT project_id, run_id, array_agg(seq) AS seqs, array_agg(step_no) AS step_nos FROM added GROUP BY 1, 2
  LOOP
    INSERT INTO unindexed_steps (project_id, run_id, seqs, step_nos)
    VALUES (filed.project_id, filed.run_id, filed.seqs, filed.step_nos);
  END LOOP;
  RETURN NULL;
END
$$;--> statement-breakpoint
create or replace function unindex_steps() returns trigger language plpgsql as $$
DECLARE
  gone record;
BEGIN
  FOR gone IN
    SELECT project_id, run_id, array_agg(seq) AS seqs, array_agg(step_no) AS step_nos FROM removed GROUP BY 1, 2
  LOOP
    DELETE FROM step_index x USING unnest(gone.seqs, gone.step_nos) r(seq, step_no)
    WHERE x.project_id = gone.project_id AND x.run_id = gone.run_id AND x.seq = r.seq AND x.step_no = r.step_no;
  END LOOP;
  RETURN NULL;
END
$$;--> statement-breakpoint
create or replace function remove_triage_of_runs() returns trigger language plpgsql as $$
DECLARE
  of_project uuid;
  of_runs uuid[];
BEGIN
  FOR of_project, of_runs IN SELECT project_id, array_agg(id) FROM removed GROUP BY 1 LOOP
    DELETE FROM triage WHERE project_id = of_project AND run_id = ANY(of_runs);
  END LOOP;
  RETURN NULL;
END
$$;--> statement-breakpoint
create or replace function note_ended_run() returns trigger language plpgsql as $$
DECLARE
  answers boolean := false;
  told boolean;
BEGIN
  IF OLD.finished_at IS NULL AND NEW.ok >= 20 THEN
    answers := EXISTS (SELECT FROM deployments d WHERE d.project_id = NEW.project_id AND d.id = NEW.deployment_id
      AND coalesce(d.declaration->'checks', to_jsonb(d.default_checks)) ?| array['one_answer', 'length_jump', 'cost_jump']);
  END IF;
  told := CASE WHEN OLD.finished_at IS NOT NULL
    THEN EXISTS (SELECT FROM alerts a WHERE a.project_id = NEW.project_id AND a.run_id = NEW.id AND a.resolved_at IS NULL)
    ELSE NEW.ok < NEW.total_items
      OR EXISTS (SELECT FROM occurrences o WHERE o.project_id = NEW.project_id AND o.run_id = NEW.id)
      OR EXISTS (SELECT FROM alert_channels c WHERE c.project_id = NEW.project_id AND c.digest = 'all')
      OR EXISTS (SELECT FROM alerts a
        WHERE a.project_id = NEW.project_id AND a.subject_id = NEW.agent_id AND a.resolved_at IS NULL)
    END;
  IF answers OR told THEN
    INSERT INTO ended_runs (project_id, run_id, first_end, answers_due)
    VALUES (NEW.project_id, NEW.id, OLD.finished_at IS NULL, answers) ON CONFLICT DO NOTHING;
  END IF;
  RETURN NULL;
END
$$;
