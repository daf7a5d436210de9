ALTER TYPE "public"."occurrence_reason" ADD VALUE 'source_failed' BEFORE 'overdue';--> statement-breakpoint
ALTER TYPE "public"."occurrence_reason" ADD VALUE 'source_empty' BEFORE 'overdue';--> statement-breakpoint
CREATE TABLE "source_reads" (
	"schedule_id" uuid NOT NULL,
	"scheduled_for" timestamp with time zone NOT NULL,
	"project_id" uuid NOT NULL,
	"due_at" timestamp with time zone DEFAULT now() NOT NULL,
	"run_id" uuid,
	CONSTRAINT "source_reads_schedule_id_scheduled_for_pk" PRIMARY KEY("schedule_id","scheduled_for")
);
--> statement-breakpoint
-- Newer minor versions of PostgreSQL add no column with a default to a table whose rows a function takes: it is made again below.
DROP FUNCTION ended_items(runs);--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "from_source" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE FUNCTION ended_items(r runs) RETURNS int LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN r.ok + r.degraded + r.failed + r.budget_exceeded + r.cancelled;--> statement-breakpoint
ALTER TABLE "occurrences" ADD COLUMN "detail" jsonb;--> statement-breakpoint
ALTER TABLE "schedules" ADD COLUMN "name" text;--> statement-breakpoint
ALTER TABLE "schedules" ADD COLUMN "source" jsonb;--> statement-breakpoint
ALTER TABLE "schedules" ADD COLUMN "source_headers_sealed" text;--> statement-breakpoint
ALTER TABLE "source_reads" ADD CONSTRAINT "source_reads_project_id_schedule_id_schedules_project_id_id_fk" FOREIGN KEY ("project_id","schedule_id") REFERENCES "public"."schedules"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "source_reads_due" ON "source_reads" USING btree ("due_at");--> statement-breakpoint
ALTER POLICY "tenant" ON "runs" TO assay_tenant USING ("runs"."project_id" in (select id from projects) and not (runs.materializing and runs.from_source));