ALTER TABLE "accounts" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "audit_log" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "members" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "sessions" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "agents" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "deployments" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "alert_channels" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "alert_settings" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "alerts" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "deliveries" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "delivery_tries" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "signing_secrets" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "api_keys" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "project_usage" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "projects" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "failure_clusters" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "recoveries" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "replays" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "attempts" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "claims" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "due_items" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "items" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "runs" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "occurrences" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "schedules" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "project_step_errors" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "run_step_errors" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "steps" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "triggers" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY "tenant" ON "accounts" AS PERMISSIVE FOR SELECT TO "assay_tenant" USING ("accounts"."id" = (select nullif(current_setting('assay.account_id', true), '')::uuid));--> statement-breakpoint
CREATE POLICY "tenant" ON "audit_log" AS PERMISSIVE FOR SELECT TO "assay_tenant" USING ("audit_log"."account_id" = (select nullif(current_setting('assay.account_id', true), '')::uuid));--> statement-breakpoint
CREATE POLICY "tenant" ON "members" AS PERMISSIVE FOR SELECT TO "assay_tenant" USING ("members"."account_id" = (select nullif(current_setting('assay.account_id', true), '')::uuid));--> statement-breakpoint
CREATE POLICY "tenant" ON "sessions" AS PERMISSIVE FOR SELECT TO "assay_tenant" USING ("sessions"."member_id" in (select id from members));--> statement-breakpoint
CREATE POLICY "tenant" ON "agents" AS PERMISSIVE FOR SELECT TO "assay_tenant" USING ("agents"."project_id" in (select id from projects));--> statement-breakpoint
CREATE POLICY "tenant" ON "deployments" AS PERMISSIVE FOR SELECT TO "assay_tenant" USING ("deployments"."project_id" in (select id from projects));--> statement-breakpoint
CREATE POLICY "tenant" ON "alert_channels" AS PERMISSIVE FOR SELECT TO "assay_tenant" USING ("alert_channels"."project_id" in (select id from projects));--> statement-breakpoint
CREATE POLICY "tenant" ON "alert_settings" AS PERMISSIVE FOR SELECT TO "assay_tenant" USING ("alert_settings"."project_id" in (select id from projects));--> statement-breakpoint
CREATE POLICY "tenant" ON "alerts" AS PERMISSIVE FOR SELECT TO "assay_tenant" USING ("alerts"."project_id" in (select id from projects));--> statement-breakpoint
CREATE POLICY "tenant" ON "deliveries" AS PERMISSIVE FOR SELECT TO "assay_tenant" USING ("deliveries"."project_id" in (select id from projects));--> statement-breakpoint
CREATE POLICY "tenant" ON "delivery_tries" AS PERMISSIVE FOR SELECT TO "assay_tenant" USING (exists (select from deliveries where deliveries.id = "delivery_tries"."delivery_id"));--> statement-breakpoint
CREATE POLICY "tenant" ON "signing_secrets" AS PERMISSIVE FOR SELECT TO "assay_tenant" USING ("signing_secrets"."project_id" in (select id from projects));--> statement-breakpoint
CREATE POLICY "tenant" ON "api_keys" AS PERMISSIVE FOR SELECT TO "assay_tenant" USING ("api_keys"."project_id" in (select id from projects));--> statement-breakpoint
CREATE POLICY "tenant" ON "project_usage" AS PERMISSIVE FOR SELECT TO "assay_tenant" USING ("project_usage"."project_id" in (select id from projects));--> statement-breakpoint
CREATE POLICY "tenant" ON "projects" AS PERMISSIVE FOR SELECT TO "assay_tenant" USING ("projects"."account_id" = (select nullif(current_setting('assay.account_id', true), '')::uuid));--> statement-breakpoint
CREATE POLICY "tenant" ON "failure_clusters" AS PERMISSIVE FOR SELECT TO "assay_tenant" USING ("failure_clusters"."project_id" in (select id from projects));--> statement-breakpoint
CREATE POLICY "tenant" ON "recoveries" AS PERMISSIVE FOR SELECT TO "assay_tenant" USING ("recoveries"."project_id" in (select id from projects));--> statement-breakpoint
CREATE POLICY "tenant" ON "replays" AS PERMISSIVE FOR SELECT TO "assay_tenant" USING (exists (select from runs where runs.id = "replays"."run_id"));--> statement-breakpoint
CREATE POLICY "tenant" ON "attempts" AS PERMISSIVE FOR SELECT TO "assay_tenant" USING (exists (select from runs where runs.id = "attempts"."run_id"));--> statement-breakpoint
CREATE POLICY "tenant" ON "claims" AS PERMISSIVE FOR SELECT TO "assay_tenant" USING ("claims"."project_id" in (select id from projects));--> statement-breakpoint
CREATE POLICY "tenant" ON "due_items" AS PERMISSIVE FOR SELECT TO "assay_tenant" USING (exists (select from runs where runs.id = "due_items"."run_id"));--> statement-breakpoint
CREATE POLICY "tenant" ON "items" AS PERMISSIVE FOR SELECT TO "assay_tenant" USING (exists (select from runs where runs.id = "items"."run_id"));--> statement-breakpoint
CREATE POLICY "tenant" ON "runs" AS PERMISSIVE FOR SELECT TO "assay_tenant" USING ("runs"."project_id" in (select id from projects));--> statement-breakpoint
CREATE POLICY "tenant" ON "occurrences" AS PERMISSIVE FOR SELECT TO "assay_tenant" USING ("occurrences"."project_id" in (select id from projects));--> statement-breakpoint
CREATE POLICY "tenant" ON "schedules" AS PERMISSIVE FOR SELECT TO "assay_tenant" USING ("schedules"."project_id" in (select id from projects));--> statement-breakpoint
CREATE POLICY "tenant" ON "project_step_errors" AS PERMISSIVE FOR SELECT TO "assay_tenant" USING ("project_step_errors"."project_id" in (select id from projects));--> statement-breakpoint
CREATE POLICY "tenant" ON "run_step_errors" AS PERMISSIVE FOR SELECT TO "assay_tenant" USING ("run_step_errors"."project_id" in (select id from projects));--> statement-breakpoint
CREATE POLICY "tenant" ON "steps" AS PERMISSIVE FOR SELECT TO "assay_tenant" USING (exists (select from runs where runs.id = "steps"."run_id"));--> statement-breakpoint
CREATE POLICY "tenant" ON "triggers" AS PERMISSIVE FOR SELECT TO "assay_tenant" USING ("triggers"."project_id" in (select id from projects));