// Sets deadlines, and raises alerts for those that passed without an ended run. Guarantee: a deadline comes once a day
// at its time in its zone, and the transaction that judges its passing also moves it to the next day.

import type { Alert } from '../../alerts/rules/alerts.ts'
import { notFinished } from '../../alerts/rules/run-alerts.ts'
import type { Context, Sql } from '../../context.ts'
import { ApiError } from '../../kernel/errors.ts'
import { LIMITS } from '../../kernel/limits.ts'
import * as store from '../queries/deadlines.ts'
import { readClock } from '../queries/schedules.ts'
import { nextFires } from '../rules/fire-times.ts'
import type { DeadlineRow } from '../wire/deadlines.ts'
import { readable } from './schedules.ts'

export interface DeadlineOrder {
  project_id: string
  agent_id: string
  schedule_id: string | null
  /** HH:MM */
  finished_by: string
  timezone: string
}

const cronOf = (finished_by: string) => `${finished_by.split(':').reverse().map(Number).join(' ')} * * *`

/** The next instant after `now` (in milliseconds) at which a wall clock in the zone shows the time. */
export function nextDue(finished_by: string, timezone: string, now: number): Date {
  const [next] = nextFires(readable(cronOf(finished_by), timezone), timezone, now, 1)
  return new Date(next!)
}

/**
 * Sets the daily deadline of a schedule or of an agent, in place of the one it has.
 *
 * @throws ApiError `invalid_timezone`, `too_many_deadlines`
 */
export async function setDeadline(ctx: Context, order: DeadlineOrder): Promise<DeadlineRow> {
  const known = await store.listDeadlines(ctx.db, order.project_id)
  const same = (one: DeadlineRow) => one.agent_id === order.agent_id && one.schedule_id === order.schedule_id
  if (known.length >= LIMITS.deadlines_per_project && !known.some(same)) {
    throw new ApiError(
      'too_many_deadlines',
      `The project has ${known.length} deadlines, as many as it may have.`,
      'Delete one that is not needed any more.',
    )
  }
  const due_at = nextDue(order.finished_by, order.timezone, await readClock(ctx.db))
  await store.putDeadline(ctx.db, { ...order, id: ctx.newId(), due_at })
  return (await store.listDeadlines(ctx.db, order.project_id)).find(same)!
}

/** @throws ApiError `not_found` */
export async function removeDeadline(ctx: Context, project_id: string, id: string): Promise<void> {
  if (!(await store.deleteDeadline(ctx.db, project_id, id)))
    throw new ApiError('not_found', 'There is no such deadline in this account.')
}

/** A zone that the platform no longer knows must not keep the other deadlines from being checked. */
function dayAfter({ finished_by, timezone, now }: store.JudgedDeadline): Date {
  try {
    return nextDue(finished_by, timezone, now.getTime())
  } catch {
    return new Date(now.getTime() + 86_400_000)
  }
}

/** Returns the alerts for passed deadlines and moves these to their next day, in the caller's transaction. */
export async function passDeadlines(sql: Sql): Promise<Alert[]> {
  const due = await store.lockPassedDeadlines(sql, LIMITS.deadlines_per_look)
  if (due.length === 0) return []
  await store.moveDeadlines(
    sql,
    due.map(one => ({ ...one, due_at: dayAfter(one) })),
  )
  return due.filter(one => one.is_late).map(notFinished)
}
