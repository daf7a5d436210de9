CREATE TYPE "public"."account_status" AS ENUM('active', 'suspended');--> statement-breakpoint
CREATE TYPE "public"."agent_protocol" AS ENUM('ndjson', 'json');--> statement-breakpoint
CREATE TYPE "public"."deployment_kind" AS ENUM('bundle', 'url');--> statement-breakpoint
CREATE TYPE "public"."disposition" AS ENUM('acknowledged', 'dismissed', 'replayed', 'resumed');--> statement-breakpoint
CREATE TYPE "public"."item_status" AS ENUM('queued', 'running', 'paused', 'completed', 'failed', 'cancelled', 'budget_exceeded');--> statement-breakpoint
CREATE TYPE "public"."outcome" AS ENUM('ok', 'degraded', 'failed');--> statement-breakpoint
CREATE TYPE "public"."run_status" AS ENUM('materializing', 'queued', 'running', 'completed', 'partial', 'failed', 'cancelled', 'budget_exceeded');--> statement-breakpoint
CREATE TYPE "public"."step_kind" AS ENUM('llm_call', 'tool_call', 'tool_result', 'step');--> statement-breakpoint
CREATE TYPE "public"."stop_reason" AS ENUM('cancelled', 'budget_exceeded', 'consecutive_failures');--> statement-breakpoint
CREATE TYPE "public"."triage_lane" AS ENUM('dlq', 'quarantine');--> statement-breakpoint
-- Added by hand: the status of a run as a function of its flags and counters, rule by rule as in
-- shared/domain/lifecycle.ts; a test compares the two.
CREATE FUNCTION run_status_of(
  materializing boolean, started boolean, stop stop_reason, total int, ok int, degraded int, failed int,
  budget_exceeded int, cancelled int, undecided int
) RETURNS run_status LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE
    WHEN materializing THEN 'materializing'::run_status
    WHEN stop = 'cancelled' THEN 'cancelled'
    WHEN stop = 'budget_exceeded' THEN 'budget_exceeded'
    WHEN stop = 'consecutive_failures' THEN 'failed'
    WHEN ok + degraded + failed + budget_exceeded + cancelled = total THEN CASE
      WHEN degraded + failed + budget_exceeded = 0 THEN 'completed'::run_status
      WHEN failed + budget_exceeded = total THEN 'failed'
      WHEN undecided = 0 THEN 'completed'
      ELSE 'partial'
    END
    WHEN started OR ok + degraded + failed + budget_exceeded + cancelled > 0 THEN 'running'
    ELSE 'queued'
  END
