-- The schema of 0.1.0. Sections: types, tables, foreign keys, indexes and policies as drizzle-kit makes them of shared/tables.ts;
-- then, by hand, how rows lie on disk, what counts and announces by itself, weeks of steps; last, the functions that take
-- items, by `npm run generate`. By hand are also run_status_of, which the table of runs needs, and "PARTITION BY RANGE" of
-- steps and step_index.
CREATE TYPE "public"."account_status" AS ENUM('active', 'suspended');--> statement-breakpoint
CREATE TYPE "public"."member_role" AS ENUM('owner', 'operator', 'viewer');--> statement-breakpoint
CREATE TYPE "public"."key_role" AS ENUM('operator', 'viewer');--> statement-breakpoint
CREATE TYPE "public"."view_list" AS ENUM('runs', 'triage', 'search');--> statement-breakpoint
CREATE TYPE "public"."agent_protocol" AS ENUM('ndjson', 'json');--> statement-breakpoint
CREATE TYPE "public"."deployment_kind" AS ENUM('bundle', 'url');--> statement-breakpoint
CREATE TYPE "public"."alert_rule" AS ENUM('schedule_missed', 'run_not_ok', 'failure_share', 'budget_near', 'consumer_stalled', 'unpriced_model', 'source_failed', 'credentials_refused', 'budget_exceeded', 'not_finished', 'items_held', 'upstream_unavailable');--> statement-breakpoint
CREATE TYPE "public"."channel_digest" AS ENUM('none', 'scheduled', 'all');--> statement-breakpoint
CREATE TYPE "public"."channel_format" AS ENUM('json', 'slack', 'teams', 'mail');--> statement-breakpoint
CREATE TYPE "public"."item_status" AS ENUM('queued', 'running', 'paused', 'completed', 'failed', 'cancelled', 'budget_exceeded');--> statement-breakpoint
CREATE TYPE "public"."outcome" AS ENUM('ok', 'degraded', 'failed');--> statement-breakpoint
CREATE TYPE "public"."run_status" AS ENUM('materializing', 'queued', 'running', 'completed', 'partial', 'failed', 'cancelled', 'budget_exceeded');--> statement-breakpoint
CREATE TYPE "public"."stop_reason" AS ENUM('cancelled', 'budget_exceeded', 'consecutive_failures', 'pilot_failed');--> statement-breakpoint
CREATE TYPE "public"."delivery_kind" AS ENUM('run.finished', 'alert.raised', 'alert.resolved', 'run.digest', 'channel.test', 'run.results');--> statement-breakpoint
CREATE TYPE "public"."budget_period" AS ENUM('day', 'month');--> statement-breakpoint
CREATE TYPE "public"."deployment_choice" AS ENUM('current', 'original');--> statement-breakpoint
CREATE TYPE "public"."recovery_status" AS ENUM('creating', 'pilot', 'running', 'completed', 'stopped', 'aborting', 'aborted');--> statement-breakpoint
CREATE TYPE "public"."reuse_choice" AS ENUM('auto', 'all', 'none');--> statement-breakpoint
CREATE TYPE "public"."disabled_reason" AS ENUM('operator', 'invalid_cron', 'invalid_timezone');--> statement-breakpoint
CREATE TYPE "public"."occurrence_outcome" AS ENUM('fired', 'skipped', 'error', 'missed');--> statement-breakpoint
CREATE TYPE "public"."occurrence_reason" AS ENUM('invalid_cron', 'invalid_timezone', 'agent_not_found', 'no_deployed_version', 'plan_limit', 'agent_lookup_failed', 'account_lookup_failed', 'dispatch_failed', 'source_failed', 'source_empty', 'overdue', 'run_never_started', 'manual');--> statement-breakpoint
CREATE TYPE "public"."purge_kind" AS ENUM('steps', 'payloads', 'records');--> statement-breakpoint
CREATE TYPE "public"."step_kind" AS ENUM('llm_call', 'tool_call', 'tool_result', 'step');--> statement-breakpoint
CREATE TYPE "public"."disposition" AS ENUM('acknowledged', 'dismissed', 'replayed', 'resumed', 'wrong', 'confirmed');--> statement-breakpoint
CREATE TYPE "public"."triage_action" AS ENUM('replay', 'resume', 'acknowledge', 'dismiss', 'wrong');--> statement-breakpoint
CREATE TYPE "public"."triage_lane" AS ENUM('dlq', 'quarantine', 'review');--> statement-breakpoint
CREATE TYPE "public"."signature_scheme" AS ENUM('bearer', 'standard_webhooks', 'github', 'stripe', 'slack', 'shopify');--> statement-breakpoint
CREATE TYPE "public"."upstream_kind" AS ENUM('agent', 'credential');--> statement-breakpoint
CREATE TYPE "public"."upstream_state" AS ENUM('open', 'cooling', 'away', 'out_of_credit', 'refused');--> statement-breakpoint
-- The status of a run as a function of its flags and counters, rule by rule as in shared/items/rules/lifecycle.ts; a test
-- compares the two. Its body is in SQL's own form, bound to what it names when it is made: pg_restore makes tables with an
-- empty search_path, where a body kept as text finds no type of ours.
CREATE FUNCTION run_status_of(
  materializing boolean, started boolean, stop stop_reason, total int, ok int, degraded int, failed int,
  budget_exceeded int, cancelled int, undecided int
) RETURNS run_status LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
  WHEN materializing THEN 'materializing'::run_status
  WHEN stop = 'cancelled' THEN 'cancelled'
  WHEN stop = 'budget_exceeded' THEN 'budget_exceeded'
  WHEN stop IS NOT NULL THEN 'failed'
  WHEN ok + degraded + failed + budget_exceeded + cancelled = total THEN CASE
    WHEN degraded + failed + budget_exceeded = 0 THEN 'completed'::run_status
    WHEN failed + budget_exceeded = total THEN 'failed'
    WHEN undecided = 0 THEN 'completed'
    ELSE 'partial'
  END
  WHEN started OR ok + degraded + failed + budget_exceeded + cancelled > 0 THEN 'running'
  ELSE 'queued'
END;--> statement-breakpoint
CREATE TABLE "accounts" (
	"id" uuid PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"status" "account_status" DEFAULT 'active' NOT NULL,
	"plan" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"kept_bytes" bigint,
	"kept_bytes_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);--> statement-breakpoint
ALTER TABLE "accounts" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
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
ALTER TABLE "audit_log" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "members" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"email" text NOT NULL,
	"role" "member_role" DEFAULT 'owner' NOT NULL,
	"password_hash" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "members_email_unique" UNIQUE("email")
);--> statement-breakpoint
ALTER TABLE "members" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "sessions" (
	"id" uuid PRIMARY KEY NOT NULL,
	"member_id" uuid NOT NULL,
	"refresh_hash" "bytea" NOT NULL,
	"user_agent" text DEFAULT '' NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"last_used_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"revoked_at" timestamp with time zone,
	CONSTRAINT "sessions_refresh_hash_unique" UNIQUE("refresh_hash")
);--> statement-breakpoint
ALTER TABLE "sessions" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "installation" (
	"only" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"key_fingerprint" text,
	"held_since" timestamp with time zone,
	"restored_from" timestamp with time zone,
	"id" uuid DEFAULT gen_random_uuid() NOT NULL,
	CONSTRAINT "installation_only" CHECK ("installation"."only")
);--> statement-breakpoint
CREATE TABLE "api_keys" (
	"id" uuid PRIMARY KEY NOT NULL,
	"project_id" uuid NOT NULL,
	"name" text NOT NULL,
	"prefix" text NOT NULL,
	"hash" "bytea" NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"last_used_at" timestamp with time zone,
	"revoked_at" timestamp with time zone,
	"role" "key_role" DEFAULT 'operator' NOT NULL,
	"expires_at" timestamp with time zone,
	CONSTRAINT "api_keys_hash_unique" UNIQUE("hash")
);--> statement-breakpoint
ALTER TABLE "api_keys" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "project_usage" (
	"project_id" uuid PRIMARY KEY NOT NULL,
	"running" integer DEFAULT 0 NOT NULL,
	"spent_micro" bigint DEFAULT 0 NOT NULL,
	"failures" bigint DEFAULT 0 NOT NULL,
	"failure_changes" bigint DEFAULT 0 NOT NULL,
	"spend_day" date,
	"spend_day_ends_at" timestamp with time zone
);--> statement-breakpoint
ALTER TABLE "project_usage" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "projects" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid,
	"name" text NOT NULL,
	"settings" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"credit_micro" bigint,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);--> statement-breakpoint
ALTER TABLE "projects" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "saved_views" (
	"id" uuid PRIMARY KEY NOT NULL,
	"project_id" uuid NOT NULL,
	"member_id" uuid,
	"list" "view_list" NOT NULL,
	"name" text NOT NULL,
	"query" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "saved_views_name" UNIQUE NULLS NOT DISTINCT("project_id","member_id","list","name")
);--> statement-breakpoint
ALTER TABLE "saved_views" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
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
	"deleted_at" timestamp with time zone,
	CONSTRAINT "agents_project_id" UNIQUE("project_id","id")
);--> statement-breakpoint
ALTER TABLE "agents" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "bundles" (
	"hash" text PRIMARY KEY NOT NULL,
	"code" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);--> statement-breakpoint
