-- Made by npm run generate from shared/claims/queries/take-functions.ts, which says why the version matters.
DO $do$
BEGIN
if current_setting('server_version_num')::int >= 170000 then
CREATE OR REPLACE FUNCTION lock_room_2(of_project uuid, of_run uuid, of_deployment uuid, most int, kept_places int, kept_of_run int, OUT low_seq int, OUT high_seq int, OUT room int)
LANGUAGE plpgsql AS $$
BEGIN
  perform from runs r join project_usage u using (project_id)
    where r.project_id = of_project and r.id = of_run for no key update of r, u;
  select r.next_seq, least(r.total_items, r.pilot_items), greatest(0, least(most, greatest(0, coalesce((p.settings->>'concurrency')::int, 256) - u.running) - kept_places,
    least(r.concurrency - r.running, (d.declaration->>'concurrency')::int - r.running, (r.pilot_items - r.running - r.paused - ended_items(r)),
    case
  when r.budget_micro is null then null when r.cost_micro >= r.budget_micro then 0
  when coalesce(round((d.declaration->>'item_budget_cents')::numeric * 10000),
  ceil(r.cost_micro::numeric / nullif(ended_items(r), 0)))::bigint is null then greatest(0, 10 - r.running)
  when coalesce(round((d.declaration->>'item_budget_cents')::numeric * 10000),
  ceil(r.cost_micro::numeric / nullif(ended_items(r), 0)))::bigint = 0 then null
  else greatest((r.budget_micro - r.cost_micro) / coalesce(round((d.declaration->>'item_budget_cents')::numeric * 10000),
  ceil(r.cost_micro::numeric / nullif(ended_items(r), 0)))::bigint - r.running, (r.running = 0)::int) end, case
  when p.credit_micro is null then null when u.spent_micro >= p.credit_micro then 0
  when coalesce(round((d.declaration->>'item_budget_cents')::numeric * 10000),
  ceil(r.cost_micro::numeric / nullif(ended_items(r), 0)))::bigint is null then greatest(0, 10 - u.running)
  when coalesce(round((d.declaration->>'item_budget_cents')::numeric * 10000),
  ceil(r.cost_micro::numeric / nullif(ended_items(r), 0)))::bigint = 0 then null
  else greatest((p.credit_micro - u.spent_micro) / coalesce(round((d.declaration->>'item_budget_cents')::numeric * 10000),
  ceil(r.cost_micro::numeric / nullif(ended_items(r), 0)))::bigint - u.running, (u.running = 0)::int) end,
    (select min(case
  when b.limit_micro is null then null when b.spent_micro >= b.limit_micro then 0
  when coalesce(round((d.declaration->>'item_budget_cents')::numeric * 10000),
  ceil(r.cost_micro::numeric / nullif(ended_items(r), 0)))::bigint is null then greatest(0, 10 - case when b.agent_id is null then u.running else (
  select coalesce(sum(o.running), 0)::int from runs o
  where o.project_id = of_project and o.agent_id = r.agent_id and o.finished_at is null) end)
  when coalesce(round((d.declaration->>'item_budget_cents')::numeric * 10000),
  ceil(r.cost_micro::numeric / nullif(ended_items(r), 0)))::bigint = 0 then null
  else greatest((b.limit_micro - b.spent_micro) / coalesce(round((d.declaration->>'item_budget_cents')::numeric * 10000),
  ceil(r.cost_micro::numeric / nullif(ended_items(r), 0)))::bigint - case when b.agent_id is null then u.running else (
  select coalesce(sum(o.running), 0)::int from runs o
  where o.project_id = of_project and o.agent_id = r.agent_id and o.finished_at is null) end, (case when b.agent_id is null then u.running else (
  select coalesce(sum(o.running), 0)::int from runs o
  where o.project_id = of_project and o.agent_id = r.agent_id and o.finished_at is null) end = 0)::int) end) from budgets b where b.project_id = of_project and (b.agent_id is null or b.agent_id = r.agent_id)), case when r.waits_for_price then 0 end) - kept_of_run))::int
  into low_seq, high_seq, room
  from runs r join project_usage u on u.project_id = of_project
  join projects p on p.id = of_project join agents a on a.project_id = of_project and a.id = r.agent_id
  left join accounts c on c.id = p.account_id
  left join deployments d on d.project_id = of_project and d.id = coalesce(r.deployment_id, a.current_deployment_id)
  where r.project_id = of_project and r.id = of_run and d.id = of_deployment and (r.finished_at is null and not r.materializing and r.stop_reason is null) and (d.id is not null and c.status is not distinct from 'active' and not (select held_since is not null from installation));
END
$$;
CREATE OR REPLACE FUNCTION take_range_2(
  of_project uuid, of_run uuid, of_deployment uuid, most int, kept_places int, kept_of_run int, lease_ms int
) RETURNS TABLE (claim_id bigint, seq int, attempt smallint, item_id text, partition_key text, input text, past json)
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET jit = off AS $$
#variable_conflict use_column
DECLARE
  low_seq int;
  high_seq int;
  room int;
  locked_at timestamptz;
  has_due boolean;
  busy jsonb;
  due_seqs int[];
  alones boolean[];
  cuts_of smallint[];
