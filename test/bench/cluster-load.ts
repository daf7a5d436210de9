// Puts runs of many projects, or one large run, through a stack, measures what each part took, and prints it.
// Guarantee: a figure is of runs in which no item was lost, judged twice or offered twice.

import { setTimeout as pause } from 'node:timers/promises'
import { type Client, createClient } from '../../shared/sdk/client.ts'
import type { MadeProject } from '../support/many-projects.ts'
import { lines, median, perSecond, show } from './batch.ts'
import { sumOf } from './footprint.ts'
import { difference, type Node, type Use, useOf } from './nodes.ts'
import type { Bench } from './stack.ts'

/** Concurrent submitters, and concurrent polls for the end of runs. */
const AT_ONCE = 16
const LOOK_MS = 20
const IDLE_MS = 10_000
/** Runs that the verify operation recounts: recounting all would take longer than the measurement. */
const VERIFIED = 5

export interface Run {
  project: MadeProject
  items: number
}

interface Submitted extends Run {
  client: Client
  run_id: string
}

export interface Figures {
  runs: number
  items: number
  /** Seconds until all runs were accepted, and (`seconds`) until all had ended. */
  submit_s: number
  seconds: number
  /** Processor seconds of the process that is API, consumer and tick. */
  server: number
  nodes: { name: string; use: Use }[]
}

export async function through(bench: Bench, nodes: readonly Node[], runs: readonly Run[]): Promise<Figures> {
  const before = await usedBy(bench, nodes)
  const began = performance.now()
  const submitted = await inLanes(runs, async ({ project, items }) => {
    const client = createClient({ baseUrl: bench.base_url, apiKey: project.api_key })
    const { run_id } = await client.submitLines({ agent_id: project.agent_id }, lines(items))
    return { client, project, items, run_id }
  })
  const accepted = performance.now()
  await inLanes(submitted, run => ended(bench, run))
  const over = performance.now()
  const after = await usedBy(bench, nodes)
  await proven(bench, submitted)
  return {
    runs: runs.length,
    items: sumOfItems(runs),
    submit_s: (accepted - began) / 1000,
    seconds: (over - began) / 1000,
    ...between(nodes, before, after),
  }
}

/** Measures while there are no requests and no runs. */
export async function idle(bench: Bench, nodes: readonly Node[]): Promise<Figures> {
  const before = await usedBy(bench, nodes)
  await pause(IDLE_MS)
  const after = await usedBy(bench, nodes)
  return { runs: 0, items: 0, submit_s: 0, seconds: IDLE_MS / 1000, ...between(nodes, before, after) }
}

interface Used {
  server: number
  uses: Use[]
}

const usedBy = async ({ pids }: Bench, nodes: readonly Node[]): Promise<Used> => ({
  server: sumOf([{ pid: pids.server }]),
  uses: await Promise.all(nodes.map(useOf)),
})

const between = (nodes: readonly Node[], before: Used, after: Used) => ({
  server: after.server - before.server,
  nodes: nodes.map(({ name }, i) => ({ name, use: difference(after.uses[i]!, before.uses[i]!) })),
})

async function inLanes<T, R>(all: readonly T[], act: (one: T) => Promise<R>): Promise<R[]> {
  const done: R[] = []
  let next = 0
  const lane = async () => {
    while (next < all.length) {
      const i = next++
      done[i] = await act(all[i]!)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, lane))
  return done
}

async function ended({ sql }: Bench, { project, run_id, items }: Submitted): Promise<void> {
  for (;;) {
    const [run] = await sql<{ is_over: boolean; ok: number }[]>`
      select finished_at is not null as is_over, ok from runs where project_id = ${project.id} and id = ${run_id}`
    if (run!.is_over && run!.ok === items) return
    if (run!.is_over) throw new Error(`run ${run_id}: ${run!.ok} of ${items} items are ok`)
    await pause(LOOK_MS)
  }
}

/** @throws Error if an item was lost, judged twice or offered twice */
async function proven({ sql }: Bench, runs: readonly Submitted[]): Promise<void> {
  const ids = runs.map(run => run.run_id)
  const [items] = await sql<{ good: number; others: number }[]>`
    select count(*) filter (where status = 'completed' and outcome = 'ok' and attempt = 1)::int as good,
      count(*) filter (where status <> 'completed' or outcome <> 'ok' or attempt <> 1)::int as others
    from items where run_id = any(${ids}::uuid[])`
  if (items!.good !== sumOfItems(runs) || items!.others > 0) throw new Error(JSON.stringify(items))
  for (const { client, run_id } of runs.slice(0, VERIFIED)) {
    const { data } = await client.GET('/v2/runs/{runId}/verify', { params: { path: { runId: run_id } } })
    if (!data?.balanced) throw new Error(`run ${run_id}: ${JSON.stringify(data)}`)
  }
}

const sumOfItems = (runs: readonly Run[]) => runs.reduce((sum, run) => sum + run.items, 0)

/** Prints medians, and their ratio to `base`, the rate of one PostgreSQL. */
export function print(way: string, rounds: readonly Figures[], base: number): void {
  const of = (figure: (one: Figures) => number) => median(rounds.map(figure))
  const { items, runs } = rounds[0]!
  if (items === 0) show(way, '')
  else {
    const ratio = `${(of(rateOf) / base).toFixed(2)} of one PostgreSQL`
    const more = runs > 1 ? `; ${perSecond(of(one => one.runs / one.seconds))} runs` : ''
    const submitted = perSecond(of(one => one.items / one.submit_s))
    show(`${way}: items, end to end`, perSecond(of(rateOf)), `${ratio}; submitted at ${submitted}${more}`)
    console.log(`    server: ${micro(of(one => one.server / items))} of processor time per item`)
  }
  for (const [i, { name }] of rounds[0]!.nodes.entries()) {
    const use = (key: keyof Use) => of(one => one.nodes[i]!.use[key])
    const statements = `${perSecond(of(one => one.nodes[i]!.use.statements / one.seconds))} statements`
    const cores = `${of(one => one.nodes[i]!.use.seconds / one.seconds).toFixed(2)} processors`
    const each = [
      `${(use('statements') / items).toFixed(3)} statements`,
      `${(use('wal') / items).toFixed(0)} B of log`,
      `${(use('bytes') / items).toFixed(0)} B of rows`,
      `${micro(use('seconds') / items)} of a processor`,
    ]
    console.log(`    ${name}: ${statements}, ${cores}${items > 0 ? `; an item ${each.join(', ')}` : ''}`)
  }
}

export const rateOf = (one: Figures): number => one.items / one.seconds

const micro = (seconds: number) => `${(seconds * 1e6).toFixed(0)} µs`
