ALTER TABLE "items" ADD COLUMN "model_calls" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "items" ADD COLUMN "unread_calls" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
-- Newer minor versions of PostgreSQL add no column with a default to a table whose rows a function takes: it is made again below.
DROP FUNCTION ended_items(runs);--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "model_calls" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "unread_calls" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE FUNCTION ended_items(r runs) RETURNS int LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN r.ok + r.degraded + r.failed + r.budget_exceeded + r.cancelled;--> statement-breakpoint
ALTER TABLE "steps" ADD COLUMN "unread" text;