ALTER TABLE "runs" ADD COLUMN "tags" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
CREATE INDEX "runs_tags" ON "runs" USING gin ("tags") WHERE tags <> '{}';