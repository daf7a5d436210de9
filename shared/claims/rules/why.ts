// Says why an item is not running, in one token and one sentence. It is pure: the facts are read without locks, and
// admission is decided by the same function as in a claim.

import type { DeploymentKind } from '../../agents/vocabulary.ts'
import type { ItemStatus, Outcome, RunStatus } from '../../items/vocabulary.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { dollars } from '../../prices/rules/amounts.ts'
import { budgetName, saySpent } from '../../prices/rules/budgets.ts'
import { setPriceCommand } from '../../prices/rules/prices.ts'
import type { TriageLane } from '../../triage/vocabulary.ts'
import { type Paced, type RunWait, sayPace, sayWait } from '../../upstreams/rules/upstream-words.ts'
import { type AdmissionFacts, admit, isSpent } from './admission.ts'

/** What an item can be waiting for; `ended` and `running` are not waits, nor is `next`: the item's turn comes. */
export const WAITS = [
  'ended',
  'running',
  'runtime_starting',
  'lease_runs_out',
  'answer_later',
  'paused_for_decision',
  'item_budget',
  'credit',
  'period_budget',
  'price',
  'materializing',
  'stopped',
  'held',
  'suspended',
  'retry_backoff',
  'provider_rate',
  'upstream',
  'no_deployment',
  'budget',
  'pilot',
  'run_cap',
  'project_cap',
  'partition_share',
  'paced',
  'no_consumer',
  'next',
] as const
export type WaitToken = (typeof WAITS)[number]

export interface WhyFacts {
  status: ItemStatus
  outcome: Outcome | null
  outcome_reason: string | null
  /** Why the agent holds the item, in its words. */
  held_reason: string | null
  lane: TriageLane | null
  /** Since its first dispatch; null if it was never dispatched. */
  started_ms_ago: number | null
  step_count: number
  /** While the item is running: how much of its lease is left before it is offered again. */
  lease_left_ms: number | null
  /** Its agent has said that it answers later. */
  answers_later: boolean
  run_status: RunStatus
  /** Until it may be offered again; null if it does not wait for a retry. */
  due_in_ms: number | null
  /** Set if it waits for an upstream, itself or as a fresh item of a run that does. */
  upstream: RunWait | null
  /** Why the run's items are not tried any more; null if they are. */
  unavailable: string | null
  /** The last attempt that ended without ending the item, if any. */
  last_attempt: { code: string; message: string } | null
  /** Items of its run that are offered before it. */
  ahead: number
  partition: { key: string; running: number; cap: number } | null
  /** The limited upstream that holds its agent's items back most. */
  paced: Paced | null
  deployment_kind: DeploymentKind | null
  /** Null when the run has ended or is not open yet. */
  admission: AdmissionFacts | null
}

export interface Why {
  token: WaitToken
  message: string
}

const RATE = /\b429\b|rate.?limit|too many requests|overloaded/i

export function whyNot(facts: WhyFacts): Why {
  switch (facts.status) {
    case 'running':
      return running(facts)
    case 'paused':
      return paused(facts)
    case 'queued':
      return queued(facts)
    default:
      return {
        token: 'ended',
        message: `It has ended: ${[...new Set([facts.status, facts.outcome ?? facts.status])].join(', ')}.`,
      }
  }
}

/** A lease is renewed at every heartbeat; after this long, a heartbeat may be missing. */
const SILENT_MS = 1.5 * LIMITS.heartbeat_ms

