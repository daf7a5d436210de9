// Reports the installation's state, and this process's pools, as Prometheus metrics. Guarantee: no metric has a name or
// id of users' data, so the number of series is fixed by this list; PostgreSQL is queried once per
// LIMITS.metrics_cache_ms, however often the metrics are read.

import type { Context } from '../../context.ts'
import { sinceMs } from '../../kernel/elapsed.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { type PoolFigures, poolFigures } from '../../kernel/pool.ts'
import { countPresent } from '../../redis/consumer-presence.ts'
import { readTurns, type Turn } from '../../redis/turns.ts'
import { type Backlog, countBacklog, type Gauges, readGauges } from '../queries/backlog.ts'
import { readUpstreamFigures, type UpstreamFigures } from '../queries/upstream-figures.ts'
import { INSTALLATION_METRICS, readInstallation } from './check-up.ts'

export type Figures = Gauges &
  Backlog & {
    consumers_awake: number | undefined
    tick: Turn
    consumer: Turn
    outside: UpstreamFigures
  }

/** A gauge: one value, or one for each value of a label from a closed list. */
export interface Metric {
  help: string
  label?: string
  of(figures: Figures): number | Readonly<Record<string, number>> | undefined
}

/** Gauges of the current state, from PostgreSQL and Redis, the same from every process. */
export const METRICS: Record<string, Metric> = {
  assay_items_waiting: { help: 'Items that wait to be started.', of: f => f.items_waiting },
  assay_items_startable: {
    help: 'Items that wait and that no cap keeps from starting: what more consumers could take.',
    of: f => f.startable,
  },
  assay_items_in_flight: { help: 'Items that consumers hold.', of: f => f.in_flight },
  assay_items_paused: { help: 'Items that wait for a decision or for credit.', of: f => f.items_paused },
  assay_model_calls: { help: 'Answers of models to be graded, in open runs.', of: f => f.model_calls },
  assay_model_calls_unread: {
    help: 'Of those, answers that could not be read: nobody knows whether they worked.',
    of: f => f.unread_calls,
  },
  assay_model_calls_suspected: {
    help: 'Of those, answers that are ok and may be refusals.',
    of: f => f.suspected_calls,
  },
  assay_upstreams: {
    help: 'Providers and agents that items need, by what they let through.',
    label: 'state',
    of: f => f.outside.upstreams,
  },
  assay_upstream_items_waiting: {
    help: 'Items of runs that wait for one of them, by its state.',
    label: 'state',
    of: f => f.outside.items_wait,
  },
  assay_upstream_calls: {
    help: 'Calls that they answered well in the last ten minutes, as far as they are paced.',
    of: f => f.outside.calls,
  },
  assay_upstream_calls_refused: {
    help: 'Calls that they refused for their number in the last ten minutes.',
    of: f => f.outside.refused_calls,
  },
  assay_upstream_limit_used_ratio: {
    help: 'How much of its limit was used in the last minute, of the one that is used most; missing where none is limited.',
    of: f => f.outside.limit_used,
  },
  assay_oldest_wait_seconds: {
    help: 'How long the run that has waited longest for a consumer has, since it was submitted or last claimed from.',
    of: f => f.oldest_wait_s,
  },
  assay_runs_open: { help: 'Runs that have not ended.', of: f => f.runs_open },
  assay_leases_expired: {
    help: 'Claims of dead consumers that no tick has offered again.',
    of: f => f.leases_expired,
  },
  assay_deliveries_due: { help: 'Callbacks and alerts to be sent now.', of: f => f.deliveries_due },
  assay_schedules_overdue: {
    help: 'Schedules whose moment has come and was not handled.',
    of: f => f.schedules_overdue,
  },
  assay_schedule_lag_seconds: {
    help: 'How long the oldest of them has been due.',
    of: f => f.schedule_lag_s,
  },
  assay_consumers_awake: {
    help: 'Invocations of the consumer function; none where the consumer is a process that stays up.',
    of: f => f.consumers_awake,
  },
  assay_tick_turn_age_seconds: {
    help: 'Since a tick last ended a sweep; missing after ten minutes without one.',
    of: f => secondsOf(f.tick),
  },
  assay_consumer_turn_age_seconds: {
    help: 'Since a consumer at work last ended a look for work; missing where none is at work.',
    of: f => secondsOf(f.consumer),
  },
}