BEGIN
  select * into low_seq, high_seq, room from lock_room_2(of_project, of_run, of_deployment, most, kept_places, kept_of_run);
  if coalesce(room, 0) = 0 then
    return;
  end if;
  high_seq := least(low_seq + room - 1, high_seq);
  if high_seq < low_seq then
    return;
  end if;
  has_due := exists (
    select from due_items d where d.project_id = of_project and d.run_id = of_run and d.seq between low_seq and high_seq);
  locked_at := clock_timestamp();
  return query
    with taken as (
      update items i set status = 'running', attempt = attempt + 1, started_at = coalesce(started_at, locked_at)
      where i.project_id = of_project and i.run_id = of_run and i.status = 'queued' and i.seq between low_seq and high_seq
        and (not has_due or not exists (select from due_items d where d.project_id = of_project and d.run_id = of_run and d.seq = i.seq))
      returning i.seq, i.attempt, i.item_id, i.partition_key, i.input, i.step_count, i.cost_micro, i.extra_budget_micro,
        i.unpriced, i.ran_ms, i.agent_failures, i.transport_failures, false as alone, null::smallint as cuts
    ), moved as (select high_seq + 1 as next_seq), n as (select count(*)::int as n from taken), counted as (
      update runs r set running = r.running + n.n, next_seq = moved.next_seq, touched_at = locked_at,
        started_at = case when n.n > 0 then coalesce(r.started_at, locked_at) else r.started_at end,
        deployment_id = of_deployment
      from n, moved where r.project_id = of_project and r.id = of_run
    ), used as (
      update project_usage u set running = u.running + n.n from n where u.project_id = of_project
    ), claim as (
      insert into claims (run_id, project_id, seqs, attempts, lease_until)
      select of_run, of_project, array_agg(t.seq), array_agg(t.attempt),
        locked_at + make_interval(secs => lease_ms / 1000.0)
      from taken t having count(*) > 0 returning id
    )
    select claim.id, t.seq, t.attempt, t.item_id, t.partition_key, t.input,
      case when t.attempt > 1 or t.step_count > 0 or t.cost_micro > 0 or t.extra_budget_micro is not null or t.unpriced
          or t.ran_ms > 0 or t.agent_failures > 0 or t.transport_failures > 0 or t.alone or t.cuts is not null
        then json_build_object('step_count', t.step_count, 'cost_micro', t.cost_micro,
          'extra_budget_micro', t.extra_budget_micro, 'unpriced', t.unpriced, 'ran_ms', t.ran_ms,
          'agent_failures', t.agent_failures, 'transport_failures', t.transport_failures, 'alone', t.alone,
          'cuts', t.cuts) end
    from taken t, claim;
END
$$;
CREATE OR REPLACE FUNCTION take_due_2(
  of_project uuid, of_run uuid, of_deployment uuid, most int, kept_places int, kept_of_run int, lease_ms int, fresh boolean
) RETURNS TABLE (claim_id bigint, seq int, attempt smallint, item_id text, partition_key text, input text, past json)
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET jit = off AS $$
#variable_conflict use_column
DECLARE
  low_seq int;
  high_seq int;
  room int;
  locked_at timestamptz;
  has_due boolean;
  busy jsonb;
  due_seqs int[];
  alones boolean[];
  cuts_of smallint[];
BEGIN
  select * into low_seq, high_seq, room from lock_room_2(of_project, of_run, of_deployment, most, kept_places, kept_of_run);
  if coalesce(room, 0) = 0 then
    return;
  end if;
  with chosen as materialized (select d.seq from (select d.seq, d.due_at from due_items d
        where d.project_id = of_project and d.run_id = of_run and d.due_at <= now() and (fresh or d.cuts is null)
        order by d.due_at limit room) d), due as (
    delete from due_items d where d.project_id = of_project and d.run_id = of_run and d.seq = any(array(select chosen.seq from chosen))
    returning d.seq, d.alone, d.cuts
  )
  select array_agg(due.seq), array_agg(due.alone), array_agg(due.cuts) into due_seqs, alones, cuts_of from due;
  if due_seqs is null then
    return;
  end if;
  locked_at := clock_timestamp();
  return query
    with taken as (
      update items i set status = 'running', attempt = attempt + 1, started_at = coalesce(started_at, locked_at)
      from generate_subscripts(due_seqs, 1) n
      where i.project_id = of_project and i.run_id = of_run and i.seq = any(due_seqs)
        and i.seq = due_seqs[n] and i.status = 'queued'
      returning i.seq, i.attempt, i.item_id, i.partition_key, i.input, i.step_count, i.cost_micro, i.extra_budget_micro,
        i.unpriced, i.ran_ms, i.agent_failures, i.transport_failures, alones[n] as alone, cuts_of[n] as cuts
    ), moved as (select low_seq as next_seq), n as (select count(*)::int as n from taken), counted as (
      update runs r set running = r.running + n.n, next_seq = moved.next_seq, touched_at = locked_at,
        started_at = case when n.n > 0 then coalesce(r.started_at, locked_at) else r.started_at end,
        deployment_id = of_deployment
      from n, moved where r.project_id = of_project and r.id = of_run
    ), used as (
      update project_usage u set running = u.running + n.n from n where u.project_id = of_project
    ), claim as (
      insert into claims (run_id, project_id, seqs, attempts, lease_until)
      select of_run, of_project, array_agg(t.seq), array_agg(t.attempt),
        locked_at + make_interval(secs => lease_ms / 1000.0)
      from taken t having count(*) > 0 returning id
    )
    select claim.id, t.seq, t.attempt, t.item_id, t.partition_key, t.input,
      case when t.attempt > 1 or t.step_count > 0 or t.cost_micro > 0 or t.extra_budget_micro is not null or t.unpriced
          or t.ran_ms > 0 or t.agent_failures > 0 or t.transport_failures > 0 or t.alone or t.cuts is not null
        then json_build_object('step_count', t.step_count, 'cost_micro', t.cost_micro,
          'extra_budget_micro', t.extra_budget_micro, 'unpriced', t.unpriced, 'ran_ms', t.ran_ms,
          'agent_failures', t.agent_failures, 'transport_failures', t.transport_failures, 'alone', t.alone,
          'cuts', t.cuts) end
    from taken t, claim;
