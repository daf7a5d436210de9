CREATE TYPE "public"."member_role" AS ENUM('owner', 'operator', 'viewer');--> statement-breakpoint
CREATE TABLE "audit_log" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"project_id" uuid,
	"actor_kind" text NOT NULL,
	"actor_id" uuid NOT NULL,
	"actor_name" text NOT NULL,
	"action" text NOT NULL,
	"target_id" uuid,
	"fields" text[] DEFAULT '{}' NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);--> statement-breakpoint
ALTER TABLE "agents" DROP CONSTRAINT "agents_project_slug";--> statement-breakpoint
ALTER TABLE "deployments" DROP CONSTRAINT "deployments_agent_id_agents_id_fk";--> statement-breakpoint
ALTER TABLE "runs" DROP CONSTRAINT "runs_agent_id_agents_id_fk";--> statement-breakpoint
DROP INDEX "runs_project";--> statement-breakpoint
DROP INDEX "runs_open";--> statement-breakpoint
ALTER TABLE "projects" ALTER COLUMN "account_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "plan" jsonb DEFAULT '{}'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "agents" ADD COLUMN "deleted_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "members" ADD COLUMN "role" "member_role" DEFAULT 'owner' NOT NULL;--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "user_agent" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "agents" ADD CONSTRAINT "agents_project_id" UNIQUE("project_id","id");--> statement-breakpoint
ALTER TABLE "deployments" ADD CONSTRAINT "deployments_project_id" UNIQUE("project_id","id");--> statement-breakpoint
ALTER TABLE "runs" ADD CONSTRAINT "runs_project" UNIQUE("project_id","id");--> statement-breakpoint
ALTER TABLE "audit_log" ADD CONSTRAINT "audit_log_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "audit_log_account" ON "audit_log" USING btree ("account_id","id");--> statement-breakpoint
CREATE INDEX "audit_log_project" ON "audit_log" USING btree ("project_id","id");--> statement-breakpoint
ALTER TABLE "claims" ADD CONSTRAINT "claims_project_id_run_id_runs_project_id_id_fk" FOREIGN KEY ("project_id","run_id") REFERENCES "public"."runs"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deployments" ADD CONSTRAINT "deployments_project_id_agent_id_agents_project_id_id_fk" FOREIGN KEY ("project_id","agent_id") REFERENCES "public"."agents"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "idempotency_keys" ADD CONSTRAINT "idempotency_keys_project_id_run_id_runs_project_id_id_fk" FOREIGN KEY ("project_id","run_id") REFERENCES "public"."runs"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "outbox" ADD CONSTRAINT "outbox_project_id_run_id_runs_project_id_id_fk" FOREIGN KEY ("project_id","run_id") REFERENCES "public"."runs"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "runs" ADD CONSTRAINT "runs_project_id_agent_id_agents_project_id_id_fk" FOREIGN KEY ("project_id","agent_id") REFERENCES "public"."agents"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "runs" ADD CONSTRAINT "runs_project_id_deployment_id_deployments_project_id_id_fk" FOREIGN KEY ("project_id","deployment_id") REFERENCES "public"."deployments"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "triage" ADD CONSTRAINT "triage_project_id_run_id_runs_project_id_id_fk" FOREIGN KEY ("project_id","run_id") REFERENCES "public"."runs"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "agents_project_slug" ON "agents" USING btree ("project_id","slug") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "agents_deleted" ON "agents" USING btree ("id") WHERE deleted_at is not null;--> statement-breakpoint
CREATE INDEX "projects_deleted" ON "projects" USING btree ("id") WHERE account_id is null;--> statement-breakpoint
CREATE INDEX "runs_open" ON "runs" USING btree ("project_id","id") WHERE finished_at is null;