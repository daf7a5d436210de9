DROP INDEX "deliveries_due";--> statement-breakpoint
ALTER TABLE "signing_secrets" DROP CONSTRAINT "signing_secrets_project_id_version_pk";--> statement-breakpoint
ALTER TABLE "delivery_tries" ALTER COLUMN "started_at" SET DEFAULT now();--> statement-breakpoint
ALTER TABLE "delivery_tries" ALTER COLUMN "duration_ms" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "signing_secrets" ADD PRIMARY KEY ("project_id");--> statement-breakpoint
ALTER TABLE "deliveries" ADD COLUMN "host" text GENERATED ALWAYS AS (coalesce(substring(lower(url) from '^https?://([^/?#]+)'), 'mail')) STORED NOT NULL;--> statement-breakpoint
ALTER TABLE "deliveries" ADD COLUMN "run" jsonb;--> statement-breakpoint
ALTER TABLE "deliveries" ADD COLUMN "tries_allowed" smallint DEFAULT 4 NOT NULL;--> statement-breakpoint
ALTER TABLE "signing_secrets" ADD COLUMN "rolled_at" timestamp with time zone DEFAULT now() NOT NULL;--> statement-breakpoint
CREATE INDEX "deliveries_over" ON "deliveries" USING btree ("created_at") WHERE due_at is null;--> statement-breakpoint
CREATE INDEX "deliveries_alert" ON "deliveries" USING btree ("alert_id");--> statement-breakpoint
CREATE INDEX "deliveries_due" ON "deliveries" USING btree ("host","due_at") WHERE due_at is not null;--> statement-breakpoint
ALTER TABLE "signing_secrets" DROP COLUMN "sealed";--> statement-breakpoint
ALTER TABLE "signing_secrets" DROP COLUMN "created_at";--> statement-breakpoint
ALTER TABLE "signing_secrets" DROP COLUMN "valid_until";