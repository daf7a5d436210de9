// The part of the check-up that looks for stuck or late work, and recounts the counters of runs.

import { LIMITS } from '../kernel/limits.ts'
import { span } from '../kernel/span.ts'
import { parseCron } from '../schedules/rules/cron.ts'
import { nextFires } from '../schedules/rules/fire-times.ts'
import { type Api, answered, type Run, type Schemas } from './api.ts'
import { type Finding, LATE_S, ok, tried, unknown, wrong } from './finding.ts'
import { ago, count, plural } from './format.ts'
import type { Session } from './session.ts'
import { whyOfFirst } from './watch.ts'

const RUNS_VERIFIED = 5
/** How many open runs, the oldest ones, are queried for what they wait for. */
const RUNS_ASKED = 5
/** A younger run may have no worker yet. */
const OLD_MS = 15 * 60_000

/** Old open runs with no item in flight, for which the server names no reason. */
export async function openRunsOf(session: Session): Promise<Finding> {
  const check = 'open runs'
  const { api, now } = session
  const runs = await tried(() =>
    answered(api.GET('/v2/runs', { params: { query: { state: 'open', limit: LIMITS.runs_page.max } } })),
  )
  if ('refused' in runs) return unknown(check, runs.refused)
  const untaken = await tried(() => untakenOf(session, runs))
  if (typeof untaken === 'object' && 'refused' in untaken) return unknown(check, untaken.refused)
  if (untaken !== undefined)
    return wrong(check, untaken, 'start a consumer, and read what the last one logged: infra/README.md')
  const idle = runs
    .filter(run => run.running === 0 && run.paused === 0)
    .filter(run => now() - Date.parse(run.started_at ?? run.created_at) > OLD_MS)
  const asked = await tried(() => Promise.all(idle.slice(-RUNS_ASKED).map(run => standstillOf(session, run))))
  if ('refused' in asked) return unknown(check, asked.refused)
  const still = asked.filter(found => found !== undefined)
  const oldest = still.at(-1)
  if (oldest === undefined) return ok(check, `${count(runs.length)}, none stuck`)
  return wrong(
    check,
    `${plural(still.length, 'run')} at a standstill; ${oldest}`,
    'is a consumer running, and the tick called? assay queue shows which runs wait',
  )
}

/** Describes a run that waits because no consumer takes anything; undefined if there is none. */
async function untakenOf({ api }: Session, runs: readonly Run[]): Promise<string | undefined> {
  const idle = runs.findLast(run => run.running === 0 && run.queued > 0)
  if (idle === undefined) return undefined
  const path = { projectId: idle.project_id }
  const { waiting_runs } = await answered(api.GET('/v1/projects/{projectId}/queue', { params: { path } }))
  const found = waiting_runs.find(({ token }) => token === 'no_consumer')
  return found && `${found.id} waits for ${span(found.waited_ms)} and no consumer takes its items`
}

/** Describes a run at a standstill; undefined if its items wait for something known, such as a retry or a cap. */
async function standstillOf(session: Session, run: Run): Promise<string | undefined> {
  const since = `${run.id} since ${ago(run.created_at, session.now())}`
  if (run.queued === 0) return `${since}, with nothing left to do`
  const why = await whyOfFirst(session, run, 'queued')
  return why?.token === 'next' ? `${since}, with ${plural(run.queued, 'item')} that nobody takes` : undefined
}

export async function deliveriesOf({ api, now }: Session): Promise<Finding> {
  const check = 'deliveries'
  const query = { state: 'pending' as const, limit: LIMITS.deliveries_page.max }
  const page = await tried(() => answered(api.GET('/v1/deliveries', { params: { query } })))
  if ('refused' in page) return unknown(check, page.refused)
  const overdue = page.deliveries.filter(
    ({ due_at }) => due_at !== null && now() - Date.parse(due_at) > LATE_S * 1000,
  )
  if (overdue.length === 0) return ok(check, `${count(page.deliveries.length)} pending, none overdue`)
  const fix = 'the tick sends them: is it called? `assay deliveries` lists them'
  return wrong(check, `${plural(overdue.length, 'message')} overdue`, fix)
}

export async function schedulesOf({ api, now }: Session): Promise<Finding> {
  const check = 'schedules'
  const rows = await tried(() =>
    answered(api.GET('/v1/schedules', { params: { query: { limit: LIMITS.schedules_page.max } } })),
  )
  if ('refused' in rows) return unknown(check, rows.refused)
  const overdue = rows.filter(
    ({ enabled, next_fires: [next] }) =>
      enabled && next !== undefined && now() - Date.parse(next) > LATE_S * 1000,
  )
  const late = rows.filter(row => isTooLate(row, now()))
  const broken = rows.filter(row => row.disabled_reason !== null && row.disabled_reason !== 'operator')
  const [first] = [...overdue, ...late, ...broken]
  if (first === undefined) return ok(check, `${count(rows.length)}, none overdue`)
  const found = [
    `${count(overdue.length)} overdue`,
    ...(late.length > 0 ? [`${count(late.length)} whose next moment is later than their cron's`] : []),
    `${count(broken.length)} that cannot fire`,
  ].join(', ')
  return wrong(check, found, `assay schedules events ${first.id}`)
}

/**
 * Whether a schedule would pass over moments of its cron, since some clock was ahead when its next one was computed. The
 * tick moves it back, so this lasts only where the tick is not called.
 */
function isTooLate(
  { enabled, cron, timezone, next_fires: [next] }: Schemas['Schedule'],
  now: number,
): boolean {
  if (!enabled || next === undefined) return false
  const [own] = nextFires(parseCron(cron), timezone, now, 1)
  return Date.parse(next) > own! + LATE_S * 1000
}

/** Recounts the counters of the newest ended runs. */
export async function countersOf(api: Api): Promise<Finding> {
  const check = 'counters'
  const runs = await tried(() =>
    answered(api.GET('/v2/runs', { params: { query: { state: 'ended', limit: RUNS_VERIFIED } } })),
  )
  if ('refused' in runs) return unknown(check, runs.refused)
  const counted = await tried(() =>
    Promise.all(
      runs
        .filter(run => run.steps_purged_at === null)
        .map(run => answered(api.GET('/v2/runs/{runId}/verify', { params: { path: { runId: run.id } } }))),
    ),
  )
  if ('refused' in counted) return unknown(check, counted.refused)
  const off = counted.filter(one => !one.balanced)
  if (off.length === 0) return ok(check, `${plural(counted.length, 'run')} recounted, all add up`)
  const found = `${plural(off.length, 'run')} of ${count(counted.length)} do not add up`
  return wrong(check, found, `assay verify ${off[0]!.run_id}`)
}
