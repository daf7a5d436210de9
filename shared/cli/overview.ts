// Reads what matters now from the lists of the API. Guarantee: a bounded number of concurrent requests, however much
// there is; a figure that is a lower bound says so.

import { LIMITS } from '../kernel/limits.ts'
import { ApiFailure } from '../sdk/client.ts'
import { isStoppedShort } from '../view/left-over.ts'
import { itemsWaiting } from '../view/upstream.ts'
import { type Api, answered, type Run, type Schemas } from './api.ts'
import { triageSince } from './clusters.ts'
import { Failure } from './failure.ts'
import { sinceOf } from './listing.ts'
import { type Overview, type OwnedBudget, overviewText } from './overview-view.ts'
import { pageOf } from './pages.ts'
import type { Session } from './session.ts'

const YESTERDAY = '1d'
const SOON_MS = 86_400_000

export async function overview(session: Session): Promise<void> {
  session.retrying.stop() // whoever types the bare command asks how things are now
  const found = await readOverview(session, session.now()).catch(error => {
    throw withHelp(error)
  })
  const { started: begun, ...rest } = found
  session.output.emit('overview', { ...rest, begun }, screen => overviewText(found, session.now(), screen))
}

/** Suggests --help, because a user who types the bare command may not know what it is for. */
function withHelp(error: unknown): unknown {
  if (!(error instanceof Failure) || error.next !== undefined) return error
  return new Failure(error.exit, error.code, error.message, { hint: error.hint, next: 'assay --help' })
}

const NOT_READY = ['dependency_unreachable', 'dependency_unusable', 'process_restarting']

/** Callers are served while only Redis is away, so what is not ready is no reason to show nothing. */
async function readiness({ api, output }: Session) {
  try {
    return await answered(api.GET('/health/ready'))
  } catch (error) {
    if (!(error instanceof ApiFailure) || !NOT_READY.includes(error.code)) throw error
    output.note(error.message)
    return { held_since: null }
  }
}

async function readOverview(session: Session, now: number): Promise<Overview> {
  const { api } = session
  const since = sinceOf(YESTERDAY, now)!
  const [
    ready,
    runs,
    recent,
    dlq,
    quarantine,
    projects,
    schedules,
    deliveries,
    alerts,
    agents,
    causes,
    upstreams,
  ] = await Promise.all([
    readiness(session),
    openRuns(api),
    pageOf(api.GET('/v2/runs', { params: { query: { limit: LIMITS.runs_page.max } } })),
    triageSince(api, 'dlq', 0),
    triageSince(api, 'quarantine', 0),
    answered(api.GET('/v1/projects')),
    answered(api.GET('/v1/schedules', { params: { query: { limit: LIMITS.schedules_page.max } } })),
    failedDeliveries(api, since),
    answered(api.GET('/v1/alerts', { params: { query: { state: 'open', limit: LIMITS.alerts_page.max } } })),
    answered(api.GET('/v1/agents')),
    causesSince(api, since),
    // An older server does not know them.
    answered(api.GET('/v1/upstreams')).catch(() => []),
  ])
  return {
    held_since: ready.held_since,
    runs,
    waiting: { dlq: laneOf(dlq), quarantine: laneOf(quarantine) },
    causes: causes.rows,
    stopped: recent.rows.filter(run => isStoppedShort(run) && endedSince(run, since)),
    money: { ...moneyOf(recent.rows, projects, now), budgets: budgetsOf(projects, agents) },
    schedules: schedulesOf(schedules, since, now),
    given_up: deliveries,
    alerts: alerts.alerts,
    items_wait: itemsWaiting(upstreams, runs),
    started: { agents: agents.length, runs: recent.rows.length > 0 },
  }
}

/** One that a person cancelled was meant to end. */
const endedSince = (run: Run, since: number) =>
  run.stop_reason !== 'cancelled' && (run.finished_at === null || Date.parse(run.finished_at) >= since)

const openRuns = async (api: Api) =>
  answered(api.GET('/v2/runs', { params: { query: { state: 'open', limit: LIMITS.runs_page.max } } }))

const causesSince = (api: Api, since: number) =>
  answered(
    api.GET('/v1/causes', {
      params: {
        query: { from: new Date(since).toISOString(), waiting: 'true', limit: LIMITS.triage_page.max },
      },
    }),
  )

const laneOf = ({ rows, more }: { rows: { created_at: string }[]; more: boolean }) => ({
  count: rows.length,
  more,
  oldest_at: more ? null : (rows.at(-1)?.created_at ?? null),
})

async function failedDeliveries(api: Api, since: number): Promise<Overview['given_up']> {
  const query = { state: 'failed' as const, limit: LIMITS.deliveries_page.max }
  const page = await answered(api.GET('/v1/deliveries', { params: { query } }))
  const recent = page.deliveries.filter(delivery => Date.parse(delivery.created_at) >= since)
  const more = page.next_cursor !== null && recent.length === page.deliveries.length
  return { count: recent.length, more, newest: recent[0] ?? null }
}

/** The cost so far of the runs submitted today, the total ever spent, and the credit. */
function moneyOf(runs: readonly Run[], projects: readonly Schemas['Project'][], now: number) {
  const midnight = new Date(now).setHours(0, 0, 0, 0)
  const today = runs.filter(run => Date.parse(run.created_at) >= midnight)
  const credits = projects.flatMap(({ credit_cents }) => (credit_cents === null ? [] : [credit_cents]))
  const sum = (values: number[]) => values.reduce((total, value) => total + value, 0)
  return {
    today_usd: sum(today.map(run => run.cost_usd)),
    unpriced: today.some(run => run.unpriced_item_count > 0) || today.length === LIMITS.runs_page.max,
    prices_as_of: runs[0]?.prices_as_of ?? null,
    spent_cents: sum(projects.map(project => project.spent_cents)),
    credit_cents: credits.length === projects.length && credits.length > 0 ? sum(credits) : null,
  }
}

function budgetsOf(
  projects: readonly Schemas['Project'][],
  agents: readonly Schemas['Agent'][],
): OwnedBudget[] {
  const zones = new Map(projects.map(({ id, timezone }) => [id, timezone]))
  return [
    ...projects.flatMap(({ id, name, timezone, budgets }) =>
      budgets.map(one => ({
        ...one,
        of: name,
        command: `projects budget${projects.length > 1 ? ` --project ${id}` : ''}`,
        timezone,
      })),
    ),
    ...agents.flatMap(({ slug, project_id, budgets }) =>
      budgets.map(one => ({
        ...one,
        of: slug,
        command: `agents budget ${slug}`,
        timezone: zones.get(project_id)!,
      })),
    ),
  ]
}

function schedulesOf(schedules: readonly Schemas['Schedule'][], since: number, now: number) {
  const went = ({ last_event: last }: Schemas['Schedule']) =>
    last !== null && Date.parse(last.occurred_at) >= since ? last.outcome : undefined
  const next = schedules
    .flatMap(schedule => (schedule.next_fires[0] ? [{ schedule, at: schedule.next_fires[0] }] : []))
    .filter(({ at }) => Date.parse(at) <= now + SOON_MS)
    .sort((a, b) => a.at.localeCompare(b.at))
  return {
    missed: schedules.filter(schedule => ['missed', 'error'].includes(went(schedule) ?? '')),
    next,
  }
}
