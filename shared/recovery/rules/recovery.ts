// Decides which actions an item accepts, and whether a recovery continues after its pilot. Pure: the same rules refuse
// a call and list the actions of a triage row.

import type { ItemStatus, Outcome } from '../../items/vocabulary.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { coarseSpan } from '../../kernel/span.ts'
import { count, counted } from '../../prices/rules/amounts.ts'
import type {
  Disposition,
  ItemAction,
  RowAction,
  TriageAction,
  TriageLane,
  WrongOf,
} from '../../triage/vocabulary.ts'
import type { Exclusion } from '../vocabulary.ts'

export interface ItemFacts {
  status: ItemStatus
  outcome: Outcome | null
  /** The lane of its row in triage; null when it has none. */
  lane: TriageLane | null
  disposition: Disposition | null
  /** The outcome that people gave it instead of the recorded one. */
  corrected: Outcome | null
  /** Who decided and how long ago, where that is known. */
  decided_by?: string | null
  decided_ms_ago?: number | null
  /** Its run was stopped and dispatches no more items. */
  run_stopped: boolean
  /** Its input is kept no longer. */
  input_purged: boolean
  /** The item's replay that blocks another one: one under way, else one that worked. */
  replay: { record_id: string; status: ItemStatus; outcome: Outcome | null } | null
}

const RULES: Record<RowAction, (facts: ItemFacts, of?: WrongOf) => string | null> = {
  replay: refusalToReplay,
  resume: refusalToResume,
  acknowledge: facts =>
    facts.lane === null
      ? NOT_IN_TRIAGE
      : facts.disposition === null
        ? null
        : already(facts.disposition, facts),
  // An acknowledged item has left the feed, but is still undecided.
  dismiss: facts => (facts.lane === null ? NOT_IN_TRIAGE : refusalToDecide(facts)),
  wrong: refusalToCallWrong,
  confirm: facts =>
    facts.lane !== 'review'
      ? NOTHING_ASKED
      : (refusalToDecide(facts) ?? (facts.corrected === null ? null : NOTHING_ASKED)),
}

const NOT_IN_TRIAGE = 'it does not wait for a decision'
const NOTHING_ASKED = 'nothing is asked about it'

/** @example sayDisposition('wrong') // 'called wrong' */
export const sayDisposition = (disposition: Disposition): string =>
  disposition === 'wrong' ? 'called wrong' : disposition

type Authored = Pick<ItemFacts, 'decided_by' | 'decided_ms_ago'>

/** What no caller decides: items end with the run that is stopped, and go on when they can be paid. */
const UNASKED: Partial<Record<Disposition, string>> = {
  dismissed: 'with its run',
  resumed: 'once it could be paid',
}

/** @example sayAuthor('dismissed', null) // ' with its run' */
export const sayAuthor = (disposition: Disposition, decided_by: string | null): string => {
  const words = decided_by === null ? UNASKED[disposition] : `by ${decided_by}`
  return words === undefined ? '' : ` ${words}`
}

/** @example 'dismissed by ana@example.com 3 h ago' */
export const sayDecided = (
  disposition: Disposition,
  { decided_by = null, decided_ms_ago = null }: Authored,
): string => {
  const when =
    decided_ms_ago === null ? '' : decided_ms_ago < 1000 ? ' just now' : ` ${coarseSpan(decided_ms_ago)} ago`
  return `${sayDisposition(disposition)}${sayAuthor(disposition, decided_by)}${when}`
}

const already = (disposition: Disposition, by: Authored) =>
  by.decided_by ? `it was ${sayDecided(disposition, by)}` : `it was ${sayDisposition(disposition)} already`

const refusalToDecide = (facts: ItemFacts) =>
  facts.disposition === null || facts.disposition === 'acknowledged'
    ? null
    : already(facts.disposition, facts)

/** What is stated about an item now. If an item was held and continued, its row is of the hold and states nothing. */
const saidOf = ({ outcome, lane, corrected }: ItemFacts): WrongOf =>
  outcome !== 'ok' || lane !== 'review' ? 'verdict' : corrected === null ? 'question' : 'correction'

/** Why `of` cannot be called wrong, when something else is stated about the item `now`. */
const NOT_SAID: Record<WrongOf, (now: WrongOf) => string> = {
  verdict: now =>
    now === 'question'
      ? 'something is asked about it: confirm that, or call it wrong with "of": "question"'
      : 'it was called wrong already; that it worked after all is said with "of": "correction"',
  question: () => NOTHING_ASKED,
  correction: () => 'nobody has called it wrong',
}

/** Only a judgement of the grader or an agent can be wrong: an error that was raised, or a hold, is none. */
function refusalToCallWrong(facts: ItemFacts, of = saidOf(facts)): string | null {
  if (facts.outcome === null) return 'it has no verdict'
  if (facts.outcome === 'failed') return 'it did not return anything that could be right'
  const now = saidOf(facts)
  const decided = facts.outcome === 'ok' && now === 'verdict' ? null : refusalToDecide(facts)
  return decided ?? (of === now ? null : NOT_SAID[of](now))
}

/** Why an action is not possible, as the end of a sentence; null when it is. `of`: what the caller calls wrong. */
export function refusalOf(action: RowAction, facts: ItemFacts, of?: WrongOf): string | null {
  return RULES[action](facts, of)
}

/** @example actionsOf({...facts, status: 'paused', lane: 'quarantine'}) // ['resume', 'acknowledge', 'dismiss'] */
export function actionsOf(facts: ItemFacts): RowAction[] {
  return (Object.keys(RULES) as RowAction[]).filter(action => RULES[action](facts) === null)
}