END
$$;
CREATE OR REPLACE FUNCTION take_due_fair_2(
  of_project uuid, of_run uuid, of_deployment uuid, most int, kept_places int, kept_of_run int, lease_ms int, fresh boolean, per_partition int, lookahead int
) RETURNS TABLE (claim_id bigint, seq int, attempt smallint, item_id text, partition_key text, input text, past json)
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET jit = off AS $$
#variable_conflict use_column
DECLARE
  low_seq int;
  high_seq int;
  room int;
  locked_at timestamptz;
  has_due boolean;
  busy jsonb;
  due_seqs int[];
  alones boolean[];
  cuts_of smallint[];
BEGIN
  select * into low_seq, high_seq, room from lock_room_2(of_project, of_run, of_deployment, most, kept_places, kept_of_run);
  if coalesce(room, 0) = 0 then
    return;
  end if;
  busy := (select jsonb_object_agg(p.partition_key, p.n) from (
    select i.partition_key, count(*) as n
    from claims c, unnest(c.seqs) as s(seq), lateral (select partition_key, status from items
        where project_id = of_project and run_id = c.run_id and seq = s.seq offset 0) i
    where c.project_id = of_project and i.status = 'running' and i.partition_key is not null
    group by 1) p);
  with chosen as materialized (
      select ranked.seq from (
        select d.seq, d.due_at, i.partition_key,
          row_number() over (partition by i.partition_key order by d.due_at, d.seq) as nth
        from (select d.seq, d.due_at from due_items d
        where d.project_id = of_project and d.run_id = of_run and d.due_at <= now() and (fresh or d.cuts is null)
        order by d.due_at limit lookahead) d cross join lateral (select partition_key from items
          where project_id = of_project and run_id = of_run and seq = d.seq offset 0) i) ranked
      where (partition_key is null or nth <= per_partition - coalesce((busy->>partition_key)::int, 0))
      order by due_at limit room), due as (
    delete from due_items d where d.project_id = of_project and d.run_id = of_run and d.seq = any(array(select chosen.seq from chosen))
    returning d.seq, d.alone, d.cuts
  )
  select array_agg(due.seq), array_agg(due.alone), array_agg(due.cuts) into due_seqs, alones, cuts_of from due;
  if due_seqs is null then
    return;
  end if;
  locked_at := clock_timestamp();
  return query
    with taken as (
      update items i set status = 'running', attempt = attempt + 1, started_at = coalesce(started_at, locked_at)
      from generate_subscripts(due_seqs, 1) n
      where i.project_id = of_project and i.run_id = of_run and i.seq = any(due_seqs)
        and i.seq = due_seqs[n] and i.status = 'queued'
      returning i.seq, i.attempt, i.item_id, i.partition_key, i.input, i.step_count, i.cost_micro, i.extra_budget_micro,
        i.unpriced, i.ran_ms, i.agent_failures, i.transport_failures, alones[n] as alone, cuts_of[n] as cuts
    ), moved as (select low_seq as next_seq), n as (select count(*)::int as n from taken), counted as (
      update runs r set running = r.running + n.n, next_seq = moved.next_seq, touched_at = locked_at,
        started_at = case when n.n > 0 then coalesce(r.started_at, locked_at) else r.started_at end,
        deployment_id = of_deployment
      from n, moved where r.project_id = of_project and r.id = of_run
    ), used as (
      update project_usage u set running = u.running + n.n from n where u.project_id = of_project
    ), claim as (
      insert into claims (run_id, project_id, seqs, attempts, lease_until)
      select of_run, of_project, array_agg(t.seq), array_agg(t.attempt),
        locked_at + make_interval(secs => lease_ms / 1000.0)
      from taken t having count(*) > 0 returning id
    )
    select claim.id, t.seq, t.attempt, t.item_id, t.partition_key, t.input,
      case when t.attempt > 1 or t.step_count > 0 or t.cost_micro > 0 or t.extra_budget_micro is not null or t.unpriced
          or t.ran_ms > 0 or t.agent_failures > 0 or t.transport_failures > 0 or t.alone or t.cuts is not null
        then json_build_object('step_count', t.step_count, 'cost_micro', t.cost_micro,
          'extra_budget_micro', t.extra_budget_micro, 'unpriced', t.unpriced, 'ran_ms', t.ran_ms,
          'agent_failures', t.agent_failures, 'transport_failures', t.transport_failures, 'alone', t.alone,
          'cuts', t.cuts) end
    from taken t, claim;