$$;--> statement-breakpoint
CREATE TABLE "accounts" (
	"id" uuid PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"status" "account_status" DEFAULT 'active' NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "agents" (
	"id" uuid PRIMARY KEY NOT NULL,
	"project_id" uuid NOT NULL,
	"name" text NOT NULL,
	"slug" text NOT NULL,
	"description" text DEFAULT '' NOT NULL,
	"config" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"config_version" integer DEFAULT 1 NOT NULL,
	"current_deployment_id" uuid,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "agents_project_slug" UNIQUE("project_id","slug")
);
--> statement-breakpoint
CREATE TABLE "api_keys" (
	"id" uuid PRIMARY KEY NOT NULL,
	"project_id" uuid NOT NULL,
	"name" text NOT NULL,
	"prefix" text NOT NULL,
	"hash" "bytea" NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"last_used_at" timestamp with time zone,
	"revoked_at" timestamp with time zone,
	CONSTRAINT "api_keys_hash_unique" UNIQUE("hash")
);
--> statement-breakpoint
CREATE TABLE "attempts" (
	"run_id" uuid NOT NULL,
	"seq" integer NOT NULL,
	"attempt" smallint NOT NULL,
	"started_at" timestamp with time zone,
	"ended_at" timestamp with time zone DEFAULT now() NOT NULL,
	"code" text NOT NULL,
	"message" text DEFAULT '' NOT NULL,
	CONSTRAINT "attempts_run_id_seq_attempt_pk" PRIMARY KEY("run_id","seq","attempt")
);
--> statement-breakpoint
CREATE TABLE "bundles" (
	"hash" text PRIMARY KEY NOT NULL,
	"code" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "claims" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"run_id" uuid NOT NULL,
	"project_id" uuid NOT NULL,
	"seqs" integer[] NOT NULL,
	"attempts" smallint[] NOT NULL,
	"lease_until" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "deployments" (
	"id" uuid PRIMARY KEY NOT NULL,
	"project_id" uuid NOT NULL,
	"agent_id" uuid NOT NULL,
	"version" integer NOT NULL,
	"kind" "deployment_kind" NOT NULL,
	"protocol" "agent_protocol" DEFAULT 'ndjson' NOT NULL,
	"url" text,
	"bundle_hash" text,
	"declaration" jsonb NOT NULL,
	"env_sealed" text,
	"external_id" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "deployments_agent_version" UNIQUE("agent_id","version")
);
--> statement-breakpoint
CREATE TABLE "due_items" (
	"run_id" uuid NOT NULL,
	"seq" integer NOT NULL,
	"due_at" timestamp with time zone NOT NULL,
	"alone" boolean DEFAULT false NOT NULL,
	CONSTRAINT "due_items_run_id_seq_pk" PRIMARY KEY("run_id","seq")
);
--> statement-breakpoint
CREATE TABLE "idempotency_keys" (
	"project_id" uuid NOT NULL,
	"key" text NOT NULL,
	"fingerprint" text NOT NULL,
	"run_id" uuid NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "idempotency_keys_project_id_key_pk" PRIMARY KEY("project_id","key")
);
--> statement-breakpoint
CREATE TABLE "items" (
	"run_id" uuid NOT NULL,
	"seq" integer NOT NULL,
	"line" integer NOT NULL,
	"status" "item_status" NOT NULL,
	"outcome" "outcome",
	"attempt" smallint DEFAULT 0 NOT NULL,
	"agent_failures" smallint DEFAULT 0 NOT NULL,
	"transport_failures" smallint DEFAULT 0 NOT NULL,
	"unpriced" boolean DEFAULT false NOT NULL,
	"step_count" integer DEFAULT 0 NOT NULL,
	"ran_ms" integer DEFAULT 0 NOT NULL,
	"input_tokens" integer DEFAULT 0 NOT NULL,
	"output_tokens" integer DEFAULT 0 NOT NULL,
	"cost_micro" bigint DEFAULT 0 NOT NULL,
	"started_at" timestamp with time zone,
	"completed_at" timestamp with time zone,
	"replayed_from" uuid,
	"item_id" text collate "C" NOT NULL,
	"partition_key" text,
	"outcome_reason" text,
	"degraded_reason" text,
	"error_code" text,
	"error_message" text,
	"input" text NOT NULL,
	"output" text,
	CONSTRAINT "items_run_id_seq_pk" PRIMARY KEY("run_id","seq")
);
--> statement-breakpoint
CREATE TABLE "members" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"email" text NOT NULL,
	"password_hash" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "members_email_unique" UNIQUE("email")
);
--> statement-breakpoint
CREATE TABLE "outbox" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"project_id" uuid NOT NULL,
	"run_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"url" text NOT NULL,
	"tries" smallint DEFAULT 0 NOT NULL,
	"due_at" timestamp with time zone DEFAULT now() NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"delivered_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "project_usage" (
	"project_id" uuid PRIMARY KEY NOT NULL,
	"running" integer DEFAULT 0 NOT NULL,
	"spent_micro" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "projects" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"name" text NOT NULL,
	"settings" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"credit_micro" bigint,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "runs" (
	"id" uuid PRIMARY KEY NOT NULL,
	"project_id" uuid NOT NULL,
	"agent_id" uuid NOT NULL,
	"deployment_id" uuid,
	"name" text,
	"replay_of" uuid,
	"materializing" boolean DEFAULT false NOT NULL,
	"stop_reason" "stop_reason",
	"status" "run_status" GENERATED ALWAYS AS (run_status_of(materializing, started_at is not null, stop_reason, total_items, ok, degraded, failed, budget_exceeded, cancelled, undecided)) STORED,
	"budget_micro" bigint,
	"concurrency" integer,
	"timeout_seconds" integer,
	"callback_url" text,
	"total_items" integer DEFAULT 0 NOT NULL,
	"next_seq" integer DEFAULT 1 NOT NULL,
	"running" integer DEFAULT 0 NOT NULL,
	"ok" integer DEFAULT 0 NOT NULL,
	"degraded" integer DEFAULT 0 NOT NULL,
	"failed" integer DEFAULT 0 NOT NULL,
	"budget_exceeded" integer DEFAULT 0 NOT NULL,
	"cancelled" integer DEFAULT 0 NOT NULL,
	"paused" integer DEFAULT 0 NOT NULL,
	"waits_for_credit" boolean DEFAULT false NOT NULL,
	"undecided" integer DEFAULT 0 NOT NULL,
	"consecutive_failures" integer DEFAULT 0 NOT NULL,
	"cost_micro" bigint DEFAULT 0 NOT NULL,
	"input_tokens" bigint DEFAULT 0 NOT NULL,
	"output_tokens" bigint DEFAULT 0 NOT NULL,
	"unpriced_items" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"touched_at" timestamp with time zone DEFAULT now() NOT NULL,
	"started_at" timestamp with time zone,
	"finished_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "sessions" (
	"id" uuid PRIMARY KEY NOT NULL,
	"member_id" uuid NOT NULL,
	"refresh_hash" "bytea" NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"last_used_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"revoked_at" timestamp with time zone,
	CONSTRAINT "sessions_refresh_hash_unique" UNIQUE("refresh_hash")
);
--> statement-breakpoint
CREATE TABLE "steps" (
	"run_id" uuid NOT NULL,
	"seq" integer NOT NULL,
	"step_no" integer NOT NULL,
	"attempt" smallint NOT NULL,
	"kind" "step_kind" NOT NULL,
	"outcome" "outcome" NOT NULL,
	"unpriced" boolean DEFAULT false NOT NULL,
	"reused" boolean DEFAULT false NOT NULL,
	"input_tokens" integer DEFAULT 0 NOT NULL,
	"output_tokens" integer DEFAULT 0 NOT NULL,
	"cost_micro" bigint DEFAULT 0 NOT NULL,
	"started_at" timestamp with time zone NOT NULL,
	"duration_ms" double precision NOT NULL,
	"key" text NOT NULL,
	"name" text NOT NULL,
	"model" text,
	"outcome_reason" text,
	"error_code" text,
	"error_message" text,
	"input" text,
	"output" text,
	CONSTRAINT "steps_run_id_seq_step_no_pk" PRIMARY KEY("run_id","seq","step_no")
) PARTITION BY RANGE ("run_id");
--> statement-breakpoint
CREATE TABLE "triage" (
	"run_id" uuid NOT NULL,
	"seq" integer NOT NULL,
	"project_id" uuid NOT NULL,
	"agent_id" uuid NOT NULL,
	"lane" "triage_lane" NOT NULL,
	"reason" text NOT NULL,
	"error_code" text,
	"partition_key" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"disposition" "disposition",
	"decided_at" timestamp with time zone,
	CONSTRAINT "triage_run_id_seq_pk" PRIMARY KEY("run_id","seq")
);
--> statement-breakpoint
ALTER TABLE "agents" ADD CONSTRAINT "agents_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deployments" ADD CONSTRAINT "deployments_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deployments" ADD CONSTRAINT "deployments_bundle_hash_bundles_hash_fk" FOREIGN KEY ("bundle_hash") REFERENCES "public"."bundles"("hash") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "idempotency_keys" ADD CONSTRAINT "idempotency_keys_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "members" ADD CONSTRAINT "members_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "project_usage" ADD CONSTRAINT "project_usage_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "projects" ADD CONSTRAINT "projects_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "runs" ADD CONSTRAINT "runs_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "runs" ADD CONSTRAINT "runs_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_member_id_members_id_fk" FOREIGN KEY ("member_id") REFERENCES "public"."members"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "api_keys_project" ON "api_keys" USING btree ("project_id");--> statement-breakpoint
CREATE INDEX "due_items_due" ON "due_items" USING btree ("due_at");--> statement-breakpoint
CREATE INDEX "idempotency_keys_created" ON "idempotency_keys" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "items_item_id" ON "items" USING btree ("item_id");--> statement-breakpoint
CREATE INDEX "outbox_due" ON "outbox" USING btree ("due_at") WHERE delivered_at is null;--> statement-breakpoint
CREATE INDEX "projects_account" ON "projects" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "runs_project" ON "runs" USING btree ("project_id","id");--> statement-breakpoint
CREATE INDEX "runs_agent" ON "runs" USING btree ("agent_id","id");--> statement-breakpoint
CREATE INDEX "runs_open" ON "runs" USING btree ("id") WHERE finished_at is null;--> statement-breakpoint
CREATE INDEX "triage_open" ON "triage" USING btree ("project_id","lane","created_at","run_id","seq") WHERE disposition is null;