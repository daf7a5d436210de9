// What must hold once a round has drained. Each check returns one sentence per breach, and none if all holds.

import type { Sql } from '../../shared/context.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { breachesOf } from '../faults/support/audit.ts'
import { conservation } from '../support/conservation.ts'
import type { Caller, Failure } from './caller.ts'
import type { Installation } from './installation.ts'
import { type Entry, itemNameOf } from './ledger.ts'
import { BY_SCHEDULE, doingOf, inputOf, OUTCOMES, outputOf, STEP_COST_MICRO } from './payloads.ts'
import type { RunSeen } from './snapshot.ts'

/** A connection that a fault broke may be used this much later: its statement is retried, or its caller gets a 5xx. */
const GRACE_MS = 5000
/** How many runs are recounted in every figure; the API verifies its own figures of all runs. */
const RECOUNTED = 8
const AT_ONCE = 6 // connections that the checks use

/** Every acknowledged submission is one run with all its items; one without a clear answer is such a run, or absent. */
export function checkEntries(entries: readonly Entry[], runs: readonly RunSeen[]): string[] {
  const isNamed = (run: RunSeen) => !run.is_replay && run.items[0]?.name !== BY_SCHEDULE
  const byEntry = Map.groupBy(runs.filter(isNamed), run => run.items[0]?.name.split('-')[0])
  const byId = new Map(runs.map(run => [run.id, run]))
  return entries.flatMap(entry => {
    const { name, state, run_ids } = entry
    const gone = [...run_ids]
      .filter(id => !byId.has(id))
      .map(id => `${name}: run ${id} was acknowledged and is lost`)
    if (entry.item_name !== undefined) return gone
    const found = byEntry.get(name) ?? []
    const most = state === 'refused' ? 0 : 1
    const more = found.length > most ? [`${name} was ${state} and started ${found.length} runs`] : []
    const others = run_ids.size > 1 ? [`${name} was given ${run_ids.size} runs under one key`] : []
    return [...gone, ...more, ...others, ...found.flatMap(run => itemsMissing(entry, run))]
  })
}

function itemsMissing(entry: Entry, run: RunSeen): string[] {
  const there = new Set(run.items.map(item => item.name))
  const isWhole =
    run.total_items === entry.items &&
    run.items.length === entry.items &&
    Array.from({ length: entry.items }, (_, i) => itemNameOf(entry, i + 1)).every(name => there.has(name))
  return isWhole
    ? []
    : [`${entry.name} has ${there.size} of ${entry.items} items, ${run.total_items} by its run`]
}

/** Every item ended as its agent ended it, has the exact bytes that were sent and answered, and was paid for once. */
export function checkItems(
  runs: readonly RunSeen[],
  cancelled: ReadonlySet<string>,
  urlAgent: string,
): string[] {
  return runs.flatMap(run =>
    run.items.flatMap(item => {
      if (item.name === BY_SCHEDULE)
        return item.outcome === 'ok' ? [] : [`what the schedule started is ${item.status}`]
      const doing = doingOf(item.name)
      const says = (what: string) => `item ${item.name} of run ${run.id} (${doing}) ${what}`
      const input = inputOf(item.name)
      const kept = item.input === input ? [] : [says(`was sent as ${input} and is kept as ${item.input}`)]
      if (item.status === 'cancelled' && cancelled.has(run.id)) return kept
      if (item.outcome !== OUTCOMES[doing]) return [...kept, says(`is ${item.status}, ${item.outcome}`)]
      const output = run.agent_id === urlAgent ? outputOf(input) : `{"name":"${item.name}"}`
      const answered =
        OUTCOMES[doing] === 'failed' || item.output === output ? [] : [says(`has the output ${item.output}`)]
      const cost = doing === 'step' ? STEP_COST_MICRO : 0
      const paid = item.cost_micro === cost ? [] : [says(`cost ${item.cost_micro} in place of ${cost}`)]
      const used =
        OUTCOMES[doing] === 'failed' || item.agent_failures === 0
          ? []
          : [says(`used ${item.agent_failures} declared retries`)]
      return [...kept, ...answered, ...paid, ...used]
    }),
  )
}

