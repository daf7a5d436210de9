// Words the alerts about runs, projects, held items and deadlines. Guarantee: a message names a run by its label, never
// by an id; of all rules that a run meets, only the first in order alerts.

import { type RunTally, ran, worked } from '../../items/rules/run-words.ts'
import type { StopReason } from '../../items/vocabulary.ts'
import { count, counted, dollars } from '../../prices/rules/amounts.ts'
import { leftOver, recoverCommand, sayLeftOver } from '../../recovery/rules/left-over.ts'
import type { ClosedState } from '../../upstreams/rules/states.ts'
import { sayUpstream } from '../../upstreams/rules/upstream-words.ts'
import type { AlertRule } from '../vocabulary.ts'
import type { Alert } from './alerts.ts'

/** What the rules about runs examine. */
export interface WatchedRun extends RunTally {
  project_id: string
  agent_id: string
  agent_slug: string
  run_id: string
  name: string | null
  /** The schedule that started it; null if none did. */
  schedule_id: string | null
  cron: string | null
  status: string
  stop_reason: StopReason | null
  /** Items that did not work and wait for a decision. */
  undecided: number
  cancelled_replayed: number
  /** No item of it is queued, running or paused any more. */
  ended: boolean
  cost_micro: number
  budget_micro: number | null
  /** When it ended; the current time for an open run. */
  since: Date
  /** Status and model of a call that a provider refused, in a sample of the items that did not work; null if none. */
  refused_status: string | null
  refused_model: string | null
}

/**
 * The label of a run: its agent and schedule, or its agent and the name it was given.
 *
 * @example runLabel({ agent_slug: 'nightly', cron: '0 2 * * *', name: 'schedule 0 2 * * *' }) // 'nightly 0 2 * * *'
 */
export function runLabel({
  agent_slug,
  cron,
  name,
}: Pick<WatchedRun, 'agent_slug' | 'cron' | 'name'>): string {
  const own = name === null || (cron !== null && name.endsWith(cron)) ? undefined : name
  return [agent_slug, own, own === undefined ? cron : undefined].filter(Boolean).join(' ')
}

const ofRun = (rule: AlertRule, run: WatchedRun) => ({
  project_id: run.project_id,
  agent_id: run.agent_id,
  schedule_id: run.schedule_id,
  run_id: run.run_id,
  rule,
  subject_id: run.schedule_id ?? run.agent_id,
  since: run.since,
})

/** What to do, and the command for it: once a run has ended, the one that runs all of it again that did not end well. */
function again(run: WatchedRun, advice: string): Pick<Alert, 'advice' | 'command'> {
  const items = run.ended ? leftOver(run) : 0
  const command = recoverCommand({ run_id: run.run_id, in_triage: run.undecided, items })
  return command === null
    ? { advice, command: `assay triage --run ${run.run_id}` }
    : { advice: `${advice} ${sayLeftOver(items)}: the command runs them again.`, command }
}

/** Which enabled rules a run meets, as SQL found them. */
export type RunFindings = Readonly<Partial<Record<RunRule, boolean>>>

/** In order of precedence. */
export const RUN_RULES = ['credentials_refused', 'budget_exceeded', 'failure_share', 'run_not_ok'] as const
export type RunRule = (typeof RUN_RULES)[number]

const ALERT_OF: Readonly<Record<RunRule, (run: WatchedRun) => Alert>> = {
  credentials_refused: credentialsRefused,
  budget_exceeded: budgetExceeded,
  failure_share: failureShare,
  run_not_ok: runNotOk,
}

/** The alert of the first rule that a run meets; null if it meets none. */
export function runAlert(run: WatchedRun, found: RunFindings): Alert | null {
  const rule = RUN_RULES.find(rule => found[rule])
  return rule === undefined ? null : ALERT_OF[rule](run)
}

/** A provider refused the credentials of an agent. */
export function credentialsRefused(run: WatchedRun): Alert {
  const by = run.refused_model === null ? 'A provider' : `The provider of ${run.refused_model}`
  return {
    ...ofRun('credentials_refused', run),
    reason: run.refused_status ?? 'credentials_refused',
    message: `${runLabel(run)}: ${by} refused the credentials${run.refused_status === null ? '' : ` (${run.refused_status})`}. Worked: ${worked(run)}.`,
    ...again(run, 'Deploy the agent with a key that is valid, then run again what did not work.'),
  }
}

