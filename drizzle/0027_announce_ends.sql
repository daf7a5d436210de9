-- Which ends of runs an alert or a digest may have to tell: those of replays tell nothing, for whoever asked for one is
-- watching. Once all items of a run have been decided about, what is open about
-- it is resolved.
CREATE OR REPLACE FUNCTION note_ended_run() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO ended_runs (run_id, first_end)
  SELECT NEW.id, OLD.finished_at IS NULL
  WHERE CASE WHEN OLD.finished_at IS NOT NULL
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
$$;--> statement-breakpoint
CREATE OR REPLACE TRIGGER run_ended AFTER UPDATE ON "runs" FOR EACH ROW
  WHEN (NEW.finished_at IS NOT NULL AND NEW.replay_of IS NULL AND NEW.recovery_id IS NULL
    AND (OLD.finished_at IS NULL OR (OLD.undecided > 0 AND NEW.undecided = 0)))
  EXECUTE FUNCTION note_ended_run();--> statement-breakpoint
-- A run that ends partial and is completed by decisions is told twice: the message says which of the two it is.
CREATE OR REPLACE FUNCTION announce_run() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO deliveries (project_id, run_id, kind, url, run)
  VALUES (new.project_id, new.id, 'run.finished', new.callback_url, to_jsonb(new) || jsonb_build_object('transition',
    CASE WHEN old.finished_at IS NULL THEN 'ended' WHEN new.status = 'partial' THEN 'reopened' ELSE 'decided' END));
  RETURN NULL;
END
$$;--> statement-breakpoint
-- Alerts had no end so far: those that stand are history, and what is still so is told anew.
UPDATE "alerts" SET resolved_at = now();--> statement-breakpoint
UPDATE "alert_marks" SET resolved_at = now();--> statement-breakpoint
UPDATE "alert_channels" SET format = 'mail' WHERE url LIKE 'mailto:%';
