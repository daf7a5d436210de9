ALTER TYPE "public"."disposition" ADD VALUE 'wrong';--> statement-breakpoint
ALTER TYPE "public"."disposition" ADD VALUE 'confirmed';--> statement-breakpoint
ALTER TYPE "public"."triage_action" ADD VALUE 'wrong';--> statement-breakpoint
ALTER TYPE "public"."triage_lane" ADD VALUE 'review';--> statement-breakpoint
CREATE TABLE "suspected_items" (
	"run_id" uuid NOT NULL,
	"seq" integer NOT NULL,
	CONSTRAINT "suspected_items_run_id_seq_pk" PRIMARY KEY("run_id","seq")
);
--> statement-breakpoint
CREATE TABLE "verdict_days" (
	"project_id" uuid NOT NULL,
	"agent_id" uuid NOT NULL,
	"reason" text NOT NULL,
	"day" date NOT NULL,
	"confirmed" integer DEFAULT 0 NOT NULL,
	"wrong" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "verdict_days_project_id_day_agent_id_reason_pk" PRIMARY KEY("project_id","day","agent_id","reason")
);
--> statement-breakpoint
ALTER TABLE "verdict_days" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
DROP INDEX "triage_without_cause";--> statement-breakpoint
ALTER TABLE "triage" ADD COLUMN "corrected" "outcome";--> statement-breakpoint
ALTER TABLE "triage" ADD COLUMN "judged" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "suspected_items" ADD CONSTRAINT "suspected_items_run_id_runs_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."runs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "verdict_days" ADD CONSTRAINT "verdict_days_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "verdict_days" ADD CONSTRAINT "verdict_days_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "triage_corrected" ON "triage" USING btree ("run_id","seq") WHERE corrected is not null;--> statement-breakpoint
CREATE INDEX "triage_without_cause" ON "triage" USING btree ("run_id","seq") WHERE cause_id is null and lane = any (array['dlq', 'quarantine']::triage_lane[]);--> statement-breakpoint
CREATE POLICY "tenant" ON "verdict_days" AS PERMISSIVE FOR SELECT TO "assay_tenant" USING ("verdict_days"."project_id" in (select id from projects));