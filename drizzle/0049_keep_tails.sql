-- These tables empty many times a second. Vacuum gives what is empty at their end back to the disk under a lock that every
-- claim and every flush then waits for; what it gives back is written to again at once.
ALTER TABLE "claims" SET (vacuum_truncate = off);--> statement-breakpoint
ALTER TABLE "due_items" SET (vacuum_truncate = off);--> statement-breakpoint
ALTER TABLE "unindexed_steps" SET (vacuum_truncate = off);
