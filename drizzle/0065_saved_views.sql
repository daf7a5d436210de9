CREATE TYPE "public"."view_list" AS ENUM('runs', 'triage', 'search');--> statement-breakpoint
CREATE TABLE "saved_views" (
	"id" uuid PRIMARY KEY NOT NULL,
	"project_id" uuid NOT NULL,
	"member_id" uuid,
	"list" "view_list" NOT NULL,
	"name" text NOT NULL,
	"query" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "saved_views_name" UNIQUE NULLS NOT DISTINCT("project_id","member_id","list","name")
);
--> statement-breakpoint
ALTER TABLE "saved_views" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "saved_views" ADD CONSTRAINT "saved_views_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "saved_views" ADD CONSTRAINT "saved_views_member_id_members_id_fk" FOREIGN KEY ("member_id") REFERENCES "public"."members"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "saved_views_member" ON "saved_views" USING btree ("member_id");--> statement-breakpoint
CREATE POLICY "tenant" ON "saved_views" AS PERMISSIVE FOR SELECT TO "assay_tenant" USING ("saved_views"."project_id" in (select id from projects));