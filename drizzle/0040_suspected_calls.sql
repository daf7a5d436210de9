ALTER TABLE "items" ADD COLUMN "suspected_calls" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "suspected_calls" bigint DEFAULT 0 NOT NULL;