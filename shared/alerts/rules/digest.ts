// The digest of a run: what a team reads in the morning. Guarantee: it says whether the run ran and whether it worked,
// for what money, how that compares with the night before, why what did not work did not, and what to do now.

import { type RunTally, ran, worked } from '../../items/rules/run-words.ts'
import type { Message, Tone } from '../../outbox/rules/message.ts'
import { count, counted, dollars } from '../../prices/rules/amounts.ts'
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
  /** Of the items above, those whose verdict is people's and not the recorded one. */
  corrected: number
}

export interface Digest {
  run: DigestRun
  /** The run of the same schedule that ended before. */
  previous: DigestRun | null
  causes: readonly DigestCause[]
  /** What checks over the run found, in words. */
  noticed: readonly string[]
}

/** Where a run and its results are. */
export interface RunLinks {
  run: string
  results: string
  /** For programs. */
  results_api: string
}

export const runLinks = (base_url: string, run_id: string): RunLinks => ({
  run: `${base_url}/dashboard/runs/${run_id}`,
  results: `${base_url}/dashboard/runs/${run_id}/results`,
  results_api: `${base_url}/v1/results?run_id=${run_id}`,
})

/** What a digest says, each in words. */
export interface DigestWords {
  name: string
  ran: string
  worked: string
  cost: string
  /** Null for the first of its schedule, and for runs of none. */
  compared: string | null
  command: string | null
}

const notOk = (run: RunTally) => run.degraded + run.failed
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

/** A tally as people corrected it. */
export function corrected<Run extends RunTally>(run: Run, { to_ok, to_degraded }: Corrections) {
  const changed = { ok: run.ok + to_ok - to_degraded, degraded: run.degraded + to_degraded - to_ok }
  return { ...run, ...changed, corrected: to_ok + to_degraded }
}

/** Items that people found to have worked, and those they found not to. */
export interface Corrections {
  to_ok: number
  to_degraded: number
}

const sayCorrected = (run: DigestRun) => (run.corrected === 0 ? '' : ` (${count(run.corrected)} corrected)`)
const workedOf = (run: DigestRun) => worked(run) + sayCorrected(run)

/** Shares and not counts: nights differ in size. */
function comparedOf(run: DigestRun, before: DigestRun): string {
  const share = (of: RunTally) =>
    of.total_items === 0 ? '–' : `${((100 * of.ok) / of.total_items).toFixed(1).replace(/\.0$/, '')} %`
  const items = counted(before.total_items, 'item')
  const cost = dollars(before.cost_micro)
  return `last time: ${items}, ${share(before)} ok${sayCorrected(before)} for ${cost}; now ${share(run)} ok for ${dollars(run.cost_micro)}`
}

export function digestWords({ run, previous }: Digest): DigestWords {
  return {
    name: runLabel(run),
    ran: ran(run) === 'all' ? `all ${count(run.total_items)}` : ran(run),
    worked: workedOf(run),
    cost: costOf(run),
    compared: previous && comparedOf(run, previous),
    command: isAllOk(run) ? null : `assay recover --run ${run.id} --dry-run`,
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
