// Reads the content of outgoing messages when they are first composed.

import type { AlertRow } from '../../alerts/wire/alerts.ts'
import type { Sql } from '../../context.ts'
import type { ItemRow, RunRow } from '../../items/wire/runs.ts'
import { callFacts } from '../../prices/queries/call-facts.ts'
import type { RunTransition } from '../vocabulary.ts'
import type { RunEnd } from '../wire/deliveries.ts'

/** The content of messages about runs, by message: the run as it was then, and its item if it has only one. */
export async function findRunEnds(sql: Sql, deliveryIds: readonly string[]): Promise<Map<string, RunEnd>> {
  type EndRow = RunRow & { delivery_id: string; ended_at: Date; transition: RunTransition | null }
  const rows = await sql<EndRow[]>`
    select r.*, a.slug as agent_slug, v.version as deployment_version, now.payloads_purged_at, now.steps_purged_at,
      ${sql.unsafe(callFacts('r', 'v'))} as calls, d.id as delivery_id, d.created_at as ended_at, d.run->>'transition' as transition
    from deliveries d join runs now on now.project_id = d.project_id and now.id = d.run_id
    cross join lateral jsonb_populate_record(null::runs, d.run) r
    join agents a on a.project_id = d.project_id and a.id = r.agent_id
    left join deployments v on v.project_id = d.project_id and v.id = r.deployment_id
    where d.id = any(${[...deliveryIds]}::uuid[])`
  const single = rows.filter(run => run.total_items === 1)
  const items = await sql<ItemRow[]>`
    select i.*, v.name as code_version_name from unnest(${single.map(run => run.project_id)}::uuid[], ${single.map(run => run.id)}::uuid[]) as k(project_id, run_id)
      join items i on i.project_id = k.project_id and i.run_id = k.run_id and i.seq = 1
      join runs r on r.project_id = k.project_id and r.id = k.run_id
      left join code_versions v on v.project_id = k.project_id and v.agent_id = r.agent_id and v.no = i.code_version`
  const itemOf = new Map(items.map(item => [item.run_id, item]))
  return new Map(
    rows.map(({ delivery_id, ended_at, transition, ...run }) => [
      delivery_id,
      {
        run: { ...run, unchanged: run.unchanged ?? 0 },
        item: itemOf.get(run.id) ?? null,
        ended_at,
        transition: transition ?? 'ended',
      },
    ]),
  )
}

/** The alerts that messages report, by message. */
export async function findReportedAlerts(
  sql: Sql,
  deliveryIds: readonly string[],
): Promise<Map<string, AlertRow>> {
  const rows = await sql<(AlertRow & { delivery_id: string })[]>`
    select a.*, d.id as delivery_id from deliveries d join alerts a on a.project_id = d.project_id and a.id = d.alert_id
    where d.id = any(${[...deliveryIds]}::uuid[])`
  return new Map(rows.map(({ delivery_id, ...alert }) => [delivery_id, alert]))
}