/** Metrics of the pools of this process: see shared/kernel/pool.ts. */
export const POOL_METRICS: Record<
  string,
  { help: string; type: 'gauge' | 'counter'; of: keyof PoolFigures }
> = {
  assay_pool_size: { help: 'The capacity of the pool in this process.', type: 'gauge', of: 'size' },
  assay_pool_in_use: { help: 'How much of the capacity is in use.', type: 'gauge', of: 'in_use' },
  assay_pool_waiting: { help: 'How many wait for capacity.', type: 'gauge', of: 'waiting' },
  assay_pool_refused_total: {
    help: 'How many were refused because no capacity, or none of their share of it, was free.',
    type: 'counter',
    of: 'refused',
  },
}

const secondsOf = ({ age_ms }: Turn) => (age_ms === null ? undefined : age_ms / 1000)

/** Caches what `read` finds for LIMITS.metrics_cache_ms. */
function kept<T>(read: (ctx: Context) => Promise<T>): (ctx: Context) => Promise<T> {
  const last = new WeakMap<Context['sql'], { at: number; found: Promise<T> }>()
  return ctx => {
    const known = last.get(ctx.sql)
    if (known && sinceMs(ctx.now(), known.at) < LIMITS.metrics_cache_ms) return known.found
    const found = read(ctx)
    last.set(ctx.sql, { at: ctx.now(), found })
    found.catch(() => last.delete(ctx.sql)) // a failed read is not cached
    return found
  }
}

/** The figures that METRICS are made from. */
export const readFigures = kept(async (ctx): Promise<Figures> => {
  const [gauges, backlog, consumers_awake, turns, outside] = await Promise.all([
    readGauges(ctx.sql),
    countBacklog(ctx.sql),
    countPresent(ctx.redis),
    readTurns(ctx.redis),
    readUpstreamFigures(ctx.sql),
  ])
  return { ...gauges, ...backlog, consumers_awake, ...turns, outside }
})

const installationOf = kept(readInstallation)

/** The metrics in the text format of Prometheus. */
export async function readMetrics(ctx: Context): Promise<string> {
  const [figures, { versions, figures: state }] = await Promise.all([readFigures(ctx), installationOf(ctx)])
  const labelled = labelsOf(ctx.redis.installation)
  const gauge = (name: string, help: string, ...values: string[]) => [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} gauge`,
    ...values,
  ]
  const lines = Object.entries(METRICS).flatMap(([name, metric]) => {
    const values = valuesOf(metric, figures).map(([label, value]) => `${name}${labelled(label)} ${value}`)
    return values.length === 0 ? [] : gauge(name, metric.help, ...values)
  })
  const own = Object.entries(INSTALLATION_METRICS).flatMap(([name, help]) =>
    gauge(name, help, `${name}${labelled()} ${state[name as keyof typeof state]}`),
  )
  const labels = Object.entries(versions).map(
    ([name, version]) => `${name}="${version.replace(/[^\w. ()+-]/g, '')}"`,
  )
  return [
    ...lines,
    ...own,
    ...poolLines(labelled),
    '# HELP assay_info The versions of what answered.',
    '# TYPE assay_info gauge',
    `assay_info${labelled(...labels)} 1`,
    '',
  ].join('\n')
}

/** Writes labels as Prometheus does; every series of a named installation has its name too. */
const labelsOf =
  (installation: string | undefined) =>
  (...labels: (string | undefined)[]): string => {
    const all = [installation && `installation="${installation}"`, ...labels].filter(Boolean)
    return all.length === 0 ? '' : `{${all.join(',')}}`
  }

/** The values of a metric, each after its label, if it has one. */
function valuesOf({ label, of }: Metric, figures: Figures): [label: string | undefined, value: number][] {
  const value = of(figures)
  if (value === undefined) return []
  if (typeof value === 'number') return [[undefined, value]]
  return Object.entries(value).map(([name, one]) => [`${label}="${name}"`, one])
}

function poolLines(labelled: (label: string) => string): string[] {
  const pools = poolFigures()
  return Object.entries(POOL_METRICS).flatMap(([name, { help, type, of }]) => [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} ${type}`,
    ...pools.map(([pool, figures]) => `${name}${labelled(`pool="${pool}"`)} ${figures[of]}`),
  ])
}
