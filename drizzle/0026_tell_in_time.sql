CREATE TYPE "public"."channel_digest" AS ENUM('none', 'scheduled', 'all');--> statement-breakpoint
CREATE TYPE "public"."channel_format" AS ENUM('json', 'slack', 'teams', 'mail');--> statement-breakpoint
ALTER TYPE "public"."alert_rule" ADD VALUE 'source_failed';--> statement-breakpoint
ALTER TYPE "public"."alert_rule" ADD VALUE 'credentials_refused';--> statement-breakpoint
ALTER TYPE "public"."alert_rule" ADD VALUE 'budget_exceeded';--> statement-breakpoint
ALTER TYPE "public"."alert_rule" ADD VALUE 'not_finished';--> statement-breakpoint
ALTER TYPE "public"."alert_rule" ADD VALUE 'items_held';--> statement-breakpoint
ALTER TYPE "public"."delivery_kind" ADD VALUE 'alert.resolved';--> statement-breakpoint
ALTER TYPE "public"."delivery_kind" ADD VALUE 'run.digest';--> statement-breakpoint
ALTER TYPE "public"."delivery_kind" ADD VALUE 'channel.test';--> statement-breakpoint
CREATE TABLE "deadlines" (
	"id" uuid PRIMARY KEY NOT NULL,
	"project_id" uuid NOT NULL,
	"agent_id" uuid NOT NULL,
	"schedule_id" uuid,
	"finished_by" text NOT NULL,
	"timezone" text NOT NULL,
	"due_at" timestamp with time zone NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "deadlines_subject" UNIQUE NULLS NOT DISTINCT("agent_id","schedule_id")
);
--> statement-breakpoint
ALTER TABLE "deadlines" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "alert_channels" ADD COLUMN "format" "channel_format" DEFAULT 'json' NOT NULL;--> statement-breakpoint
ALTER TABLE "alert_channels" ADD COLUMN "digest" "channel_digest" DEFAULT 'scheduled' NOT NULL;--> statement-breakpoint
ALTER TABLE "alert_marks" ADD COLUMN "resolved_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "alerts" ADD COLUMN "subject_id" uuid;--> statement-breakpoint
ALTER TABLE "alerts" ADD COLUMN "resolved_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "ended_runs" ADD COLUMN "first_end" boolean DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE "deliveries" ADD COLUMN "format" "channel_format" DEFAULT 'json' NOT NULL;--> statement-breakpoint
ALTER TABLE "deadlines" ADD CONSTRAINT "deadlines_project_id_agent_id_agents_project_id_id_fk" FOREIGN KEY ("project_id","agent_id") REFERENCES "public"."agents"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deadlines" ADD CONSTRAINT "deadlines_project_id_schedule_id_schedules_project_id_id_fk" FOREIGN KEY ("project_id","schedule_id") REFERENCES "public"."schedules"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "deadlines_due" ON "deadlines" USING btree ("due_at");--> statement-breakpoint
CREATE INDEX "deadlines_project" ON "deadlines" USING btree ("project_id","id");--> statement-breakpoint
CREATE INDEX "alerts_open" ON "alerts" USING btree ("project_id","rule","subject_id") WHERE resolved_at is null and subject_id is not null;--> statement-breakpoint
CREATE INDEX "alerts_run" ON "alerts" USING btree ("run_id") WHERE run_id is not null;--> statement-breakpoint
CREATE INDEX "occurrences_run" ON "occurrences" USING btree ("run_id") WHERE run_id is not null;--> statement-breakpoint
CREATE POLICY "tenant" ON "deadlines" AS PERMISSIVE FOR SELECT TO "assay_tenant" USING ("deadlines"."project_id" in (select id from projects));