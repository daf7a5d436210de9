-- Where most runs are small, PostgreSQL expects a large one to be small, too, and may find its items by the run alone:
-- * 15 and 16 compared each with the list of chosen numbers: a claim of 1,000 items of a run of 100,000 took seconds. From
--   17 on they look the list up in the index. Before, bounds limit the rows that it compares.
-- * When partitions have a cap, all versions may read the whole run for each claim and for each due item. Lateral queries
--   with an offset look the items up.
-- What the functions take stays the same.
DO $do$
DECLARE
  body text;
  bodies text[];
  functions regprocedure[] := array[
    'take_due_2(uuid, uuid, uuid, int, int, int, int, boolean)',
    'take_due_fair_2(uuid, uuid, uuid, int, int, int, int, boolean, int, int)',
    'take_fair_2(uuid, uuid, uuid, int, int, int, int, int, int)'
  ]::regprocedure[];
  change text[];
  changes text[] := array[
    ['claims c, unnest(c.seqs) as s(seq), items i
    where c.project_id = of_project and i.project_id = of_project and i.run_id = c.run_id and i.seq = s.seq and i.status',
      'claims c, unnest(c.seqs) as s(seq), lateral (select partition_key, status from items
        where project_id = of_project and run_id = c.run_id and seq = s.seq offset 0) i
    where c.project_id = of_project and i.status'],
    ['d join items i
          on i.project_id = of_project and i.run_id = of_run and i.seq = d.seq) ranked',
      'd cross join lateral (select partition_key from items
          where project_id = of_project and run_id = of_run and seq = d.seq offset 0) i) ranked']
  ];
  bounds text := '.seq between (select min(chosen.seq) from chosen) and (select max(chosen.seq) from chosen)';
BEGIN
  if current_setting('server_version_num')::int < 170000 then
    changes := changes || array[
      ['i.seq = any(array(select chosen.seq from chosen))',
        'i' || bounds || ' and (i.seq in (select chosen.seq from chosen)) is true'],
      ['with due as (
    delete from due_items d where d.project_id = of_project and d.run_id = of_run and d.seq = any(array(',
        'with chosen as materialized ('],
      ['))
    returning d.seq, d.alone, d.cuts',
        '), due as (
    delete from due_items d where d.project_id = of_project and d.run_id = of_run
      and d' || bounds || ' and (d.seq in (select chosen.seq from chosen)) is true
    returning d.seq, d.alone, d.cuts'],
      ['i.seq = any(due_seqs)',
        'i.seq = any(due_seqs)
        and i.seq between (select min(s.seq) from unnest(due_seqs) s(seq)) and (select max(s.seq) from unnest(due_seqs) s(seq))']
    ];
  end if;
  select array_agg(pg_get_functiondef(f)) into bodies from unnest(functions) f;
  foreach change slice 1 in array changes loop
    if not exists (select 1 from unnest(bodies) b where position(change[1] in b) > 0) then
      raise exception 'no function that takes items has the text: %', change[1]
        using hint = 'The functions were changed by hand. Put back those of the migration before this one, then migrate again.';
    end if;
    select array_agg(replace(b, change[1], change[2])) into bodies from unnest(bodies) b;
  end loop;
  foreach body in array bodies loop
    execute body;
  end loop;
END
$do$;
