// Runs one scenario through a whole Assay, and reads what it cost from the database and from the double.

import { setTimeout as pause } from 'node:timers/promises'
import type { Counts, Second, Settings } from '../../support/provider.ts'
import type { Agent, Bench } from '../stack.ts'
import { type Deployed, deploy } from './agents.ts'
import type { Scenario } from './scenarios.ts'

export interface Figures {
  ok: number
  failed: number
  cancelled: number
  /** Not ended when the bench stopped waiting: for an upstream, and all others. */
  waiting: number
  open: number
  seconds: number
  calls: number
  useless: number
  most_sends: number
  retries: number
  /** Until the pace was 90 % of that before, counted from the end of the failure; null if it never was. */
  back_s: number | null
  /**
   * How long one item of another agent of the project took meanwhile, whose provider is fine; null if none was
   * sent, infinite if it had not ended when the bench stopped waiting.
   */
  neighbour_s: number | null
  /** How the run ended, and the most frequent error codes. */
  notes: string
}

/** What README.md's agent declares. */
const RETRIES = 2
const LOOK_MS = 250
/** The pace is a mean over so many seconds: in single ones answers come by chance. */
const SECONDS_OF_PACE = 3
/** The first answers come late: sandboxes start, and a slow answer takes seconds. */
const WARM_S = 2

export async function play(bench: Bench, double: string, scenario: Scenario): Promise<Figures> {
  const key = nameOfKey(scenario.name)
  await configure(double, key, scenario.provider)
  await configure(double, NEIGHBOUR, {})
  const agent = await deploy(bench, scenario.agent, environment(double, key))
  const neighbour = await deploy(bench, 'bundle', environment(double, NEIGHBOUR), agent)
  await submit(bench, neighbour, scenario) // so that its sandbox has started once
  const started = performance.now()
  const { run_id } = await agent.project.client.submitLines({ agent_id: agent.agent_id }, lines(scenario))
  const meanwhile = amid(bench, { scenario, agent, neighbour }, () => read(double, key))
  const isOver = await ended(bench, run_id, started + scenario.most_s * 1000)
  const seconds = (performance.now() - started) / 1000
  const figures = await figuresOf(bench, run_id)
  const counts = await read(double, key)
  if (!isOver) await cancel(bench, agent, run_id)
  return {
    ...figures,
    seconds,
    calls: counts.calls,
    useless: counts.useless,
    most_sends: Math.max(figures.most_sends, counts.most_calls_of_item),
    back_s: backAfter(counts.seconds, scenario),
    neighbour_s: await meanwhile,
  }
}

export const nameOfKey = (scenario: string) => `key-${scenario.replace(/\W+/g, '-')}`

export const environment = (double: string, key: string) => ({
  OPENAI_API_KEY: key,
  OPENAI_BASE_URL: `${double}/v1`,
})

/** A key without failures, of another agent in the same project. */
const NEIGHBOUR = 'neighbour'
/** Late in the failure, when everything that waits for the provider holds a place. */
const BEFORE_END_S = 1

/** While it fails: the agent stops if it is to, and an item of the neighbour runs. @returns how long that one took */
async function amid(
  bench: Bench,
  { scenario, agent, neighbour }: { scenario: Scenario; agent: Deployed; neighbour: Agent },
  counts: () => Promise<Counts>,
): Promise<number | null> {
  const { from_s, for_s, stopsAgent } = scenario
  if (for_s === null) return null
  let first: number | null = null
  while (first === null) {
    await pause(LOOK_MS)
    first = (await counts()).first_call_at
  }
  await pause(Math.max(0, first + from_s * 1000 - Date.now()))
  const stopped = stopsAgent ? agent.stop(for_s * 1000) : undefined
  await pause((for_s - BEFORE_END_S) * 1000)
  const seconds = await submit(bench, neighbour, scenario)
  await stopped
  return seconds
}

/** Submits one item. @returns how many seconds it took, or infinity if the time was over before */
async function submit(bench: Bench, { agent_id, project }: Agent, { most_s }: Scenario): Promise<number> {
  const from = performance.now()
  const { run_id } = await project.client.submitLines({ agent_id }, lines({ items: 1 }))
  const isOver = await ended(bench, run_id, from + most_s * 1000)
  return isOver ? (performance.now() - from) / 1000 : Number.POSITIVE_INFINITY
}