function refusalToReplay({ status, outcome, corrected, replay, input_purged }: ItemFacts): string | null {
  if (status === 'queued' || status === 'running') return `it is ${status}`
  if (status === 'paused') return 'it is paused: resume or dismiss it'
  if (corrected === 'ok') return 'it worked: its verdict was called wrong'
  if ((corrected ?? outcome) === 'ok') return 'it worked'
  if (replay === null) return input_purged ? 'its input is kept no longer' : null
  return replay.outcome === 'ok'
    ? `its replay ${replay.record_id} worked`
    : `its replay ${replay.record_id} is ${replay.status}`
}

function refusalToResume({ status, lane, disposition, run_stopped }: ItemFacts): string | null {
  if (status !== 'paused') return `it is ${status}, not paused`
  if (lane !== 'quarantine' || disposition === 'resumed')
    return 'it waits for credit, a budget or the price of a model, and continues as soon as it has that'
  return run_stopped ? 'its run was stopped' : null
}

/** What was decided about an item, and how long ago. */
export type Decided = Pick<ItemFacts, 'status' | 'lane' | 'disposition' | 'decided_by'> & {
  decided_ms_ago: number | null
}

/**
 * Why a decision cannot be undone, as the end of a sentence; null when it can. People notice a slip soon; later, others
 * have acted on the run's status.
 */
export function refusalToReopen({
  status,
  lane,
  disposition,
  decided_by,
  decided_ms_ago,
}: Decided): string | null {
  if (lane === null || disposition === null) return 'nothing was decided about it'
  const by = decided_by ? ` by ${decided_by}` : ''
  if (disposition === 'replayed' || disposition === 'resumed') return `it was ${disposition}${by}`
  if (lane === 'quarantine' && status !== 'paused') return 'it was held, and has ended; replay it'
  const within_ms = LIMITS.reopen_minutes * 60_000
  if (decided_ms_ago !== null && decided_ms_ago < within_ms) return null
  return `it was ${sayDisposition(disposition)}${by} more than ${LIMITS.reopen_minutes} minutes ago${disposition === 'wrong' ? '' : '; replay it'}`
}

/** The actions that an item accepts, whether it waits for a decision or was decided about. */
export const itemActionsOf = (facts: ItemFacts & Decided): ItemAction[] =>
  refusalToReopen(facts) === null ? [...actionsOf(facts), 'reopen'] : actionsOf(facts)

export interface PilotResult {
  ok: number
  failed: number
  /** How many of the originals had failed; the others were degraded or cancelled. */
  failed_before: number
}

/** No original worked, so better means that at least one copy works, and no more copies failed than originals had. */
export function isBetter({ ok, failed, failed_before }: PilotResult): boolean {
  return ok > 0 && failed <= failed_before
}

const EXCLUDED: Record<Exclusion, string> = {
  held: 'held (to be resumed or dismissed)',
  not_held: 'not held',
  acknowledged: 'acknowledged already',
  dismissed: 'dismissed',
  replayed: 'replayed already',
  resumed: 'resumed already',
  purged: 'too old (inputs are kept no longer)',
  run_ended: 'of a run that has ended',
  wrong: 'called wrong already',
  not_judged: 'not judged (failed or held)',
}

/** What an item is after an action, as a participle. */
export const ACTED: Record<RowAction, string> = {
  replay: 'replayed',
  resume: 'resumed',
  acknowledge: 'acknowledged',
  dismiss: 'dismissed',
  wrong: 'called wrong',
  confirm: 'confirmed',
}

/** How many items of a cohort accept an action, and why the others do not. */
export interface Planned {
  action: TriageAction
  eligible: number
  ineligible: readonly { reason: Exclusion; count: number }[]
}

const sum = (ineligible: Planned['ineligible']) => ineligible.reduce((all, one) => all + one.count, 0)

const excludedFrom = (action: TriageAction, reason: Exclusion) =>
  action === 'replay' && reason === 'acknowledged'
    ? 'acknowledged (to be replayed one by one)'
    : EXCLUDED[reason]

/** How many cannot be acted on and why; empty when all can. @example '2 cannot: 1 dismissed, 1 replayed already' */
export function sayExcluded({ action, ineligible }: Planned): string {
  if (ineligible.length === 0) return ''
  const why = ineligible.map(one => {
    const words = excludedFrom(action, one.reason)
    return ineligible.length === 1 ? words : `${count(one.count)} ${words}`
  })
  return `${count(sum(ineligible))} cannot: ${why.join(', ')}`
}

/** @example '41 of 43 items can be replayed; 2 cannot: dismissed' */
export function sayPlan(plan: Planned): string {
  const { action, eligible, ineligible } = plan
  const left = sum(ineligible)
  const can = `can be ${ACTED[action]}`
  if (left === 0) return `${counted(eligible, 'item')} ${can}`
  if (eligible === 0) return `no item ${can}; ${sayExcluded(plan)}`
  return `${count(eligible)} of ${counted(eligible + left, 'item')} ${can}; ${sayExcluded(plan)}`
}

/** Where items that were replayed already are, the newest run first; undefined if none was. */
export function sayReplayRuns([newest, ...others]: readonly string[]): string | undefined {
  if (newest === undefined) return undefined
  const watch = `in run ${newest} (assay watch ${newest})`
  return others.length === 0
    ? `their replays are ${watch}`
    : `the newest replays are ${watch}, others in ${others.join(', ')}`
}
