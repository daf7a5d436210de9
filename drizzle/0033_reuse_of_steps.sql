CREATE TYPE "public"."reuse_choice" AS ENUM('auto', 'all', 'none');--> statement-breakpoint
ALTER TABLE "recoveries" ADD COLUMN "reuse" "reuse_choice" DEFAULT 'auto' NOT NULL;--> statement-breakpoint
ALTER TABLE "recoveries" ADD COLUMN "from_step" text;--> statement-breakpoint
ALTER TABLE "replays" ADD COLUMN "offered_steps" integer[];--> statement-breakpoint
ALTER TABLE "replays" ADD COLUMN "unchanged" boolean DEFAULT false NOT NULL;--> statement-breakpoint
-- Newer minor versions of PostgreSQL add no column with a default to a table whose rows a function takes: it is made again below.
DROP FUNCTION ended_items(runs);--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "unchanged" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE FUNCTION ended_items(r runs) RETURNS int LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN r.ok + r.degraded + r.failed + r.budget_exceeded + r.cancelled;