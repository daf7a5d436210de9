-- Whatever statement writes or removes counts of a run, those of its project follow. Everybody locks these rows in the
-- order of their key.
CREATE FUNCTION count_step_errors() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  changes project_step_errors[];
BEGIN
  IF TG_OP = 'INSERT' THEN
    SELECT array_agg(row(project_id, hour, outcome, error_code, tool_name, outcome_reason, steps, last_at)::project_step_errors)
    INTO changes FROM added;
  ELSIF TG_OP = 'DELETE' THEN
    SELECT array_agg(row(project_id, hour, outcome, error_code, tool_name, outcome_reason, -steps, last_at)::project_step_errors)
    INTO changes FROM removed;
  ELSE
    SELECT array_agg(row(project_id, hour, outcome, error_code, tool_name, outcome_reason, n, last_at)::project_step_errors)
    INTO changes FROM (SELECT *, steps AS n FROM added UNION ALL SELECT *, -steps FROM removed) moved;
  END IF;
  INSERT INTO project_step_errors AS p
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
$$;--> statement-breakpoint
CREATE TRIGGER run_step_errors_added AFTER INSERT ON "run_step_errors" REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_step_errors();--> statement-breakpoint
CREATE TRIGGER run_step_errors_changed AFTER UPDATE ON "run_step_errors" REFERENCING OLD TABLE AS removed NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_step_errors();--> statement-breakpoint
CREATE TRIGGER run_step_errors_removed AFTER DELETE ON "run_step_errors" REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION count_step_errors();--> statement-breakpoint
-- Hours that do not depend on where the session thinks it is.
CREATE FUNCTION hour_of(moment timestamptz) RETURNS timestamptz LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT date_bin('1 hour', moment, '2000-01-01T00:00:00Z')
$$;--> statement-breakpoint
INSERT INTO run_step_errors (run_id, project_id, hour, outcome, error_code, tool_name, outcome_reason, steps, last_at)
SELECT x.run_id, x.project_id, hour_of(x.started_at), x.outcome, x.error_code,
  CASE WHEN x.kind IN ('tool_call', 'tool_result') THEN x.name END, x.outcome_reason, count(*), max(x.started_at)
FROM step_index x JOIN runs r ON r.id = x.run_id
WHERE x.outcome <> 'ok' AND r.steps_purged_at IS NULL GROUP BY 1, 2, 3, 4, 5, 6, 7;--> statement-breakpoint
-- Steps are filed each by itself, and their words are taken apart outside (shared/domain/words.ts).
CREATE OR REPLACE FUNCTION file_steps() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO unindexed_steps (run_id, seqs, step_nos)
  SELECT run_id, array_agg(seq), array_agg(step_no) FROM added GROUP BY run_id;
  RETURN NULL;
END
$$;--> statement-breakpoint
DROP FUNCTION step_words(text, text, text, text, text);
