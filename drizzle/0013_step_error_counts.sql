CREATE TABLE "project_step_errors" (
	"project_id" uuid NOT NULL,
	"hour" timestamp with time zone NOT NULL,
	"outcome" "outcome" NOT NULL,
	"error_code" text,
	"tool_name" text,
	"outcome_reason" text,
	"steps" integer NOT NULL,
	"last_at" timestamp with time zone NOT NULL,
	CONSTRAINT "project_step_errors_kind" UNIQUE NULLS NOT DISTINCT("project_id","hour","outcome","error_code","tool_name","outcome_reason")
);
--> statement-breakpoint
CREATE TABLE "run_step_errors" (
	"run_id" uuid NOT NULL,
	"project_id" uuid NOT NULL,
	"hour" timestamp with time zone NOT NULL,
	"outcome" "outcome" NOT NULL,
	"error_code" text,
	"tool_name" text,
	"outcome_reason" text,
	"steps" integer NOT NULL,
	"last_at" timestamp with time zone NOT NULL,
	CONSTRAINT "run_step_errors_kind" UNIQUE NULLS NOT DISTINCT("run_id","hour","outcome","error_code","tool_name","outcome_reason")
);
--> statement-breakpoint
ALTER TABLE "unindexed_steps" ADD COLUMN "step_nos" integer[];--> statement-breakpoint
-- What was filed by item is filed by step, so that an item's steps are not read again for every flush of them.
WITH filed AS (DELETE FROM "unindexed_steps" RETURNING run_id, seqs)
INSERT INTO "unindexed_steps" (run_id, seqs, step_nos)
SELECT s.run_id, array_agg(s.seq), array_agg(s.step_no)
FROM (SELECT DISTINCT run_id, unnest(seqs) AS seq FROM filed) f JOIN steps s USING (run_id, seq) GROUP BY s.run_id;--> statement-breakpoint
ALTER TABLE "unindexed_steps" ALTER COLUMN "step_nos" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "project_step_errors" ADD CONSTRAINT "project_step_errors_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "run_step_errors_hour" ON "run_step_errors" USING btree ("project_id","hour");