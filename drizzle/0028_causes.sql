CREATE TABLE "cause_days" (
	"project_id" uuid NOT NULL,
	"cause_id" text NOT NULL,
	"day" date NOT NULL,
	"count" integer DEFAULT 0 NOT NULL,
	"waiting" integer DEFAULT 0 NOT NULL,
	"cost_micro" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "cause_days_project_id_day_cause_id_pk" PRIMARY KEY("project_id","day","cause_id")
);
--> statement-breakpoint
ALTER TABLE "cause_days" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "cause_runs" (
	"run_id" uuid NOT NULL,
	"cause_id" text NOT NULL,
	"project_id" uuid NOT NULL,
	"count" integer DEFAULT 0 NOT NULL,
	"waiting" integer DEFAULT 0 NOT NULL,
	"cost_micro" bigint DEFAULT 0 NOT NULL,
	"first_seen" timestamp with time zone NOT NULL,
	"last_seen" timestamp with time zone NOT NULL,
	"seq" integer NOT NULL,
	CONSTRAINT "cause_runs_run_id_cause_id_pk" PRIMARY KEY("run_id","cause_id")
);
--> statement-breakpoint
ALTER TABLE "cause_runs" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "causes" (
	"id" text GENERATED ALWAYS AS ('cause_' || left(md5(agent_id::text || E'\x1f' || step || E'\x1f' || error_code || E'\x1f' || reason || E'\x1f' || template), 12)) STORED NOT NULL,
	"project_id" uuid NOT NULL,
	"agent_id" uuid NOT NULL,
	"step" text NOT NULL,
	"error_code" text NOT NULL,
	"reason" text NOT NULL,
	"template" text NOT NULL,
	"varies" smallint[] DEFAULT '{}' NOT NULL,
	"count" integer DEFAULT 0 NOT NULL,
	"waiting" integer DEFAULT 0 NOT NULL,
	"cost_micro" bigint DEFAULT 0 NOT NULL,
	"runs" integer DEFAULT 0 NOT NULL,
	"first_seen" timestamp with time zone DEFAULT now() NOT NULL,
	"last_seen" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "causes_project_id_id_pk" PRIMARY KEY("project_id","id")
);
--> statement-breakpoint
ALTER TABLE "causes" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "triage" ADD COLUMN "cause_id" text;--> statement-breakpoint
ALTER TABLE "triage" ADD COLUMN "cost_micro" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "cause_days" ADD CONSTRAINT "cause_days_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "cause_runs" ADD CONSTRAINT "cause_runs_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "causes" ADD CONSTRAINT "causes_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "causes" ADD CONSTRAINT "causes_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "cause_runs_cause" ON "cause_runs" USING btree ("project_id","cause_id","run_id");--> statement-breakpoint
CREATE INDEX "causes_kind" ON "causes" USING btree ("agent_id","step","error_code","reason");--> statement-breakpoint
CREATE INDEX "triage_cause" ON "triage" USING btree ("project_id","cause_id","created_at","run_id","seq") WHERE cause_id is not null;--> statement-breakpoint
CREATE INDEX "triage_without_cause" ON "triage" USING btree ("run_id","seq") WHERE cause_id is null;--> statement-breakpoint
CREATE POLICY "tenant" ON "cause_days" AS PERMISSIVE FOR SELECT TO "assay_tenant" USING ("cause_days"."project_id" in (select id from projects));--> statement-breakpoint
CREATE POLICY "tenant" ON "cause_runs" AS PERMISSIVE FOR SELECT TO "assay_tenant" USING ("cause_runs"."project_id" in (select id from projects));--> statement-breakpoint
CREATE POLICY "tenant" ON "causes" AS PERMISSIVE FOR SELECT TO "assay_tenant" USING ("causes"."project_id" in (select id from projects));