/** Counters equal a recount: all runs by the API, some runs in every figure, and the project's usage. */
export async function checkCounters(
  { sql, project_id }: Installation,
  caller: Caller,
  runs: readonly RunSeen[],
) {
  const verified = await eachOf(runs, 2, async ({ id }) => {
    const { status, body } = await caller.ask(`/v2/runs/${id}/verify`, { method: 'GET' })
    const differences = body.differences as string[] | undefined
    return (differences ?? [`it answered ${status}`]).map(what => `run ${id} verified: ${what}`)
  })
  const recounted = await eachOf(runs.slice(-RECOUNTED), 2, async ({ id }) =>
    (await conservation({ sql }, id)).map(name => `run ${id} recounted: ${name} does not agree`),
  )
  const [usage] = await sql<{ holds: boolean; words: string }[]>`
    select (u.running, u.spent_micro) = (sum(r.running), sum(r.cost_micro)) as holds,
      format('the project says %s at work and %s spent, its runs %s and %s',
        u.running, u.spent_micro, sum(r.running), sum(r.cost_micro)) as words
    from project_usage u join runs r using (project_id) where project_id = ${project_id} group by u.project_id`
  return [...verified, ...recounted, ...(usage === undefined || usage.holds ? [] : [usage.words])]
}

/** No verdict was recorded twice or changed, and none without a lease. */
export const checkVerdicts = ({ sql }: Installation, runs: readonly RunSeen[]) =>
  eachOf(runs, AT_ONCE, async ({ id }) => (await breachesOf(sql, id)).map(what => `run ${id}: ${what}`))

/** Nothing waits any more for something outside, and everything outside is known to serve. */
export async function checkUpstreams({ sql, project_id }: Installation): Promise<string[]> {
  const rows = await sql<{ what: string }[]>`
    select 'item ' || seq || ' of run ' || run_id || ' still waits for an upstream' as what
    from due_items where project_id = ${project_id} and due_at = 'infinity'
    union all select 'run ' || id || ' still waits for an upstream' from runs
      where project_id = ${project_id} and waits_for is not null
    union all ${closedUpstreams(sql, project_id)}`
  return rows.map(row => row.what)
}

export const closedUpstreams = (sql: Sql, project_id: string) => sql<{ what: string }[]>`
  select 'upstream ' || host || ' is ' || state || ' since ' || since || ': ' || words as what
  from upstreams where project_id = ${project_id} and state <> 'open'`

/** Each callback was tried until it was delivered, or `delivery_tries` times if its receiver never accepts it. */
export async function checkCallbacks(
  { sql, receiver }: Installation,
  entries: readonly Entry[],
  runs: readonly RunSeen[],
): Promise<string[]> {
  const called = entries.filter(entry => entry.callback !== undefined)
  const ids = called.flatMap(entry => [...entry.run_ids])
  const rows = await sql<
    { id: string; run_id: string; tries: number; is_delivered: boolean; is_due: boolean }[]
  >`
    select id, run_id, tries, delivered_at is not null as is_delivered, due_at is not null as is_due
    from deliveries where run_id = any(${ids}::uuid[])`
  const ofRun = Map.groupBy(rows, row => row.run_id)
  const got = Map.groupBy(receiver.received, one => one.headers['webhook-id'])
  const there = new Set(runs.map(run => run.id))
  return called.flatMap(entry =>
    [...entry.run_ids]
      .filter(id => there.has(id))
      .flatMap(id => {
        const messages = ofRun.get(id) ?? []
        if (messages.length === 0) return [`${entry.name} has no callback`]
        return messages.flatMap(({ id, tries, is_delivered, is_due }) => {
          const came = got.get(id)?.length ?? 0
          const holds =
            entry.callback === 'deaf'
              ? !is_delivered && !is_due && tries === LIMITS.delivery_tries && came <= tries
              : is_delivered && came >= 1
          const words = `${tries} tries, ${is_delivered ? '' : 'not '}delivered${is_due ? ', due' : ''}, came ${came} times`
          return holds ? [] : [`callback ${id} of ${entry.name} (${entry.callback}): ${words}`]
        })
      }),
  )
}

