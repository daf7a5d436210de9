CREATE TYPE "public"."deployment_choice" AS ENUM('current', 'original');--> statement-breakpoint
ALTER TABLE "recoveries" DROP CONSTRAINT "recoveries_project_id_agent_id_agents_project_id_id_fk";
--> statement-breakpoint
ALTER TABLE "recoveries" ADD COLUMN "deployment" "deployment_choice" DEFAULT 'current' NOT NULL;--> statement-breakpoint
ALTER TABLE "recoveries" ADD COLUMN "budget_micro" bigint;--> statement-breakpoint
ALTER TABLE "recoveries" ADD COLUMN "pilot_run_ids" uuid[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "recoveries" ADD COLUMN "run_ids" uuid[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
UPDATE "recoveries" SET "pilot_run_ids" = array_remove(ARRAY["pilot_run_id"], NULL), "run_ids" = array_remove(ARRAY["run_id"], NULL);--> statement-breakpoint
ALTER TABLE "recoveries" DROP COLUMN "agent_id";--> statement-breakpoint
ALTER TABLE "recoveries" DROP COLUMN "pilot_run_id";--> statement-breakpoint
ALTER TABLE "recoveries" DROP COLUMN "run_id";