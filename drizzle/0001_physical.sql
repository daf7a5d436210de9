-- How the rows lie on disk. drizzle-kit knows none of this, so it stands in a migration of its own; the one thing
-- it could not hold is "PARTITION BY RANGE (run_id)" of "steps", added by hand at the end of that table in 0000.

-- Room on the page for the running and the settled version of every item: at 33 all updates are HOT, at 50 90 %,
-- at 100 under 1 % (and the table ends larger).
ALTER TABLE "items" SET (fillfactor = 33, autovacuum_vacuum_scale_factor = 0.1, autovacuum_vacuum_cost_delay = 1);--> statement-breakpoint
-- Rows that change at every claim and settle.
ALTER TABLE "runs" SET (fillfactor = 20, autovacuum_vacuum_scale_factor = 0.05);--> statement-breakpoint
ALTER TABLE "project_usage" SET (fillfactor = 10, autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 1000);--> statement-breakpoint
ALTER TABLE "claims" SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 1000);--> statement-breakpoint
ALTER TABLE "due_items" SET (autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 1000);--> statement-breakpoint
-- Weekly partitions are made ahead by the tick; this one catches what would otherwise find none.
CREATE TABLE "steps_default" PARTITION OF "steps" DEFAULT;--> statement-breakpoint
-- Items of a run that will not be dispatched again.
CREATE FUNCTION ended_items(r runs) RETURNS int LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT r.ok + r.degraded + r.failed + r.budget_exceeded + r.cancelled
$$;
