ALTER TABLE "accounts" ADD COLUMN "kept_bytes" bigint;--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "kept_bytes_at" timestamp with time zone;