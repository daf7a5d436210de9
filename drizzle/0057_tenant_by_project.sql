ALTER POLICY "tenant" ON "delivery_tries" TO assay_tenant USING ("delivery_tries"."project_id" in (select id from projects));--> statement-breakpoint
ALTER POLICY "tenant" ON "replays" TO assay_tenant USING ("replays"."project_id" in (select id from projects));--> statement-breakpoint
ALTER POLICY "tenant" ON "attempts" TO assay_tenant USING ("attempts"."project_id" in (select id from projects));--> statement-breakpoint
ALTER POLICY "tenant" ON "due_items" TO assay_tenant USING ("due_items"."project_id" in (select id from projects));--> statement-breakpoint
ALTER POLICY "tenant" ON "steps" TO assay_tenant USING ("steps"."project_id" in (select id from projects));