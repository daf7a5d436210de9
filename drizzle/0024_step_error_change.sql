-- The counts were gathered as rows of project_step_errors: a column more there would have broken the version at work.
CREATE TYPE step_error_change AS (project_id uuid, hour timestamptz, outcome outcome, error_code text, tool_name text,
  outcome_reason text, steps int, last_at timestamptz);--> statement-breakpoint
CREATE OR REPLACE FUNCTION count_step_errors() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  changes step_error_change[];
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
  INSERT INTO project_step_errors AS p (project_id, hour, outcome, error_code, tool_name, outcome_reason, steps, last_at)
  SELECT project_id, hour, outcome, error_code, tool_name, outcome_reason, sum(steps), max(last_at)
  FROM unnest(changes) GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 1, 2, 3, 4, 5, 6
  ON CONFLICT ON CONSTRAINT project_step_errors_kind
  DO UPDATE SET steps = p.steps + excluded.steps, last_at = greatest(p.last_at, excluded.last_at);
  IF TG_OP = 'DELETE' THEN
    DELETE FROM project_step_errors p USING (SELECT DISTINCT project_id, hour FROM unnest(changes)) c
    WHERE p.project_id = c.project_id AND p.hour = c.hour AND p.steps <= 0;
    -- Where the latest of them went, the latest of those that are left.
    UPDATE project_step_errors p SET last_at = (
      SELECT max(e.last_at) FROM run_step_errors e
      WHERE e.project_id = p.project_id AND e.hour = p.hour AND e.outcome = p.outcome
        AND (e.error_code, e.tool_name, e.outcome_reason)
          IS NOT DISTINCT FROM (p.error_code, p.tool_name, p.outcome_reason))
    FROM (SELECT DISTINCT project_id, hour, outcome, error_code, tool_name, outcome_reason, last_at FROM unnest(changes)) c
    WHERE p.project_id = c.project_id AND p.hour = c.hour AND p.outcome = c.outcome AND p.last_at = c.last_at
      AND (p.error_code, p.tool_name, p.outcome_reason)
        IS NOT DISTINCT FROM (c.error_code, c.tool_name, c.outcome_reason);
  END IF;
  RETURN NULL;
END
$$;
