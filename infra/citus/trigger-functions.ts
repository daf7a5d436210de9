// The trigger functions for a cluster. Guarantee: each counts the same as its version in the migrations, but project by
// project, so that the node whose row fired it executes every statement.
//
// A trigger fires on the node that holds the row. Its transition tables (`added`, `removed`) exist only in that
// session, so they are gathered first; then statements that name the project write each project's part.

import { COUNT_CAUSES } from './count-causes.ts'

export interface TriggerFunction {
  name: string
  /** The MD5 of the migrations' version, `pg_proc.prosrc`, that this was made from. */
  madeFrom: string
  body: string
}

const CHECK_RUNS_OF_TRIAGE = `
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
`

const REMOVE_TRIAGE_OF_RUNS = `
DECLARE
  of_project uuid;
  of_runs uuid[];
BEGIN
  FOR of_project, of_runs IN SELECT project_id, array_agg(id) FROM removed GROUP BY 1 LOOP
    DELETE FROM triage WHERE project_id = of_project AND run_id = ANY(of_runs);
  END LOOP;
  RETURN NULL;
END
`

const FILE_STEPS = `
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
`

const UNINDEX_STEPS = `
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
`

const NOTE_ENDED_RUN = `
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
`

const COUNT_FAILURES = `
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
`

const COUNT_STEP_ERRORS = `
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
`

export const TRIGGER_FUNCTIONS: readonly TriggerFunction[] = [
  { name: 'check_runs_of_triage', madeFrom: '0aee1228549627575755593fdfe90155', body: CHECK_RUNS_OF_TRIAGE },
  { name: 'count_causes', madeFrom: 'b7a31b524d7c6d3269dd138a7ddaeb02', body: COUNT_CAUSES },
  { name: 'count_step_errors', madeFrom: '546356213acf8d9c3eb4e3e692f453ae', body: COUNT_STEP_ERRORS },
  { name: 'count_failures', madeFrom: '015cf266da5898de6d45826229c170b1', body: COUNT_FAILURES },
  { name: 'file_steps', madeFrom: '20d02f64458911e93258aceacfe7d057', body: FILE_STEPS },
  { name: 'unindex_steps', madeFrom: 'd281408c5d71ec21b9b2655f8c42f564', body: UNINDEX_STEPS },
  {
    name: 'remove_triage_of_runs',
    madeFrom: '8deac12d5ed819c711c1122d1788f08e',
    body: REMOVE_TRIAGE_OF_RUNS,
  },
  { name: 'note_ended_run', madeFrom: '69f371c816e65df224ade524a990dfd1', body: NOTE_ENDED_RUN },
]

export const definitionOf = ({ name, body }: TriggerFunction) =>
  `create or replace function ${name}() returns trigger language plpgsql as $body$${body}$body$`
