// One round: callers call while faults strike; then the faults end, all work drains, and everything is checked.

import { setTimeout as pause } from 'node:timers/promises'
import { Caller } from './caller.ts'
import * as checks from './checks.ts'
import { closedWrongly, closuresSince } from './closures.ts'
import { CAPS, type Installation } from './installation.ts'
import type { Ledger } from './ledger.ts'
import { callFor, callUpstreams, type Load, resumeHeld } from './load.ts'
import { planOf, strikeAll } from './nemesis.ts'
import { runsSince } from './snapshot.ts'
import { watch } from './watch.ts'

export const ROUND_MS = 12_000
/** Items of a dead consumer must be released within this. */
const BACK_MS = 35_000
/** Retries after a transport fault wait for up to 30 s, after the lease of 25 s. */
const DRAIN_MS = 120_000
const LOOK_MS = 250

export interface RoundFigures {
  round: number
  faults: string[]
  acknowledged: number
  items: number
  answers: number
  /** Calls that the provider refused. */
  refused: number
  /** How often an upstream was found to serve nobody, and how often of these no fault had struck it. */
  closures: { all: number; wrong: number }
  /** Answers that say that PostgreSQL was unreachable. */
  unreachable: number
  compared: number
  slowest_back_ms: number
  drained_ms: number
  unexpected_exits: number
  breaches: string[]
}

export async function playRound(
  installation: Installation,
  ledger: Ledger,
  { seed, round, say = () => {} }: { seed: number; round: number; say?: (line: string) => void },
): Promise<RoundFigures> {
  const { sql, units } = installation
  // Items are claimed at submission only in a project without a cap per partition.
  await sql`update projects set settings = case when ${round % 2 === 0} then settings - 'partition_concurrency'
    else settings || ${sql.json({ partition_concurrency: CAPS.partition })} end where id = ${installation.project_id}`
  const [{ since }] = (await sql<{ since: Date }[]>`select now() as since`) as unknown as [{ since: Date }]
  const caller = new Caller(installation.urls, installation.api_key)
  const { refused: refusedBefore } = installation.provider
  const plan = planOf(seed, round, ROUND_MS)
  const watching = watch(sql, { byPartition: round % 2 !== 0 })
  const strike = async () => {
    await strikeAll(installation, plan, say)
    watching.up_at = Date.now()
    say('all is up')
  }
  await Promise.all([callFor({ installation, ledger, caller, round }, { seed, ms: ROUND_MS }), strike()])
  const ended = Date.now()
  const left = await drain({ installation, ledger, caller, round })
  const drained_ms = Date.now() - ended
  say(`drained in ${drained_ms} ms`)
  await watching.stop()
  const closures = await closuresSince(sql, since)
  const entries = ledger.ofRound(round)
  const unexpected = units.flatMap(unit => unit.unexpected.splice(0))
  const slow =
    watching.slowest_back_ms > BACK_MS
      ? [`items were offered again after ${watching.slowest_back_ms} ms`]
      : []
  const breaches = [...watching.breaches, ...left, ...slow, ...unexpected, ...(await check())]
  return {
    round,
    faults: plan.map(strike => strike.fault),
    acknowledged: entries.filter(entry => entry.state === 'accepted').length,
    items: entries.reduce((sum, entry) => sum + (entry.state === 'accepted' ? entry.items : 0), 0),
    answers: caller.answers,
    refused: installation.provider.refused - refusedBefore,
    closures: { all: closures.length, wrong: closedWrongly(closures, installation.struck).length },
    unreachable: caller.failures.filter(one => one.code === 'store_unreachable').length,
    compared: watching.compared,
    slowest_back_ms: watching.slowest_back_ms,
    drained_ms,
    unexpected_exits: unexpected.length,
    breaches,
  }

  async function check(): Promise<string[]> {
    const runs = await runsSince(sql, since)
    const cancelled = new Set(entries.filter(one => one.is_cancelled).flatMap(one => [...one.run_ids]))
    const found = await Promise.all([
      checks.checkEntries(entries, runs),
      checks.checkItems(runs, cancelled, installation.agents.url),
      checks.checkCounters(installation, caller, runs),
      checks.checkVerdicts(installation, runs),
      checks.checkCallbacks(installation, entries, runs),
      checks.checkSchedule(installation, runs, since),
      checks.checkUpstreams(installation),
    ])
    return [...found.flat(), ...checks.checkAnswers(caller.failures, installation.trouble)]
  }
}

/**
 * Waits until no work is left, and resumes items as a person would; if nothing is left to try what is known to be closed, new
 * items do. @returns what is left after DRAIN_MS
 */
async function drain(load: Load): Promise<string[]> {
  const { caller, installation } = load
  const { sql, project_id } = installation
  let tried = false
  for (const end = Date.now() + DRAIN_MS; ; await pause(LOOK_MS)) {
    await resumeHeld(caller, sql)
    // A callback due in a minute or six is between two tries and not in flight: it is made due now.
    await sql`update deliveries set due_at = now() where due_at > now() + interval '31 seconds'`
    const left = await sql<{ what: string }[]>`
      select 'run ' || id || ' is ' || status || ' with ' || running || ' at work, ' || paused || ' paused, '
        || next_seq || ' of ' || total_items || ' offered' as what
      from runs where project_id = ${project_id} and finished_at is null and not materializing
      union all select 'claim ' || id || ' is held' from claims
      union all select 'recovery ' || id || ' is ' || status from recoveries where finished_at is null
      union all select 'callback ' || id || ' is due' from deliveries where due_at is not null
      union all select 'moment ' || scheduled_for || ' is tried again' from occurrences where retry_at is not null
      -- Ends a second or so after the last item that waited with it.
      union all select 'run ' || id || ' still waits for an upstream' from runs where waits_for is not null`
    const isOver = Date.now() > end
    if (left.length === 0) {
      if (isOver || (await checks.closedUpstreams(sql, project_id)).length === 0) return []
      if (!tried) await callUpstreams(load)
      tried = true
      continue
    }
    if (isOver) return left.slice(0, 10).map(row => `not drained: ${row.what}`)
  }
}