END
$$;
CREATE OR REPLACE FUNCTION take_fair_2(
  of_project uuid, of_run uuid, of_deployment uuid, most int, kept_places int, kept_of_run int, lease_ms int, per_partition int, lookahead int
) RETURNS TABLE (claim_id bigint, seq int, attempt smallint, item_id text, partition_key text, input text, past json)
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET jit = off AS $$
#variable_conflict use_column
DECLARE
  low_seq int;
  high_seq int;
  room int;
  locked_at timestamptz;
  has_due boolean;
  busy jsonb;
  due_seqs int[];
  alones boolean[];
  cuts_of smallint[];
BEGIN
  select * into low_seq, high_seq, room from lock_room_2(of_project, of_run, of_deployment, most, kept_places, kept_of_run);
  if coalesce(room, 0) = 0 then
    return;
  end if;
  busy := (select jsonb_object_agg(p.partition_key, p.n) from (
    select i.partition_key, count(*) as n
    from claims c, unnest(c.seqs) as s(seq), lateral (select partition_key, status from items
        where project_id = of_project and run_id = c.run_id and seq = s.seq offset 0) i
    where c.project_id = of_project and i.status = 'running' and i.partition_key is not null
    group by 1) p);
  locked_at := clock_timestamp();
  return query
    with near as (
      select i.seq, i.partition_key from items i
      where i.project_id = of_project and i.run_id = of_run and i.seq between low_seq and high_seq and i.status = 'queued'
        and not exists (select from due_items d where d.project_id = of_project and d.run_id = of_run and d.seq = i.seq)
      order by i.seq limit lookahead
    ), ranked as (
      select seq, partition_key, row_number() over (partition by partition_key order by seq) as nth from near
    ), chosen as (
      select ranked.seq from ranked where (partition_key is null or nth <= per_partition - coalesce((busy->>partition_key)::int, 0)) order by ranked.seq limit room
    ), taken as (
      update items i set status = 'running', attempt = attempt + 1, started_at = coalesce(started_at, locked_at)
      where i.project_id = of_project and i.run_id = of_run and i.seq = any(array(select chosen.seq from chosen)) and i.status = 'queued'
      returning i.seq, i.attempt, i.item_id, i.partition_key, i.input, i.step_count, i.cost_micro, i.extra_budget_micro,
        i.unpriced, i.ran_ms, i.agent_failures, i.transport_failures, false as alone, null::smallint as cuts
    ), moved as (
      select coalesce((select min(near.seq) from near where near.seq not in (select taken.seq from taken)),
        (select max(near.seq) + 1 from near), high_seq + 1) as next_seq
    ), n as (select count(*)::int as n from taken), counted as (
      update runs r set running = r.running + n.n, next_seq = moved.next_seq, touched_at = locked_at,
        started_at = case when n.n > 0 then coalesce(r.started_at, locked_at) else r.started_at end,
        deployment_id = of_deployment
      from n, moved where r.project_id = of_project and r.id = of_run
    ), used as (
      update project_usage u set running = u.running + n.n from n where u.project_id = of_project
    ), claim as (
      insert into claims (run_id, project_id, seqs, attempts, lease_until)
      select of_run, of_project, array_agg(t.seq), array_agg(t.attempt),
        locked_at + make_interval(secs => lease_ms / 1000.0)
      from taken t having count(*) > 0 returning id
    )
    select claim.id, t.seq, t.attempt, t.item_id, t.partition_key, t.input,
      case when t.attempt > 1 or t.step_count > 0 or t.cost_micro > 0 or t.extra_budget_micro is not null or t.unpriced
          or t.ran_ms > 0 or t.agent_failures > 0 or t.transport_failures > 0 or t.alone or t.cuts is not null
        then json_build_object('step_count', t.step_count, 'cost_micro', t.cost_micro,
          'extra_budget_micro', t.extra_budget_micro, 'unpriced', t.unpriced, 'ran_ms', t.ran_ms,
          'agent_failures', t.agent_failures, 'transport_failures', t.transport_failures, 'alone', t.alone,
          'cuts', t.cuts) end
    from taken t, claim;