CREATE TABLE "deployments" (
	"id" uuid PRIMARY KEY NOT NULL,
	"project_id" uuid NOT NULL,
	"agent_id" uuid NOT NULL,
	"version" integer NOT NULL,
	"kind" "deployment_kind" NOT NULL,
	"protocol" "agent_protocol" DEFAULT 'ndjson' NOT NULL,
	"url" text,
	"agent_host" text,
	"bundle_hash" text,
	"declaration" jsonb NOT NULL,
	"default_checks" text[],
	"env_sealed" text,
	"external_id" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "deployments_agent_version" UNIQUE("agent_id","version"),
	CONSTRAINT "deployments_project_id" UNIQUE("project_id","id")
);--> statement-breakpoint
ALTER TABLE "deployments" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "alert_channels" (
	"id" uuid PRIMARY KEY NOT NULL,
	"project_id" uuid NOT NULL,
	"url" text NOT NULL,
	"format" "channel_format" DEFAULT 'json' NOT NULL,
	"digest" "channel_digest" DEFAULT 'scheduled' NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "alert_channels_url" UNIQUE("project_id","url")
);--> statement-breakpoint
ALTER TABLE "alert_channels" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "alert_marks" (
	"project_id" uuid NOT NULL,
	"rule" "alert_rule" NOT NULL,
	"subject_id" uuid NOT NULL,
	"raised_at" timestamp with time zone NOT NULL,
	"resolved_at" timestamp with time zone,
	CONSTRAINT "alert_marks_project_id_rule_subject_id_pk" PRIMARY KEY("project_id","rule","subject_id")
);--> statement-breakpoint
CREATE TABLE "alert_settings" (
	"id" uuid PRIMARY KEY NOT NULL,
	"project_id" uuid NOT NULL,
	"agent_id" uuid,
	"rule" "alert_rule" NOT NULL,
	"enabled" boolean NOT NULL,
	"bounds" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "alert_settings_rule" UNIQUE NULLS NOT DISTINCT("project_id","agent_id","rule")
);--> statement-breakpoint
ALTER TABLE "alert_settings" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
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
	"subject_id" uuid,
	"resolved_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "alerts_project_id" UNIQUE("project_id","id")
);--> statement-breakpoint
ALTER TABLE "alerts" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "ended_runs" (
	"project_id" uuid NOT NULL,
	"run_id" uuid PRIMARY KEY NOT NULL,
	"first_end" boolean DEFAULT true NOT NULL,
	"answers_due" boolean DEFAULT false NOT NULL
);--> statement-breakpoint
CREATE TABLE "attempts" (
	"project_id" uuid NOT NULL,
	"run_id" uuid NOT NULL,
	"seq" integer NOT NULL,
	"attempt" smallint NOT NULL,
	"started_at" timestamp with time zone,
	"ended_at" timestamp with time zone DEFAULT now() NOT NULL,
	"code" text NOT NULL,
	"message" text DEFAULT '' NOT NULL,
	CONSTRAINT "attempts_project_id_run_id_seq_attempt_pk" PRIMARY KEY("project_id","run_id","seq","attempt")
);--> statement-breakpoint
ALTER TABLE "attempts" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "claims" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"run_id" uuid NOT NULL,
	"project_id" uuid NOT NULL,
	"seqs" integer[] NOT NULL,
	"attempts" smallint[] NOT NULL,
	"lease_until" timestamp with time zone NOT NULL,
	"handed_from" bigint,
	"answer_until" timestamp with time zone,
	"heard_at" timestamp with time zone
);--> statement-breakpoint
ALTER TABLE "claims" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "due_items" (
	"project_id" uuid NOT NULL,
	"run_id" uuid NOT NULL,
	"seq" integer NOT NULL,
	"due_at" timestamp with time zone NOT NULL,
	"together" smallint,
	"cuts" smallint,
	"upstream_id" uuid,
	"stops" smallint,
	"refusals" smallint,
	"cut_answers" smallint,
	CONSTRAINT "due_items_project_id_run_id_seq_pk" PRIMARY KEY("project_id","run_id","seq")
);--> statement-breakpoint
ALTER TABLE "due_items" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "idempotency_keys" (
	"project_id" uuid NOT NULL,
	"key" text NOT NULL,
	"fingerprint" text NOT NULL,
	"run_id" uuid NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "idempotency_keys_project_id_key_pk" PRIMARY KEY("project_id","key")
);--> statement-breakpoint
CREATE TABLE "items" (
	"project_id" uuid NOT NULL,
	"run_id" uuid NOT NULL,
	"seq" integer NOT NULL,
	"line" integer NOT NULL,
	"status" "item_status" NOT NULL,
	"outcome" "outcome",
	"attempt" smallint DEFAULT 0 NOT NULL,
	"agent_failures" smallint DEFAULT 0 NOT NULL,
	"transport_failures" smallint DEFAULT 0 NOT NULL,
	"unpriced" boolean DEFAULT false NOT NULL,
	"model_calls" integer DEFAULT 0 NOT NULL,
	"unread_calls" integer DEFAULT 0 NOT NULL,
	"suspected_calls" integer DEFAULT 0 NOT NULL,
	"step_count" integer DEFAULT 0 NOT NULL,
	"ran_ms" integer DEFAULT 0 NOT NULL,
	"input_tokens" integer DEFAULT 0 NOT NULL,
	"output_tokens" integer DEFAULT 0 NOT NULL,
	"cost_micro" bigint DEFAULT 0 NOT NULL,
	"extra_budget_micro" bigint,
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
	"code_version" integer,
	CONSTRAINT "items_project_id_run_id_seq_pk" PRIMARY KEY("project_id","run_id","seq")
);--> statement-breakpoint
ALTER TABLE "items" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "runs" (
	"id" uuid PRIMARY KEY NOT NULL,
	"project_id" uuid NOT NULL,
	"agent_id" uuid NOT NULL,
	"deployment_id" uuid,
	"name" text,
	"tags" text[] DEFAULT '{}' NOT NULL,
	"replay_of" uuid,
	"recovery_id" uuid,
	"materializing" boolean DEFAULT false NOT NULL,
	"from_source" boolean DEFAULT false NOT NULL,
	"stop_reason" "stop_reason",
	"first_stop_reason" "stop_reason",
	"status" "run_status" GENERATED ALWAYS AS (run_status_of(materializing, started_at is not null, stop_reason, total_items, ok, degraded, failed, budget_exceeded, cancelled, undecided)) STORED,
	"pilot_items" integer,
	"budget_micro" bigint,
	"concurrency" integer,
	"timeout_seconds" integer,
	"callback_url" text,
	"total_items" integer DEFAULT 0 NOT NULL,
	"input_bytes" bigint DEFAULT 0 NOT NULL,
	"next_seq" integer DEFAULT 1 NOT NULL,
	"running" integer DEFAULT 0 NOT NULL,
	"ok" integer DEFAULT 0 NOT NULL,
	"degraded" integer DEFAULT 0 NOT NULL,
	"failed" integer DEFAULT 0 NOT NULL,
	"budget_exceeded" integer DEFAULT 0 NOT NULL,
	"cancelled" integer DEFAULT 0 NOT NULL,
	"paused" integer DEFAULT 0 NOT NULL,
	"unpriced_model" text,
	"waits_for_price" boolean DEFAULT false NOT NULL,
	"allow_unpriced" boolean DEFAULT false NOT NULL,
	"waits_for_credit" boolean DEFAULT false NOT NULL,
	"undecided" integer DEFAULT 0 NOT NULL,
	"unchanged" integer DEFAULT 0 NOT NULL,
	"consecutive_failures" integer DEFAULT 0 NOT NULL,
	"cost_micro" bigint DEFAULT 0 NOT NULL,
	"input_tokens" bigint DEFAULT 0 NOT NULL,
	"output_tokens" bigint DEFAULT 0 NOT NULL,
	"unpriced_items" integer DEFAULT 0 NOT NULL,
	"model_calls" bigint DEFAULT 0 NOT NULL,
	"unread_calls" bigint DEFAULT 0 NOT NULL,
	"suspected_calls" bigint DEFAULT 0 NOT NULL,
	"answer_figures" jsonb,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"touched_at" timestamp with time zone DEFAULT now() NOT NULL,
	"started_at" timestamp with time zone,
	"finished_at" timestamp with time zone,
	"steps_purged_at" timestamp with time zone,
	"payloads_purged_at" timestamp with time zone,
	"waits_for" uuid,
	"waits_since" timestamp with time zone,
	"waited_ms" bigint DEFAULT 0 NOT NULL,
	"waited_for" uuid[] DEFAULT '{}' NOT NULL,
	"patience_seconds" integer,
	"unavailable" text,
	"cancelled_replayed" integer DEFAULT 0 NOT NULL,
	"started_by" jsonb,
	CONSTRAINT "runs_project" UNIQUE("project_id","id")
);--> statement-breakpoint
ALTER TABLE "runs" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "deliveries" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"project_id" uuid NOT NULL,
	"run_id" uuid,
	"alert_id" uuid,
	"kind" "delivery_kind" NOT NULL,
	"url" text NOT NULL,
	"format" "channel_format" DEFAULT 'json' NOT NULL,
	"host" text GENERATED ALWAYS AS (coalesce(substring(lower(url) from '^https?://([^/?#]+)'), 'mail')) STORED NOT NULL,
	"run" jsonb,
	"body" text,
	"tries" smallint DEFAULT 0 NOT NULL,
	"tries_allowed" smallint DEFAULT 4 NOT NULL,
	"due_at" timestamp with time zone DEFAULT now(),
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"delivered_at" timestamp with time zone,
	CONSTRAINT "deliveries_project_id" UNIQUE("project_id","id")
);--> statement-breakpoint
ALTER TABLE "deliveries" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "delivery_tries" (
	"project_id" uuid NOT NULL,
	"delivery_id" uuid NOT NULL,
	"try" smallint NOT NULL,
	"started_at" timestamp with time zone DEFAULT now() NOT NULL,
	"duration_ms" integer,
	"status" smallint,
	"error" text,
	CONSTRAINT "delivery_tries_delivery_id_try_pk" PRIMARY KEY("delivery_id","try")
);--> statement-breakpoint
ALTER TABLE "delivery_tries" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "signing_secrets" (
	"project_id" uuid PRIMARY KEY NOT NULL,
	"version" smallint NOT NULL,
	"rolled_at" timestamp with time zone DEFAULT now() NOT NULL
);--> statement-breakpoint
ALTER TABLE "signing_secrets" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "budgets" (
	"project_id" uuid NOT NULL,
	"agent_id" uuid,
	"period" "budget_period" NOT NULL,
	"limit_micro" bigint NOT NULL,
	"spent_micro" bigint DEFAULT 0 NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "budgets_of" UNIQUE NULLS NOT DISTINCT("project_id","agent_id","period")
);--> statement-breakpoint
ALTER TABLE "budgets" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "spending" (
	"project_id" uuid NOT NULL,
	"agent_id" uuid NOT NULL,
	"day" date NOT NULL,
	"spent_micro" bigint NOT NULL,
	CONSTRAINT "spending_project_id_day_agent_id_pk" PRIMARY KEY("project_id","day","agent_id")
);--> statement-breakpoint
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
	"by_owner" boolean DEFAULT false NOT NULL,
	CONSTRAINT "prices_of" UNIQUE("project_id","model","effective_from")
);--> statement-breakpoint
ALTER TABLE "prices" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "recoveries" (
	"id" uuid PRIMARY KEY NOT NULL,
	"project_id" uuid NOT NULL,
	"name" text,
	"action" "triage_action" DEFAULT 'replay' NOT NULL,
	"filter" jsonb NOT NULL,
	"eligible" integer NOT NULL,
	"first" integer,
	"status" "recovery_status" DEFAULT 'creating' NOT NULL,
	"deployment" "deployment_choice" DEFAULT 'current' NOT NULL,
	"reuse" "reuse_choice" DEFAULT 'auto' NOT NULL,
	"from_step" text,
	"budget_micro" bigint,
	"pilot_run_ids" uuid[] DEFAULT '{}' NOT NULL,
	"pilot_better" boolean,
	"run_ids" uuid[] DEFAULT '{}' NOT NULL,
	"decided" integer DEFAULT 0 NOT NULL,
	"reached_run_id" uuid,
	"reached_seq" integer,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"finished_at" timestamp with time zone,
	"reused" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"created_by" jsonb
);--> statement-breakpoint
ALTER TABLE "recoveries" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "replays" (
	"project_id" uuid NOT NULL,
	"from_run_id" uuid NOT NULL,
	"from_seq" integer NOT NULL,
	"run_id" uuid NOT NULL,
	"seq" integer NOT NULL,
	"offered_steps" integer[],
	"unchanged" boolean DEFAULT false NOT NULL,
	CONSTRAINT "replays_from_run_id_from_seq_run_id_seq_pk" PRIMARY KEY("from_run_id","from_seq","run_id","seq")
);--> statement-breakpoint
ALTER TABLE "replays" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "deadlines" (
	"id" uuid PRIMARY KEY NOT NULL,
	"project_id" uuid NOT NULL,
	"agent_id" uuid NOT NULL,
	"schedule_id" uuid,
	"finished_by" text NOT NULL,
	"timezone" text NOT NULL,
	"due_at" timestamp with time zone NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "deadlines_subject" UNIQUE NULLS NOT DISTINCT("agent_id","schedule_id")
);--> statement-breakpoint
ALTER TABLE "deadlines" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "occurrences" (
	"schedule_id" uuid NOT NULL,
	"scheduled_for" timestamp with time zone NOT NULL,
	"manual" boolean DEFAULT false NOT NULL,
	"project_id" uuid NOT NULL,
	"occurred_at" timestamp with time zone DEFAULT now() NOT NULL,
	"outcome" "occurrence_outcome" NOT NULL,
	"reason" "occurrence_reason",
	"detail" jsonb,
	"run_id" uuid,
	"tries" smallint DEFAULT 0 NOT NULL,
	"retry_at" timestamp with time zone,
	"watch_until" timestamp with time zone,
	CONSTRAINT "occurrences_schedule_id_scheduled_for_manual_pk" PRIMARY KEY("schedule_id","scheduled_for","manual")
);--> statement-breakpoint
ALTER TABLE "occurrences" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "schedules" (
	"id" uuid PRIMARY KEY NOT NULL,
	"project_id" uuid NOT NULL,
	"agent_id" uuid NOT NULL,
	"cron" text NOT NULL,
	"timezone" text DEFAULT 'UTC' NOT NULL,
	"declared" boolean DEFAULT false NOT NULL,
	"name" text,
	"input" text DEFAULT 'null' NOT NULL,
	"source" jsonb,
	"source_headers_sealed" text,
	"budget_micro" bigint,
	"allow_unpriced" boolean DEFAULT false NOT NULL,
	"pilot_items" integer,
	"concurrency" integer,
	"timeout_seconds" integer,
	"patience_seconds" integer,
	"callback_url" text,
	"tags" text[] DEFAULT '{}' NOT NULL,
	"results" jsonb,
	"enabled" boolean DEFAULT true NOT NULL,
	"disabled_reason" "disabled_reason",
	"next_at" timestamp with time zone,
	"last_run_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"limits" jsonb,
	CONSTRAINT "schedules_agent_cron" UNIQUE("agent_id","cron"),
	CONSTRAINT "schedules_project_id" UNIQUE("project_id","id")
);--> statement-breakpoint
ALTER TABLE "schedules" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "source_reads" (
	"schedule_id" uuid NOT NULL,
	"scheduled_for" timestamp with time zone NOT NULL,
	"project_id" uuid NOT NULL,
	"due_at" timestamp with time zone DEFAULT now() NOT NULL,
	"run_id" uuid,
	CONSTRAINT "source_reads_schedule_id_scheduled_for_pk" PRIMARY KEY("schedule_id","scheduled_for")
);--> statement-breakpoint
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
);--> statement-breakpoint
ALTER TABLE "model_calls" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
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
);--> statement-breakpoint
ALTER TABLE "project_step_errors" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "purges" (
	"project_id" uuid NOT NULL,
	"run_id" uuid NOT NULL,
	"kind" "purge_kind" NOT NULL,
	"next_seq" integer DEFAULT 1 NOT NULL,
	CONSTRAINT "purges_project_id_run_id_kind_pk" PRIMARY KEY("project_id","run_id","kind")
);--> statement-breakpoint
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
);--> statement-breakpoint
ALTER TABLE "run_step_errors" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
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
	CONSTRAINT "step_index_project_id_run_id_seq_step_no_pk" PRIMARY KEY("project_id","run_id","seq","step_no")
) PARTITION BY RANGE ("run_id");--> statement-breakpoint
CREATE TABLE "steps" (
	"project_id" uuid NOT NULL,
	"run_id" uuid NOT NULL,
	"seq" integer NOT NULL,
	"step_no" integer NOT NULL,
	"attempt" smallint NOT NULL,
	"kind" "step_kind" NOT NULL,
	"outcome" "outcome" NOT NULL,
	"unpriced" boolean DEFAULT false NOT NULL,
	"unread" text,
	"told" boolean DEFAULT false NOT NULL,
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
	"billed" boolean DEFAULT false NOT NULL,
	"listed_micro" bigint,
	CONSTRAINT "steps_project_id_run_id_seq_step_no_pk" PRIMARY KEY("project_id","run_id","seq","step_no")
) PARTITION BY RANGE ("run_id");--> statement-breakpoint
ALTER TABLE "steps" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "unindexed_steps" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"project_id" uuid NOT NULL,
	"run_id" uuid NOT NULL,
	"seqs" integer[] NOT NULL,
	"step_nos" integer[] NOT NULL
);--> statement-breakpoint
CREATE TABLE "cause_days" (
	"project_id" uuid NOT NULL,
	"cause_id" text NOT NULL,
	"day" date NOT NULL,
	"count" integer DEFAULT 0 NOT NULL,
	"waiting" integer DEFAULT 0 NOT NULL,
	"cost_micro" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "cause_days_project_id_day_cause_id_pk" PRIMARY KEY("project_id","day","cause_id")
);--> statement-breakpoint
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
);--> statement-breakpoint
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
);--> statement-breakpoint
ALTER TABLE "causes" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "failure_clusters" (
	"project_id" uuid NOT NULL,
	"cluster_key" text NOT NULL,
	"error_code" text NOT NULL,
	"sample_prompt" text NOT NULL,
	"count" integer NOT NULL,
	CONSTRAINT "failure_clusters_project_id_cluster_key_pk" PRIMARY KEY("project_id","cluster_key")
);--> statement-breakpoint
ALTER TABLE "failure_clusters" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "triage" (
	"run_id" uuid NOT NULL,
	"seq" integer NOT NULL,
	"project_id" uuid NOT NULL,
	"agent_id" uuid NOT NULL,
	"lane" "triage_lane" NOT NULL,
	"reason" text NOT NULL,
	"error_code" text,
	"partition_key" text,
	"prompt" text,
	"cluster_key" text GENERATED ALWAYS AS (case when prompt is not null then error_code || ':' || left(md5(prompt), 16) end) STORED,
	"cause_id" text,
	"cost_micro" bigint DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"disposition" "disposition",
	"decided_at" timestamp with time zone,
	"corrected" "outcome",
	"judged" boolean DEFAULT false NOT NULL,
	"decided_by" text,
	CONSTRAINT "triage_project_id_run_id_seq_pk" PRIMARY KEY("project_id","run_id","seq")
);--> statement-breakpoint
CREATE TABLE "suspected_items" (
	"project_id" uuid NOT NULL,
	"run_id" uuid NOT NULL,
	"seq" integer NOT NULL,
	CONSTRAINT "suspected_items_run_id_seq_pk" PRIMARY KEY("run_id","seq")
);--> statement-breakpoint
CREATE TABLE "verdict_days" (
	"project_id" uuid NOT NULL,
	"agent_id" uuid NOT NULL,
	"reason" text NOT NULL,
	"day" date NOT NULL,
	"confirmed" integer DEFAULT 0 NOT NULL,
	"wrong" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "verdict_days_agent_id_reason_day_pk" PRIMARY KEY("agent_id","reason","day")
);--> statement-breakpoint
ALTER TABLE "verdict_days" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "triggers" (
	"id" uuid PRIMARY KEY NOT NULL,
	"project_id" uuid NOT NULL,
	"agent_id" uuid NOT NULL,
	"name" text NOT NULL,
	"webhook_id" text NOT NULL,
	"secret_env" text,
	"declared" boolean DEFAULT false NOT NULL,
	"scheme" "signature_scheme" DEFAULT 'bearer' NOT NULL,
	"secret_hash" "bytea",
	"signing_secret_sealed" text,
	"source" jsonb,
	"source_headers_sealed" text,
	"budget_micro" bigint,
	"allow_unpriced" boolean DEFAULT false NOT NULL,
	"pilot_items" integer,
	"concurrency" integer,
	"timeout_seconds" integer,
	"patience_seconds" integer,
	"callback_url" text,
	"tags" text[] DEFAULT '{}' NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"last_fired_at" timestamp with time zone,
	CONSTRAINT "triggers_webhook_id_unique" UNIQUE("webhook_id"),
	CONSTRAINT "triggers_agent_name" UNIQUE("agent_id","name"),
	CONSTRAINT "triggers_project_id" UNIQUE("project_id","id"),
	CONSTRAINT "triggers_one_secret" CHECK (case when scheme = 'bearer' then secret_hash is not null and signing_secret_sealed is null else secret_hash is null end)
);--> statement-breakpoint
ALTER TABLE "triggers" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "upstreams" (
	"project_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"kind" "upstream_kind" NOT NULL,
	"host" text NOT NULL,
	"key" text NOT NULL,
	"model" text NOT NULL,
	"deployment_id" uuid,
	"label" text,
	"state" "upstream_state" NOT NULL,
	"since" timestamp with time zone NOT NULL,
	"words" text NOT NULL,
	"status" integer,
	"next_at" timestamp with time zone,
	"probes" integer DEFAULT 0 NOT NULL,
	"pace" real,
	"succeeded_at" timestamp with time zone,
	"used_at" timestamp with time zone NOT NULL,
	"pacing" jsonb,
	"deployments" uuid[] DEFAULT '{}' NOT NULL,
	"agent_id" uuid,
	CONSTRAINT "upstreams_project_id_id_pk" PRIMARY KEY("project_id","id")
);--> statement-breakpoint
ALTER TABLE "upstreams" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "upstream_limits" (
	"project_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"host" text NOT NULL,
	"label" text NOT NULL,
	"limits" jsonb NOT NULL,
	"set_at" timestamp with time zone NOT NULL,
	CONSTRAINT "upstream_limits_project_id_host_label_pk" PRIMARY KEY("project_id","host","label")
);
--> statement-breakpoint
ALTER TABLE "upstream_limits" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "code_versions" (
	"project_id" uuid NOT NULL,
	"agent_id" uuid NOT NULL,
	"no" integer NOT NULL,
	"deployment_id" uuid NOT NULL,
	"name" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "code_versions_project_id_agent_id_no_pk" PRIMARY KEY("project_id","agent_id","no"),
	CONSTRAINT "code_versions_name" UNIQUE("project_id","deployment_id","name")
);
--> statement-breakpoint
ALTER TABLE "code_versions" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "run_versions" (
	"project_id" uuid NOT NULL,
	"run_id" uuid NOT NULL,
	"code_version" integer NOT NULL,
	"ok" integer NOT NULL,
	"degraded" integer NOT NULL,
	"failed" integer NOT NULL,
	"cost_micro" bigint NOT NULL,
	CONSTRAINT "run_versions_project_id_run_id_code_version_pk" PRIMARY KEY("project_id","run_id","code_version")
);
--> statement-breakpoint
ALTER TABLE "run_versions" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "audit_log" ADD CONSTRAINT "audit_log_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "members" ADD CONSTRAINT "members_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_member_id_members_id_fk" FOREIGN KEY ("member_id") REFERENCES "public"."members"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "project_usage" ADD CONSTRAINT "project_usage_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "projects" ADD CONSTRAINT "projects_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "saved_views" ADD CONSTRAINT "saved_views_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "saved_views" ADD CONSTRAINT "saved_views_member_id_members_id_fk" FOREIGN KEY ("member_id") REFERENCES "public"."members"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "agents" ADD CONSTRAINT "agents_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deployments" ADD CONSTRAINT "deployments_bundle_hash_bundles_hash_fk" FOREIGN KEY ("bundle_hash") REFERENCES "public"."bundles"("hash") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deployments" ADD CONSTRAINT "deployments_project_id_agent_id_agents_project_id_id_fk" FOREIGN KEY ("project_id","agent_id") REFERENCES "public"."agents"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "alert_channels" ADD CONSTRAINT "alert_channels_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "alert_marks" ADD CONSTRAINT "alert_marks_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "alert_settings" ADD CONSTRAINT "alert_settings_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "alert_settings" ADD CONSTRAINT "alert_settings_project_id_agent_id_agents_project_id_id_fk" FOREIGN KEY ("project_id","agent_id") REFERENCES "public"."agents"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "alerts" ADD CONSTRAINT "alerts_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ended_runs" ADD CONSTRAINT "ended_runs_run_id_runs_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."runs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "claims" ADD CONSTRAINT "claims_project_id_run_id_runs_project_id_id_fk" FOREIGN KEY ("project_id","run_id") REFERENCES "public"."runs"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "idempotency_keys" ADD CONSTRAINT "idempotency_keys_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "idempotency_keys" ADD CONSTRAINT "idempotency_keys_project_id_run_id_runs_project_id_id_fk" FOREIGN KEY ("project_id","run_id") REFERENCES "public"."runs"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "runs" ADD CONSTRAINT "runs_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "runs" ADD CONSTRAINT "runs_project_id_agent_id_agents_project_id_id_fk" FOREIGN KEY ("project_id","agent_id") REFERENCES "public"."agents"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "runs" ADD CONSTRAINT "runs_project_id_deployment_id_deployments_project_id_id_fk" FOREIGN KEY ("project_id","deployment_id") REFERENCES "public"."deployments"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_project_id_run_id_runs_project_id_id_fk" FOREIGN KEY ("project_id","run_id") REFERENCES "public"."runs"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_project_id_alert_id_alerts_project_id_id_fk" FOREIGN KEY ("project_id","alert_id") REFERENCES "public"."alerts"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "delivery_tries" ADD CONSTRAINT "delivery_tries_delivery_id_deliveries_id_fk" FOREIGN KEY ("delivery_id") REFERENCES "public"."deliveries"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "signing_secrets" ADD CONSTRAINT "signing_secrets_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "budgets" ADD CONSTRAINT "budgets_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "budgets" ADD CONSTRAINT "budgets_project_id_agent_id_agents_project_id_id_fk" FOREIGN KEY ("project_id","agent_id") REFERENCES "public"."agents"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "spending" ADD CONSTRAINT "spending_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "prices" ADD CONSTRAINT "prices_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "recoveries" ADD CONSTRAINT "recoveries_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "replays" ADD CONSTRAINT "replays_from_run_id_runs_id_fk" FOREIGN KEY ("from_run_id") REFERENCES "public"."runs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "replays" ADD CONSTRAINT "replays_run_id_runs_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."runs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deadlines" ADD CONSTRAINT "deadlines_project_id_agent_id_agents_project_id_id_fk" FOREIGN KEY ("project_id","agent_id") REFERENCES "public"."agents"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deadlines" ADD CONSTRAINT "deadlines_project_id_schedule_id_schedules_project_id_id_fk" FOREIGN KEY ("project_id","schedule_id") REFERENCES "public"."schedules"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "occurrences" ADD CONSTRAINT "occurrences_project_id_schedule_id_schedules_project_id_id_fk" FOREIGN KEY ("project_id","schedule_id") REFERENCES "public"."schedules"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "schedules" ADD CONSTRAINT "schedules_project_id_agent_id_agents_project_id_id_fk" FOREIGN KEY ("project_id","agent_id") REFERENCES "public"."agents"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "source_reads" ADD CONSTRAINT "source_reads_project_id_schedule_id_schedules_project_id_id_fk" FOREIGN KEY ("project_id","schedule_id") REFERENCES "public"."schedules"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "model_calls" ADD CONSTRAINT "model_calls_project_id_agent_id_agents_project_id_id_fk" FOREIGN KEY ("project_id","agent_id") REFERENCES "public"."agents"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "project_step_errors" ADD CONSTRAINT "project_step_errors_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "cause_days" ADD CONSTRAINT "cause_days_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "cause_runs" ADD CONSTRAINT "cause_runs_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "causes" ADD CONSTRAINT "causes_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "causes" ADD CONSTRAINT "causes_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "suspected_items" ADD CONSTRAINT "suspected_items_run_id_runs_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."runs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "verdict_days" ADD CONSTRAINT "verdict_days_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "verdict_days" ADD CONSTRAINT "verdict_days_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "triggers" ADD CONSTRAINT "triggers_project_id_agent_id_agents_project_id_id_fk" FOREIGN KEY ("project_id","agent_id") REFERENCES "public"."agents"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
-- An agent's current deployment is one of its own. Each of the two tables refers to the other, so drizzle-kit does not know it.
ALTER TABLE "agents" ADD CONSTRAINT "agents_current_deployment" FOREIGN KEY ("project_id", "current_deployment_id") REFERENCES "deployments" ("project_id", "id") ON DELETE SET NULL ("current_deployment_id");--> statement-breakpoint
ALTER TABLE "upstreams" ADD CONSTRAINT "upstreams_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "upstream_limits" ADD CONSTRAINT "upstream_limits_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "code_versions" ADD CONSTRAINT "code_versions_project_id_deployment_id_deployments_project_id_id_fk" FOREIGN KEY ("project_id","deployment_id") REFERENCES "public"."deployments"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "run_versions" ADD CONSTRAINT "run_versions_project_id_run_id_runs_project_id_id_fk" FOREIGN KEY ("project_id","run_id") REFERENCES "public"."runs"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "audit_log_account" ON "audit_log" USING btree ("account_id","id");--> statement-breakpoint
CREATE INDEX "audit_log_action" ON "audit_log" USING btree ("account_id","action","actor_id");--> statement-breakpoint
CREATE INDEX "audit_log_project" ON "audit_log" USING btree ("project_id","id");--> statement-breakpoint
CREATE INDEX "sessions_expires" ON "sessions" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "api_keys_project" ON "api_keys" USING btree ("project_id");--> statement-breakpoint
CREATE INDEX "api_keys_dead" ON "api_keys" USING btree (least("revoked_at", "expires_at"));--> statement-breakpoint
CREATE INDEX "project_usage_day" ON "project_usage" USING btree ("spend_day_ends_at") WHERE spend_day_ends_at is not null;--> statement-breakpoint
CREATE INDEX "projects_account" ON "projects" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "projects_deleted" ON "projects" USING btree ("id") WHERE account_id is null;--> statement-breakpoint
CREATE INDEX "saved_views_member" ON "saved_views" USING btree ("member_id");--> statement-breakpoint
CREATE UNIQUE INDEX "agents_project_slug" ON "agents" USING btree ("project_id","slug") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "agents_deleted" ON "agents" USING btree ("id") WHERE deleted_at is not null;--> statement-breakpoint
CREATE INDEX "deployments_agent_host" ON "deployments" USING btree ("project_id","agent_host","id") WHERE agent_host is not null;--> statement-breakpoint
CREATE INDEX "alert_marks_project" ON "alert_marks" USING btree ("project_id","raised_at");--> statement-breakpoint
CREATE INDEX "alerts_open" ON "alerts" USING btree ("project_id","rule","subject_id") WHERE resolved_at is null and subject_id is not null;--> statement-breakpoint
CREATE INDEX "alerts_run" ON "alerts" USING btree ("run_id") WHERE run_id is not null;--> statement-breakpoint
CREATE INDEX "alerts_project" ON "alerts" USING btree ("project_id","created_at","id");--> statement-breakpoint
CREATE INDEX "claims_handed_from" ON "claims" USING btree ("handed_from") WHERE handed_from is not null;--> statement-breakpoint
CREATE INDEX "due_items_due" ON "due_items" USING btree ("due_at");--> statement-breakpoint
CREATE INDEX "due_items_of_run" ON "due_items" USING btree ("run_id","due_at");--> statement-breakpoint
CREATE INDEX "attempts_split" ON "attempts" USING btree ("project_id","run_id","seq") WHERE code = 'request_split';--> statement-breakpoint
CREATE INDEX "due_items_cuts" ON "due_items" USING btree ("run_id") WHERE cuts is not null;--> statement-breakpoint
CREATE INDEX "upstreams_next" ON "upstreams" USING btree ("next_at") WHERE next_at is not null;--> statement-breakpoint
CREATE INDEX "due_items_upstream" ON "due_items" USING btree ("upstream_id","stops","run_id","seq") WHERE upstream_id is not null;--> statement-breakpoint
CREATE INDEX "runs_waiting" ON "runs" USING btree ("project_id","waits_for") WHERE waits_for is not null;--> statement-breakpoint
CREATE INDEX "idempotency_keys_created" ON "idempotency_keys" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "idempotency_keys_run" ON "idempotency_keys" USING btree ("run_id");--> statement-breakpoint
CREATE INDEX "items_item_id" ON "items" USING btree ("item_id");--> statement-breakpoint
CREATE INDEX "runs_agent" ON "runs" USING btree ("agent_id","id");--> statement-breakpoint
CREATE INDEX "runs_first" ON "runs" USING btree ("project_id","agent_id","id") WHERE replay_of is null and recovery_id is null;--> statement-breakpoint
CREATE INDEX "runs_open" ON "runs" USING btree ("project_id","id") WHERE finished_at is null;--> statement-breakpoint
CREATE INDEX "runs_with_steps" ON "runs" USING btree ("project_id","id") WHERE steps_purged_at is null;--> statement-breakpoint
CREATE INDEX "runs_waiting_for_price" ON "runs" USING btree ("project_id","id") WHERE waits_for_price;--> statement-breakpoint
CREATE INDEX "runs_with_payloads" ON "runs" USING btree ("project_id","id") WHERE payloads_purged_at is null;--> statement-breakpoint
CREATE INDEX "deliveries_due" ON "deliveries" USING btree ("project_id","host","due_at") WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX "deliveries_over" ON "deliveries" USING btree ("created_at") WHERE due_at is null;--> statement-breakpoint
CREATE INDEX "deliveries_project" ON "deliveries" USING btree ("project_id","created_at","id");--> statement-breakpoint
CREATE INDEX "deliveries_run" ON "deliveries" USING btree ("run_id");--> statement-breakpoint
CREATE INDEX "deliveries_alert" ON "deliveries" USING btree ("alert_id");--> statement-breakpoint
CREATE INDEX "recoveries_project" ON "recoveries" USING btree ("project_id","id");--> statement-breakpoint
CREATE INDEX "recoveries_open" ON "recoveries" USING btree ("id") WHERE finished_at is null;--> statement-breakpoint
CREATE INDEX "replays_run" ON "replays" USING btree ("run_id","seq");--> statement-breakpoint
CREATE INDEX "deadlines_due" ON "deadlines" USING btree ("due_at");--> statement-breakpoint
CREATE INDEX "deadlines_project" ON "deadlines" USING btree ("project_id","id");--> statement-breakpoint
CREATE INDEX "occurrences_retry" ON "occurrences" USING btree ("retry_at") WHERE retry_at is not null;--> statement-breakpoint
CREATE INDEX "occurrences_retry_of" ON "occurrences" USING btree ("schedule_id") WHERE retry_at is not null;--> statement-breakpoint
CREATE INDEX "occurrences_project" ON "occurrences" USING btree ("project_id","scheduled_for");--> statement-breakpoint
CREATE INDEX "occurrences_run" ON "occurrences" USING btree ("run_id") WHERE run_id is not null;--> statement-breakpoint
CREATE INDEX "occurrences_watch" ON "occurrences" USING btree ("watch_until") WHERE watch_until is not null;--> statement-breakpoint
CREATE INDEX "schedules_due" ON "schedules" USING btree ("next_at") WHERE next_at is not null;--> statement-breakpoint
CREATE INDEX "schedules_limited" ON "schedules" USING btree ("project_id") WHERE limits is not null;--> statement-breakpoint
CREATE INDEX "source_reads_due" ON "source_reads" USING btree ("due_at");--> statement-breakpoint
CREATE INDEX "run_step_errors_hour" ON "run_step_errors" USING btree ("project_id","hour");--> statement-breakpoint
CREATE INDEX "step_index_recent" ON "step_index" USING btree ("project_id","started_at");--> statement-breakpoint
CREATE INDEX "step_index_run" ON "step_index" USING btree ("run_id","started_at");--> statement-breakpoint
CREATE INDEX "step_index_cost" ON "step_index" USING btree ("project_id","cost_micro") WHERE cost_micro > 0;--> statement-breakpoint
CREATE INDEX "step_index_outcome" ON "step_index" USING btree ("project_id","outcome","started_at") WHERE outcome <> 'ok';--> statement-breakpoint
CREATE INDEX "step_index_outcome_cost" ON "step_index" USING btree ("project_id","outcome","cost_micro") WHERE outcome <> 'ok';--> statement-breakpoint
CREATE INDEX "step_index_reason" ON "step_index" USING btree ("project_id","outcome_reason","started_at") WHERE outcome_reason is not null;--> statement-breakpoint
CREATE INDEX "step_index_name" ON "step_index" USING btree ("project_id","name","started_at");--> statement-breakpoint
CREATE INDEX "step_index_words" ON "step_index" USING gin ("words");--> statement-breakpoint
CREATE INDEX "cause_runs_cause" ON "cause_runs" USING btree ("project_id","cause_id","run_id");--> statement-breakpoint
CREATE INDEX "causes_kind" ON "causes" USING btree ("agent_id","step","error_code","reason");--> statement-breakpoint
CREATE INDEX "failure_clusters_size" ON "failure_clusters" USING btree ("project_id","count") WHERE count > 1;--> statement-breakpoint
CREATE INDEX "triage_open" ON "triage" USING btree ("project_id","lane","created_at","run_id","seq") WHERE disposition is null;--> statement-breakpoint
CREATE INDEX "triage_open_run" ON "triage" USING btree ("run_id","lane","created_at","seq") WHERE disposition is null;--> statement-breakpoint
CREATE INDEX "triage_open_agent" ON "triage" USING btree ("agent_id","lane","created_at","run_id","seq") WHERE disposition is null;--> statement-breakpoint
CREATE INDEX "triage_open_reason" ON "triage" USING btree ("project_id","lane","reason","created_at","run_id","seq") WHERE disposition is null;--> statement-breakpoint
CREATE INDEX "triage_open_partition" ON "triage" USING btree ("project_id","lane","partition_key","created_at","run_id","seq") WHERE disposition is null and partition_key is not null;--> statement-breakpoint
CREATE INDEX "triage_cluster" ON "triage" USING btree ("project_id","cluster_key","created_at","run_id","seq") WHERE cluster_key is not null;--> statement-breakpoint
CREATE INDEX "triage_cause" ON "triage" USING btree ("project_id","cause_id","created_at","run_id","seq") WHERE cause_id is not null;--> statement-breakpoint
CREATE INDEX "triage_without_cause" ON "triage" USING btree ("run_id","seq") WHERE cause_id is null;--> statement-breakpoint
CREATE INDEX "triage_unclustered" ON "triage" USING btree ("run_id","seq") WHERE error_code is not null and prompt is null;--> statement-breakpoint
CREATE INDEX "verdict_days_project" ON "verdict_days" USING btree ("project_id","day");--> statement-breakpoint
CREATE POLICY "tenant" ON "accounts" AS PERMISSIVE FOR SELECT TO "assay_tenant" USING ("accounts"."id" = (select nullif(current_setting('assay.account_id', true), '')::uuid));--> statement-breakpoint
CREATE POLICY "tenant" ON "audit_log" AS PERMISSIVE FOR SELECT TO "assay_tenant" USING ("audit_log"."account_id" = (select nullif(current_setting('assay.account_id', true), '')::uuid));--> statement-breakpoint
CREATE POLICY "tenant" ON "members" AS PERMISSIVE FOR SELECT TO "assay_tenant" USING ("members"."account_id" = (select nullif(current_setting('assay.account_id', true), '')::uuid));--> statement-breakpoint
CREATE POLICY "tenant" ON "sessions" AS PERMISSIVE FOR SELECT TO "assay_tenant" USING ("sessions"."member_id" in (select id from members));--> statement-breakpoint
CREATE POLICY "tenant" ON "api_keys" AS PERMISSIVE FOR SELECT TO "assay_tenant" USING ("api_keys"."project_id" in (select id from projects));--> statement-breakpoint
CREATE POLICY "tenant" ON "project_usage" AS PERMISSIVE FOR SELECT TO "assay_tenant" USING ("project_usage"."project_id" in (select id from projects));--> statement-breakpoint
CREATE POLICY "tenant" ON "projects" AS PERMISSIVE FOR SELECT TO "assay_tenant" USING ("projects"."account_id" = (select nullif(current_setting('assay.account_id', true), '')::uuid));--> statement-breakpoint
CREATE POLICY "tenant" ON "saved_views" AS PERMISSIVE FOR SELECT TO "assay_tenant" USING ("saved_views"."project_id" in (select id from projects));--> statement-breakpoint
CREATE POLICY "tenant" ON "agents" AS PERMISSIVE FOR SELECT TO "assay_tenant" USING ("agents"."project_id" in (select id from projects));--> statement-breakpoint
CREATE POLICY "tenant" ON "deployments" AS PERMISSIVE FOR SELECT TO "assay_tenant" USING ("deployments"."project_id" in (select id from projects));--> statement-breakpoint
CREATE POLICY "tenant" ON "alert_channels" AS PERMISSIVE FOR SELECT TO "assay_tenant" USING ("alert_channels"."project_id" in (select id from projects));--> statement-breakpoint
CREATE POLICY "tenant" ON "alert_settings" AS PERMISSIVE FOR SELECT TO "assay_tenant" USING ("alert_settings"."project_id" in (select id from projects));--> statement-breakpoint
CREATE POLICY "tenant" ON "alerts" AS PERMISSIVE FOR SELECT TO "assay_tenant" USING ("alerts"."project_id" in (select id from projects));--> statement-breakpoint
CREATE POLICY "tenant" ON "attempts" AS PERMISSIVE FOR SELECT TO "assay_tenant" USING ("attempts"."project_id" in (select id from projects));--> statement-breakpoint
CREATE POLICY "tenant" ON "claims" AS PERMISSIVE FOR SELECT TO "assay_tenant" USING ("claims"."project_id" in (select id from projects));--> statement-breakpoint
CREATE POLICY "tenant" ON "due_items" AS PERMISSIVE FOR SELECT TO "assay_tenant" USING ("due_items"."project_id" in (select id from projects));--> statement-breakpoint
CREATE POLICY "tenant" ON "items" AS PERMISSIVE FOR SELECT TO "assay_tenant" USING (exists (select from runs where runs.id = "items"."run_id"));--> statement-breakpoint
CREATE POLICY "tenant" ON "runs" AS PERMISSIVE FOR SELECT TO "assay_tenant" USING ("runs"."project_id" in (select id from projects) and not (runs.materializing and runs.from_source));--> statement-breakpoint
CREATE POLICY "tenant" ON "deliveries" AS PERMISSIVE FOR SELECT TO "assay_tenant" USING ("deliveries"."project_id" in (select id from projects));--> statement-breakpoint
CREATE POLICY "tenant" ON "delivery_tries" AS PERMISSIVE FOR SELECT TO "assay_tenant" USING ("delivery_tries"."project_id" in (select id from projects));--> statement-breakpoint
CREATE POLICY "tenant" ON "signing_secrets" AS PERMISSIVE FOR SELECT TO "assay_tenant" USING ("signing_secrets"."project_id" in (select id from projects));--> statement-breakpoint
CREATE POLICY "tenant" ON "budgets" AS PERMISSIVE FOR SELECT TO "assay_tenant" USING ("budgets"."project_id" in (select id from projects));--> statement-breakpoint
CREATE POLICY "tenant" ON "spending" AS PERMISSIVE FOR SELECT TO "assay_tenant" USING ("spending"."project_id" in (select id from projects));--> statement-breakpoint
CREATE POLICY "tenant" ON "prices" AS PERMISSIVE FOR SELECT TO "assay_tenant" USING ("prices"."project_id" in (select id from projects));--> statement-breakpoint
CREATE POLICY "tenant" ON "recoveries" AS PERMISSIVE FOR SELECT TO "assay_tenant" USING ("recoveries"."project_id" in (select id from projects));--> statement-breakpoint
CREATE POLICY "tenant" ON "replays" AS PERMISSIVE FOR SELECT TO "assay_tenant" USING ("replays"."project_id" in (select id from projects));--> statement-breakpoint
CREATE POLICY "tenant" ON "deadlines" AS PERMISSIVE FOR SELECT TO "assay_tenant" USING ("deadlines"."project_id" in (select id from projects));--> statement-breakpoint
CREATE POLICY "tenant" ON "occurrences" AS PERMISSIVE FOR SELECT TO "assay_tenant" USING ("occurrences"."project_id" in (select id from projects));--> statement-breakpoint
CREATE POLICY "tenant" ON "schedules" AS PERMISSIVE FOR SELECT TO "assay_tenant" USING ("schedules"."project_id" in (select id from projects));--> statement-breakpoint
CREATE POLICY "tenant" ON "model_calls" AS PERMISSIVE FOR SELECT TO "assay_tenant" USING ("model_calls"."project_id" in (select id from projects));--> statement-breakpoint
CREATE POLICY "tenant" ON "project_step_errors" AS PERMISSIVE FOR SELECT TO "assay_tenant" USING ("project_step_errors"."project_id" in (select id from projects));--> statement-breakpoint
CREATE POLICY "tenant" ON "run_step_errors" AS PERMISSIVE FOR SELECT TO "assay_tenant" USING ("run_step_errors"."project_id" in (select id from projects));--> statement-breakpoint
CREATE POLICY "tenant" ON "steps" AS PERMISSIVE FOR SELECT TO "assay_tenant" USING ("steps"."project_id" in (select id from projects));--> statement-breakpoint
CREATE POLICY "tenant" ON "cause_days" AS PERMISSIVE FOR SELECT TO "assay_tenant" USING ("cause_days"."project_id" in (select id from projects));--> statement-breakpoint
CREATE POLICY "tenant" ON "cause_runs" AS PERMISSIVE FOR SELECT TO "assay_tenant" USING ("cause_runs"."project_id" in (select id from projects));--> statement-breakpoint
CREATE POLICY "tenant" ON "causes" AS PERMISSIVE FOR SELECT TO "assay_tenant" USING ("causes"."project_id" in (select id from projects));--> statement-breakpoint
CREATE POLICY "tenant" ON "failure_clusters" AS PERMISSIVE FOR SELECT TO "assay_tenant" USING ("failure_clusters"."project_id" in (select id from projects));--> statement-breakpoint
CREATE POLICY "tenant" ON "verdict_days" AS PERMISSIVE FOR SELECT TO "assay_tenant" USING ("verdict_days"."project_id" in (select id from projects));--> statement-breakpoint
CREATE POLICY "tenant" ON "triggers" AS PERMISSIVE FOR SELECT TO "assay_tenant" USING ("triggers"."project_id" in (select id from projects));--> statement-breakpoint
CREATE POLICY "tenant" ON "upstreams" AS PERMISSIVE FOR SELECT TO "assay_tenant" USING ("upstreams"."project_id" in (select id from projects));--> statement-breakpoint
CREATE POLICY "tenant" ON "upstream_limits" AS PERMISSIVE FOR SELECT TO "assay_tenant" USING ("upstream_limits"."project_id" in (select id from projects));--> statement-breakpoint
CREATE POLICY "tenant" ON "code_versions" AS PERMISSIVE FOR SELECT TO "assay_tenant" USING ("code_versions"."project_id" in (select id from projects));--> statement-breakpoint
CREATE POLICY "tenant" ON "run_versions" AS PERMISSIVE FOR SELECT TO "assay_tenant" USING ("run_versions"."project_id" in (select id from projects));--> statement-breakpoint
-- The one row of the installation.
INSERT INTO "installation" DEFAULT VALUES;--> statement-breakpoint
-- How rows lie on disk.
--
-- Room on the page for the running and the settled version of every item: at 33 all updates are HOT, at 50 90 %,
-- at 100 under 1 % (and the table ends larger).
ALTER TABLE "items" SET (fillfactor = 33, autovacuum_vacuum_scale_factor = 0.1, autovacuum_vacuum_cost_delay = 1);--> statement-breakpoint
-- Rows that change at every claim and settle.
ALTER TABLE "runs" SET (fillfactor = 20, autovacuum_vacuum_scale_factor = 0.05);--> statement-breakpoint
ALTER TABLE "project_usage" SET (fillfactor = 10, autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 1000);--> statement-breakpoint
-- These tables empty many times a second. Vacuum gives what is empty at their end back to the disk under a lock that every
-- claim and every flush then waits for; what it gives back is written to again at once.
ALTER TABLE "claims" SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 1000, vacuum_truncate = off);--> statement-breakpoint
ALTER TABLE "due_items" SET (autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 1000, vacuum_truncate = off);--> statement-breakpoint
ALTER TABLE "unindexed_steps" SET (autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 1000, vacuum_truncate = off);--> statement-breakpoint
-- Counters, which change with every flush that has failures.
ALTER TABLE "failure_clusters" SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 1000);--> statement-breakpoint
ALTER TABLE "causes" SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 1000);--> statement-breakpoint
ALTER TABLE "cause_runs" SET (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);--> statement-breakpoint
ALTER TABLE "cause_days" SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 1000);--> statement-breakpoint
-- Weekly partitions are made ahead by the tick; these catch what would otherwise find none.
CREATE TABLE "steps_default" PARTITION OF "steps" DEFAULT;--> statement-breakpoint
CREATE TABLE "step_index_default" PARTITION OF "step_index" DEFAULT;--> statement-breakpoint
-- Rows of a week that had no partition are found by their run when it gets one (make_step_week).
CREATE INDEX "steps_default_by_run" ON "steps_default" ("run_id");--> statement-breakpoint
CREATE INDEX "step_index_default_by_run" ON "step_index_default" ("run_id");--> statement-breakpoint
-- Reading failed steps by what they say reads this index alone. INCLUDE is what drizzle-kit cannot say.
CREATE INDEX "step_index_errors" ON "step_index" ("project_id", "started_at")
  INCLUDE ("run_id", "outcome", "error_code", "kind", "name", "outcome_reason") WHERE outcome <> 'ok';--> statement-breakpoint
