CREATE TYPE "public"."alert_rule" AS ENUM('schedule_missed', 'run_not_ok', 'failure_share', 'budget_near', 'consumer_stalled');--> statement-breakpoint
CREATE TYPE "public"."delivery_kind" AS ENUM('run.finished', 'alert.raised');--> statement-breakpoint
CREATE TYPE "public"."disabled_reason" AS ENUM('operator', 'invalid_cron', 'invalid_timezone');--> statement-breakpoint
CREATE TYPE "public"."occurrence_outcome" AS ENUM('fired', 'skipped', 'error', 'missed');--> statement-breakpoint
CREATE TYPE "public"."occurrence_reason" AS ENUM('invalid_cron', 'invalid_timezone', 'agent_not_found', 'no_deployed_version', 'plan_limit', 'agent_lookup_failed', 'account_lookup_failed', 'dispatch_failed', 'overdue', 'run_never_started', 'manual');--> statement-breakpoint
CREATE TYPE "public"."signature_scheme" AS ENUM('bearer', 'standard_webhooks', 'github', 'stripe', 'slack', 'shopify');--> statement-breakpoint
CREATE TABLE "alert_channels" (
	"id" uuid PRIMARY KEY NOT NULL,
	"project_id" uuid NOT NULL,
	"url" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "alert_channels_url" UNIQUE("project_id","url")
);
--> statement-breakpoint
CREATE TABLE "alert_marks" (
	"project_id" uuid NOT NULL,
	"rule" "alert_rule" NOT NULL,
	"subject_id" uuid NOT NULL,
	"raised_at" timestamp with time zone NOT NULL,
	CONSTRAINT "alert_marks_project_id_rule_subject_id_pk" PRIMARY KEY("project_id","rule","subject_id")
);
--> statement-breakpoint
CREATE TABLE "alert_settings" (
	"id" uuid PRIMARY KEY NOT NULL,
	"project_id" uuid NOT NULL,
	"agent_id" uuid,
	"rule" "alert_rule" NOT NULL,
	"enabled" boolean NOT NULL,
	"bounds" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "alert_settings_rule" UNIQUE NULLS NOT DISTINCT("project_id","agent_id","rule")
);
--> statement-breakpoint
CREATE TABLE "alerts" (
	"id" uuid PRIMARY KEY NOT NULL,
	"project_id" uuid NOT NULL,
	"agent_id" uuid,
	"schedule_id" uuid,
	"run_id" uuid,
	"rule" "alert_rule" NOT NULL,
	"reason" text NOT NULL,
	"message" text NOT NULL,
	"advice" text NOT NULL,
	"command" text NOT NULL,
	"since" timestamp with time zone NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "alerts_project_id" UNIQUE("project_id","id")
);
--> statement-breakpoint
CREATE TABLE "deliveries" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"project_id" uuid NOT NULL,
	"run_id" uuid,
	"alert_id" uuid,
	"kind" "delivery_kind" NOT NULL,
	"url" text NOT NULL,
	"body" text,
	"tries" smallint DEFAULT 0 NOT NULL,
	"due_at" timestamp with time zone DEFAULT now(),
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"delivered_at" timestamp with time zone,
	CONSTRAINT "deliveries_project_id" UNIQUE("project_id","id")
);
--> statement-breakpoint
CREATE TABLE "delivery_tries" (
	"delivery_id" uuid NOT NULL,
	"try" smallint NOT NULL,
	"started_at" timestamp with time zone NOT NULL,
	"duration_ms" integer NOT NULL,
	"status" smallint,
	"error" text,
	CONSTRAINT "delivery_tries_delivery_id_try_pk" PRIMARY KEY("delivery_id","try")
);
--> statement-breakpoint
CREATE TABLE "signing_secrets" (
	"project_id" uuid NOT NULL,
	"version" smallint NOT NULL,
	"sealed" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"valid_until" timestamp with time zone,
	CONSTRAINT "signing_secrets_project_id_version_pk" PRIMARY KEY("project_id","version")
);
--> statement-breakpoint
CREATE TABLE "occurrences" (
	"schedule_id" uuid NOT NULL,
	"scheduled_for" timestamp with time zone NOT NULL,
	"manual" boolean DEFAULT false NOT NULL,
	"project_id" uuid NOT NULL,
	"occurred_at" timestamp with time zone DEFAULT now() NOT NULL,
	"outcome" "occurrence_outcome" NOT NULL,
	"reason" "occurrence_reason",
	"run_id" uuid,
	"tries" smallint DEFAULT 0 NOT NULL,
	"retry_at" timestamp with time zone,
	"watch_until" timestamp with time zone,
	CONSTRAINT "occurrences_schedule_id_scheduled_for_manual_pk" PRIMARY KEY("schedule_id","scheduled_for","manual")
);
--> statement-breakpoint
CREATE TABLE "schedules" (
	"id" uuid PRIMARY KEY NOT NULL,
	"project_id" uuid NOT NULL,
	"agent_id" uuid NOT NULL,
	"cron" text NOT NULL,
	"timezone" text DEFAULT 'UTC' NOT NULL,
	"declared" boolean DEFAULT false NOT NULL,
	"input" text DEFAULT 'null' NOT NULL,
	"budget_micro" bigint,
	"timeout_seconds" integer,
	"callback_url" text,
	"enabled" boolean DEFAULT true NOT NULL,
	"disabled_reason" "disabled_reason",
	"next_at" timestamp with time zone,
	"last_run_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "schedules_agent_cron" UNIQUE("agent_id","cron"),
	CONSTRAINT "schedules_project_id" UNIQUE("project_id","id")
);
--> statement-breakpoint
CREATE TABLE "triggers" (
	"id" uuid PRIMARY KEY NOT NULL,
	"project_id" uuid NOT NULL,
	"agent_id" uuid NOT NULL,
	"name" text NOT NULL,
	"webhook_id" text NOT NULL,
	"secret_env" text,
	"declared" boolean DEFAULT false NOT NULL,
	"scheme" "signature_scheme" DEFAULT 'bearer' NOT NULL,
	"secret_hash" "bytea" NOT NULL,
	"signing_secret_sealed" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"last_fired_at" timestamp with time zone,
	CONSTRAINT "triggers_webhook_id_unique" UNIQUE("webhook_id"),
	CONSTRAINT "triggers_agent_name" UNIQUE("agent_id","name"),
	CONSTRAINT "triggers_project_id" UNIQUE("project_id","id")
);
--> statement-breakpoint
DROP TABLE "outbox" CASCADE;--> statement-breakpoint
ALTER TABLE "alert_channels" ADD CONSTRAINT "alert_channels_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "alert_marks" ADD CONSTRAINT "alert_marks_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "alert_settings" ADD CONSTRAINT "alert_settings_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "alert_settings" ADD CONSTRAINT "alert_settings_project_id_agent_id_agents_project_id_id_fk" FOREIGN KEY ("project_id","agent_id") REFERENCES "public"."agents"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "alerts" ADD CONSTRAINT "alerts_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_project_id_run_id_runs_project_id_id_fk" FOREIGN KEY ("project_id","run_id") REFERENCES "public"."runs"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_project_id_alert_id_alerts_project_id_id_fk" FOREIGN KEY ("project_id","alert_id") REFERENCES "public"."alerts"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "delivery_tries" ADD CONSTRAINT "delivery_tries_delivery_id_deliveries_id_fk" FOREIGN KEY ("delivery_id") REFERENCES "public"."deliveries"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "signing_secrets" ADD CONSTRAINT "signing_secrets_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "occurrences" ADD CONSTRAINT "occurrences_project_id_schedule_id_schedules_project_id_id_fk" FOREIGN KEY ("project_id","schedule_id") REFERENCES "public"."schedules"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "schedules" ADD CONSTRAINT "schedules_project_id_agent_id_agents_project_id_id_fk" FOREIGN KEY ("project_id","agent_id") REFERENCES "public"."agents"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "triggers" ADD CONSTRAINT "triggers_project_id_agent_id_agents_project_id_id_fk" FOREIGN KEY ("project_id","agent_id") REFERENCES "public"."agents"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "alerts_project" ON "alerts" USING btree ("project_id","created_at","id");--> statement-breakpoint
CREATE INDEX "deliveries_due" ON "deliveries" USING btree ("due_at") WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX "deliveries_project" ON "deliveries" USING btree ("project_id","created_at","id");--> statement-breakpoint
CREATE INDEX "deliveries_run" ON "deliveries" USING btree ("run_id");--> statement-breakpoint
CREATE INDEX "occurrences_retry" ON "occurrences" USING btree ("retry_at") WHERE retry_at is not null;--> statement-breakpoint
CREATE INDEX "occurrences_watch" ON "occurrences" USING btree ("watch_until") WHERE watch_until is not null;--> statement-breakpoint
CREATE INDEX "schedules_project" ON "schedules" USING btree ("project_id","id");--> statement-breakpoint
CREATE INDEX "schedules_due" ON "schedules" USING btree ("next_at") WHERE next_at is not null;