END
$$;
else
CREATE OR REPLACE FUNCTION lock_room_2(of_project uuid, of_run uuid, of_deployment uuid, most int, kept_places int, kept_of_run int, OUT low_seq int, OUT high_seq int, OUT room int)
LANGUAGE plpgsql AS $$
BEGIN
  perform from runs r join project_usage u using (project_id)
    where r.project_id = of_project and r.id = of_run for no key update of r, u;
  select r.next_seq, least(r.total_items, r.pilot_items), greatest(0, least(most, greatest(0, coalesce((p.settings->>'concurrency')::int, 256) - u.running) - kept_places,
    least(r.concurrency - r.running, (d.declaration->>'concurrency')::int - r.running, (r.pilot_items - r.running - r.paused - ended_items(r)),
    case
  when r.budget_micro is null then null when r.cost_micro >= r.budget_micro then 0
  when coalesce(round((d.declaration->>'item_budget_cents')::numeric * 10000),
  ceil(r.cost_micro::numeric / nullif(ended_items(r), 0)))::bigint is null then greatest(0, 10 - r.running)
  when coalesce(round((d.declaration->>'item_budget_cents')::numeric * 10000),
  ceil(r.cost_micro::numeric / nullif(ended_items(r), 0)))::bigint = 0 then null
  else greatest((r.budget_micro - r.cost_micro) / coalesce(round((d.declaration->>'item_budget_cents')::numeric * 10000),
  ceil(r.cost_micro::numeric / nullif(ended_items(r), 0)))::bigint - r.running, (r.running = 0)::int) end, case
  when p.credit_micro is null then null when u.spent_micro >= p.credit_micro then 0
  when coalesce(round((d.declaration->>'item_budget_cents')::numeric * 10000),
  ceil(r.cost_micro::numeric / nullif(ended_items(r), 0)))::bigint is null then greatest(0, 10 - u.running)
  when coalesce(round((d.declaration->>'item_budget_cents')::numeric * 10000),
  ceil(r.cost_micro::numeric / nullif(ended_items(r), 0)))::bigint = 0 then null
  else greatest((p.credit_micro - u.spent_micro) / coalesce(round((d.declaration->>'item_budget_cents')::numeric * 10000),
  ceil(r.cost_micro::numeric / nullif(ended_items(r), 0)))::bigint - u.running, (u.running = 0)::int) end,
    (select min(case
  when b.limit_micro is null then null when b.spent_micro >= b.limit_micro then 0
  when coalesce(round((d.declaration->>'item_budget_cents')::numeric * 10000),
  ceil(r.cost_micro::numeric / nullif(ended_items(r), 0)))::bigint is null then greatest(0, 10 - case when b.agent_id is null then u.running else (
  select coalesce(sum(o.running), 0)::int from runs o
  where o.project_id = of_project and o.agent_id = r.agent_id and o.finished_at is null) end)
  when coalesce(round((d.declaration->>'item_budget_cents')::numeric * 10000),
  ceil(r.cost_micro::numeric / nullif(ended_items(r), 0)))::bigint = 0 then null
  else greatest((b.limit_micro - b.spent_micro) / coalesce(round((d.declaration->>'item_budget_cents')::numeric * 10000),
  ceil(r.cost_micro::numeric / nullif(ended_items(r), 0)))::bigint - case when b.agent_id is null then u.running else (
  select coalesce(sum(o.running), 0)::int from runs o
  where o.project_id = of_project and o.agent_id = r.agent_id and o.finished_at is null) end, (case when b.agent_id is null then u.running else (
  select coalesce(sum(o.running), 0)::int from runs o
  where o.project_id = of_project and o.agent_id = r.agent_id and o.finished_at is null) end = 0)::int) end) from budgets b where b.project_id = of_project and (b.agent_id is null or b.agent_id = r.agent_id)), case when r.waits_for_price then 0 end) - kept_of_run))::int
  into low_seq, high_seq, room
  from runs r join project_usage u on u.project_id = of_project
  join projects p on p.id = of_project join agents a on a.project_id = of_project and a.id = r.agent_id
  left join accounts c on c.id = p.account_id
  left join deployments d on d.project_id = of_project and d.id = coalesce(r.deployment_id, a.current_deployment_id)
  where r.project_id = of_project and r.id = of_run and d.id = of_deployment and (r.finished_at is null and not r.materializing and r.stop_reason is null) and (d.id is not null and c.status is not distinct from 'active' and not (select held_since is not null from installation));
END
$$;
CREATE OR REPLACE FUNCTION take_range_2(
  of_project uuid, of_run uuid, of_deployment uuid, most int, kept_places int, kept_of_run int, lease_ms int
) RETURNS TABLE (claim_id bigint, seq int, attempt smallint, item_id text, partition_key text, input text, past json)
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET jit = off AS $$
#variable_conflict use_column
DECLARE
  low_seq int;
  high_seq int;
  room int;
  locked_at timestamptz;
  has_due boolean;
  busy jsonb;
  due_seqs int[];
  alones boolean[];
  cuts_of smallint[];