-- Items of a run that will not be dispatched again. It takes a row of any type: the rows of a shard of a cluster have a type
-- of their own, and a table whose rows a function takes by name cannot get a column with a default.
CREATE FUNCTION ended_items(r anyelement) RETURNS int LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT (r).ok + (r).degraded + (r).failed + (r).budget_exceeded + (r).cancelled
$$;--> statement-breakpoint
CREATE FUNCTION hour_of(moment timestamptz) RETURNS timestamptz LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN date_bin('1 hour', moment, '2000-01-01T00:00:00Z');--> statement-breakpoint
-- What follows works project by project, so that one text serves one machine and a cluster, where the node whose row fires a
-- trigger executes all of it. Transition tables exist only in that session: they are gathered first, then statements that
-- name the project write each project's part.
--
-- Every way a run can end goes through an update of its row, so no statement can forget to report it: an ended run is noted
-- unless all of it is ok and nothing depends on its end. Ends of replays are not noted, for whoever asked for one is watching.
-- Once all items of a run have been decided about, what is open about it is resolved.
CREATE FUNCTION note_ended_run() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  answers boolean := false;
  told boolean;
BEGIN
  IF OLD.finished_at IS NULL AND NEW.ok >= 20 THEN
    answers := EXISTS (SELECT FROM deployments d WHERE d.project_id = NEW.project_id AND d.id = NEW.deployment_id
      AND coalesce(d.declaration->'checks', to_jsonb(d.default_checks)) ?| array['one_answer', 'length_jump', 'cost_jump']);
  END IF;
  told := CASE WHEN OLD.finished_at IS NOT NULL
    THEN EXISTS (SELECT FROM alerts a WHERE a.project_id = NEW.project_id AND a.run_id = NEW.id AND a.resolved_at IS NULL)
    ELSE NEW.ok < NEW.total_items
      OR EXISTS (SELECT FROM occurrences o WHERE o.project_id = NEW.project_id AND o.run_id = NEW.id)
      OR EXISTS (SELECT FROM alert_channels c WHERE c.project_id = NEW.project_id AND c.digest = 'all')
      OR EXISTS (SELECT FROM alerts a
        WHERE a.project_id = NEW.project_id AND a.subject_id = NEW.agent_id AND a.resolved_at IS NULL)
    END;
  IF answers OR told THEN
    INSERT INTO ended_runs (project_id, run_id, first_end, answers_due)
    VALUES (NEW.project_id, NEW.id, OLD.finished_at IS NULL, answers) ON CONFLICT DO NOTHING;
  END IF;
  RETURN NULL;
