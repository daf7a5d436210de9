ALTER TABLE "items" ADD COLUMN "model_calls" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "items" ADD COLUMN "unread_calls" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "model_calls" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "unread_calls" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "steps" ADD COLUMN "unread" text;