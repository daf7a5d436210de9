CREATE TYPE "public"."key_role" AS ENUM('operator', 'viewer');--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "role" "key_role" DEFAULT 'operator' NOT NULL;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "expires_at" timestamp with time zone;