END
$$;--> statement-breakpoint
CREATE TRIGGER run_ended AFTER UPDATE ON "runs" FOR EACH ROW
  WHEN (NEW.finished_at IS NOT NULL AND NEW.replay_of IS NULL AND NEW.recovery_id IS NULL
    AND (OLD.finished_at IS NULL OR (OLD.undecided > 0 AND NEW.undecided = 0)))
  EXECUTE FUNCTION note_ended_run();--> statement-breakpoint
-- Whatever statement ends a run, or turns a partial one into a completed one, puts its callback down with it. The row is kept
-- as it was, since two ends of a run may follow each other before the first is delivered; the message says which it is.
-- Its id is made of the run, the transition and how often that came before, so that a run that ends again after a restore
-- has the id that its receiver knows.
CREATE FUNCTION announce_run() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  transition text := CASE WHEN old.finished_at IS NULL THEN 'ended' WHEN new.status = 'partial' THEN 'reopened' ELSE 'decided' END;
  hash text;
BEGIN
  FOR before IN 0..1000 LOOP
    hash := md5(new.id::text || ' run.finished ' || transition || ' ' || before);
    INSERT INTO deliveries (id, project_id, run_id, kind, url, run)
    VALUES (overlay(overlay(hash placing '8' from 13) placing 'a' from 17)::uuid, new.project_id, new.id, 'run.finished',
      new.callback_url, to_jsonb(new) || jsonb_build_object('transition', transition))
    ON CONFLICT DO NOTHING;
    EXIT WHEN FOUND;
  END LOOP;
  RETURN NULL;
END
$$;--> statement-breakpoint
CREATE TRIGGER run_announced AFTER UPDATE ON "runs" FOR EACH ROW
  WHEN (NEW.callback_url IS NOT NULL AND NEW.finished_at IS NOT NULL
    AND (OLD.finished_at IS NULL OR OLD.status IS DISTINCT FROM NEW.status))
  EXECUTE FUNCTION announce_run();--> statement-breakpoint
-- A foreign key would look its run up once a row, 1,000 times for a flush of 1,000 items that failed, while the run was
-- locked. This looks once a statement and, as a key does, keeps the run from being removed until the transaction ends.
CREATE FUNCTION check_runs_of_triage() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  of_project uuid;
  of_runs uuid[];
  found int;
BEGIN
  FOR of_project, of_runs IN SELECT project_id, array_agg(DISTINCT run_id) FROM added GROUP BY 1 LOOP
    SELECT count(*) INTO found FROM (
      SELECT FROM runs WHERE project_id = of_project AND id = ANY(of_runs) FOR KEY SHARE) r;
    IF found < cardinality(of_runs) THEN
      RAISE EXCEPTION 'a row of triage names no run of its project' USING ERRCODE = 'foreign_key_violation';
    END IF;
  END LOOP;
  RETURN NULL;
