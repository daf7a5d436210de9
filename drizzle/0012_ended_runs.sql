CREATE TABLE "ended_runs" (
	"run_id" uuid PRIMARY KEY NOT NULL
);
--> statement-breakpoint
ALTER TABLE "ended_runs" ADD CONSTRAINT "ended_runs_run_id_runs_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."runs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
-- Every way a run can end goes through an update of its row, so no statement can forget to say so.
CREATE FUNCTION note_ended_run() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO ended_runs (run_id)
  SELECT NEW.id WHERE EXISTS (
    SELECT FROM alert_settings s
    WHERE s.project_id = NEW.project_id AND s.rule IN ('run_not_ok', 'failure_share') AND s.enabled)
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END
$$;--> statement-breakpoint
CREATE TRIGGER run_ended AFTER UPDATE ON "runs" FOR EACH ROW
  WHEN (OLD.finished_at IS NULL AND NEW.finished_at IS NOT NULL AND NEW.ok < NEW.total_items)
  EXECUTE FUNCTION note_ended_run();