BEGIN
  select * into low_seq, high_seq, room from lock_room_2(of_project, of_run, of_deployment, most, kept_places, kept_of_run);
  if coalesce(room, 0) = 0 then
    return;
  end if;
  high_seq := least(low_seq + room - 1, high_seq);
  if high_seq < low_seq then
    return;
  end if;
  has_due := exists (
    select from due_items d where d.project_id = of_project and d.run_id = of_run and d.seq between low_seq and high_seq);
  locked_at := clock_timestamp();
  return query
    with taken as (
      update items i set status = 'running', attempt = attempt + 1, started_at = coalesce(started_at, locked_at)
      where i.project_id = of_project and i.run_id = of_run and i.status = 'queued' and i.seq between low_seq and high_seq
        and (not has_due or not exists (select from due_items d where d.project_id = of_project and d.run_id = of_run and d.seq = i.seq))
      returning i.seq, i.attempt, i.item_id, i.partition_key, i.input, i.step_count, i.cost_micro, i.extra_budget_micro,
        i.unpriced, i.ran_ms, i.agent_failures, i.transport_failures, false as alone, null::smallint as cuts
    ), moved as (select high_seq + 1 as next_seq), n as (select count(*)::int as n from taken), counted as (
      update runs r set running = r.running + n.n, next_seq = moved.next_seq, touched_at = locked_at,
        started_at = case when n.n > 0 then coalesce(r.started_at, locked_at) else r.started_at end,
        deployment_id = of_deployment
      from n, moved where r.project_id = of_project and r.id = of_run
    ), used as (
      update project_usage u set running = u.running + n.n from n where u.project_id = of_project
    ), claim as (
      insert into claims (run_id, project_id, seqs, attempts, lease_until)
      select of_run, of_project, array_agg(t.seq), array_agg(t.attempt),
        locked_at + make_interval(secs => lease_ms / 1000.0)
      from taken t having count(*) > 0 returning id
    )
    select claim.id, t.seq, t.attempt, t.item_id, t.partition_key, t.input,
      case when t.attempt > 1 or t.step_count > 0 or t.cost_micro > 0 or t.extra_budget_micro is not null or t.unpriced
          or t.ran_ms > 0 or t.agent_failures > 0 or t.transport_failures > 0 or t.alone or t.cuts is not null
        then json_build_object('step_count', t.step_count, 'cost_micro', t.cost_micro,
          'extra_budget_micro', t.extra_budget_micro, 'unpriced', t.unpriced, 'ran_ms', t.ran_ms,
          'agent_failures', t.agent_failures, 'transport_failures', t.transport_failures, 'alone', t.alone,
          'cuts', t.cuts) end
    from taken t, claim;
END
$$;
CREATE OR REPLACE FUNCTION take_due_2(
  of_project uuid, of_run uuid, of_deployment uuid, most int, kept_places int, kept_of_run int, lease_ms int, fresh boolean
) RETURNS TABLE (claim_id bigint, seq int, attempt smallint, item_id text, partition_key text, input text, past json)
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET jit = off AS $$
#variable_conflict use_column
DECLARE
  low_seq int;
  high_seq int;
  room int;
  locked_at timestamptz;
  has_due boolean;
  busy jsonb;
  due_seqs int[];
  alones boolean[];
  cuts_of smallint[];
BEGIN
  select * into low_seq, high_seq, room from lock_room_2(of_project, of_run, of_deployment, most, kept_places, kept_of_run);
  if coalesce(room, 0) = 0 then
    return;
  end if;
  with chosen as materialized (select d.seq from (select d.seq, d.due_at from due_items d
        where d.project_id = of_project and d.run_id = of_run and d.due_at <= now() and (fresh or d.cuts is null)
        order by d.due_at limit room) d), due as (
    delete from due_items d where d.project_id = of_project and d.run_id = of_run and d.seq between (select min(chosen.seq) from chosen) and (select max(chosen.seq) from chosen)
        and (d.seq in (select chosen.seq from chosen)) is true
    returning d.seq, d.alone, d.cuts
  )
  select array_agg(due.seq), array_agg(due.alone), array_agg(due.cuts) into due_seqs, alones, cuts_of from due;
  if due_seqs is null then
    return;
  end if;
  locked_at := clock_timestamp();
  return query
    with taken as (
      update items i set status = 'running', attempt = attempt + 1, started_at = coalesce(started_at, locked_at)
      from generate_subscripts(due_seqs, 1) n
      where i.project_id = of_project and i.run_id = of_run and i.seq = any(due_seqs)
        and i.seq between (select min(s.seq) from unnest(due_seqs) s(seq)) and (select max(s.seq) from unnest(due_seqs) s(seq))
        and i.seq = due_seqs[n] and i.status = 'queued'
      returning i.seq, i.attempt, i.item_id, i.partition_key, i.input, i.step_count, i.cost_micro, i.extra_budget_micro,
        i.unpriced, i.ran_ms, i.agent_failures, i.transport_failures, alones[n] as alone, cuts_of[n] as cuts
    ), moved as (select low_seq as next_seq), n as (select count(*)::int as n from taken), counted as (
      update runs r set running = r.running + n.n, next_seq = moved.next_seq, touched_at = locked_at,
        started_at = case when n.n > 0 then coalesce(r.started_at, locked_at) else r.started_at end,
        deployment_id = of_deployment
      from n, moved where r.project_id = of_project and r.id = of_run
    ), used as (
      update project_usage u set running = u.running + n.n from n where u.project_id = of_project
    ), claim as (
      insert into claims (run_id, project_id, seqs, attempts, lease_until)
      select of_run, of_project, array_agg(t.seq), array_agg(t.attempt),
        locked_at + make_interval(secs => lease_ms / 1000.0)
      from taken t having count(*) > 0 returning id
    )
    select claim.id, t.seq, t.attempt, t.item_id, t.partition_key, t.input,
      case when t.attempt > 1 or t.step_count > 0 or t.cost_micro > 0 or t.extra_budget_micro is not null or t.unpriced
          or t.ran_ms > 0 or t.agent_failures > 0 or t.transport_failures > 0 or t.alone or t.cuts is not null
        then json_build_object('step_count', t.step_count, 'cost_micro', t.cost_micro,
          'extra_budget_micro', t.extra_budget_micro, 'unpriced', t.unpriced, 'ran_ms', t.ran_ms,
          'agent_failures', t.agent_failures, 'transport_failures', t.transport_failures, 'alone', t.alone,
          'cuts', t.cuts) end
    from taken t, claim;