END
$$;--> statement-breakpoint
CREATE TRIGGER triage_of_run AFTER INSERT ON "triage" REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION check_runs_of_triage();--> statement-breakpoint
-- Triage rows go with their run, whichever statement removes it.
CREATE FUNCTION remove_triage_of_runs() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  of_project uuid;
  of_runs uuid[];
BEGIN
  FOR of_project, of_runs IN SELECT project_id, array_agg(id) FROM removed GROUP BY 1 LOOP
    DELETE FROM triage WHERE project_id = of_project AND run_id = ANY(of_runs);
  END LOOP;
  RETURN NULL;
END
$$;--> statement-breakpoint
CREATE TRIGGER triage_of_removed AFTER DELETE ON "runs" REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION remove_triage_of_runs();--> statement-breakpoint
-- Counts failed items by cluster, whatever statement writes or removes their triage rows. The triggers run once a
-- statement, after the rows of runs are locked, and lock a project's usage before its clusters, always in that order.
CREATE TYPE failure_change AS (project_id uuid, cluster_key text, error_code text, prompt text, n int);--> statement-breakpoint
CREATE FUNCTION count_failures() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  changes failure_change[];
  of_project uuid;
  own failure_change[];
  sum_n int;
BEGIN
  IF TG_OP = 'INSERT' THEN
    SELECT array_agg(row(g.*)::failure_change) INTO changes FROM (
      SELECT project_id, cluster_key, error_code, min(prompt), count(*)::int FROM added
      WHERE error_code IS NOT NULL GROUP BY 1, 2, 3) g;
  ELSIF TG_OP = 'DELETE' THEN
    SELECT array_agg(row(g.*)::failure_change) INTO changes FROM (
      SELECT project_id, cluster_key, error_code, prompt, -count(*)::int FROM removed
      WHERE error_code IS NOT NULL GROUP BY 1, 2, 3, 4) g;
  ELSE
    SELECT array_agg(row(g.*)::failure_change) INTO changes FROM (
      SELECT project_id, cluster_key, error_code, prompt, sum(n)::int FROM (
        SELECT project_id, cluster_key, error_code, prompt, 1 AS n FROM added
        UNION ALL SELECT project_id, cluster_key, error_code, prompt, -1 FROM removed) moved
      WHERE error_code IS NOT NULL GROUP BY 1, 2, 3, 4 HAVING sum(n) <> 0) g;
  END IF;
  FOR of_project, own, sum_n IN SELECT c.project_id, array_agg(c), sum(c.n) FROM unnest(changes) c GROUP BY 1 LOOP
    UPDATE project_usage u SET failures = failures + sum_n, failure_changes = failure_changes + 1
    WHERE u.project_id = of_project;
    INSERT INTO failure_clusters AS f (project_id, cluster_key, error_code, sample_prompt, count)
    SELECT of_project, c.cluster_key, min(c.error_code), min(c.prompt), sum(c.n) FROM unnest(own) c
    WHERE c.cluster_key IS NOT NULL AND c.n > 0 GROUP BY 2 ORDER BY 2
    ON CONFLICT (project_id, cluster_key) DO UPDATE SET count = f.count + excluded.count;
    UPDATE failure_clusters f SET count = f.count + c.n FROM unnest(own) c
    WHERE f.project_id = of_project AND f.cluster_key = c.cluster_key AND c.n < 0;
    DELETE FROM failure_clusters f USING unnest(own) c
    WHERE f.project_id = of_project AND f.cluster_key = c.cluster_key AND c.n < 0 AND f.count <= 0;
  END LOOP;
  RETURN NULL;
END
$$;--> statement-breakpoint
CREATE TRIGGER triage_added AFTER INSERT ON "triage" REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_failures();--> statement-breakpoint
CREATE TRIGGER triage_changed AFTER UPDATE ON "triage" REFERENCING OLD TABLE AS removed NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_failures();--> statement-breakpoint
CREATE TRIGGER triage_removed AFTER DELETE ON "triage" REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION count_failures();--> statement-breakpoint
-- Counts items by cause, whatever statement writes, decides about or removes their triage rows. These triggers come after
-- those that count failures (triggers fire in the order of their names); they lock the causes first, in the order of their
-- keys, so that whoever comes second waits there.
CREATE TYPE cause_change AS (
  project_id uuid, cause_id text, run_id uuid, day date, n int, waiting int, cost_micro bigint,
  first_seen timestamptz, last_seen timestamptz, seq int);--> statement-breakpoint
CREATE FUNCTION count_causes() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  changes cause_change[];
  of_project uuid;
  own cause_change[];
BEGIN
  IF TG_OP = 'INSERT' THEN
    SELECT array_agg(row(g.*)::cause_change) INTO changes FROM (
      SELECT project_id, cause_id, run_id, (created_at AT TIME ZONE 'UTC')::date, count(*)::int,
        (count(*) FILTER (WHERE disposition IS NULL))::int, sum(cost_micro)::bigint, min(created_at), max(created_at),
        max(seq)
      FROM added WHERE cause_id <> '' GROUP BY 1, 2, 3, 4) g;
  ELSIF TG_OP = 'DELETE' THEN
    SELECT array_agg(row(g.*)::cause_change) INTO changes FROM (
      SELECT project_id, cause_id, run_id, (created_at AT TIME ZONE 'UTC')::date, -count(*)::int,
        -(count(*) FILTER (WHERE disposition IS NULL))::int, -sum(cost_micro)::bigint, null::timestamptz,
        null::timestamptz, null::int
      FROM removed WHERE cause_id <> '' GROUP BY 1, 2, 3, 4) g;
  ELSE
    SELECT array_agg(row(g.*)::cause_change) INTO changes FROM (
      SELECT project_id, cause_id, run_id, (created_at AT TIME ZONE 'UTC')::date, sum(n)::int,
        coalesce(sum(n) FILTER (WHERE disposition IS NULL), 0)::int, sum(n * cost_micro)::bigint,
        min(created_at) FILTER (WHERE n > 0), max(created_at) FILTER (WHERE n > 0), max(seq) FILTER (WHERE n > 0)
      FROM (
        SELECT project_id, cause_id, run_id, created_at, disposition, cost_micro, seq, 1 AS n FROM added
        UNION ALL SELECT project_id, cause_id, run_id, created_at, disposition, cost_micro, seq, -1 FROM removed) moved
      WHERE cause_id <> '' GROUP BY 1, 2, 3, 4
      HAVING sum(n) <> 0 OR coalesce(sum(n) FILTER (WHERE disposition IS NULL), 0) <> 0 OR sum(n * cost_micro) <> 0) g;
  END IF;
  FOR of_project, own IN SELECT c.project_id, array_agg(c) FROM unnest(changes) c GROUP BY 1 LOOP
    PERFORM FROM causes WHERE project_id = of_project AND id IN (SELECT c.cause_id FROM unnest(own) c)
      ORDER BY id FOR NO KEY UPDATE;
    WITH counted AS (
      INSERT INTO cause_runs AS r (run_id, cause_id, project_id, count, waiting, cost_micro, first_seen, last_seen, seq)
      SELECT c.run_id, c.cause_id, of_project, sum(c.n), sum(c.waiting), sum(c.cost_micro), min(c.first_seen),
        max(c.last_seen), max(c.seq)
      FROM unnest(own) c GROUP BY 1, 2 HAVING sum(c.n) > 0 ORDER BY 1, 2
      ON CONFLICT ON CONSTRAINT cause_runs_run_id_cause_id_pk DO UPDATE SET count = r.count + excluded.count,
        waiting = r.waiting + excluded.waiting, cost_micro = r.cost_micro + excluded.cost_micro,
        last_seen = greatest(r.last_seen, excluded.last_seen), seq = excluded.seq
      RETURNING cause_id, xmax = 0 AS is_new
    ), lessened AS (
      UPDATE cause_runs r SET count = r.count + c.n, waiting = r.waiting + c.waiting,
        cost_micro = r.cost_micro + c.cost_micro
      FROM (
        SELECT c.run_id, c.cause_id, sum(c.n) AS n, sum(c.waiting) AS waiting, sum(c.cost_micro) AS cost_micro
        FROM unnest(own) c GROUP BY 1, 2 HAVING sum(c.n) <= 0) c
      WHERE r.project_id = of_project AND r.run_id = c.run_id AND r.cause_id = c.cause_id
      RETURNING r.cause_id, r.count <= 0 AS is_gone
    ), runs_of AS (
      SELECT cause_id, sum(n)::int AS n FROM (
        SELECT cause_id, 1 AS n FROM counted WHERE is_new
        UNION ALL SELECT cause_id, -1 FROM lessened WHERE is_gone) moved GROUP BY 1
    )
    UPDATE causes c SET count = c.count + g.n, waiting = c.waiting + g.waiting, cost_micro = c.cost_micro + g.cost_micro,
      runs = c.runs + coalesce(o.n, 0), first_seen = least(c.first_seen, g.first_seen),
      last_seen = greatest(c.last_seen, g.last_seen)
    FROM (
      SELECT c.cause_id, sum(c.n) AS n, sum(c.waiting) AS waiting, sum(c.cost_micro) AS cost_micro,
        min(c.first_seen) AS first_seen, max(c.last_seen) AS last_seen
      FROM unnest(own) c GROUP BY 1) g LEFT JOIN runs_of o USING (cause_id)
    WHERE c.project_id = of_project AND c.id = g.cause_id;
    DELETE FROM cause_runs r USING unnest(own) c
    WHERE r.project_id = of_project AND r.run_id = c.run_id AND r.cause_id = c.cause_id AND c.n < 0 AND r.count <= 0;
    INSERT INTO cause_days AS d (project_id, cause_id, day, count, waiting, cost_micro)
    SELECT of_project, c.cause_id, c.day, sum(c.n), sum(c.waiting), sum(c.cost_micro) FROM unnest(own) c
    GROUP BY 2, 3 HAVING sum(c.n) > 0 ORDER BY 3, 2
    ON CONFLICT (project_id, day, cause_id) DO UPDATE SET count = d.count + excluded.count,
      waiting = d.waiting + excluded.waiting, cost_micro = d.cost_micro + excluded.cost_micro;
    UPDATE cause_days d SET count = d.count + c.n, waiting = d.waiting + c.waiting, cost_micro = d.cost_micro + c.cost_micro
    FROM (
      SELECT c.cause_id, c.day, sum(c.n) AS n, sum(c.waiting) AS waiting, sum(c.cost_micro) AS cost_micro
      FROM unnest(own) c GROUP BY 1, 2 HAVING sum(c.n) <= 0) c
    WHERE d.project_id = of_project AND d.day = c.day AND d.cause_id = c.cause_id;
    DELETE FROM cause_days d USING unnest(own) c
    WHERE d.project_id = of_project AND d.day = c.day AND d.cause_id = c.cause_id AND c.n < 0 AND d.count <= 0;
  END LOOP;
  RETURN NULL;
END
$$;--> statement-breakpoint
CREATE TRIGGER triage_with_cause_added AFTER INSERT ON "triage" REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_causes();--> statement-breakpoint
CREATE TRIGGER triage_with_cause_changed AFTER UPDATE ON "triage" REFERENCING OLD TABLE AS removed NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_causes();--> statement-breakpoint
CREATE TRIGGER triage_with_cause_removed AFTER DELETE ON "triage" REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION count_causes();--> statement-breakpoint
-- Whatever statement writes steps, they are filed to be indexed: 0.4 µs a step, measured with flushes of 1,000. Whatever
-- statement removes steps, they are found no more.
CREATE FUNCTION file_steps() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  filed record;
BEGIN
  FOR filed IN
    SELECT project_id, run_id, array_agg(seq) AS seqs, array_agg(step_no) AS step_nos FROM added GROUP BY 1, 2
  LOOP
    INSERT INTO unindexed_steps (project_id, run_id, seqs, step_nos)
    VALUES (filed.project_id, filed.run_id, filed.seqs, filed.step_nos);
  END LOOP;
  RETURN NULL;
END
$$;--> statement-breakpoint
CREATE TRIGGER steps_added AFTER INSERT ON "steps" REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION file_steps();--> statement-breakpoint
CREATE FUNCTION unindex_steps() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  gone record;
BEGIN
  FOR gone IN
    SELECT project_id, run_id, array_agg(seq) AS seqs, array_agg(step_no) AS step_nos FROM removed GROUP BY 1, 2
  LOOP
    DELETE FROM step_index x USING unnest(gone.seqs, gone.step_nos) r(seq, step_no)
    WHERE x.project_id = gone.project_id AND x.run_id = gone.run_id AND x.seq = r.seq AND x.step_no = r.step_no;
  END LOOP;
  RETURN NULL;
END
$$;--> statement-breakpoint
CREATE TRIGGER steps_removed AFTER DELETE ON "steps" REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION unindex_steps();--> statement-breakpoint
-- Whatever statement writes or removes counts of a run, those of its project follow. Everybody locks these rows in the
-- order of their key. Where the latest of a kind is removed, the latest of those that are left takes its place.
CREATE TYPE step_error_change AS (project_id uuid, hour timestamptz, outcome outcome, error_code text, tool_name text,
  outcome_reason text, steps int, last_at timestamptz);--> statement-breakpoint
CREATE FUNCTION count_step_errors() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  changes step_error_change[];
  of_project uuid;
  own step_error_change[];
BEGIN
  IF TG_OP = 'INSERT' THEN
    SELECT array_agg(row(project_id, hour, outcome, error_code, tool_name, outcome_reason, steps, last_at)::step_error_change)
    INTO changes FROM added;
  ELSIF TG_OP = 'DELETE' THEN
    SELECT array_agg(row(project_id, hour, outcome, error_code, tool_name, outcome_reason, -steps, last_at)::step_error_change)
    INTO changes FROM removed;
  ELSE
    SELECT array_agg(row(project_id, hour, outcome, error_code, tool_name, outcome_reason, n, last_at)::step_error_change)
    INTO changes FROM (SELECT *, steps AS n FROM added UNION ALL SELECT *, -steps FROM removed) moved;
  END IF;
  FOR of_project, own IN SELECT c.project_id, array_agg(c) FROM unnest(changes) c GROUP BY 1 LOOP
    INSERT INTO project_step_errors AS p (project_id, hour, outcome, error_code, tool_name, outcome_reason, steps, last_at)
    SELECT of_project, c.hour, c.outcome, c.error_code, c.tool_name, c.outcome_reason, sum(c.steps), max(c.last_at)
    FROM unnest(own) c GROUP BY 2, 3, 4, 5, 6 ORDER BY 2, 3, 4, 5, 6
    ON CONFLICT ON CONSTRAINT project_step_errors_kind
    DO UPDATE SET steps = p.steps + excluded.steps, last_at = greatest(p.last_at, excluded.last_at);
    IF TG_OP = 'DELETE' THEN
      DELETE FROM project_step_errors p USING (SELECT DISTINCT c.hour FROM unnest(own) c) c
      WHERE p.project_id = of_project AND p.hour = c.hour AND p.steps <= 0;
      UPDATE project_step_errors p SET last_at = (
        SELECT max(e.last_at) FROM run_step_errors e
        WHERE e.project_id = of_project AND e.hour = p.hour AND e.outcome = p.outcome
          AND (e.error_code, e.tool_name, e.outcome_reason)
            IS NOT DISTINCT FROM (p.error_code, p.tool_name, p.outcome_reason))
      FROM (SELECT DISTINCT c.hour, c.outcome, c.error_code, c.tool_name, c.outcome_reason, c.last_at FROM unnest(own) c) c
      WHERE p.project_id = of_project AND p.hour = c.hour AND p.outcome = c.outcome AND p.last_at = c.last_at
        AND (p.error_code, p.tool_name, p.outcome_reason)
          IS NOT DISTINCT FROM (c.error_code, c.tool_name, c.outcome_reason);
    END IF;
  END LOOP;
  RETURN NULL;
