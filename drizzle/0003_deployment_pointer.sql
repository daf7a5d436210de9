-- Agents and deployments name each other, which drizzle-kit's types cannot say: this half stands here. Only the
-- pointer becomes null when its deployment goes, never the project.
ALTER TABLE "agents" ADD CONSTRAINT "agents_current_deployment" FOREIGN KEY ("project_id","current_deployment_id")
  REFERENCES "deployments"("project_id","id") ON DELETE SET NULL ("current_deployment_id");