export async function configure(double: string, key: string, settings: Partial<Settings>): Promise<void> {
  const content = JSON.stringify({ label: 'delivery' })
  const body = JSON.stringify({ key, content, ...settings })
  const response = await fetch(`${double}/__config`, { method: 'POST', body })
  if (!response.ok) throw new Error(`the double answered ${response.status}`)
}

export const read = async (double: string, key: string): Promise<Counts> =>
  (await fetch(`${double}/__counts?key=${encodeURIComponent(key)}`)).json() as Promise<Counts>

function lines({
  items,
  poisons_of = 0,
}: Pick<Scenario, 'items' | 'poisons_of'>): ReadableStream<Uint8Array> {
  const line = (i: number) => {
    const is =
      i % poisons_of === Math.floor(poisons_of / 2)
        ? 'poison'
        : 'Where is my parcel? It was sent ten days ago.'
    return `${JSON.stringify({ item_id: `item-${i}`, input: { id: String(i), text: `item-${i}: ${is}` } })}\n`
  }
  const text = Array.from({ length: items }, (_, i) => line(i)).join('')
  return new Blob([text]).stream()
}

/** @returns false if the time was over before */
export async function ended({ sql }: Bench, run_id: string, until: number): Promise<boolean> {
  while (performance.now() < until) {
    const [run] = await sql`select finished_at is not null as over from runs where id = ${run_id}`
    if (run!.over) return true
    await pause(LOOK_MS)
  }
  return false
}

export type Ends = Pick<
  Figures,
  'ok' | 'failed' | 'cancelled' | 'waiting' | 'open' | 'most_sends' | 'retries' | 'notes'
>

export async function figuresOf({ sql }: Bench, run_id: string): Promise<Ends> {
  const [ends] = await sql`
    select count(*) filter (where outcome in ('ok', 'degraded'))::int as ok,
      count(*) filter (where status = 'failed')::int as failed,
      count(*) filter (where status = 'cancelled')::int as cancelled,
      count(*) filter (where is_open and waits)::int as waiting,
      count(*) filter (where is_open and not waits)::int as open,
      max(attempt)::int as most_sends, sum(least(agent_failures, ${RETRIES}))::int as retries
    from (
      select i.*, i.completed_at is null and i.status <> 'cancelled' as is_open,
        i.status = 'queued' and (r.waits_for is not null or d.seq is not null) as waits
      from runs r join items i on i.project_id = r.project_id and i.run_id = r.id
        left join due_items d on d.project_id = r.project_id and d.run_id = r.id and d.seq = i.seq
          and d.due_at = 'infinity'
      where r.id = ${run_id}) of_run`
  const [run] = await sql`select stop_reason from runs where id = ${run_id}`
  const codes = await sql`
    select error_code, count(*)::int as n from items
    where run_id = ${run_id} and status = 'failed' group by 1 order by 2 desc limit 2`
  const reasons = codes.map(({ error_code, n }) => `${n} ${error_code}`)
  const notes = [run!.stop_reason, ...reasons].filter(Boolean).join(', ')
  return { ...(ends as unknown as Omit<Ends, 'notes'>), notes }
}

/** The first cancellation starts no more items, the second aborts those in flight. */
export async function cancel(bench: Bench, { project }: Deployed, run_id: string): Promise<void> {
  for (let i = 0; i < 2; i++)
    await project.client
      .POST('/v2/runs/{runId}/cancel', { params: { path: { runId: run_id } } })
      .catch(ignoreEnded)
  await ended(bench, run_id, performance.now() + 30_000)
}

/** It may end by itself meanwhile. */
function ignoreEnded(error: { code?: string }): void {
  if (error.code !== 'run_already_ended') throw error
}

/** How long after the end of the failure good answers came as fast again as before it. */
export function backAfter(seconds: readonly Second[], { from_s, for_s }: Scenario): number | null {
  if (for_s === null) return null
  const oks = new Map(seconds.map(({ at, ok }) => [at, ok]))
  const pace = (from: number, to: number) => {
    let sum = 0
    for (let at = from; at < to; at++) sum += oks.get(at) ?? 0
    return sum / (to - from)
  }
  const before = pace(WARM_S, from_s)
  const [end, last] = [from_s + for_s, seconds.at(-1)?.at ?? 0]
  for (let at = end; at + SECONDS_OF_PACE <= last + 1; at++)
    if (pace(at, at + SECONDS_OF_PACE) >= 0.9 * before) return at - end
  return null
}