END
$$;--> statement-breakpoint
CREATE TRIGGER run_step_errors_added AFTER INSERT ON "run_step_errors" REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_step_errors();--> statement-breakpoint
CREATE TRIGGER run_step_errors_changed AFTER UPDATE ON "run_step_errors" REFERENCING OLD TABLE AS removed NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_step_errors();--> statement-breakpoint
CREATE TRIGGER run_step_errors_removed AFTER DELETE ON "run_step_errors" REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION count_step_errors();--> statement-breakpoint
-- Weeks of steps are made and dropped by whoever owns the tables, whatever role asks for it: the one that Assay works as
-- may own nothing. What these do is bounded by their names: a week of steps is all that they touch. Rows that are counted
-- have a column: a cluster passes none without between its nodes.
CREATE FUNCTION first_id_of(week date) RETURNS uuid LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  hex text := lpad(to_hex((week - date '1970-01-01') * 86400000::bigint), 12, '0');
BEGIN
  RETURN (substr(hex, 1, 8) || '-' || substr(hex, 9) || '-7000-8000-000000000000')::uuid;
END
$$;--> statement-breakpoint
CREATE FUNCTION many_late(spare text, since uuid, before uuid, most int) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  late int;
BEGIN
  EXECUTE format('SELECT count(*) FROM (SELECT 1 FROM %I WHERE run_id >= $1 AND run_id < $2 LIMIT $3) found', spare)
    INTO late USING since, before, most + 1;
  RETURN late > most;
END
$$;--> statement-breakpoint
-- Returns whether it made the partition: not where more rows than `most` of its week lie in the default partition. Waits
-- for no lock (55P03), since whoever waits for one stands before all who read or write steps.
CREATE FUNCTION make_step_week(of_table text, week date, most int) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
  name text := of_table || '_' || to_char(week, 'YYYYMMDD');
  spare text := of_table || '_default';
  since uuid := first_id_of(week);
  before uuid := first_id_of(week + 7);
BEGIN
  IF of_table NOT IN ('steps', 'step_index') OR (week - date '1970-01-01') % 7 <> 0 THEN
    RAISE EXCEPTION 'no week of steps: % of %', week, of_table;
  END IF;
  IF many_late(spare, since, before, most) THEN
    RETURN false;
  END IF;
  -- The table first, as all who write have it, and so does ATTACH. More rows may have come until then.
  EXECUTE format('LOCK TABLE ONLY %I, ONLY %I IN ACCESS EXCLUSIVE MODE NOWAIT', of_table, spare);
  IF to_regclass(quote_ident(name)) IS NOT NULL OR many_late(spare, since, before, most) THEN
    RETURN false;
  END IF;
  -- Moved between partitions, whose tables have no triggers: nothing of this is news to the search.
  EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING ALL)', name, of_table);
  EXECUTE format('WITH moved AS (DELETE FROM %I WHERE run_id >= $1 AND run_id < $2 RETURNING *) INSERT INTO %I SELECT * FROM moved', spare, name)
    USING since, before;
  EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', of_table, name, since, before);
  RETURN true;
END
$$;--> statement-breakpoint
-- Returns whether it dropped the week: not while a run of it has its steps. Waits for no lock either.
CREATE FUNCTION drop_step_week(week date) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
  of_table text;
  name text;
  dropped boolean := false;
BEGIN
  IF EXISTS (
    SELECT 1 FROM runs WHERE id >= first_id_of(week) AND id < first_id_of(week + 7) AND steps_purged_at IS NULL
  ) THEN
    RETURN false;
  END IF;
  LOCK TABLE ONLY steps, ONLY step_index, ONLY steps_default, ONLY step_index_default IN ACCESS EXCLUSIVE MODE NOWAIT;
  FOREACH of_table IN ARRAY ARRAY['steps', 'step_index'] LOOP
    name := of_table || '_' || to_char(week, 'YYYYMMDD');
    IF to_regclass(quote_ident(name)) IS NOT NULL THEN
      EXECUTE format('LOCK TABLE ONLY %I IN ACCESS EXCLUSIVE MODE NOWAIT', name);
      EXECUTE format('DROP TABLE %I', name);
      dropped := true;
    END IF;
  END LOOP;
  RETURN dropped;
END
$$;--> statement-breakpoint
REVOKE ALL ON FUNCTION make_step_week(text, date, int), drop_step_week(date) FROM PUBLIC;--> statement-breakpoint
-- A search_path of their own: nobody else's tables or functions can stand in for these.
DO $$
DECLARE
  one regprocedure;
BEGIN
  FOREACH one IN ARRAY ARRAY['first_id_of(date)', 'many_late(text, uuid, uuid, int)', 'make_step_week(text, date, int)', 'drop_step_week(date)']::regprocedure[] LOOP
    EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', one, current_schema());
  END LOOP;
END
$$;--> statement-breakpoint
-- Made by npm run generate from shared/claims/queries/take-functions.ts, which says why the version matters.
DO $do$
BEGIN
if current_setting('server_version_num')::int >= 170000 then
CREATE FUNCTION lock_room(of_project uuid, of_run uuid, of_deployment uuid, most int, kept_places int, kept_of_run int, OUT low_seq int, OUT high_seq int, OUT room int)
LANGUAGE plpgsql AS $$
BEGIN
  perform from runs r join project_usage u using (project_id)
    where r.project_id = of_project and r.id = of_run for no key update of r, u;
  select r.next_seq, case when r.waits_for is null then least(r.total_items, r.pilot_items) else r.next_seq - 1 end, greatest(0, least(most, greatest(0, coalesce((p.settings->>'concurrency')::int, 256) - u.running) - kept_places,
    least(r.concurrency - r.running, (d.declaration->>'concurrency')::int - r.running, (r.pilot_items - r.running - r.paused - ended_items(r)),
    case
  when r.budget_micro is null then null when r.cost_micro >= r.budget_micro then 0
  when coalesce(round((d.declaration->>'item_budget_cents')::numeric * 10000),
  ceil(r.cost_micro::numeric / nullif(ended_items(r), 0)))::bigint is null then greatest(0, 10 - r.running)
  when coalesce(round((d.declaration->>'item_budget_cents')::numeric * 10000),
  ceil(r.cost_micro::numeric / nullif(ended_items(r), 0)))::bigint = 0 then null
  else greatest((r.budget_micro - r.cost_micro) / coalesce(round((d.declaration->>'item_budget_cents')::numeric * 10000),
  ceil(r.cost_micro::numeric / nullif(ended_items(r), 0)))::bigint - r.running, (r.running = 0)::int) end, case
  when p.credit_micro is null then null when u.spent_micro >= p.credit_micro then 0
  when coalesce(round((d.declaration->>'item_budget_cents')::numeric * 10000),
  ceil(r.cost_micro::numeric / nullif(ended_items(r), 0)))::bigint is null then greatest(0, 10 - u.running)
  when coalesce(round((d.declaration->>'item_budget_cents')::numeric * 10000),
  ceil(r.cost_micro::numeric / nullif(ended_items(r), 0)))::bigint = 0 then null
  else greatest((p.credit_micro - u.spent_micro) / coalesce(round((d.declaration->>'item_budget_cents')::numeric * 10000),
  ceil(r.cost_micro::numeric / nullif(ended_items(r), 0)))::bigint - u.running, (u.running = 0)::int) end,
    (select min(case
  when b.limit_micro is null then null when b.spent_micro >= b.limit_micro then 0
  when coalesce(round((d.declaration->>'item_budget_cents')::numeric * 10000),
  ceil(r.cost_micro::numeric / nullif(ended_items(r), 0)))::bigint is null then greatest(0, 10 - case when b.agent_id is null then u.running else (
  select coalesce(sum(o.running), 0)::int from runs o
  where o.project_id = of_project and o.agent_id = r.agent_id and o.finished_at is null) end)
  when coalesce(round((d.declaration->>'item_budget_cents')::numeric * 10000),
  ceil(r.cost_micro::numeric / nullif(ended_items(r), 0)))::bigint = 0 then null
  else greatest((b.limit_micro - b.spent_micro) / coalesce(round((d.declaration->>'item_budget_cents')::numeric * 10000),
  ceil(r.cost_micro::numeric / nullif(ended_items(r), 0)))::bigint - case when b.agent_id is null then u.running else (
  select coalesce(sum(o.running), 0)::int from runs o
  where o.project_id = of_project and o.agent_id = r.agent_id and o.finished_at is null) end, (case when b.agent_id is null then u.running else (
  select coalesce(sum(o.running), 0)::int from runs o
  where o.project_id = of_project and o.agent_id = r.agent_id and o.finished_at is null) end = 0)::int) end) from budgets b where b.project_id = of_project and (b.agent_id is null or b.agent_id = r.agent_id)), case when r.waits_for_price then 0 end) - kept_of_run))::int
  into low_seq, high_seq, room
  from runs r join project_usage u on u.project_id = of_project
  join projects p on p.id = of_project join agents a on a.project_id = of_project and a.id = r.agent_id
  left join accounts c on c.id = p.account_id
  left join deployments d on d.project_id = of_project and d.id = coalesce(r.deployment_id, a.current_deployment_id)
  where r.project_id = of_project and r.id = of_run and d.id = of_deployment and (r.finished_at is null and not r.materializing and r.stop_reason is null) and (d.id is not null and c.status is not distinct from 'active' and not (select held_since is not null from installation));
END
$$;
CREATE FUNCTION take_range(
  of_project uuid, of_run uuid, of_deployment uuid, most int, kept_places int, kept_of_run int, lease_ms int
) RETURNS TABLE (claim_id bigint, seq int, attempt smallint, item_id text, partition_key text, input text, past json)
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET jit = off AS $$
#variable_conflict use_column
DECLARE
  low_seq int;
  high_seq int;
  room int;
  locked_at timestamptz;
  has_due boolean;
  busy jsonb;
  due_seqs int[];
  together_of smallint[];
  cuts_of smallint[];
  upstream_id_of uuid[];
  stops_of smallint[];
  refusals_of smallint[];
  cut_answers_of smallint[];
BEGIN
  select * into low_seq, high_seq, room from lock_room(of_project, of_run, of_deployment, most, kept_places, kept_of_run);
  if coalesce(room, 0) = 0 then
    return;
  end if;
  high_seq := least(low_seq + room - 1, high_seq);
  if high_seq < low_seq then
    return;
  end if;
  has_due := exists (
    select from due_items d where d.project_id = of_project and d.run_id = of_run and d.seq between low_seq and high_seq);
  locked_at := clock_timestamp();
  return query
    with taken as (
      update items i set status = 'running', attempt = attempt + 1, started_at = coalesce(started_at, locked_at)
      where i.project_id = of_project and i.run_id = of_run and i.status = 'queued' and i.seq between low_seq and high_seq
        and (not has_due or not exists (select from due_items d where d.project_id = of_project and d.run_id = of_run and d.seq = i.seq))
      returning i.seq, i.attempt, i.item_id, i.partition_key, i.input, i.step_count, i.cost_micro, i.extra_budget_micro,
        i.unpriced, i.ran_ms, i.agent_failures, i.transport_failures, null::smallint as together, null::smallint as cuts, null::uuid as upstream_id, null::smallint as stops, null::smallint as refusals, null::smallint as cut_answers
    ), moved as (select high_seq + 1 as next_seq), n as (select count(*)::int as n from taken), counted as (
      update runs r set running = r.running + n.n, next_seq = moved.next_seq, touched_at = locked_at,
        started_at = case when n.n > 0 then coalesce(r.started_at, locked_at) else r.started_at end,
        deployment_id = of_deployment
      from n, moved where r.project_id = of_project and r.id = of_run
    ), used as (
      update project_usage u set running = u.running + n.n from n where u.project_id = of_project
    ), claim as (
      insert into claims (run_id, project_id, seqs, attempts, lease_until)
      select of_run, of_project, array_agg(t.seq), array_agg(t.attempt),
        locked_at + make_interval(secs => lease_ms / 1000.0)
      from taken t having count(*) > 0 returning id
    )
    select claim.id, t.seq, t.attempt, t.item_id, t.partition_key, t.input,
      case when t.attempt > 1 or t.step_count > 0 or t.cost_micro > 0 or t.extra_budget_micro is not null or t.unpriced
          or t.ran_ms > 0 or t.agent_failures > 0 or t.transport_failures > 0 or t.together is not null or t.cuts is not null
          or t.upstream_id is not null or t.cut_answers is not null
        then json_build_object('step_count', t.step_count, 'cost_micro', t.cost_micro,
          'extra_budget_micro', t.extra_budget_micro, 'unpriced', t.unpriced, 'ran_ms', t.ran_ms,
          'agent_failures', t.agent_failures, 'transport_failures', t.transport_failures, 'together', t.together,
          'cuts', t.cuts, 'upstream_id', t.upstream_id, 'stops', coalesce(t.stops, 0), 'refusals', coalesce(t.refusals, 0), 'cut_answers', coalesce(t.cut_answers, 0)) end
    from taken t, claim;
END
$$;
CREATE FUNCTION take_due(
  of_project uuid, of_run uuid, of_deployment uuid, most int, kept_places int, kept_of_run int, lease_ms int, fresh boolean
) RETURNS TABLE (claim_id bigint, seq int, attempt smallint, item_id text, partition_key text, input text, past json)
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET jit = off AS $$
#variable_conflict use_column
DECLARE
  low_seq int;
  high_seq int;
  room int;
  locked_at timestamptz;
  has_due boolean;
  busy jsonb;
  due_seqs int[];
  together_of smallint[];
  cuts_of smallint[];
  upstream_id_of uuid[];
  stops_of smallint[];
  refusals_of smallint[];
  cut_answers_of smallint[];
BEGIN
  select * into low_seq, high_seq, room from lock_room(of_project, of_run, of_deployment, most, kept_places, kept_of_run);
  if coalesce(room, 0) = 0 then
    return;
  end if;
  with chosen as materialized (select d.seq from (select d.seq, d.due_at from due_items d
        where d.project_id = of_project and d.run_id = of_run and d.due_at <= now() and (fresh or d.cuts is null)
        order by d.due_at limit room) d), due as (
    delete from due_items d where d.project_id = of_project and d.run_id = of_run and d.seq = any(array(select chosen.seq from chosen))
    returning d.seq, d.together, d.cuts, d.upstream_id, d.stops, d.refusals, d.cut_answers
  )
  select array_agg(due.seq), array_agg(due.together), array_agg(due.cuts), array_agg(due.upstream_id), array_agg(due.stops), array_agg(due.refusals), array_agg(due.cut_answers)
  into due_seqs, together_of, cuts_of, upstream_id_of, stops_of, refusals_of, cut_answers_of from due;
  if due_seqs is null then
    return;
  end if;
  locked_at := clock_timestamp();
  return query
    with taken as (
      update items i set status = 'running', attempt = attempt + 1, started_at = coalesce(started_at, locked_at)
      from generate_subscripts(due_seqs, 1) n
      where i.project_id = of_project and i.run_id = of_run and i.seq = any(due_seqs)
        and i.seq = due_seqs[n] and i.status = 'queued'
      returning i.seq, i.attempt, i.item_id, i.partition_key, i.input, i.step_count, i.cost_micro, i.extra_budget_micro,
        i.unpriced, i.ran_ms, i.agent_failures, i.transport_failures, together_of[n] as together, cuts_of[n] as cuts, upstream_id_of[n] as upstream_id, stops_of[n] as stops, refusals_of[n] as refusals, cut_answers_of[n] as cut_answers
    ), moved as (select low_seq as next_seq), n as (select count(*)::int as n from taken), counted as (
      update runs r set running = r.running + n.n, next_seq = moved.next_seq, touched_at = locked_at,
        started_at = case when n.n > 0 then coalesce(r.started_at, locked_at) else r.started_at end,
        deployment_id = of_deployment
      from n, moved where r.project_id = of_project and r.id = of_run
    ), used as (
      update project_usage u set running = u.running + n.n from n where u.project_id = of_project
    ), claim as (
      insert into claims (run_id, project_id, seqs, attempts, lease_until)
      select of_run, of_project, array_agg(t.seq), array_agg(t.attempt),
        locked_at + make_interval(secs => lease_ms / 1000.0)
      from taken t having count(*) > 0 returning id
    )
    select claim.id, t.seq, t.attempt, t.item_id, t.partition_key, t.input,
      case when t.attempt > 1 or t.step_count > 0 or t.cost_micro > 0 or t.extra_budget_micro is not null or t.unpriced
          or t.ran_ms > 0 or t.agent_failures > 0 or t.transport_failures > 0 or t.together is not null or t.cuts is not null
          or t.upstream_id is not null or t.cut_answers is not null
        then json_build_object('step_count', t.step_count, 'cost_micro', t.cost_micro,
          'extra_budget_micro', t.extra_budget_micro, 'unpriced', t.unpriced, 'ran_ms', t.ran_ms,
          'agent_failures', t.agent_failures, 'transport_failures', t.transport_failures, 'together', t.together,
          'cuts', t.cuts, 'upstream_id', t.upstream_id, 'stops', coalesce(t.stops, 0), 'refusals', coalesce(t.refusals, 0), 'cut_answers', coalesce(t.cut_answers, 0)) end
    from taken t, claim;
