// Sums what a project did by day. Guarantee: a day is cached only once it has been over for an hour and every run
// submitted until its end has ended; later days are summed again, so their figures are current.

import type { Context } from '../../context.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { sumDays } from '../queries/activity.ts'
import type { DayRow } from '../wire/activity.ts'
import { recallSealed, rememberSealed } from './sealed-cache.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

interface Remembered {
  since_ms: number
  until_ms: number
  rows: DayRow[]
}

/** Days since a midnight in UTC; `complete_since_ms` is later where there are more runs than LIMITS.activity_runs. */
export async function daysSince(ctx: Context, project_id: string, since_ms: number) {
  const name = `days:${project_id}` // another name than that of sums without replays apart
  const found = await recallSealed<Remembered>(ctx, name)
  const known: Remembered =
    found !== undefined && found.since_ms <= since_ms && found.until_ms > since_ms
      ? found
      : { since_ms, until_ms: since_ms, rows: [] }
  const summed = await sumDays(ctx.sql, project_id, known.until_ms)
  const isCut = summed.reduce((sum, day) => sum + day.summed, 0) === LIMITS.activity_runs
  const rows = summed.map(({ first_at: _, open: __, summed: ___, ...row }) => row)
  const open = summed.find(row => row.open > 0)
  const over_ms = Math.floor((ctx.now() - HOUR_MS) / DAY_MS) * DAY_MS
  const until_ms = Math.min(over_ms, open === undefined ? over_ms : midnight(open))
  if (!isCut && until_ms > known.until_ms) {
    const oldest_ms = Math.max(known.since_ms, over_ms - LIMITS.activity_days.max * DAY_MS)
    const over = [...known.rows, ...rows].filter(
      row => midnight(row) >= oldest_ms && midnight(row) < until_ms,
    )
    const kept: Remembered = { since_ms: oldest_ms, until_ms, rows: over }
    await rememberSealed(ctx, name, kept, LIMITS.days_cache_ms)
  }
  return {
    rows: [...known.rows.filter(row => midnight(row) >= since_ms), ...rows],
    complete_since_ms: isCut ? summed[0]!.first_at.getTime() : since_ms,
  }
}

const midnight = ({ day }: { day: string }) => Date.parse(day)
