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
	CONSTRAINT "verdict_days_agent_id_reason_day_pk" PRIMARY KEY("agent_id","reason","day")
);
--> statement-breakpoint
ALTER TABLE "verdict_days" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "triage" ADD COLUMN "corrected" "outcome";--> statement-breakpoint
ALTER TABLE "triage" ADD COLUMN "judged" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "suspected_items" ADD CONSTRAINT "suspected_items_run_id_runs_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."runs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "verdict_days" ADD CONSTRAINT "verdict_days_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "verdict_days" ADD CONSTRAINT "verdict_days_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "verdict_days_project" ON "verdict_days" USING btree ("project_id","day");--> statement-breakpoint
CREATE POLICY "tenant" ON "verdict_days" AS PERMISSIVE FOR SELECT TO "assay_tenant" USING ("verdict_days"."project_id" in (select id from projects));--> statement-breakpoint
-- A review has no cause, which its cause_id says by being '': those are not counted. A null would have it named, by
-- ticks of the version before too. Nothing here reads or indexes `triage`: its locks are held until all migrations are done.
DO $$ BEGIN
  EXECUTE replace(pg_get_functiondef('count_causes()'::regprocedure), 'cause_id IS NOT NULL', 'cause_id <> ''''');
END $$;