/** A run has spent its budget. */
export function budgetExceeded(run: WatchedRun): Alert {
  const budget = run.budget_micro === null ? '' : ` of ${dollars(run.budget_micro)}`
  return {
    ...ofRun('budget_exceeded', run),
    reason: 'run_budget',
    message: `${runLabel(run)}: the budget${budget} was spent before all items were through. Ran: ${ran(run)}. Worked: ${worked(run)}.`,
    ...again(run, 'Run what is left with a budget of its own, or raise the budget.'),
  }
}

const STOPPED: Record<string, string> = {
  consecutive_failures: ' The run was stopped: too many failed in a row.',
  pilot_failed: ' The run was stopped: none of its first items was ok.',
}

/** Too many of a run's items did not work. */
export function failureShare(run: WatchedRun): Alert {
  const ended = run.ok + run.degraded + run.failed
  const bad = run.degraded + run.failed
  const kinds = [
    run.degraded > 0 ? `${count(run.degraded)} degraded` : '',
    run.failed > 0 ? `${count(run.failed)} failed` : '',
  ].filter(text => text !== '')
  const stopped = STOPPED[run.stop_reason ?? ''] ?? ''
  return {
    ...ofRun('failure_share', run),
    reason: 'failure_share',
    message: `${runLabel(run)}: ${count(bad)} of ${counted(ended, 'item')} did not work (${kinds.join(', ')}).${stopped}`,
    ...again(run, 'Find what they have in common and correct it, then run them again.'),
  }
}

/** A run has ended, and not with all of its items ok. */
export function runNotOk(run: WatchedRun): Alert {
  return {
    ...ofRun('run_not_ok', run),
    reason: run.status,
    message: `${runLabel(run)} ended ${run.status}. Ran: ${ran(run)}. Worked: ${worked(run)}.`,
    ...again(run, 'Look at what did not work, then replay or dismiss it.'),
  }
}

/** What the rules about projects examine. */
export interface WatchedProject {
  project_id: string
  name: string
  spent_micro: number
  credit_micro: number
  since: Date
}

/** A project has nearly spent its credit. */
export function creditNear(project: WatchedProject): Alert {
  const { project_id, name, spent_micro, credit_micro } = project
  return {
    ...ofProject(project_id, 'budget_near', project.since),
    reason: 'project_credit',
    message: `Project ${name} has spent ${dollars(spent_micro)} of its ${dollars(credit_micro)} credit; at the end of it items are paused.`,
    advice: 'Raise the credit of the project; paused items then continue by themselves.',
    command: 'assay projects',
  }
}

export interface StalledProject {
  project_id: string
  name: string
  runs: number
  run_id: string
  deployed: boolean
  since: Date
}

/** Items of a project are queued and no consumer takes them. */
export function consumerStalled({ name, runs, run_id, deployed, ...project }: StalledProject): Alert {
  const cause = deployed ? 'no consumer has taken any' : 'nothing is deployed for their agent'
  return {
    ...ofProject(project.project_id, 'consumer_stalled', project.since),
    reason: deployed ? 'no_consumer' : 'no_deployed_version',
    message: `Project ${name}: items of ${counted(runs, 'run')} wait since ${project.since.toISOString()} and ${cause}.`,
    advice: deployed
      ? 'Make sure that a consumer is running and can reach PostgreSQL and Redis.'
      : 'Deploy the agent.',
    command: deployed ? `assay watch ${run_id}` : 'assay deploy agent.ts',
  }
}

export interface HeldItems {
  project_id: string
  agent_id: string
  agent_slug: string
  /** Counted up to LIMITS.activity_counted. */
  items: number
  since: Date
}

/** Items of an agent have been held for a person for too long. */
export function itemsHeld({ agent_slug, items, since, ...of }: HeldItems): Alert {
  return {
    ...of,
    schedule_id: null,
    run_id: null,
    rule: 'items_held',
    subject_id: of.agent_id,
    reason: 'held',
    message: `${agent_slug}: ${counted(items, 'item')} ${items === 1 ? 'waits' : 'wait'} for a person, the first since ${since.toISOString()}.`,
    advice: 'Decide about each: resume or dismiss it.',
    command: `assay triage --kind quarantine --agent ${agent_slug}`,
    since,
  }
}

