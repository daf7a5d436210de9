-- Counting failed steps by what they say about it reads this index alone. INCLUDE is what drizzle-kit cannot say.
CREATE INDEX "step_index_errors" ON "step_index" ("project_id", "started_at")
  INCLUDE ("run_id", "outcome", "error_code", "kind", "name", "outcome_reason") WHERE outcome <> 'ok';
