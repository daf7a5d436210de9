-- A flush of 1,000 items that failed looked for its run 1,000 times, while the run was locked. Now a statement looks once.
-- As the key did, it keeps the run from being removed until the transaction ends.
CREATE FUNCTION check_runs_of_triage() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  named int;
  found int;
BEGIN
  SELECT count(*) INTO named FROM (SELECT DISTINCT project_id, run_id FROM added) a;
  SELECT count(*) INTO found FROM (
    SELECT FROM runs WHERE (project_id, id) IN (SELECT DISTINCT project_id, run_id FROM added) FOR KEY SHARE) r;
  IF found < named THEN
    RAISE EXCEPTION 'a row of triage names no run of its project' USING ERRCODE = 'foreign_key_violation';
  END IF;
  RETURN NULL;
END
$$;--> statement-breakpoint
CREATE TRIGGER triage_of_run AFTER INSERT ON "triage" REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION check_runs_of_triage();--> statement-breakpoint
-- What was said or asked of an item after its row of triage had gone goes with the run, whichever version removes that.
CREATE FUNCTION remove_triage_of_runs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM triage t USING removed r WHERE t.run_id = r.id;
  RETURN NULL;
END
$$;--> statement-breakpoint
CREATE TRIGGER triage_of_removed AFTER DELETE ON "runs" REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION remove_triage_of_runs();--> statement-breakpoint
ALTER TABLE "triage" DROP CONSTRAINT "triage_project_id_run_id_runs_project_id_id_fk";
