-- The keys of what belongs to a run begin with its project. Of tables with rows, infra/migrate.ts builds them before it applies
-- this, beside those who write, and with each an index by the run, which a version that names no project goes on reading by.
DO $$
DECLARE
  of_table text;
  of_columns text;
  key_name text;
  leaf text;
  is_divided boolean;
BEGIN
  FOR of_table, of_columns IN VALUES
    ('items', 'run_id, seq'),
    ('attempts', 'run_id, seq, attempt'),
    ('due_items', 'run_id, seq'),
    ('triage', 'run_id, seq'),
    ('purges', 'run_id, kind'),
    ('steps', 'run_id, seq, step_no'),
    ('step_index', 'run_id, seq, step_no')
  LOOP
    EXECUTE format('ALTER TABLE %I DROP CONSTRAINT %I', of_table, (
      SELECT conname FROM pg_constraint WHERE conrelid = of_table::regclass AND contype = 'p'));
    key_name := of_table || '_project_id_' || replace(of_columns, ', ', '_') || '_pk';
    is_divided := EXISTS (SELECT FROM pg_partitioned_table WHERE partrelid = of_table::regclass);
    IF is_divided THEN
      EXECUTE format('ALTER TABLE ONLY %I ADD CONSTRAINT %I PRIMARY KEY (project_id, %s)', of_table, key_name, of_columns);
    END IF;
    FOR leaf IN SELECT relname FROM pg_class WHERE relkind = 'r' AND (oid = of_table::regclass
      OR oid IN (SELECT inhrelid FROM pg_inherits WHERE inhparent = of_table::regclass))
    LOOP
      IF is_divided THEN
        key_name := leaf || '_pkey';
      END IF;
      IF to_regclass(quote_ident(leaf || '_by_project')) IS NULL THEN
        EXECUTE format('ALTER TABLE %I ADD CONSTRAINT %I PRIMARY KEY (project_id, %s)', leaf, key_name, of_columns);
      ELSE
        EXECUTE format('ALTER TABLE %I ADD CONSTRAINT %I PRIMARY KEY USING INDEX %I', leaf, key_name, leaf || '_by_project');
      END IF;
      IF is_divided THEN
        EXECUTE format('ALTER INDEX %I ATTACH PARTITION %I',
          of_table || '_project_id_' || replace(of_columns, ', ', '_') || '_pk', key_name);
      END IF;
    END LOOP;
  END LOOP;
  -- Rows of a week that had no partition are found by their run when it gets one (make_step_week).
  CREATE INDEX IF NOT EXISTS steps_default_by_run ON steps_default (run_id);
  CREATE INDEX IF NOT EXISTS step_index_default_by_run ON step_index_default (run_id);
END
$$;
