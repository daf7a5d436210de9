// Finds fired occurrences whose run no worker started. Guarantee: each is checked once, when its time to start is over.

import type { Sql } from '../../context.ts'
import { findInEach } from '../../kernel/each-project.ts'
import type { NamedOccurrence } from './occurrences.ts'

export interface UnstartedOccurrence extends NamedOccurrence {
  agent_id: string
  agent_slug: string
  name: string | null
  cron: string
  timezone: string
  run_id: string
}

/** Checks runs whose time to start is over; returns all, and sets `run_never_started` where no worker started one. */
export async function noteNeverStarted(sql: Sql, limit: number) {
  const look = sql`select project_id from occurrences where watch_until <= now() group by 1 order by min(watch_until)`
  return findInEach(sql, look, limit, (project_id, limit) => noteNeverStartedOf(sql, limit, project_id))
}

function noteNeverStartedOf(sql: Sql, limit: number, project_id: string) {
  return sql<(UnstartedOccurrence & { never_started: boolean })[]>`
    with looked as (
      select o.schedule_id, o.scheduled_for, o.manual, o.run_id,
        r.started_at is null and r.finished_at is null and r.id is not null as never_started
      from occurrences o left join runs r on r.project_id = ${project_id} and r.id = o.run_id
      where o.project_id = ${project_id} and o.watch_until <= now()
      order by o.watch_until limit ${limit} for no key update of o skip locked
    ), noted as (
      update occurrences o set watch_until = null,
        reason = case when l.never_started then 'run_never_started' else o.reason end
      from looked l
      where o.project_id = ${project_id} and o.schedule_id = l.schedule_id and o.scheduled_for = l.scheduled_for
        and o.manual = l.manual
    )
    select l.schedule_id, l.scheduled_for, l.run_id, l.never_started, s.project_id, s.agent_id, a.slug as agent_slug,
      s.name, s.cron, s.timezone
    from looked l join schedules s on s.project_id = ${project_id} and s.id = l.schedule_id
      join agents a on a.project_id = ${project_id} and a.id = s.agent_id`
}