function running(facts: WhyFacts): Why {
  const { admission, answers_later, deployment_kind, lease_left_ms, started_ms_ago, step_count } = facts
  if (lease_left_ms !== null && LIMITS.lease_ms - lease_left_ms > SILENT_MS)
    return {
      token: 'lease_runs_out',
      message: `${answers_later ? 'Its agent, which answers later,' : 'The process that has it'} was heard of ${seconds(LIMITS.lease_ms - lease_left_ms)} ago; if that died, the item is offered again in ${seconds(Math.max(0, lease_left_ms) + LIMITS.tick_ms)}.`,
    }
  if (answers_later)
    return {
      token: 'answer_later',
      message: `It is running, since ${seconds(started_ms_ago ?? 0)}: its agent answers later, and no consumer waits for that.`,
    }
  // Nothing has come back from this run yet, so its process may still be starting.
  const first = admission !== null && admission.ended === 0 && step_count === 0
  if (deployment_kind === 'bundle' && first && (started_ms_ago ?? 0) < LIMITS.agent_start_ms)
    return {
      token: 'runtime_starting',
      message: `It was handed out ${seconds(started_ms_ago ?? 0)} ago and nothing has come back yet: its agent's process may still be starting.`,
    }
  return { token: 'running', message: `It is running, since ${seconds(started_ms_ago ?? 0)}.` }
}

function paused({ lane, outcome_reason, held_reason, run_status, admission }: WhyFacts): Why {
  if (lane !== 'quarantine') return waitsForMoney(admission)
  if (outcome_reason === 'unpriced_model' && admission !== null && admission.waits_for_price !== null)
    return WAITING.price(admission)
  const stopped =
    run_status === 'running' ? '' : ` Its run is ${run_status}, so it can be dismissed and not resumed.`
  if (outcome_reason === 'budget_exceeded')
    return {
      token: 'item_budget',
      message: `It stands at its own budget: resume it to grant more.${stopped}`,
    }
  return {
    token: 'paused_for_decision',
    message: `Its agent holds it for a person${held_reason ? `: ${held_reason}` : ''}. Resume or dismiss it.${stopped}`,
  }
}

/** What an item that continues by itself waits for now, which need not be what it was paused for. */
function waitsForMoney(admission: AdmissionFacts | null): Why {
  if (admission?.is_held) return WAITING.held(admission)
  if (admission !== null && admission.waits_for_price !== null) return WAITING.price(admission)
  const spent = admission?.periods.find(({ limit_micro, spent_micro }) => isSpent(limit_micro, spent_micro))
  if (spent !== undefined) return { token: 'period_budget', message: saySpent(spent, spent.timezone) }
  const credit = admission === null || isSpent(admission.credit_micro, admission.spent_micro)
  return {
    token: 'credit',
    message: credit
      ? "The project's credit is spent; the item continues as soon as the project has credit again."
      : 'It waited for money, and there is some again: the item continues within a minute.',
  }
}

function queued(facts: WhyFacts): Why {
  const { admission, due_in_ms, last_attempt, partition } = facts
  if (facts.run_status === 'materializing')
    return { token: 'materializing', message: 'Its run is still being submitted.' }
  if (admission === null || admission.stop_reason !== null)
    return { token: 'stopped', message: `Its run is ${facts.run_status}: it will be ended without running.` }
  if (!admission.is_held && !admission.is_suspended) {
    if (facts.unavailable !== null)
      return { token: 'upstream', message: `It ends without being sent: ${facts.unavailable}` }
    if (facts.upstream !== null) return waitingForUpstream('the item', facts.upstream)
    if (due_in_ms !== null && due_in_ms > 0) return waitingForRetry(due_in_ms, last_attempt)
  }
  const wait = waitOf(admission)
  if (wait !== null) return wait
  if (partition !== null && partition.running >= partition.cap)
    return {
      token: 'partition_share',
      message: `${partition.running} items of partition ${partition.key} are running, and ${partition.cap} may at once.`,
    }
  const before =
    facts.ahead === 0 ? 'It is the next of its run' : `${facts.ahead} items of its run are offered before it`
  if (facts.paced !== null)
    return { token: 'paced', message: `${before}: ${sayPace(facts.paced, facts.ahead + 1)}.` }
  return { token: 'next', message: `${before}, and there is room: its turn comes by itself.` }
}

/** A run that has room begins items as fast as what they need lets through. */
export const pacedRun = (paced: Paced, waiting: number): Why => ({
  token: 'paced',
  message: `Its ${sayPace(paced, waiting)}.`,
})

