CREATE TYPE "public"."purge_kind" AS ENUM('steps', 'payloads', 'records');--> statement-breakpoint
CREATE TABLE "purges" (
	"run_id" uuid NOT NULL,
	"kind" "purge_kind" NOT NULL,
	"next_seq" integer DEFAULT 1 NOT NULL,
	CONSTRAINT "purges_run_id_kind_pk" PRIMARY KEY("run_id","kind")
);
--> statement-breakpoint
CREATE TABLE "step_index" (
	"run_id" uuid NOT NULL,
	"seq" integer NOT NULL,
	"step_no" integer NOT NULL,
	"project_id" uuid NOT NULL,
	"started_at" timestamp with time zone NOT NULL,
	"cost_micro" bigint NOT NULL,
	"kind" "step_kind" NOT NULL,
	"outcome" "outcome" NOT NULL,
	"outcome_reason" text,
	"error_code" text,
	"name" text NOT NULL,
	"words" "tsvector" NOT NULL,
	CONSTRAINT "step_index_run_id_seq_step_no_pk" PRIMARY KEY("run_id","seq","step_no")
) PARTITION BY RANGE ("run_id");
--> statement-breakpoint
CREATE TABLE "unindexed_steps" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"run_id" uuid NOT NULL,
	"seqs" integer[] NOT NULL
);
--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "steps_purged_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "payloads_purged_at" timestamp with time zone;--> statement-breakpoint
CREATE INDEX "step_index_recent" ON "step_index" USING btree ("project_id","started_at");--> statement-breakpoint
CREATE INDEX "step_index_run" ON "step_index" USING btree ("run_id","started_at");--> statement-breakpoint
CREATE INDEX "step_index_cost" ON "step_index" USING btree ("project_id","cost_micro") WHERE cost_micro > 0;--> statement-breakpoint
CREATE INDEX "step_index_outcome" ON "step_index" USING btree ("project_id","outcome","started_at") WHERE outcome <> 'ok';--> statement-breakpoint
CREATE INDEX "step_index_reason" ON "step_index" USING btree ("project_id","outcome_reason","started_at") WHERE outcome_reason is not null;--> statement-breakpoint
CREATE INDEX "step_index_name" ON "step_index" USING btree ("project_id","name","started_at");--> statement-breakpoint
CREATE INDEX "step_index_words" ON "step_index" USING gin ("words");--> statement-breakpoint
CREATE INDEX "runs_with_steps" ON "runs" USING btree ("project_id","id") WHERE steps_purged_at is null;--> statement-breakpoint
CREATE INDEX "runs_with_payloads" ON "runs" USING btree ("project_id","id") WHERE payloads_purged_at is null;