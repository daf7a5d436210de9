-- Whatever statement ends a run, or turns a partial one into a completed one, puts its callback down with it. The row
-- is kept as it was, for two ends of a run may follow each other before the first is told.
CREATE FUNCTION announce_run() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO deliveries (project_id, run_id, kind, url, run)
  VALUES (new.project_id, new.id, 'run.finished', new.callback_url, to_jsonb(new));
  RETURN NULL;
END
$$;--> statement-breakpoint
CREATE TRIGGER run_announced AFTER UPDATE ON "runs" FOR EACH ROW
  WHEN (new.callback_url IS NOT NULL AND new.finished_at IS NOT NULL
    AND (old.finished_at IS NULL OR old.status IS DISTINCT FROM new.status))
  EXECUTE FUNCTION announce_run();
