// Says when runs of schedules will have ended, and finds the deadlines that cannot be met any more. Guarantee: an alert is raised
// only where the estimate is over the deadline by more than it may be wrong.

import type { Alert } from '../../alerts/rules/alerts.ts'
import { cannotFinish } from '../../alerts/rules/run-alerts.ts'
import { estimateRun, estimateStart, type ToStart } from '../../claims/verbs/estimate.ts'
import type { Context, Sql } from '../../context.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { estimateSpan } from '../../pacing/rules/estimate.ts'
import type { Foreseen } from '../../upstreams/wire/estimate.ts'
import * as store from '../queries/deadlines.ts'
import { parseCron } from '../rules/cron.ts'
import { nextFires, wallClock } from '../rules/fire-times.ts'
import type { EndingRow, ScheduleRow } from '../wire/schedules.ts'
import { nextDue } from './deadlines.ts'

/** When the schedule's open run ends, else its next one, if that has as many items as the last; null if nothing is known of either. */
export async function foreseeEnding({ sql, db }: Context, schedule: ScheduleRow): Promise<EndingRow | null> {
  const { project_id, id } = schedule
  const [last, deadlines] = await Promise.all([
    store.findLastRun(sql, project_id, id),
    store.listDeadlines(db, project_id),
  ])
  const own = deadlines.find(({ schedule_id }) => schedule_id === id)
  const dueAfter = (at: Date) =>
    own === undefined ? null : nextDue(own.finished_by, own.timezone, at.getTime())
  if (last?.is_open) {
    const { run_id, total_items: items, scheduled_for } = last
    const foreseen = await estimateRun(sql, { project_id, run_id })
    if (foreseen !== undefined)
      return { run_id, starts_at: null, items, deadline_at: dueAfter(scheduled_for), foreseen }
  }
  const items = schedule.source === null ? 1 : last?.total_items
  const { next_at } = schedule
  if (next_at === null || items === undefined) return null
  const foreseen = await estimateNext(sql, schedule, items)
  return { run_id: null, starts_at: next_at, items, deadline_at: dueAfter(next_at), foreseen }
}

/** How long the next run of a schedule takes, by the limits that it carries. */
async function estimateNext(
  sql: Sql,
  { project_id, agent_id, concurrency, limits }: Required<Omit<ToStart, 'items' | 'isAlone'>>,
  items: number,
): Promise<Foreseen> {
  const start = { project_id, agent_id, items, concurrency, limits, isAlone: true }
  return (await estimateStart(sql, start)).foreseen
}

/** An estimate may be wrong by a tenth of what is left; and a minute, in which a run starts. */
const MARGIN = { share: 0.1, least_s: 60 }

const isOver = ({ ends_s }: { ends_s: number }, from: Date, due: Date): boolean =>
  from.getTime() + 1000 * (ends_s - Math.max(MARGIN.least_s, MARGIN.share * ends_s)) > due.getTime()

/** Alerts for deadlines to come that cannot be met any more. */
export async function foreseeDeadlines(sql: Sql): Promise<Alert[]> {
  const alerts: Alert[] = []
  for (const coming of await store.findComingDeadlines(sql, LIMITS.deadlines_foreseen)) {
    const awaited = coming.is_explained ? null : await awaitedOf(sql, coming)
    if (awaited === null || awaited.foreseen === undefined || 'unknown' in awaited.foreseen) continue
    const { foreseen, start } = awaited
    if (!isOver(foreseen, start ?? coming.now, coming.passed_at)) continue
    const starts = start && wallClock(start, coming.schedule_timezone!).slice(-5)
    const run_id = start === null ? coming.run_id : null
    alerts.push(cannotFinish({ ...coming, run_id, takes: estimateSpan(foreseen), at: foreseen.at, starts }))
  }
  return alerts
}

/** The run that a deadline awaits, which is the last that starts before it: open, or to start; null if that is not known. */
async function awaitedOf(
  sql: Sql,
  coming: store.ComingDeadline,
): Promise<{ start: Date | null; foreseen: Foreseen | undefined } | null> {
  const { project_id, run_id, next_at, passed_at, last_items: items } = coming
  if (next_at === null || next_at > passed_at)
    return coming.is_late && run_id !== null
      ? { start: null, foreseen: await estimateRun(sql, { project_id, run_id }) }
      : null
  if (items === null || startsAgain(coming, next_at)) return null
  const foreseen = await estimateNext(sql, coming, items)
  return { start: next_at, foreseen }
}

/** Whether another start follows before the deadline. */
function startsAgain({ cron, schedule_timezone, passed_at }: store.ComingDeadline, next_at: Date): boolean {
  try {
    const [after] = nextFires(parseCron(cron!), schedule_timezone!, next_at.getTime(), 1)
    return after !== undefined && after <= passed_at.getTime()
  } catch {
    return true // the tick will disable the schedule
  }
}
