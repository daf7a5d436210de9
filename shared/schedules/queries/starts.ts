// Opens the runs of schedules. Guarantee: the statement that sets an occurrence to `fired` also opens its run.

import type { Sql } from '../../context.ts'
import { recordId } from '../../items/queries/item-keys.ts'
import { byProject } from '../../kernel/each-project.ts'
import { times } from '../../kernel/packed-columns.ts'
import { START_COLUMNS_OF_ONE } from '../../submission/wire/start-settings.ts'
import { ONE_ROW } from '../tables/schedules.ts'
import type { NamedOccurrence } from './occurrences.ts'

const RUN_NAME = 'schedule '
export const runName = ({ name, cron }: { name: string | null; cron: string }) => name ?? RUN_NAME + cron

export interface Start extends NamedOccurrence {
  run_id: string
}

/**
 * Opens a run of one item for each fire time that has no row yet or waits for a retry; returns the schedules of those.
 * PostgreSQL copies everything a run is made of from its schedule.
 */
export async function startRuns(sql: Sql, starts: readonly Start[], watchMinutes: number) {
  const started: { schedule_id: string }[] = []
  for (const [project_id, own] of byProject(starts))
    started.push(...(await startRunsOf(sql, own, watchMinutes, project_id)))
  return started
}

function startRunsOf(sql: Sql, starts: readonly Start[], watchMinutes: number, project_id: string) {
  return sql<{ schedule_id: string }[]>`
    with given as (
      select g.*, s.agent_id, s.cron, s.name, s.input, a.current_deployment_id as deployment_id,
        ${sql.unsafe(START_COLUMNS_OF_ONE.map(name => `s.${name}`).join())}
      from unnest(${starts.map(s => s.schedule_id)}::uuid[], ${times(starts.map(s => s.scheduled_for))}::text::timestamptz[],
        ${starts.map(s => s.run_id)}::uuid[]) as g(schedule_id, scheduled_for, run_id)
      join schedules s on s.project_id = ${project_id} and s.id = g.schedule_id
      join agents a on a.project_id = ${project_id} and a.id = s.agent_id
    ), acted as (
      insert into occurrences as o (schedule_id, scheduled_for, project_id, outcome, run_id, tries, watch_until)
      select schedule_id, scheduled_for, ${project_id}::uuid, 'fired', run_id, 1,
        now() + make_interval(mins => ${watchMinutes})
      from given
      on conflict on constraint ${sql(ONE_ROW)} do update
        set outcome = excluded.outcome, reason = null, detail = null, run_id = excluded.run_id,
          occurred_at = excluded.occurred_at, tries = least(o.tries + 1, 32767), retry_at = null,
          watch_until = excluded.watch_until
        where o.retry_at is not null
      returning schedule_id, run_id
    ), opened as (
      insert into runs (id, project_id, agent_id, deployment_id, name, started_by, total_items, input_bytes, ${sql.unsafe(START_COLUMNS_OF_ONE.join())})
      select run_id, ${project_id}::uuid, agent_id, deployment_id, coalesce(name, ${RUN_NAME} || cron),
        jsonb_build_object('kind', 'schedule', 'id', schedule_id, 'name', coalesce(name, ${RUN_NAME} || cron)), 1, length(input),
        ${sql.unsafe(START_COLUMNS_OF_ONE.join())}
      from given join acted using (schedule_id, run_id)
    ), piled as (
      insert into items (project_id, run_id, seq, line, status, item_id, input)
      select ${project_id}::uuid, run_id, 1, 1, 'queued', ${recordId(sql, 'r')}::text, input
      from (select run_id, 1 as seq, input from given join acted using (schedule_id, run_id)) r
    ), noted as (
      update schedules s set last_run_at = now() from acted
      where s.project_id = ${project_id} and s.id = acted.schedule_id
    )
    select schedule_id from acted`
}

/** Writes the occurrence of a start by hand, next to those of the cron, in the transaction that opens its run. */
export async function noteStartByHand(
  sql: Sql,
  { project_id, id }: { project_id: string; id: string },
  runId: string,
): Promise<void> {
  // This update locks the schedule, so two starts by hand of one schedule never get the same time.
  const { count } = await sql`
    update schedules set last_run_at = now() where project_id = ${project_id} and id = ${id}`
  if (count > 0)
    await sql`
      insert into occurrences (schedule_id, scheduled_for, manual, project_id, outcome, reason, run_id, tries)
      values (${id}, clock_timestamp(), true, ${project_id}, 'fired', 'manual', ${runId}, 1)`
}
