ALTER TABLE "ended_runs" ADD COLUMN "answers_due" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "answer_figures" jsonb;--> statement-breakpoint
-- A run whose deployment has checks over the run is put down as well, whatever an alert or a digest may have to tell:
-- its answers are looked at before its end is told. Of fewer than 20 that are ok nothing is told.
CREATE OR REPLACE FUNCTION note_ended_run() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO ended_runs (run_id, first_end, answers_due)
  SELECT NEW.id, OLD.finished_at IS NULL, due.answers
  FROM (SELECT CASE WHEN OLD.finished_at IS NULL AND NEW.ok >= 20 THEN EXISTS (
    SELECT FROM deployments d WHERE d.id = NEW.deployment_id
      AND coalesce(d.declaration->'checks', to_jsonb(d.default_checks)) ?| array['one_answer', 'length_jump', 'cost_jump'])
    ELSE false END AS answers) due
  WHERE due.answers OR CASE WHEN OLD.finished_at IS NOT NULL
    THEN EXISTS (SELECT FROM alerts a WHERE a.run_id = NEW.id AND a.resolved_at IS NULL)
    ELSE NEW.ok < NEW.total_items
      OR EXISTS (SELECT FROM occurrences o WHERE o.run_id = NEW.id)
      OR EXISTS (SELECT FROM alert_channels c WHERE c.project_id = NEW.project_id AND c.digest = 'all')
      OR EXISTS (SELECT FROM alerts a
        WHERE a.project_id = NEW.project_id AND a.subject_id = NEW.agent_id AND a.resolved_at IS NULL)
    END
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END
$$;
