// Recounts a run and its project from their rows, independently of the code that keeps their counters.

import type { Sql } from '../../shared/context.ts'

/** Names of the figures in which the run or its project disagrees with the rows; empty if all agree. */
export async function conservation({ sql }: { sql: Sql }, runId: string): Promise<string[]> {
  const [run] = await sql<{ project_id: string }[]>`select project_id from runs where id = ${runId}`
  const of = run!.project_id
  const [row] = await sql`
    select r.total_items = (select count(*) from items i where i.project_id = ${of} and i.run_id = r.id) as all_there,
      r.running = count(*) filter (where i.status = 'running') as running,
      r.ok = count(*) filter (where i.outcome = 'ok') as ok,
      r.degraded = count(*) filter (where i.outcome = 'degraded') as degraded,
      r.failed = count(*) filter (where i.status = 'failed') as failed,
      r.budget_exceeded = count(*) filter (where i.status = 'budget_exceeded') as budget_exceeded,
      r.cancelled = count(*) filter (where i.status = 'cancelled') as cancelled,
      r.paused = count(*) filter (where i.status = 'paused') as paused,
      r.cost_micro = coalesce(sum(i.cost_micro), 0) as cost,
      r.cost_micro = (select coalesce(sum(s.cost_micro), 0) from steps s where s.project_id = ${of} and s.run_id = r.id) as cost_of_steps,
      r.unpriced_items = count(*) filter (where i.unpriced) as unpriced,
      (r.model_calls, r.unread_calls) = (coalesce(sum(i.model_calls), 0), coalesce(sum(i.unread_calls), 0)) as calls,
      r.suspected_calls = coalesce(sum(i.suspected_calls), 0) as suspected,
      r.unread_calls = (select count(*) from steps s where s.project_id = ${of} and s.run_id = r.id and s.unread is not null) as unread,
      r.undecided = (select count(*) from triage t
        where t.project_id = ${of} and t.run_id = r.id and t.lane = 'dlq'
          and (t.disposition is null or t.disposition = 'acknowledged')) as undecided,
      r.unchanged = (select count(*) from replays p where p.project_id = ${of} and p.run_id = r.id and p.unchanged) as unchanged,
      (select failures from project_usage u where u.project_id = ${of})
        = (select count(*) from triage t where t.project_id = ${of} and t.error_code is not null)
        as failures_counted,
      (select coalesce(sum(count), 0) from failure_clusters f where f.project_id = ${of})
        = (select count(*) from triage t where t.project_id = ${of} and t.cluster_key is not null)
        as clusters_counted,
      not exists (
        select from (select cause_id, count(*) as n, count(*) filter (where disposition is null) as waiting,
            sum(cost_micro) as cost_micro, count(distinct run_id) as runs
          from triage where project_id = ${of} and cause_id <> '' group by 1) t
        full join (select * from causes where project_id = ${of} and count <> 0) c on c.id = t.cause_id
        where (t.n, t.waiting, t.cost_micro, t.runs) is distinct from (c.count, c.waiting, c.cost_micro, c.runs))
        as causes_counted,
      not exists (
        select from (select run_id, cause_id, count(*) as n, count(*) filter (where disposition is null) as waiting,
            sum(cost_micro) as cost_micro
          from triage where project_id = ${of} and cause_id <> '' group by 1, 2) t
        full join (select * from cause_runs where project_id = ${of}) c using (run_id, cause_id)
        where (t.n, t.waiting, t.cost_micro) is distinct from (c.count, c.waiting, c.cost_micro))
        as causes_counted_by_run,
      not exists (
        select from (select cause_id, (created_at at time zone 'UTC')::date as day, count(*) as n,
            count(*) filter (where disposition is null) as waiting, sum(cost_micro) as cost_micro
          from triage where project_id = ${of} and cause_id <> '' group by 1, 2) t
        full join (select * from cause_days where project_id = ${of}) c using (cause_id, day)
        where (t.n, t.waiting, t.cost_micro) is distinct from (c.count, c.waiting, c.cost_micro))
        as causes_counted_by_day,
      not exists (
        select from (select i.code_version, count(*) filter (where i.outcome = 'ok') as ok,
            count(*) filter (where i.outcome = 'degraded') as degraded,
            count(*) filter (where i.outcome is null or i.outcome = 'failed') as failed, sum(i.cost_micro) as cost_micro
          from items i where i.project_id = ${of} and i.run_id = r.id and i.code_version is not null and i.status not in ('paused', 'cancelled')
          group by 1) e
        full join (select * from run_versions v where v.project_id = ${of} and v.run_id = r.id) v using (code_version)
        where (e.ok, e.degraded, e.failed, e.cost_micro) is distinct from (v.ok, v.degraded, v.failed, v.cost_micro))
        as versions_counted,
      not exists (select from items e
        left join triage t on t.project_id = ${of} and t.run_id = e.run_id and t.seq = e.seq
        where e.project_id = ${of} and e.run_id = r.id and e.outcome in ('degraded', 'failed') and t.seq is null) as all_in_triage,
      not exists (select from replays p join items o on o.project_id = ${of} and o.run_id = p.from_run_id and o.seq = p.from_seq
        join items n on n.project_id = ${of} and n.run_id = p.run_id and n.seq = p.seq
        left join triage t on t.project_id = ${of} and t.run_id = o.run_id and t.seq = o.seq
        where p.project_id = ${of} and (p.run_id = r.id or p.from_run_id = r.id)
          and (n.item_id <> o.item_id or coalesce(t.corrected, o.outcome) = 'ok'))
        as replays_are_of_what_failed,
      (select running from project_usage u where u.project_id = ${of})
        = (select sum(running) from runs where project_id = ${of}) as project_running,
      (select spent_micro from project_usage u where u.project_id = ${of})
        = (select sum(cost_micro) from runs where project_id = ${of}) as project_spent,
      not exists (select from budgets b join project_usage u using (project_id)
        where b.project_id = ${of} and b.spent_micro <> (
          select coalesce(sum(s.spent_micro), 0) from spending s
          where s.project_id = ${of} and (b.agent_id is null or s.agent_id = b.agent_id)
            and s.day between date_trunc(b.period::text, u.spend_day)::date and u.spend_day)) as budgets_spent,
      count(*) filter (where i.status = 'running') > 0
        or not exists (select from claims c where c.project_id = ${of} and c.run_id = r.id) as no_claim_left
    from runs r join items i on i.project_id = ${of} and i.run_id = r.id where r.project_id = ${of} and r.id = ${runId}
    group by r.project_id, r.id`
  return Object.entries(row!)
    .filter(([, holds]) => !holds)
    .map(([name]) => name)
}
