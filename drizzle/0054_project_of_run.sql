-- The project of what belongs to a run, named by the row itself. A version that does not say it goes on writing: a trigger
-- does. Rows of before follow in bounded pieces, before the next migration that needs them.
ALTER TABLE "suspected_items" ADD COLUMN "project_id" uuid;--> statement-breakpoint
ALTER TABLE "ended_runs" ADD COLUMN "project_id" uuid;--> statement-breakpoint
ALTER TABLE "delivery_tries" ADD COLUMN "project_id" uuid;--> statement-breakpoint
ALTER TABLE "replays" ADD COLUMN "project_id" uuid;--> statement-breakpoint
ALTER TABLE "attempts" ADD COLUMN "project_id" uuid;--> statement-breakpoint
ALTER TABLE "due_items" ADD COLUMN "project_id" uuid;--> statement-breakpoint
ALTER TABLE "items" ADD COLUMN "project_id" uuid;--> statement-breakpoint
ALTER TABLE "purges" ADD COLUMN "project_id" uuid;--> statement-breakpoint
ALTER TABLE "steps" ADD COLUMN "project_id" uuid;--> statement-breakpoint
ALTER TABLE "unindexed_steps" ADD COLUMN "project_id" uuid;--> statement-breakpoint
CREATE FUNCTION name_project_of_run() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  SELECT project_id INTO NEW.project_id FROM runs WHERE id = NEW.run_id;
  -- The statement by which schedules fire writes an item before its run, and the occurrence before both.
  IF NEW.project_id IS NULL THEN
    SELECT project_id INTO NEW.project_id FROM occurrences WHERE run_id = NEW.run_id;
  END IF;
  RETURN NEW;
END
$$;--> statement-breakpoint
CREATE FUNCTION name_project_of_delivery() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  SELECT project_id INTO NEW.project_id FROM deliveries WHERE id = NEW.delivery_id;
  RETURN NEW;
END
$$;--> statement-breakpoint
CREATE TRIGGER name_project BEFORE INSERT ON "attempts" FOR EACH ROW WHEN (NEW.project_id IS NULL)
  EXECUTE FUNCTION name_project_of_run();--> statement-breakpoint
CREATE TRIGGER name_project BEFORE INSERT ON "due_items" FOR EACH ROW WHEN (NEW.project_id IS NULL)
  EXECUTE FUNCTION name_project_of_run();--> statement-breakpoint
CREATE TRIGGER name_project BEFORE INSERT ON "ended_runs" FOR EACH ROW WHEN (NEW.project_id IS NULL)
  EXECUTE FUNCTION name_project_of_run();--> statement-breakpoint
CREATE TRIGGER name_project BEFORE INSERT ON "items" FOR EACH ROW WHEN (NEW.project_id IS NULL)
  EXECUTE FUNCTION name_project_of_run();--> statement-breakpoint
CREATE TRIGGER name_project BEFORE INSERT ON "purges" FOR EACH ROW WHEN (NEW.project_id IS NULL)
  EXECUTE FUNCTION name_project_of_run();--> statement-breakpoint
CREATE TRIGGER name_project BEFORE INSERT ON "replays" FOR EACH ROW WHEN (NEW.project_id IS NULL)
  EXECUTE FUNCTION name_project_of_run();--> statement-breakpoint
CREATE TRIGGER name_project BEFORE INSERT ON "steps" FOR EACH ROW WHEN (NEW.project_id IS NULL)
  EXECUTE FUNCTION name_project_of_run();--> statement-breakpoint
CREATE TRIGGER name_project BEFORE INSERT ON "suspected_items" FOR EACH ROW WHEN (NEW.project_id IS NULL)
  EXECUTE FUNCTION name_project_of_run();--> statement-breakpoint
CREATE TRIGGER name_project BEFORE INSERT ON "unindexed_steps" FOR EACH ROW WHEN (NEW.project_id IS NULL)
  EXECUTE FUNCTION name_project_of_run();--> statement-breakpoint
CREATE TRIGGER name_project BEFORE INSERT ON "delivery_tries" FOR EACH ROW WHEN (NEW.project_id IS NULL)
  EXECUTE FUNCTION name_project_of_delivery();--> statement-breakpoint
CREATE OR REPLACE FUNCTION file_steps() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO unindexed_steps (project_id, run_id, seqs, step_nos)
  SELECT project_id, run_id, array_agg(seq), array_agg(step_no) FROM added GROUP BY project_id, run_id;
  RETURN NULL;
END
$$;--> statement-breakpoint
CREATE OR REPLACE FUNCTION note_ended_run() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO ended_runs (project_id, run_id, first_end, answers_due)
  SELECT NEW.project_id, NEW.id, OLD.finished_at IS NULL, due.answers
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