/** Every minute has an occurrence, every run that an occurrence names exists, and the schedule has no other run. */
export async function checkSchedule(
  { sql, schedule_id }: Installation,
  runs: readonly RunSeen[],
  since: Date,
) {
  const rows = await sql<{ scheduled_for: Date; manual: boolean; run_id: string | null; missing: boolean }[]>`
    select o.scheduled_for, o.manual, o.run_id, o.run_id is not null and r.id is null as missing
    from occurrences o left join runs r on r.id = o.run_id where o.schedule_id = ${schedule_id}`
  const [due] = await sql<{ n: number }[]>`
    select count(*)::int as n from generate_series((select min(scheduled_for) from occurrences
      where schedule_id = ${schedule_id} and not manual), now() - interval '20 seconds', interval '1 minute')`
  const moments = rows.filter(row => !row.manual).length
  const started = new Set(rows.flatMap(row => row.run_id ?? []))
  const fired = runs.filter(run => run.items[0]?.name === BY_SCHEDULE && !run.is_replay).map(run => run.id)
  return [
    ...(moments < due!.n ? [`the schedule has ${moments} rows for ${due!.n} moments`] : []),
    ...rows
      .filter(row => row.missing)
      .map(row => `run ${row.run_id} of ${row.scheduled_for.toISOString()} is not there`),
    ...fired
      .filter(id => !started.has(id))
      .map(id => `run ${id} of the schedule has no row, since ${since.toISOString()}`),
  ]
}

/**
 * The only failure that callers may get is `store_unreachable`, and only while PostgreSQL is in trouble. A call that
 * took as long as the shortest deadline for a session or a statement also passes: PostgreSQL is too busy then, as
 * everything is on a machine with much other work.
 */
export function checkAnswers(failures: readonly Failure[], trouble: Installation['trouble']): string[] {
  const isInTrouble = ({ from, to }: Failure) =>
    to - from >= LIMITS.store_connect_ms ||
    trouble.some(window => from <= window.to + GRACE_MS && to >= window.from)
  return failures
    .filter(one => !(one.status >= 500 && one.code === 'store_unreachable' && isInTrouble(one)))
    .map(({ what, status, code, from, to }) => {
      const nearest = Math.min(...trouble.map(window => from - window.to).filter(ms => ms > 0))
      const when = Number.isFinite(nearest)
        ? `${(nearest / 1000).toFixed(1)} s after PostgreSQL was in trouble`
        : 'in no trouble'
      return `${what} was answered ${status} ${code} after ${to - from} ms, asked ${when}`
    })
}

async function eachOf<T>(
  list: readonly T[],
  atOnce: number,
  check: (one: T) => Promise<string[]>,
): Promise<string[]> {
  const found: string[] = []
  const left = list.values()
  const work = async () => {
    for (const one of left) found.push(...(await check(one)))
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return found
}

/** Recounts the counters of all runs in one statement. */
export async function recountAll(sql: Sql): Promise<{ compared: number; differences: number }> {
  const [row] = await sql<{ compared: number; differences: number }[]>`
    select count(*)::int * 6 as compared, count(*) filter (where
      (r.total_items, r.ok, r.degraded, r.failed, r.cancelled, r.cost_micro)
        is distinct from (c.n, c.ok, c.degraded, c.failed, c.cancelled, c.cost_micro))::int as differences
    from runs r join (select run_id, count(*) as n, count(*) filter (where outcome = 'ok') as ok,
        count(*) filter (where outcome = 'degraded') as degraded, count(*) filter (where status = 'failed') as failed,
        count(*) filter (where status = 'cancelled') as cancelled, sum(cost_micro) as cost_micro
      from items group by 1) c on c.run_id = r.id where not r.materializing`
  return row!
}
