-- Weeks of steps are made and dropped by whoever owns the tables, whatever role asks for it: the one that Assay works as
-- may own nothing. What these do is bounded by their names: a week of steps is all that they touch.
CREATE FUNCTION first_id_of(week date) RETURNS uuid LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  hex text := lpad(to_hex((week - date '1970-01-01') * 86400000::bigint), 12, '0');
BEGIN
  RETURN (substr(hex, 1, 8) || '-' || substr(hex, 9) || '-7000-8000-000000000000')::uuid;
END
$$;--> statement-breakpoint
CREATE FUNCTION many_late(spare text, since uuid, before uuid, most int) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  late int;
BEGIN
  EXECUTE format('SELECT count(*) FROM (SELECT FROM %I WHERE run_id >= $1 AND run_id < $2 LIMIT $3) found', spare)
    INTO late USING since, before, most + 1;
  RETURN late > most;
END
$$;--> statement-breakpoint
-- Returns whether it made the partition: not where more rows than `most` of its week lie in the default partition. Waits
-- for no lock (55P03), since whoever waits for one stands before all who read or write steps.
CREATE FUNCTION make_step_week(of_table text, week date, most int) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
  name text := of_table || '_' || to_char(week, 'YYYYMMDD');
  spare text := of_table || '_default';
  since uuid := first_id_of(week);
  before uuid := first_id_of(week + 7);
BEGIN
  IF of_table NOT IN ('steps', 'step_index') OR (week - date '1970-01-01') % 7 <> 0 THEN
    RAISE EXCEPTION 'no week of steps: % of %', week, of_table;
  END IF;
  IF many_late(spare, since, before, most) THEN
    RETURN false;
  END IF;
  -- The table first, as all who write have it, and so does ATTACH. More rows may have come until then.
  EXECUTE format('LOCK TABLE ONLY %I, ONLY %I IN ACCESS EXCLUSIVE MODE NOWAIT', of_table, spare);
  IF to_regclass(quote_ident(name)) IS NOT NULL OR many_late(spare, since, before, most) THEN
    RETURN false;
  END IF;
  -- Moved between partitions, whose tables have no triggers: nothing of this is news to the search.
  EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING ALL)', name, of_table);
  EXECUTE format('WITH moved AS (DELETE FROM %I WHERE run_id >= $1 AND run_id < $2 RETURNING *) INSERT INTO %I SELECT * FROM moved', spare, name)
    USING since, before;
  EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', of_table, name, since, before);
  RETURN true;
END
$$;--> statement-breakpoint
-- Returns whether it dropped the week: not while a run of it has its steps. Waits for no lock either.
CREATE FUNCTION drop_step_week(week date) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
  of_table text;
  name text;
  dropped boolean := false;
BEGIN
  IF EXISTS (
    SELECT FROM runs WHERE id >= first_id_of(week) AND id < first_id_of(week + 7) AND steps_purged_at IS NULL
  ) THEN
    RETURN false;
  END IF;
  LOCK TABLE ONLY steps, ONLY step_index, ONLY steps_default, ONLY step_index_default IN ACCESS EXCLUSIVE MODE NOWAIT;
  FOREACH of_table IN ARRAY ARRAY['steps', 'step_index'] LOOP
    name := of_table || '_' || to_char(week, 'YYYYMMDD');
    IF to_regclass(quote_ident(name)) IS NOT NULL THEN
      EXECUTE format('LOCK TABLE ONLY %I IN ACCESS EXCLUSIVE MODE NOWAIT', name);
      EXECUTE format('DROP TABLE %I', name);
      dropped := true;
    END IF;
  END LOOP;
  RETURN dropped;
END
$$;--> statement-breakpoint
REVOKE ALL ON FUNCTION make_step_week(text, date, int), drop_step_week(date) FROM PUBLIC;--> statement-breakpoint
-- A search_path of their own: nobody else's tables or functions can stand in for these.
DO $$
DECLARE
  one regprocedure;
BEGIN
  FOREACH one IN ARRAY ARRAY['first_id_of(date)', 'many_late(text, uuid, uuid, int)', 'make_step_week(text, date, int)', 'drop_step_week(date)']::regprocedure[] LOOP
    EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', one, current_schema());
  END LOOP;
END
$$;
