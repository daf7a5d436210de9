ALTER TABLE "schedules" ADD COLUMN "allow_unpriced" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "triggers" ADD COLUMN "allow_unpriced" boolean DEFAULT false NOT NULL;