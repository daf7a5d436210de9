CREATE TYPE "public"."recovery_status" AS ENUM('creating', 'pilot', 'running', 'completed', 'stopped', 'aborting', 'aborted');--> statement-breakpoint
CREATE TABLE "failure_clusters" (
	"project_id" uuid NOT NULL,
	"cluster_key" text NOT NULL,
	"error_code" text NOT NULL,
	"sample_prompt" text NOT NULL,
	"count" integer NOT NULL,
	CONSTRAINT "failure_clusters_project_id_cluster_key_pk" PRIMARY KEY("project_id","cluster_key")
);
--> statement-breakpoint
CREATE TABLE "recoveries" (
	"id" uuid PRIMARY KEY NOT NULL,
	"project_id" uuid NOT NULL,
	"agent_id" uuid NOT NULL,
	"name" text,
	"filter" jsonb NOT NULL,
	"eligible" integer NOT NULL,
	"first" integer,
	"status" "recovery_status" DEFAULT 'creating' NOT NULL,
	"pilot_run_id" uuid,
	"pilot_better" boolean,
	"run_id" uuid,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"finished_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "replays" (
	"from_run_id" uuid NOT NULL,
	"from_seq" integer NOT NULL,
	"run_id" uuid NOT NULL,
	"seq" integer NOT NULL,
	CONSTRAINT "replays_from_run_id_from_seq_run_id_seq_pk" PRIMARY KEY("from_run_id","from_seq","run_id","seq")
);
--> statement-breakpoint
ALTER TABLE "items" ADD COLUMN "extra_budget_micro" bigint;--> statement-breakpoint
ALTER TABLE "project_usage" ADD COLUMN "failures" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "project_usage" ADD COLUMN "failure_changes" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "recovery_id" uuid;--> statement-breakpoint
ALTER TABLE "triage" ADD COLUMN "prompt" text;--> statement-breakpoint
ALTER TABLE "triage" ADD COLUMN "cluster_key" text GENERATED ALWAYS AS (case when prompt is not null then error_code || ':' || left(md5(prompt), 16) end) STORED;--> statement-breakpoint
ALTER TABLE "failure_clusters" ADD CONSTRAINT "failure_clusters_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "recoveries" ADD CONSTRAINT "recoveries_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "recoveries" ADD CONSTRAINT "recoveries_project_id_agent_id_agents_project_id_id_fk" FOREIGN KEY ("project_id","agent_id") REFERENCES "public"."agents"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "replays" ADD CONSTRAINT "replays_from_run_id_runs_id_fk" FOREIGN KEY ("from_run_id") REFERENCES "public"."runs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "replays" ADD CONSTRAINT "replays_run_id_runs_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."runs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "failure_clusters_size" ON "failure_clusters" USING btree ("project_id","count") WHERE count > 1;--> statement-breakpoint
CREATE INDEX "recoveries_project" ON "recoveries" USING btree ("project_id","id");--> statement-breakpoint
CREATE INDEX "recoveries_open" ON "recoveries" USING btree ("id") WHERE finished_at is null;--> statement-breakpoint
CREATE INDEX "replays_run" ON "replays" USING btree ("run_id","seq");--> statement-breakpoint
CREATE INDEX "triage_open_run" ON "triage" USING btree ("run_id","lane","created_at","seq") WHERE disposition is null;--> statement-breakpoint
CREATE INDEX "triage_open_agent" ON "triage" USING btree ("agent_id","lane","created_at","run_id","seq") WHERE disposition is null;--> statement-breakpoint
CREATE INDEX "triage_open_reason" ON "triage" USING btree ("project_id","lane","reason","created_at","run_id","seq") WHERE disposition is null;--> statement-breakpoint
CREATE INDEX "triage_open_partition" ON "triage" USING btree ("project_id","lane","partition_key","created_at","run_id","seq") WHERE disposition is null and partition_key is not null;--> statement-breakpoint
CREATE INDEX "triage_cluster" ON "triage" USING btree ("project_id","cluster_key","created_at","run_id","seq") WHERE cluster_key is not null;--> statement-breakpoint
CREATE INDEX "triage_unclustered" ON "triage" USING btree ("run_id","seq") WHERE error_code is not null and prompt is null;