/** A run that has room, and of which nobody takes anything. */
export const NO_CONSUMER: Why = {
  token: 'no_consumer',
  message: 'Its items could start, and no consumer takes them: see whether one runs, and what it logs.',
}

/** Why a run cannot begin more items; null if it has room. */
export function waitOf(admission: AdmissionFacts): Why | null {
  const { waiting_for } = admit(admission)
  return waiting_for && WAITING[waiting_for](admission)
}

/** What waits for an upstream: an item, or a run. */
export const waitingForUpstream = (what: string, { upstream, patience_ms }: RunWait): Why => ({
  token: 'upstream',
  message: sayWait(what, upstream, patience_ms),
})

function waitingForRetry(dueMs: number, last: WhyFacts['last_attempt']): Why {
  const rated = last !== null && RATE.test(last.message)
  const cause = last === null ? '' : ` after ${last.code}: ${last.message}`
  return rated
    ? {
        token: 'provider_rate',
        message: `A provider asked for less; the next attempt is in ${seconds(dueMs)}${cause}`,
      }
    : { token: 'retry_backoff', message: `The next attempt is in ${seconds(dueMs)}${cause}` }
}

const WAITING: Record<NonNullable<ReturnType<typeof admit>['waiting_for']>, (f: AdmissionFacts) => Why> = {
  stopped: () => ({ token: 'stopped', message: 'Its run was stopped.' }),
  held: () => ({
    token: 'held',
    message:
      'The installation was restored from a backup and is held: nothing is dispatched, fired or sent until whoever operates it runs assay admin go-on.',
  }),
  suspended: () => ({
    token: 'suspended',
    message:
      'The account is suspended: nothing of it is dispatched until whoever operates the installation resumes it.',
  }),
  no_deployment: () => ({ token: 'no_deployment', message: 'Nothing is deployed for its agent yet.' }),
  budget: f => ({
    token: 'budget',
    message: `The run has spent ${dollars(f.cost_micro)} of ${dollars(f.budget_micro ?? 0)}; what is left is reserved for ${f.run_running} items at work.`,
  }),
  credit: f => ({
    token: 'credit',
    message: `The project has spent ${dollars(f.spent_micro)} of its credit of ${dollars(f.credit_micro ?? 0)}; what is left is reserved for ${f.project_running} items at work.`,
  }),
  period_budget: f => {
    const budget = f.periods.find(({ limit_micro, spent_micro }) => isSpent(limit_micro, spent_micro))
    if (budget !== undefined) return { token: 'period_budget', message: saySpent(budget, budget.timezone) }
    const [tight] = [...f.periods].sort(
      (a, b) => a.limit_micro - a.spent_micro - (b.limit_micro - b.spent_micro),
    )
    return {
      token: 'period_budget',
      message: `Of ${budgetName(tight!)}, ${dollars(tight!.spent_micro)} of ${dollars(tight!.limit_micro)} are spent; what is left is reserved for ${tight!.running} items at work.`,
    }
  },
  price: ({ waits_for_price: model }) => ({
    token: 'price',
    message:
      model === ''
        ? 'Its run has a budget, and a model call reported no tokens, or usage that its price does not cover: let the agent report its usage, or resume a held item to let the run continue without a price.'
        : `Its run has a budget and called model ${model}, which has no price: set it with ${setPriceCommand(model!)}, and it continues by itself; or resume a held item to let the run continue without a price.`,
  }),
  pilot: () => ({
    token: 'pilot',
    message: 'The first items of its run go ahead; the others follow when these have ended and one was ok.',
  }),
  run_cap: f => ({
    token: 'run_cap',
    message: `${f.run_running} items of the run are at work, and ${Math.min(f.run_concurrency ?? Number.POSITIVE_INFINITY, f.agent_concurrency ?? Number.POSITIVE_INFINITY)} may be at once.`,
  }),
  project_cap: f => ({
    token: 'project_cap',
    message: `${f.project_running} items of the project are at work, and ${f.project_concurrency} may be at once.`,
  }),
}

function seconds(ms: number): string {
  return ms < 10_000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 1000)} s`
}