END
$$;
CREATE OR REPLACE FUNCTION take_due_fair_2(
  of_project uuid, of_run uuid, of_deployment uuid, most int, kept_places int, kept_of_run int, lease_ms int, fresh boolean, per_partition int, lookahead int
) RETURNS TABLE (claim_id bigint, seq int, attempt smallint, item_id text, partition_key text, input text, past json)
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET jit = off AS $$
#variable_conflict use_column
DECLARE
  low_seq int;
  high_seq int;
  room int;
  locked_at timestamptz;
  has_due boolean;
  busy jsonb;
  due_seqs int[];
  alones boolean[];
  cuts_of smallint[];
BEGIN
  select * into low_seq, high_seq, room from lock_room_2(of_project, of_run, of_deployment, most, kept_places, kept_of_run);
  if coalesce(room, 0) = 0 then
    return;
  end if;
  busy := (select jsonb_object_agg(p.partition_key, p.n) from (
    select i.partition_key, count(*) as n
    from claims c, unnest(c.seqs) as s(seq), lateral (select partition_key, status from items
        where project_id = of_project and run_id = c.run_id and seq = s.seq offset 0) i
    where c.project_id = of_project and i.status = 'running' and i.partition_key is not null
    group by 1) p);
  with chosen as materialized (
      select ranked.seq from (
        select d.seq, d.due_at, i.partition_key,
          row_number() over (partition by i.partition_key order by d.due_at, d.seq) as nth
        from (select d.seq, d.due_at from due_items d
        where d.project_id = of_project and d.run_id = of_run and d.due_at <= now() and (fresh or d.cuts is null)
        order by d.due_at limit lookahead) d cross join lateral (select partition_key from items
          where project_id = of_project and run_id = of_run and seq = d.seq offset 0) i) ranked
      where (partition_key is null or nth <= per_partition - coalesce((busy->>partition_key)::int, 0))
      order by due_at limit room), due as (
    delete from due_items d where d.project_id = of_project and d.run_id = of_run and d.seq between (select min(chosen.seq) from chosen) and (select max(chosen.seq) from chosen)
        and (d.seq in (select chosen.seq from chosen)) is true
    returning d.seq, d.alone, d.cuts
  )
  select array_agg(due.seq), array_agg(due.alone), array_agg(due.cuts) into due_seqs, alones, cuts_of from due;
  if due_seqs is null then
    return;
  end if;
  locked_at := clock_timestamp();
  return query
    with taken as (
      update items i set status = 'running', attempt = attempt + 1, started_at = coalesce(started_at, locked_at)
      from generate_subscripts(due_seqs, 1) n
      where i.project_id = of_project and i.run_id = of_run and i.seq = any(due_seqs)
        and i.seq between (select min(s.seq) from unnest(due_seqs) s(seq)) and (select max(s.seq) from unnest(due_seqs) s(seq))
        and i.seq = due_seqs[n] and i.status = 'queued'
      returning i.seq, i.attempt, i.item_id, i.partition_key, i.input, i.step_count, i.cost_micro, i.extra_budget_micro,
        i.unpriced, i.ran_ms, i.agent_failures, i.transport_failures, alones[n] as alone, cuts_of[n] as cuts
    ), moved as (select low_seq as next_seq), n as (select count(*)::int as n from taken), counted as (
      update runs r set running = r.running + n.n, next_seq = moved.next_seq, touched_at = locked_at,
        started_at = case when n.n > 0 then coalesce(r.started_at, locked_at) else r.started_at end,
        deployment_id = of_deployment
      from n, moved where r.project_id = of_project and r.id = of_run
    ), used as (
      update project_usage u set running = u.running + n.n from n where u.project_id = of_project
    ), claim as (
      insert into claims (run_id, project_id, seqs, attempts, lease_until)
      select of_run, of_project, array_agg(t.seq), array_agg(t.attempt),
        locked_at + make_interval(secs => lease_ms / 1000.0)
      from taken t having count(*) > 0 returning id
    )
    select claim.id, t.seq, t.attempt, t.item_id, t.partition_key, t.input,
      case when t.attempt > 1 or t.step_count > 0 or t.cost_micro > 0 or t.extra_budget_micro is not null or t.unpriced
          or t.ran_ms > 0 or t.agent_failures > 0 or t.transport_failures > 0 or t.alone or t.cuts is not null
        then json_build_object('step_count', t.step_count, 'cost_micro', t.cost_micro,
          'extra_budget_micro', t.extra_budget_micro, 'unpriced', t.unpriced, 'ran_ms', t.ran_ms,
          'agent_failures', t.agent_failures, 'transport_failures', t.transport_failures, 'alone', t.alone,
          'cuts', t.cuts) end
    from taken t, claim;
