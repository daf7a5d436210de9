-- First what takes its time: the lock on claims, which all wait for, is held until the end.
CREATE INDEX "due_items_cuts" ON "due_items" USING btree ("run_id") WHERE cuts is not null;--> statement-breakpoint
ALTER TABLE "claims" ADD COLUMN "heard_at" timestamp with time zone;