ALTER TYPE "public"."stop_reason" ADD VALUE 'pilot_failed';--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "pilot_items" integer;--> statement-breakpoint
ALTER TABLE "schedules" ADD COLUMN "pilot_items" integer;--> statement-breakpoint
-- Whatever else stops a run ends it as failed. The new reason is not named here: a value that was just added cannot be.
CREATE OR REPLACE FUNCTION run_status_of(
  materializing boolean, started boolean, stop stop_reason, total int, ok int, degraded int, failed int,
  budget_exceeded int, cancelled int, undecided int
) RETURNS run_status LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
  WHEN materializing THEN 'materializing'::run_status
  WHEN stop = 'cancelled' THEN 'cancelled'
  WHEN stop = 'budget_exceeded' THEN 'budget_exceeded'
  WHEN stop IS NOT NULL THEN 'failed'
  WHEN ok + degraded + failed + budget_exceeded + cancelled = total THEN CASE
    WHEN degraded + failed + budget_exceeded = 0 THEN 'completed'::run_status
    WHEN failed + budget_exceeded = total THEN 'failed'
    WHEN undecided = 0 THEN 'completed'
    ELSE 'partial'
  END
  WHEN started OR ok + degraded + failed + budget_exceeded + cancelled > 0 THEN 'running'
  ELSE 'queued'
END;
