CREATE TYPE "public"."budget_period" AS ENUM('day', 'month');--> statement-breakpoint
CREATE TABLE "budgets" (
	"project_id" uuid NOT NULL,
	"agent_id" uuid,
	"period" "budget_period" NOT NULL,
	"limit_micro" bigint NOT NULL,
	"spent_micro" bigint DEFAULT 0 NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "budgets_of" UNIQUE NULLS NOT DISTINCT("project_id","agent_id","period")
);
--> statement-breakpoint
ALTER TABLE "budgets" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "spending" (
	"project_id" uuid NOT NULL,
	"agent_id" uuid NOT NULL,
	"day" date NOT NULL,
	"spent_micro" bigint NOT NULL,
	CONSTRAINT "spending_project_id_day_agent_id_pk" PRIMARY KEY("project_id","day","agent_id")
);
--> statement-breakpoint
ALTER TABLE "spending" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "prices" (
	"id" uuid PRIMARY KEY NOT NULL,
	"project_id" uuid NOT NULL,
	"model" text NOT NULL,
	"effective_from" timestamp with time zone NOT NULL,
	"input_per_mtok" double precision NOT NULL,
	"output_per_mtok" double precision NOT NULL,
	"cached_input_per_mtok" double precision,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "prices_of" UNIQUE("project_id","model","effective_from")
);
--> statement-breakpoint
ALTER TABLE "prices" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "project_usage" ADD COLUMN "spend_day" date;--> statement-breakpoint
ALTER TABLE "project_usage" ADD COLUMN "spend_day_ends_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "unpriced_model" text;--> statement-breakpoint
-- Newer minor versions of PostgreSQL add no column with a default to a table whose rows a function takes: it is made again below.
DROP FUNCTION ended_items(runs);--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "waits_for_price" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "allow_unpriced" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE FUNCTION ended_items(r runs) RETURNS int LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN r.ok + r.degraded + r.failed + r.budget_exceeded + r.cancelled;--> statement-breakpoint
ALTER TABLE "budgets" ADD CONSTRAINT "budgets_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "budgets" ADD CONSTRAINT "budgets_project_id_agent_id_agents_project_id_id_fk" FOREIGN KEY ("project_id","agent_id") REFERENCES "public"."agents"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "spending" ADD CONSTRAINT "spending_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "prices" ADD CONSTRAINT "prices_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "project_usage_day" ON "project_usage" USING btree ("spend_day_ends_at") WHERE spend_day_ends_at is not null;--> statement-breakpoint
CREATE INDEX "runs_waiting_for_price" ON "runs" USING btree ("project_id","id") WHERE waits_for_price;--> statement-breakpoint
CREATE POLICY "tenant" ON "budgets" AS PERMISSIVE FOR SELECT TO "assay_tenant" USING ("budgets"."project_id" in (select id from projects));--> statement-breakpoint
CREATE POLICY "tenant" ON "spending" AS PERMISSIVE FOR SELECT TO "assay_tenant" USING ("spending"."project_id" in (select id from projects));--> statement-breakpoint
CREATE POLICY "tenant" ON "prices" AS PERMISSIVE FOR SELECT TO "assay_tenant" USING ("prices"."project_id" in (select id from projects));--> statement-breakpoint
-- Prices that a project had among its settings had no date: they count from ever.
insert into prices (id, project_id, model, effective_from, input_per_mtok, output_per_mtok, cached_input_per_mtok)
select gen_random_uuid(), p.id, m.key, 'epoch', (m.value->>'input_per_mtok')::float8,
  (m.value->>'output_per_mtok')::float8, (m.value->>'cached_input_per_mtok')::float8
from projects p, jsonb_each(p.settings->'prices') m;
