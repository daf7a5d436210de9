CREATE TABLE "model_calls" (
	"project_id" uuid NOT NULL,
	"agent_id" uuid NOT NULL,
	"day" date NOT NULL,
	"model" text NOT NULL,
	"took" smallint NOT NULL,
	"calls" integer NOT NULL,
	"degraded" integer NOT NULL,
	"failed" integer NOT NULL,
	"unpriced" integer NOT NULL,
	"input_tokens" bigint NOT NULL,
	"output_tokens" bigint NOT NULL,
	"cost_micro" bigint NOT NULL,
	CONSTRAINT "model_calls_project_id_agent_id_day_model_took_pk" PRIMARY KEY("project_id","agent_id","day","model","took")
);
--> statement-breakpoint
ALTER TABLE "model_calls" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "model_calls" ADD CONSTRAINT "model_calls_project_id_agent_id_agents_project_id_id_fk" FOREIGN KEY ("project_id","agent_id") REFERENCES "public"."agents"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE POLICY "tenant" ON "model_calls" AS PERMISSIVE FOR SELECT TO "assay_tenant" USING ("model_calls"."project_id" in (select id from projects));