END
$$;
CREATE FUNCTION take_due_fair(
  of_project uuid, of_run uuid, of_deployment uuid, most int, kept_places int, kept_of_run int, lease_ms int, fresh boolean, per_partition int, lookahead int
) RETURNS TABLE (claim_id bigint, seq int, attempt smallint, item_id text, partition_key text, input text, past json)
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET jit = off AS $$
#variable_conflict use_column
DECLARE
  low_seq int;
  high_seq int;
  room int;
  locked_at timestamptz;
  has_due boolean;
  busy jsonb;
  due_seqs int[];
  together_of smallint[];
  cuts_of smallint[];
  upstream_id_of uuid[];
  stops_of smallint[];
  refusals_of smallint[];
  cut_answers_of smallint[];
BEGIN
  select * into low_seq, high_seq, room from lock_room(of_project, of_run, of_deployment, most, kept_places, kept_of_run);
  if coalesce(room, 0) = 0 then
    return;
  end if;
  busy := (select jsonb_object_agg(p.partition_key, p.n) from (
    select i.partition_key, count(*) as n
    from claims c, unnest(c.seqs) as s(seq), lateral (select partition_key, status from items
        where project_id = of_project and run_id = c.run_id and seq = s.seq offset 0) i
    where c.project_id = of_project and i.status = 'running' and i.partition_key is not null
    group by 1) p);
  with chosen as materialized (
      select ranked.seq from (
        select d.seq, d.due_at, i.partition_key,
          row_number() over (partition by i.partition_key order by d.due_at, d.seq) as nth
        from (select d.seq, d.due_at from due_items d
        where d.project_id = of_project and d.run_id = of_run and d.due_at <= now() and (fresh or d.cuts is null)
        order by d.due_at limit lookahead) d cross join lateral (select partition_key from items
          where project_id = of_project and run_id = of_run and seq = d.seq offset 0) i) ranked
      where (partition_key is null or nth <= per_partition - coalesce((busy->>partition_key)::int, 0))
      order by due_at limit room), due as (
    delete from due_items d where d.project_id = of_project and d.run_id = of_run and d.seq = any(array(select chosen.seq from chosen))
    returning d.seq, d.together, d.cuts, d.upstream_id, d.stops, d.refusals, d.cut_answers
  )
  select array_agg(due.seq), array_agg(due.together), array_agg(due.cuts), array_agg(due.upstream_id), array_agg(due.stops), array_agg(due.refusals), array_agg(due.cut_answers)
  into due_seqs, together_of, cuts_of, upstream_id_of, stops_of, refusals_of, cut_answers_of from due;
  if due_seqs is null then
    return;
  end if;
  locked_at := clock_timestamp();
  return query
    with taken as (
      update items i set status = 'running', attempt = attempt + 1, started_at = coalesce(started_at, locked_at)
      from generate_subscripts(due_seqs, 1) n
      where i.project_id = of_project and i.run_id = of_run and i.seq = any(due_seqs)
        and i.seq = due_seqs[n] and i.status = 'queued'
      returning i.seq, i.attempt, i.item_id, i.partition_key, i.input, i.step_count, i.cost_micro, i.extra_budget_micro,
        i.unpriced, i.ran_ms, i.agent_failures, i.transport_failures, together_of[n] as together, cuts_of[n] as cuts, upstream_id_of[n] as upstream_id, stops_of[n] as stops, refusals_of[n] as refusals, cut_answers_of[n] as cut_answers
    ), moved as (select low_seq as next_seq), n as (select count(*)::int as n from taken), counted as (
      update runs r set running = r.running + n.n, next_seq = moved.next_seq, touched_at = locked_at,
        started_at = case when n.n > 0 then coalesce(r.started_at, locked_at) else r.started_at end,
        deployment_id = of_deployment
      from n, moved where r.project_id = of_project and r.id = of_run
    ), used as (
      update project_usage u set running = u.running + n.n from n where u.project_id = of_project
    ), claim as (
      insert into claims (run_id, project_id, seqs, attempts, lease_until)
      select of_run, of_project, array_agg(t.seq), array_agg(t.attempt),
        locked_at + make_interval(secs => lease_ms / 1000.0)
      from taken t having count(*) > 0 returning id
    )
    select claim.id, t.seq, t.attempt, t.item_id, t.partition_key, t.input,
      case when t.attempt > 1 or t.step_count > 0 or t.cost_micro > 0 or t.extra_budget_micro is not null or t.unpriced
          or t.ran_ms > 0 or t.agent_failures > 0 or t.transport_failures > 0 or t.together is not null or t.cuts is not null
          or t.upstream_id is not null or t.cut_answers is not null
        then json_build_object('step_count', t.step_count, 'cost_micro', t.cost_micro,
          'extra_budget_micro', t.extra_budget_micro, 'unpriced', t.unpriced, 'ran_ms', t.ran_ms,
          'agent_failures', t.agent_failures, 'transport_failures', t.transport_failures, 'together', t.together,
          'cuts', t.cuts, 'upstream_id', t.upstream_id, 'stops', coalesce(t.stops, 0), 'refusals', coalesce(t.refusals, 0), 'cut_answers', coalesce(t.cut_answers, 0)) end
    from taken t, claim;
END
$$;
CREATE FUNCTION take_fair(
  of_project uuid, of_run uuid, of_deployment uuid, most int, kept_places int, kept_of_run int, lease_ms int, per_partition int, lookahead int
) RETURNS TABLE (claim_id bigint, seq int, attempt smallint, item_id text, partition_key text, input text, past json)
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET jit = off AS $$
#variable_conflict use_column
DECLARE
  low_seq int;
  high_seq int;
  room int;
  locked_at timestamptz;
  has_due boolean;
  busy jsonb;
  due_seqs int[];
  together_of smallint[];
  cuts_of smallint[];
  upstream_id_of uuid[];
  stops_of smallint[];
  refusals_of smallint[];
  cut_answers_of smallint[];
BEGIN
  select * into low_seq, high_seq, room from lock_room(of_project, of_run, of_deployment, most, kept_places, kept_of_run);
  if coalesce(room, 0) = 0 then
    return;
  end if;
  busy := (select jsonb_object_agg(p.partition_key, p.n) from (
    select i.partition_key, count(*) as n
    from claims c, unnest(c.seqs) as s(seq), lateral (select partition_key, status from items
        where project_id = of_project and run_id = c.run_id and seq = s.seq offset 0) i
    where c.project_id = of_project and i.status = 'running' and i.partition_key is not null
    group by 1) p);
  locked_at := clock_timestamp();
  return query
    with near as (
      select i.seq, i.partition_key from items i
      where i.project_id = of_project and i.run_id = of_run and i.seq between low_seq and high_seq and i.status = 'queued'
        and not exists (select from due_items d where d.project_id = of_project and d.run_id = of_run and d.seq = i.seq)
      order by i.seq limit lookahead
    ), ranked as (
      select seq, partition_key, row_number() over (partition by partition_key order by seq) as nth from near
    ), chosen as (
      select ranked.seq from ranked where (partition_key is null or nth <= per_partition - coalesce((busy->>partition_key)::int, 0)) order by ranked.seq limit room
    ), taken as (
      update items i set status = 'running', attempt = attempt + 1, started_at = coalesce(started_at, locked_at)
      where i.project_id = of_project and i.run_id = of_run and i.seq = any(array(select chosen.seq from chosen)) and i.status = 'queued'
      returning i.seq, i.attempt, i.item_id, i.partition_key, i.input, i.step_count, i.cost_micro, i.extra_budget_micro,
        i.unpriced, i.ran_ms, i.agent_failures, i.transport_failures, null::smallint as together, null::smallint as cuts, null::uuid as upstream_id, null::smallint as stops, null::smallint as refusals, null::smallint as cut_answers
    ), moved as (
      select coalesce((select min(near.seq) from near where near.seq not in (select taken.seq from taken)),
        (select max(near.seq) + 1 from near), high_seq + 1) as next_seq
    ), n as (select count(*)::int as n from taken), counted as (
      update runs r set running = r.running + n.n, next_seq = moved.next_seq, touched_at = locked_at,
        started_at = case when n.n > 0 then coalesce(r.started_at, locked_at) else r.started_at end,
        deployment_id = of_deployment
      from n, moved where r.project_id = of_project and r.id = of_run
    ), used as (
      update project_usage u set running = u.running + n.n from n where u.project_id = of_project
    ), claim as (
      insert into claims (run_id, project_id, seqs, attempts, lease_until)
      select of_run, of_project, array_agg(t.seq), array_agg(t.attempt),
        locked_at + make_interval(secs => lease_ms / 1000.0)
      from taken t having count(*) > 0 returning id
    )
    select claim.id, t.seq, t.attempt, t.item_id, t.partition_key, t.input,
      case when t.attempt > 1 or t.step_count > 0 or t.cost_micro > 0 or t.extra_budget_micro is not null or t.unpriced
          or t.ran_ms > 0 or t.agent_failures > 0 or t.transport_failures > 0 or t.together is not null or t.cuts is not null
          or t.upstream_id is not null or t.cut_answers is not null
        then json_build_object('step_count', t.step_count, 'cost_micro', t.cost_micro,
          'extra_budget_micro', t.extra_budget_micro, 'unpriced', t.unpriced, 'ran_ms', t.ran_ms,
          'agent_failures', t.agent_failures, 'transport_failures', t.transport_failures, 'together', t.together,
          'cuts', t.cuts, 'upstream_id', t.upstream_id, 'stops', coalesce(t.stops, 0), 'refusals', coalesce(t.refusals, 0), 'cut_answers', coalesce(t.cut_answers, 0)) end
    from taken t, claim;
END
$$;
else
CREATE FUNCTION lock_room(of_project uuid, of_run uuid, of_deployment uuid, most int, kept_places int, kept_of_run int, OUT low_seq int, OUT high_seq int, OUT room int)
LANGUAGE plpgsql AS $$
BEGIN
  perform from runs r join project_usage u using (project_id)
    where r.project_id = of_project and r.id = of_run for no key update of r, u;
  select r.next_seq, case when r.waits_for is null then least(r.total_items, r.pilot_items) else r.next_seq - 1 end, greatest(0, least(most, greatest(0, coalesce((p.settings->>'concurrency')::int, 256) - u.running) - kept_places,
    least(r.concurrency - r.running, (d.declaration->>'concurrency')::int - r.running, (r.pilot_items - r.running - r.paused - ended_items(r)),
    case
  when r.budget_micro is null then null when r.cost_micro >= r.budget_micro then 0
  when coalesce(round((d.declaration->>'item_budget_cents')::numeric * 10000),
  ceil(r.cost_micro::numeric / nullif(ended_items(r), 0)))::bigint is null then greatest(0, 10 - r.running)
  when coalesce(round((d.declaration->>'item_budget_cents')::numeric * 10000),
  ceil(r.cost_micro::numeric / nullif(ended_items(r), 0)))::bigint = 0 then null
  else greatest((r.budget_micro - r.cost_micro) / coalesce(round((d.declaration->>'item_budget_cents')::numeric * 10000),
  ceil(r.cost_micro::numeric / nullif(ended_items(r), 0)))::bigint - r.running, (r.running = 0)::int) end, case
  when p.credit_micro is null then null when u.spent_micro >= p.credit_micro then 0
  when coalesce(round((d.declaration->>'item_budget_cents')::numeric * 10000),
  ceil(r.cost_micro::numeric / nullif(ended_items(r), 0)))::bigint is null then greatest(0, 10 - u.running)
  when coalesce(round((d.declaration->>'item_budget_cents')::numeric * 10000),
  ceil(r.cost_micro::numeric / nullif(ended_items(r), 0)))::bigint = 0 then null
  else greatest((p.credit_micro - u.spent_micro) / coalesce(round((d.declaration->>'item_budget_cents')::numeric * 10000),
  ceil(r.cost_micro::numeric / nullif(ended_items(r), 0)))::bigint - u.running, (u.running = 0)::int) end,
    (select min(case
  when b.limit_micro is null then null when b.spent_micro >= b.limit_micro then 0
  when coalesce(round((d.declaration->>'item_budget_cents')::numeric * 10000),
  ceil(r.cost_micro::numeric / nullif(ended_items(r), 0)))::bigint is null then greatest(0, 10 - case when b.agent_id is null then u.running else (
  select coalesce(sum(o.running), 0)::int from runs o
  where o.project_id = of_project and o.agent_id = r.agent_id and o.finished_at is null) end)
  when coalesce(round((d.declaration->>'item_budget_cents')::numeric * 10000),
  ceil(r.cost_micro::numeric / nullif(ended_items(r), 0)))::bigint = 0 then null
  else greatest((b.limit_micro - b.spent_micro) / coalesce(round((d.declaration->>'item_budget_cents')::numeric * 10000),
  ceil(r.cost_micro::numeric / nullif(ended_items(r), 0)))::bigint - case when b.agent_id is null then u.running else (
  select coalesce(sum(o.running), 0)::int from runs o
  where o.project_id = of_project and o.agent_id = r.agent_id and o.finished_at is null) end, (case when b.agent_id is null then u.running else (
  select coalesce(sum(o.running), 0)::int from runs o
  where o.project_id = of_project and o.agent_id = r.agent_id and o.finished_at is null) end = 0)::int) end) from budgets b where b.project_id = of_project and (b.agent_id is null or b.agent_id = r.agent_id)), case when r.waits_for_price then 0 end) - kept_of_run))::int
  into low_seq, high_seq, room
  from runs r join project_usage u on u.project_id = of_project
  join projects p on p.id = of_project join agents a on a.project_id = of_project and a.id = r.agent_id
  left join accounts c on c.id = p.account_id
  left join deployments d on d.project_id = of_project and d.id = coalesce(r.deployment_id, a.current_deployment_id)
  where r.project_id = of_project and r.id = of_run and d.id = of_deployment and (r.finished_at is null and not r.materializing and r.stop_reason is null) and (d.id is not null and c.status is not distinct from 'active' and not (select held_since is not null from installation));
END
$$;
CREATE FUNCTION take_range(
  of_project uuid, of_run uuid, of_deployment uuid, most int, kept_places int, kept_of_run int, lease_ms int
) RETURNS TABLE (claim_id bigint, seq int, attempt smallint, item_id text, partition_key text, input text, past json)
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET jit = off AS $$
#variable_conflict use_column
DECLARE
  low_seq int;
  high_seq int;
  room int;
  locked_at timestamptz;
  has_due boolean;
  busy jsonb;
  due_seqs int[];
  together_of smallint[];
  cuts_of smallint[];
  upstream_id_of uuid[];
  stops_of smallint[];
  refusals_of smallint[];
  cut_answers_of smallint[];
