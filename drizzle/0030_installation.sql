CREATE TABLE "installation" (
	"only" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"key_fingerprint" text,
	"held_since" timestamp with time zone,
	"restored_from" timestamp with time zone,
	CONSTRAINT "installation_only" CHECK ("installation"."only")
);
--> statement-breakpoint
INSERT INTO "installation" DEFAULT VALUES;