/** An upstream that items wait for. */
export interface ShutUpstream {
  project_id: string
  upstream_id: string
  host: string
  label: string | null
  state: ClosedState
  reason: string
  /** Counted up to LIMITS.upstream_items_counted. */
  items: number
  since: Date
}

const FIXES: Readonly<Record<ClosedState, (label: string | null) => string>> = {
  out_of_credit: () => 'Add credit at the provider; what waits then continues by itself.',
  refused: label => `Deploy the agent with a valid ${label ?? 'key'}; what waits then continues by itself.`,
  away: () =>
    'Nothing has to be done unless it is yours: it is tried again by itself, and what waits continues.',
  cooling: () => 'Nothing has to be done: it is tried again by itself, and what waits continues.',
}

/** Something outside serves nobody, and items wait for it. */
export function upstreamUnavailable(upstream: ShutUpstream): Alert {
  const { project_id, upstream_id, state, label, items, since } = upstream
  return {
    ...ofProject(project_id, 'upstream_unavailable', since),
    subject_id: upstream_id,
    reason: state,
    message: `${sayUpstream(upstream)} ${counted(items, 'item')} ${items === 1 ? 'waits' : 'wait'} for it, since ${since.toISOString()}.`,
    advice: FIXES[state](label),
    command: 'assay upstreams',
  }
}

/** A deadline that has passed without a run that ended. */
export interface PassedDeadline {
  project_id: string
  agent_id: string
  agent_slug: string
  schedule_id: string | null
  schedule_name: string | null
  cron: string | null
  finished_by: string
  timezone: string
  /** The run that is still open, if one is. */
  run_id: string | null
  total_items: number | null
  ended_items: number | null
  passed_at: Date
}

/** What has to have finished, by the name that people gave it. @example 'claims nightly' */
const awaitedBy = ({ agent_slug, schedule_name, cron }: PassedDeadline): string =>
  [agent_slug, schedule_name ?? cron].filter(Boolean).join(' ')

/** No run has ended by the deadline. */
export function notFinished(late: PassedDeadline): Alert {
  const { agent_slug, run_id, finished_by, timezone } = late
  const found =
    run_id === null
      ? 'no run was started'
      : `its run is open, ${count(late.ended_items ?? 0)} of ${counted(late.total_items ?? 0, 'item')} through`
  return {
    ...ofDeadline(late),
    reason: run_id === null ? 'no_run' : 'run_open',
    message: `${awaitedBy(late)}: nothing finished by ${finished_by} (${timezone}); ${found}.`,
    advice:
      run_id === null
        ? 'Find out what should have started it; start it by hand if it is still needed.'
        : 'See what it waits for.',
    command:
      run_id !== null
        ? `assay watch ${run_id}`
        : late.schedule_id !== null
          ? `assay schedules trigger ${late.schedule_id}`
          : `assay runs --agent ${agent_slug}`,
    since: late.passed_at,
  }
}

/** A deadline to come that cannot be met any more. */
export interface UnmeetableDeadline extends PassedDeadline {
  now: Date
  /** How long it takes, in words, and at what pace. */
  takes: string
  at: string
  /** When its run starts, on the wall clock of its schedule; null if it runs. */
  starts: string | null
}

/** By all that is known, the run cannot end in time. */
export function cannotFinish(of: UnmeetableDeadline): Alert {
  const { run_id, schedule_id, finished_by, timezone, takes, at, starts } = of
  const why = starts === null ? `about ${takes} left` : `it starts at ${starts} and takes about ${takes}`
  return {
    ...ofDeadline(of),
    reason: 'cannot_finish',
    message: `${awaitedBy(of)}: cannot be finished by ${finished_by} (${timezone}): ${why} at ${at}.`,
    advice: 'Raise what limits it, run fewer items, or let people know; it is resolved when the run ends.',
    command: run_id !== null ? `assay watch ${run_id}` : `assay schedules show ${schedule_id}`,
    since: of.now,
  }
}

const ofDeadline = ({ project_id, agent_id, schedule_id, run_id }: PassedDeadline) => ({
  project_id,
  agent_id,
  schedule_id,
  run_id,
  rule: 'not_finished' as const,
  subject_id: schedule_id ?? agent_id,
})

const ofProject = (project_id: string, rule: AlertRule, since: Date) => ({
  project_id,
  agent_id: null,
  schedule_id: null,
  run_id: null,
  rule,
  subject_id: project_id,
  since,
})
