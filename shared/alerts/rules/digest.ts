// Writes the digest of a run, which a team reads in the morning. Guarantee: it says whether the run ran, whether it
// worked, what it cost, how that compares with the run before, why items did not work, and what to do now.

import { okShare, type RunTally, ran, worked } from '../../items/rules/run-words.ts'
import { coarseSpan } from '../../kernel/span.ts'
import type { Message, Tone } from '../../outbox/rules/message.ts'
import { count, counted, dollars } from '../../prices/rules/amounts.ts'
import { type LeftOver, recoverCommand, sayLeftOver } from '../../recovery/rules/left-over.ts'
import type { ClosedState } from '../../upstreams/rules/states.ts'
import { sayItemsWait, upstreamName } from '../../upstreams/rules/upstream-words.ts'
import { runLabel } from './run-alerts.ts'

/** Why items of a run did not work, and how many for that cause. */
export interface DigestCause {
  cause: string
  items: number
}

export interface DigestRun extends RunTally {
  id: string
  name: string | null
  agent_slug: string
  cron: string | null
  status: string | null
  cost_micro: number
  budget_micro: number | null
  unpriced_items: number
  finished_at: Date
  /** How long it waited for something outside that served nobody. */
  waited_ms: number
  /** How many of the items above have a verdict from people instead of the recorded one. */
  corrected: number
}

export interface Digest {
  run: DigestRun
  /** The run of the same schedule that ended before; null if there is none. */
  previous: DigestRun | null
  causes: readonly DigestCause[]
  /** Items that can be run again as the digest is written: those that wait in triage, and all. */
  left: Omit<LeftOver, 'run_id'>
  /** The findings of the checks over the run, in words. */
  noticed: readonly string[]
  /** What the run waited for, as far as it is still known. */
  waited_for: readonly { host: string; label: string | null }[]
  /** What items of its project wait for as the digest is written. */
  waits: readonly { host: string; label: string | null; state: ClosedState; items: number }[]
}

/** The URLs of a run and its results. */
export interface RunLinks {
  run: string
  results: string
  /** The endpoint for programs. */
  results_api: string
}

export const runLinks = (base_url: string, run_id: string): RunLinks => ({
  run: `${base_url}/dashboard/runs/${run_id}`,
  results: `${base_url}/dashboard/runs/${run_id}/results`,
  results_api: `${base_url}/v1/results?run_id=${run_id}`,
})

/** The parts of a digest, in words. */
export interface DigestWords {
  name: string
  ran: string
  worked: string
  cost: string
  /** Null for the first run of a schedule, and for a run without a schedule. */
  compared: string | null
  /** Null for a run that nothing outside held up. */
  waited: string | null
  /** Empty if no item of the project waits for anything outside. */
  waits: string[]
  /** What the command runs again; null if nothing is left. */
  left: string | null
  command: string | null
}

const notOk = (run: RunTally) => run.degraded + run.failed + run.budget_exceeded
const isAllOk = (run: RunTally) => run.ok === run.total_items

/** @example costOf({ cost_micro: 3_120_000, budget_micro: 5_000_000, … }) // '$3.12 of $5.00 (62 %)' */
function costOf({ cost_micro, budget_micro, unpriced_items }: DigestRun): string {
  const spent = `${unpriced_items > 0 ? '≥' : ''}${dollars(cost_micro)}`
  const of =
    budget_micro === null || budget_micro === 0
      ? ' (no budget)'
      : ` of ${dollars(budget_micro)} (${Math.round((100 * cost_micro) / budget_micro)} %)`
  const unpriced = unpriced_items > 0 ? `; ${counted(unpriced_items, 'item')} without a price` : ''
  return `${spent}${of}${unpriced}`
}

/** A run's tally with people's corrections applied. */
export function corrected<Run extends RunTally>(run: Run, { to_ok, to_degraded }: Corrections) {
  const changed = { ok: run.ok + to_ok - to_degraded, degraded: run.degraded + to_degraded - to_ok }
  return { ...run, ...changed, corrected: to_ok + to_degraded }
}

/** How many items people found to have worked, and how many not to. */
export interface Corrections {
  to_ok: number
  to_degraded: number
}

const sayCorrected = (run: DigestRun) => (run.corrected === 0 ? '' : ` (${count(run.corrected)} corrected)`)
const workedOf = (run: DigestRun) => worked(run) + sayCorrected(run)

/** Compares shares and not counts, because runs differ in size. */
function comparedOf(run: DigestRun, before: DigestRun): string {
  const share = (of: RunTally) => okShare(of) ?? '–'
  const items = counted(before.total_items, 'item')
  const cost = dollars(before.cost_micro)
  return `last time: ${items}, ${share(before)} ok${sayCorrected(before)} for ${cost}; now ${share(run)} ok for ${dollars(run.cost_micro)}`
}

/** Shorter waits are part of any night: a provider that asks for less for a moment. */
const WAITED_MS = 1000

/** @example '42 min for api.openai.com (OPENAI_API_KEY)' */
function waitedOf({ run: { waited_ms }, waited_for }: Digest): string | null {
  if (waited_ms < WAITED_MS) return null
  const names = [...new Set(waited_for.map(upstreamName))]
  return `${coarseSpan(waited_ms)} for ${names.length === 0 ? 'a provider' : names.join(', ')}`
}

export function digestWords(digest: Digest): DigestWords {
  const { run, previous, left } = digest
  return {
    name: runLabel(run),
    ran: ran(run) === 'all' ? `all ${count(run.total_items)}` : ran(run),
    worked: workedOf(run),
    cost: costOf(run),
    compared: previous && comparedOf(run, previous),
    waited: waitedOf(digest),
    waits: digest.waits.map(({ items, ...upstream }) => sayItemsWait(items, upstream)),
    left: left.items === 0 ? null : sayLeftOver(left.items),
    command: recoverCommand({ run_id: run.id, ...left }),
  }
}

function toneOf({ run, noticed }: Digest): Tone {
  if (isAllOk(run)) return noticed.length > 0 ? 'warning' : 'good'
  return run.ok === 0 || run.status === 'failed' || run.status === 'budget_exceeded' ? 'bad' : 'warning'
}

export function digestMessage(digest: Digest, links: RunLinks): Message {
  const { run, causes, noticed } = digest
  const words = digestWords(digest)
  const facts: [string, string][] = [
    ['Ran', words.ran],
    ['Worked', words.worked],
    ['Cost', words.cost],
  ]
  if (words.compared !== null) facts.push(['Compared', words.compared])
  if (words.waited !== null) facts.push(['Waited', words.waited])
  if (words.waits.length > 0) facts.push(['Waiting now', `${words.waits.join('; ')} (assay upstreams)`])
  if (words.left !== null) facts.push(['To run again', words.left])
  if (noticed.length > 0) facts.push(['Noticed', noticed.join('; ')])
  const list = causes.map(({ cause, items }) => `${count(items)} × ${cause}`)
  return {
    tone: toneOf(digest),
    title: `${words.name} · ran: ${words.ran} · worked: ${words.worked}`,
    paragraphs:
      list.length === 0 ? [] : [`Why ${counted(notOk(run), 'item')} did not work: ${list.join('; ')}`],
    facts,
    command: words.command,
    links: [
      { label: 'Open the run', url: links.run },
      { label: 'Results', url: links.results },
    ],
  }
}