BEGIN
  select * into low_seq, high_seq, room from lock_room(of_project, of_run, of_deployment, most, kept_places, kept_of_run);
  if coalesce(room, 0) = 0 then
    return;
  end if;
  high_seq := least(low_seq + room - 1, high_seq);
  if high_seq < low_seq then
    return;
  end if;
  has_due := exists (
    select from due_items d where d.project_id = of_project and d.run_id = of_run and d.seq between low_seq and high_seq);
  locked_at := clock_timestamp();
  return query
    with taken as (
      update items i set status = 'running', attempt = attempt + 1, started_at = coalesce(started_at, locked_at)
      where i.project_id = of_project and i.run_id = of_run and i.status = 'queued' and i.seq between low_seq and high_seq
        and (not has_due or not exists (select from due_items d where d.project_id = of_project and d.run_id = of_run and d.seq = i.seq))
      returning i.seq, i.attempt, i.item_id, i.partition_key, i.input, i.step_count, i.cost_micro, i.extra_budget_micro,
        i.unpriced, i.ran_ms, i.agent_failures, i.transport_failures, null::smallint as together, null::smallint as cuts, null::uuid as upstream_id, null::smallint as stops, null::smallint as refusals, null::smallint as cut_answers
    ), moved as (select high_seq + 1 as next_seq), n as (select count(*)::int as n from taken), counted as (
      update runs r set running = r.running + n.n, next_seq = moved.next_seq, touched_at = locked_at,
        started_at = case when n.n > 0 then coalesce(r.started_at, locked_at) else r.started_at end,
        deployment_id = of_deployment
      from n, moved where r.project_id = of_project and r.id = of_run
    ), used as (
      update project_usage u set running = u.running + n.n from n where u.project_id = of_project
    ), claim as (
      insert into claims (run_id, project_id, seqs, attempts, lease_until)
      select of_run, of_project, array_agg(t.seq), array_agg(t.attempt),
        locked_at + make_interval(secs => lease_ms / 1000.0)
      from taken t having count(*) > 0 returning id
    )
    select claim.id, t.seq, t.attempt, t.item_id, t.partition_key, t.input,
      case when t.attempt > 1 or t.step_count > 0 or t.cost_micro > 0 or t.extra_budget_micro is not null or t.unpriced
          or t.ran_ms > 0 or t.agent_failures > 0 or t.transport_failures > 0 or t.together is not null or t.cuts is not null
          or t.upstream_id is not null or t.cut_answers is not null
        then json_build_object('step_count', t.step_count, 'cost_micro', t.cost_micro,
          'extra_budget_micro', t.extra_budget_micro, 'unpriced', t.unpriced, 'ran_ms', t.ran_ms,
          'agent_failures', t.agent_failures, 'transport_failures', t.transport_failures, 'together', t.together,
          'cuts', t.cuts, 'upstream_id', t.upstream_id, 'stops', coalesce(t.stops, 0), 'refusals', coalesce(t.refusals, 0), 'cut_answers', coalesce(t.cut_answers, 0)) end
    from taken t, claim;
END
$$;
CREATE FUNCTION take_due(
  of_project uuid, of_run uuid, of_deployment uuid, most int, kept_places int, kept_of_run int, lease_ms int, fresh boolean
) RETURNS TABLE (claim_id bigint, seq int, attempt smallint, item_id text, partition_key text, input text, past json)
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET jit = off AS $$
#variable_conflict use_column
DECLARE
  low_seq int;
  high_seq int;
  room int;
  locked_at timestamptz;
  has_due boolean;
  busy jsonb;
  due_seqs int[];
  together_of smallint[];
  cuts_of smallint[];
  upstream_id_of uuid[];
  stops_of smallint[];
  refusals_of smallint[];
  cut_answers_of smallint[];
BEGIN
  select * into low_seq, high_seq, room from lock_room(of_project, of_run, of_deployment, most, kept_places, kept_of_run);
  if coalesce(room, 0) = 0 then
    return;
  end if;
  with chosen as materialized (select d.seq from (select d.seq, d.due_at from due_items d
        where d.project_id = of_project and d.run_id = of_run and d.due_at <= now() and (fresh or d.cuts is null)
        order by d.due_at limit room) d), due as (
    delete from due_items d where d.project_id = of_project and d.run_id = of_run and d.seq between (select min(chosen.seq) from chosen) and (select max(chosen.seq) from chosen)
        and (d.seq in (select chosen.seq from chosen)) is true
    returning d.seq, d.together, d.cuts, d.upstream_id, d.stops, d.refusals, d.cut_answers
  )
  select array_agg(due.seq), array_agg(due.together), array_agg(due.cuts), array_agg(due.upstream_id), array_agg(due.stops), array_agg(due.refusals), array_agg(due.cut_answers)
  into due_seqs, together_of, cuts_of, upstream_id_of, stops_of, refusals_of, cut_answers_of from due;
  if due_seqs is null then
    return;
  end if;
  locked_at := clock_timestamp();
  return query
    with taken as (
      update items i set status = 'running', attempt = attempt + 1, started_at = coalesce(started_at, locked_at)
      from generate_subscripts(due_seqs, 1) n
      where i.project_id = of_project and i.run_id = of_run and i.seq = any(due_seqs)
        and i.seq between (select min(s.seq) from unnest(due_seqs) s(seq)) and (select max(s.seq) from unnest(due_seqs) s(seq))
        and i.seq = due_seqs[n] and i.status = 'queued'
      returning i.seq, i.attempt, i.item_id, i.partition_key, i.input, i.step_count, i.cost_micro, i.extra_budget_micro,
        i.unpriced, i.ran_ms, i.agent_failures, i.transport_failures, together_of[n] as together, cuts_of[n] as cuts, upstream_id_of[n] as upstream_id, stops_of[n] as stops, refusals_of[n] as refusals, cut_answers_of[n] as cut_answers
    ), moved as (select low_seq as next_seq), n as (select count(*)::int as n from taken), counted as (
      update runs r set running = r.running + n.n, next_seq = moved.next_seq, touched_at = locked_at,
        started_at = case when n.n > 0 then coalesce(r.started_at, locked_at) else r.started_at end,
        deployment_id = of_deployment
      from n, moved where r.project_id = of_project and r.id = of_run
    ), used as (
      update project_usage u set running = u.running + n.n from n where u.project_id = of_project
    ), claim as (
      insert into claims (run_id, project_id, seqs, attempts, lease_until)
      select of_run, of_project, array_agg(t.seq), array_agg(t.attempt),
        locked_at + make_interval(secs => lease_ms / 1000.0)
      from taken t having count(*) > 0 returning id
    )
    select claim.id, t.seq, t.attempt, t.item_id, t.partition_key, t.input,
      case when t.attempt > 1 or t.step_count > 0 or t.cost_micro > 0 or t.extra_budget_micro is not null or t.unpriced
          or t.ran_ms > 0 or t.agent_failures > 0 or t.transport_failures > 0 or t.together is not null or t.cuts is not null
          or t.upstream_id is not null or t.cut_answers is not null
        then json_build_object('step_count', t.step_count, 'cost_micro', t.cost_micro,
          'extra_budget_micro', t.extra_budget_micro, 'unpriced', t.unpriced, 'ran_ms', t.ran_ms,
          'agent_failures', t.agent_failures, 'transport_failures', t.transport_failures, 'together', t.together,
          'cuts', t.cuts, 'upstream_id', t.upstream_id, 'stops', coalesce(t.stops, 0), 'refusals', coalesce(t.refusals, 0), 'cut_answers', coalesce(t.cut_answers, 0)) end
    from taken t, claim;
END
$$;
CREATE FUNCTION take_due_fair(
  of_project uuid, of_run uuid, of_deployment uuid, most int, kept_places int, kept_of_run int, lease_ms int, fresh boolean, per_partition int, lookahead int
) RETURNS TABLE (claim_id bigint, seq int, attempt smallint, item_id text, partition_key text, input text, past json)
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET jit = off AS $$
#variable_conflict use_column
DECLARE
  low_seq int;
  high_seq int;
  room int;
  locked_at timestamptz;
  has_due boolean;
  busy jsonb;
  due_seqs int[];
  together_of smallint[];
  cuts_of smallint[];
  upstream_id_of uuid[];
  stops_of smallint[];
  refusals_of smallint[];
  cut_answers_of smallint[];
BEGIN
  select * into low_seq, high_seq, room from lock_room(of_project, of_run, of_deployment, most, kept_places, kept_of_run);
  if coalesce(room, 0) = 0 then
    return;
  end if;
  busy := (select jsonb_object_agg(p.partition_key, p.n) from (
    select i.partition_key, count(*) as n
    from claims c, unnest(c.seqs) as s(seq), lateral (select partition_key, status from items
        where project_id = of_project and run_id = c.run_id and seq = s.seq offset 0) i
    where c.project_id = of_project and i.status = 'running' and i.partition_key is not null
    group by 1) p);
  with chosen as materialized (
      select ranked.seq from (
        select d.seq, d.due_at, i.partition_key,
          row_number() over (partition by i.partition_key order by d.due_at, d.seq) as nth
        from (select d.seq, d.due_at from due_items d
        where d.project_id = of_project and d.run_id = of_run and d.due_at <= now() and (fresh or d.cuts is null)
        order by d.due_at limit lookahead) d cross join lateral (select partition_key from items
          where project_id = of_project and run_id = of_run and seq = d.seq offset 0) i) ranked
      where (partition_key is null or nth <= per_partition - coalesce((busy->>partition_key)::int, 0))
      order by due_at limit room), due as (
    delete from due_items d where d.project_id = of_project and d.run_id = of_run and d.seq between (select min(chosen.seq) from chosen) and (select max(chosen.seq) from chosen)
        and (d.seq in (select chosen.seq from chosen)) is true
    returning d.seq, d.together, d.cuts, d.upstream_id, d.stops, d.refusals, d.cut_answers
  )
  select array_agg(due.seq), array_agg(due.together), array_agg(due.cuts), array_agg(due.upstream_id), array_agg(due.stops), array_agg(due.refusals), array_agg(due.cut_answers)
  into due_seqs, together_of, cuts_of, upstream_id_of, stops_of, refusals_of, cut_answers_of from due;
  if due_seqs is null then
    return;
  end if;
  locked_at := clock_timestamp();
  return query
    with taken as (
      update items i set status = 'running', attempt = attempt + 1, started_at = coalesce(started_at, locked_at)
      from generate_subscripts(due_seqs, 1) n
      where i.project_id = of_project and i.run_id = of_run and i.seq = any(due_seqs)
        and i.seq between (select min(s.seq) from unnest(due_seqs) s(seq)) and (select max(s.seq) from unnest(due_seqs) s(seq))
        and i.seq = due_seqs[n] and i.status = 'queued'
      returning i.seq, i.attempt, i.item_id, i.partition_key, i.input, i.step_count, i.cost_micro, i.extra_budget_micro,
        i.unpriced, i.ran_ms, i.agent_failures, i.transport_failures, together_of[n] as together, cuts_of[n] as cuts, upstream_id_of[n] as upstream_id, stops_of[n] as stops, refusals_of[n] as refusals, cut_answers_of[n] as cut_answers
    ), moved as (select low_seq as next_seq), n as (select count(*)::int as n from taken), counted as (
      update runs r set running = r.running + n.n, next_seq = moved.next_seq, touched_at = locked_at,
        started_at = case when n.n > 0 then coalesce(r.started_at, locked_at) else r.started_at end,
        deployment_id = of_deployment
      from n, moved where r.project_id = of_project and r.id = of_run
    ), used as (
      update project_usage u set running = u.running + n.n from n where u.project_id = of_project
    ), claim as (
      insert into claims (run_id, project_id, seqs, attempts, lease_until)
      select of_run, of_project, array_agg(t.seq), array_agg(t.attempt),
        locked_at + make_interval(secs => lease_ms / 1000.0)
      from taken t having count(*) > 0 returning id
    )
    select claim.id, t.seq, t.attempt, t.item_id, t.partition_key, t.input,
      case when t.attempt > 1 or t.step_count > 0 or t.cost_micro > 0 or t.extra_budget_micro is not null or t.unpriced
          or t.ran_ms > 0 or t.agent_failures > 0 or t.transport_failures > 0 or t.together is not null or t.cuts is not null
          or t.upstream_id is not null or t.cut_answers is not null
        then json_build_object('step_count', t.step_count, 'cost_micro', t.cost_micro,
          'extra_budget_micro', t.extra_budget_micro, 'unpriced', t.unpriced, 'ran_ms', t.ran_ms,
          'agent_failures', t.agent_failures, 'transport_failures', t.transport_failures, 'together', t.together,
          'cuts', t.cuts, 'upstream_id', t.upstream_id, 'stops', coalesce(t.stops, 0), 'refusals', coalesce(t.refusals, 0), 'cut_answers', coalesce(t.cut_answers, 0)) end
    from taken t, claim;
END
$$;
CREATE FUNCTION take_fair(
  of_project uuid, of_run uuid, of_deployment uuid, most int, kept_places int, kept_of_run int, lease_ms int, per_partition int, lookahead int
) RETURNS TABLE (claim_id bigint, seq int, attempt smallint, item_id text, partition_key text, input text, past json)
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET jit = off AS $$
#variable_conflict use_column
DECLARE
  low_seq int;
  high_seq int;
  room int;
  locked_at timestamptz;
  has_due boolean;
  busy jsonb;
  due_seqs int[];
  together_of smallint[];
  cuts_of smallint[];
  upstream_id_of uuid[];
  stops_of smallint[];
  refusals_of smallint[];
  cut_answers_of smallint[];
BEGIN
  select * into low_seq, high_seq, room from lock_room(of_project, of_run, of_deployment, most, kept_places, kept_of_run);
  if coalesce(room, 0) = 0 then
    return;
  end if;
  busy := (select jsonb_object_agg(p.partition_key, p.n) from (
    select i.partition_key, count(*) as n
    from claims c, unnest(c.seqs) as s(seq), lateral (select partition_key, status from items
        where project_id = of_project and run_id = c.run_id and seq = s.seq offset 0) i
    where c.project_id = of_project and i.status = 'running' and i.partition_key is not null
    group by 1) p);
  locked_at := clock_timestamp();
  return query
    with near as (
      select i.seq, i.partition_key from items i
      where i.project_id = of_project and i.run_id = of_run and i.seq between low_seq and high_seq and i.status = 'queued'
        and not exists (select from due_items d where d.project_id = of_project and d.run_id = of_run and d.seq = i.seq)
      order by i.seq limit lookahead
    ), ranked as (
      select seq, partition_key, row_number() over (partition by partition_key order by seq) as nth from near
    ), chosen as (
      select ranked.seq from ranked where (partition_key is null or nth <= per_partition - coalesce((busy->>partition_key)::int, 0)) order by ranked.seq limit room
    ), taken as (
      update items i set status = 'running', attempt = attempt + 1, started_at = coalesce(started_at, locked_at)
      where i.project_id = of_project and i.run_id = of_run and i.seq between (select min(chosen.seq) from chosen) and (select max(chosen.seq) from chosen)
        and (i.seq in (select chosen.seq from chosen)) is true and i.status = 'queued'
      returning i.seq, i.attempt, i.item_id, i.partition_key, i.input, i.step_count, i.cost_micro, i.extra_budget_micro,
        i.unpriced, i.ran_ms, i.agent_failures, i.transport_failures, null::smallint as together, null::smallint as cuts, null::uuid as upstream_id, null::smallint as stops, null::smallint as refusals, null::smallint as cut_answers
    ), moved as (
      select coalesce((select min(near.seq) from near where near.seq not in (select taken.seq from taken)),
        (select max(near.seq) + 1 from near), high_seq + 1) as next_seq
    ), n as (select count(*)::int as n from taken), counted as (
      update runs r set running = r.running + n.n, next_seq = moved.next_seq, touched_at = locked_at,
        started_at = case when n.n > 0 then coalesce(r.started_at, locked_at) else r.started_at end,
        deployment_id = of_deployment
      from n, moved where r.project_id = of_project and r.id = of_run
    ), used as (
      update project_usage u set running = u.running + n.n from n where u.project_id = of_project
    ), claim as (
      insert into claims (run_id, project_id, seqs, attempts, lease_until)
      select of_run, of_project, array_agg(t.seq), array_agg(t.attempt),
        locked_at + make_interval(secs => lease_ms / 1000.0)
      from taken t having count(*) > 0 returning id
    )
    select claim.id, t.seq, t.attempt, t.item_id, t.partition_key, t.input,
      case when t.attempt > 1 or t.step_count > 0 or t.cost_micro > 0 or t.extra_budget_micro is not null or t.unpriced
          or t.ran_ms > 0 or t.agent_failures > 0 or t.transport_failures > 0 or t.together is not null or t.cuts is not null
          or t.upstream_id is not null or t.cut_answers is not null
        then json_build_object('step_count', t.step_count, 'cost_micro', t.cost_micro,
          'extra_budget_micro', t.extra_budget_micro, 'unpriced', t.unpriced, 'ran_ms', t.ran_ms,
          'agent_failures', t.agent_failures, 'transport_failures', t.transport_failures, 'together', t.together,
          'cuts', t.cuts, 'upstream_id', t.upstream_id, 'stops', coalesce(t.stops, 0), 'refusals', coalesce(t.refusals, 0), 'cut_answers', coalesce(t.cut_answers, 0)) end
    from taken t, claim;
END
$$;
end if;
END
$do$;
