ALTER TABLE "triggers" ADD COLUMN "budget_micro" bigint;--> statement-breakpoint
ALTER TABLE "triggers" ADD COLUMN "pilot_items" integer;--> statement-breakpoint
ALTER TABLE "triggers" ADD COLUMN "concurrency" integer;--> statement-breakpoint
ALTER TABLE "triggers" ADD COLUMN "timeout_seconds" integer;--> statement-breakpoint
ALTER TABLE "triggers" ADD COLUMN "callback_url" text;--> statement-breakpoint
ALTER TABLE "triggers" ADD COLUMN "tags" text[] DEFAULT '{}' NOT NULL;