ALTER TYPE "public"."delivery_kind" ADD VALUE 'run.results';--> statement-breakpoint
ALTER TABLE "schedules" ADD COLUMN "results" jsonb;