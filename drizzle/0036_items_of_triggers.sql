ALTER TABLE "triggers" ADD COLUMN "source" jsonb;--> statement-breakpoint
ALTER TABLE "triggers" ADD COLUMN "source_headers_sealed" text;