END
$$;
CREATE OR REPLACE FUNCTION take_fair_2(
  of_project uuid, of_run uuid, of_deployment uuid, most int, kept_places int, kept_of_run int, lease_ms int, per_partition int, lookahead int
) RETURNS TABLE (claim_id bigint, seq int, attempt smallint, item_id text, partition_key text, input text, past json)
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET jit = off AS $$
#variable_conflict use_column
DECLARE
  low_seq int;
  high_seq int;
  room int;
  locked_at timestamptz;
  has_due boolean;
  busy jsonb;
  due_seqs int[];
  alones boolean[];
  cuts_of smallint[];
BEGIN
  select * into low_seq, high_seq, room from lock_room_2(of_project, of_run, of_deployment, most, kept_places, kept_of_run);
  if coalesce(room, 0) = 0 then
    return;
  end if;
  busy := (select jsonb_object_agg(p.partition_key, p.n) from (
    select i.partition_key, count(*) as n
    from claims c, unnest(c.seqs) as s(seq), lateral (select partition_key, status from items
        where project_id = of_project and run_id = c.run_id and seq = s.seq offset 0) i
    where c.project_id = of_project and i.status = 'running' and i.partition_key is not null
    group by 1) p);
  locked_at := clock_timestamp();
  return query
    with near as (
      select i.seq, i.partition_key from items i
      where i.project_id = of_project and i.run_id = of_run and i.seq between low_seq and high_seq and i.status = 'queued'
        and not exists (select from due_items d where d.project_id = of_project and d.run_id = of_run and d.seq = i.seq)
      order by i.seq limit lookahead
    ), ranked as (
      select seq, partition_key, row_number() over (partition by partition_key order by seq) as nth from near
    ), chosen as (
      select ranked.seq from ranked where (partition_key is null or nth <= per_partition - coalesce((busy->>partition_key)::int, 0)) order by ranked.seq limit room
    ), taken as (
      update items i set status = 'running', attempt = attempt + 1, started_at = coalesce(started_at, locked_at)
      where i.project_id = of_project and i.run_id = of_run and i.seq between (select min(chosen.seq) from chosen) and (select max(chosen.seq) from chosen)
        and (i.seq in (select chosen.seq from chosen)) is true and i.status = 'queued'
      returning i.seq, i.attempt, i.item_id, i.partition_key, i.input, i.step_count, i.cost_micro, i.extra_budget_micro,
        i.unpriced, i.ran_ms, i.agent_failures, i.transport_failures, false as alone, null::smallint as cuts
    ), moved as (
      select coalesce((select min(near.seq) from near where near.seq not in (select taken.seq from taken)),
        (select max(near.seq) + 1 from near), high_seq + 1) as next_seq
    ), n as (select count(*)::int as n from taken), counted as (
      update runs r set running = r.running + n.n, next_seq = moved.next_seq, touched_at = locked_at,
        started_at = case when n.n > 0 then coalesce(r.started_at, locked_at) else r.started_at end,
        deployment_id = of_deployment
      from n, moved where r.project_id = of_project and r.id = of_run
    ), used as (
      update project_usage u set running = u.running + n.n from n where u.project_id = of_project
    ), claim as (
      insert into claims (run_id, project_id, seqs, attempts, lease_until)
      select of_run, of_project, array_agg(t.seq), array_agg(t.attempt),
        locked_at + make_interval(secs => lease_ms / 1000.0)
      from taken t having count(*) > 0 returning id
    )
    select claim.id, t.seq, t.attempt, t.item_id, t.partition_key, t.input,
      case when t.attempt > 1 or t.step_count > 0 or t.cost_micro > 0 or t.extra_budget_micro is not null or t.unpriced
          or t.ran_ms > 0 or t.agent_failures > 0 or t.transport_failures > 0 or t.alone or t.cuts is not null
        then json_build_object('step_count', t.step_count, 'cost_micro', t.cost_micro,
          'extra_budget_micro', t.extra_budget_micro, 'unpriced', t.unpriced, 'ran_ms', t.ran_ms,
          'agent_failures', t.agent_failures, 'transport_failures', t.transport_failures, 'alone', t.alone,
          'cuts', t.cuts) end
    from taken t, claim;
END
$$;
end if;
END
$do$;
