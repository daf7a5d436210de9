ALTER TABLE "claims" ADD COLUMN "handed_from" bigint;--> statement-breakpoint
ALTER TABLE "claims" ADD COLUMN "answer_until" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "due_items" ADD COLUMN "cuts" smallint;--> statement-breakpoint
CREATE INDEX "claims_handed_from" ON "claims" USING btree ("handed_from") WHERE handed_from is not null;