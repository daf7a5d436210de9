// What strikes a run of the bench of bills: ends of processes, cancelled runs and recoveries, at random points of its work.

import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import type { Bench } from '../stack.ts'
import type { BilledAgent } from './agents.ts'
import type { Strike } from './check.ts'

/** Two consumers, each with the tick, so that one works on while the other is away. */
export class Consumers {
  readonly #start: () => Promise<ChildProcess>
  #all: ChildProcess[] = []

  constructor(bench: Bench) {
    this.#start = () => bench.startProcess({ ASSAY_PARTS: 'consumer,tick' })
  }

  async start(): Promise<void> {
    this.#all = await Promise.all([this.#start(), this.#start()])
  }

  readonly all = (): readonly ChildProcess[] => this.#all

  /** Ends one, and starts it again. @returns when it had ended */
  async end(signal: 'SIGKILL' | 'SIGTERM', nth: number): Promise<number> {
    const one = this.#all[nth]!
    const ended = once(one, 'exit')
    one.kill(signal)
    await ended
    const at = Date.now()
    this.#all[nth] = await this.#start()
    return at
  }
}

export interface Struck {
  bench: Bench
  agent: BilledAgent
  consumers: Consumers
  run_ids: readonly string[]
  random: () => number
}

const signals = ['SIGKILL', 'SIGTERM'] as const

/** @returns when what was struck had ended, if that is known */
type Strikes = (struck: Struck) => Promise<unknown>

/** Every kind strikes in turn. */
const KINDS: [string, Strikes][] = [
  ...signals.map(signal => kindOf(`${signal} of a consumer`, consumerEnds(signal))),
  ...signals.map(signal => kindOf(`${signal} of the agent`, ({ agent }) => agent.end(signal))),
  kindOf('cancellation of a run', cancelOne),
  kindOf('recovery', ({ bench }) => recover(bench, {})),
]

function kindOf(what: string, strike: Strikes): [string, Strikes] {
  return [what, strike]
}

function consumerEnds(signal: 'SIGKILL' | 'SIGTERM') {
  return ({ consumers, random }: Struck) => consumers.end(signal, random() < 0.5 ? 0 : 1)
}

/** The items in flight are aborted; they are recovered later. */
async function cancelOne({ bench, run_ids, random }: Struck): Promise<void> {
  const open =
    await bench.sql`select id from runs where id in ${bench.sql(run_ids)} and finished_at is null and status <> 'cancelled'`
  const run = open[Math.floor(random() * open.length)]
  if (run === undefined) return
  const params = { path: { runId: run.id as string } }
  await bench.client.POST('/v2/runs/{runId}/cancel', { params, body: { in_flight: 'abort' } as never })
  for (;;) {
    const [ended] = await bench.sql`select finished_at is not null as over from runs where id = ${run.id}`
    if (ended!.over) return
    await pause(LOOK_MS)
  }
}

/** Replays what the filter finds; nothing may be there. */
export async function recover(bench: Bench, filter: object): Promise<void> {
  const { error } = await bench.client
    .POST('/v1/recoveries', { body: { project_id: bench.project.id, filter } as never })
    .catch((error: { code?: string }) => ({ error }))
  const code = (error as { code?: string } | undefined)?.code
  if (error !== undefined && code !== 'nothing_to_recover') throw error
}

const LOOK_MS = 50

/** Strikes so often, each time when a random share of the items has ended. Resolves when all runs have ended. */
export async function strikeAtRandom(
  struck: Struck,
  { items, times }: { items: number; times: number },
): Promise<Strike[]> {
  const { bench, random } = struck
  const points = Array.from({ length: times }, () => 0.02 + 0.9 * random()).sort((a, b) => a - b)
  const strikes: Strike[] = []
  for (const point of points) {
    while ((await endedIn(struck)) < point * items && !(await areOver(struck))) await pause(LOOK_MS)
    const [what, strike] = KINDS[strikes.length % KINDS.length]!
    const [running] = await bench.sql`
      select count(*)::int as n from items where project_id = ${bench.project.id} and status = 'running'`
    const from = Date.now()
    const ended = await strike(struck)
    const gone = typeof ended === 'number' ? ended : Date.now()
    strikes.push({ what, from, gone, to: Date.now(), in_flight: running!.n as number })
  }
  while (!(await areOver(struck))) await pause(LOOK_MS)
  return strikes
}

async function endedIn({ bench, run_ids }: Struck): Promise<number> {
  const [ended] =
    await bench.sql`select sum(ok + degraded + failed)::int as n from runs where id in ${bench.sql(run_ids)}`
  return ended!.n as number
}

async function areOver({ bench }: Struck): Promise<boolean> {
  const open =
    await bench.sql`select 1 from runs where project_id = ${bench.project.id} and finished_at is null`
  return open.length === 0
}

/** Recovers what did not work, also what was cancelled, until all items have worked. @returns how many rounds it took */
export async function recoverAll(struck: Struck, most = 10): Promise<number> {
  const { bench } = struck
  for (let round = 1; round <= most; round++) {
    const cancelled = await bench.sql`
      select id from runs where project_id = ${bench.project.id} and cancelled > 0`
    await recover(bench, {})
    for (const { id } of cancelled) await recover(bench, { run_id: id, status: 'cancelled' })
    while (!(await settled(struck))) await pause(LOOK_MS)
    if ((await left(struck)) === 0) return round
  }
  throw new Error(`${await left(struck)} items have not worked after ${most} recoveries`)
}

async function settled(struck: Struck): Promise<boolean> {
  const { data } = await struck.bench.client.GET('/v1/recoveries', {
    params: { query: { project_id: struck.bench.project.id } },
  })
  const recoveries = data as unknown as { status: string }[]
  return (
    recoveries.every(({ status }) => ['completed', 'stopped', 'aborted'].includes(status)) && areOver(struck)
  )
}

/** Items whose newest attempt, the replays included, has not worked. */
async function left({ bench }: Struck): Promise<number> {
  const [unworked] = await bench.sql`
    select count(*)::int as n from (
      select item_id, bool_or(outcome = 'ok') as worked from items where project_id = ${bench.project.id}
      group by item_id) of_item where not coalesce(worked, false)`
  return unworked!.n as number
}
