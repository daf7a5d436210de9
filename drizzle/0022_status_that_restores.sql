-- pg_restore makes tables with an empty search_path. There a body kept as text finds no type of ours, and the table of
-- runs could not be made; a body in SQL's own form is bound to what it names when it is made.
CREATE OR REPLACE FUNCTION run_status_of(
  materializing boolean, started boolean, stop stop_reason, total int, ok int, degraded int, failed int,
  budget_exceeded int, cancelled int, undecided int
) RETURNS run_status LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
  WHEN materializing THEN 'materializing'::run_status
  WHEN stop = 'cancelled' THEN 'cancelled'
  WHEN stop = 'budget_exceeded' THEN 'budget_exceeded'
  WHEN stop = 'consecutive_failures' THEN 'failed'
  WHEN ok + degraded + failed + budget_exceeded + cancelled = total THEN CASE
    WHEN degraded + failed + budget_exceeded = 0 THEN 'completed'::run_status
    WHEN failed + budget_exceeded = total THEN 'failed'
    WHEN undecided = 0 THEN 'completed'
    ELSE 'partial'
  END
  WHEN started OR ok + degraded + failed + budget_exceeded + cancelled > 0 THEN 'running'
  ELSE 'queued'
END;--> statement-breakpoint
CREATE OR REPLACE FUNCTION ended_items(r runs) RETURNS int LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN r.ok + r.degraded + r.failed + r.budget_exceeded + r.cancelled;--> statement-breakpoint
CREATE OR REPLACE FUNCTION hour_of(moment timestamptz) RETURNS timestamptz LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN date_bin('1 hour', moment, '2000-01-01T00:00:00Z');
