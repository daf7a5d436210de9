CREATE TYPE "public"."triage_action" AS ENUM('replay', 'resume', 'acknowledge', 'dismiss');--> statement-breakpoint
ALTER TABLE "recoveries" ADD COLUMN "action" "triage_action" DEFAULT 'replay' NOT NULL;--> statement-breakpoint
ALTER TABLE "recoveries" ADD COLUMN "decided" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "recoveries" ADD COLUMN "reached_run_id" uuid;--> statement-breakpoint
ALTER TABLE "recoveries" ADD COLUMN "reached_seq" integer;