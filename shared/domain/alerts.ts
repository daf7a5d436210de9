// What is worth waking somebody for, and the words it is told in. Guarantee: every alert names what happened, since
// when, what to do, and the command that does it.

import { dollars } from './amounts.ts'
import type { AlertRule, OccurrenceReason } from './vocabulary.ts'

interface Bound {
  default: number
  min: number
  max: number
  about: string
}

export interface Rule {
  about: string
  /** Whether the rule alerts in projects that never said so. */
  enabled: boolean
  bounds: Readonly<Record<string, Bound>>
}

export const RULES: Readonly<Record<AlertRule, Rule>> = {
  schedule_missed: {
    about: 'A moment that a schedule named produced no work.',
    enabled: true,
    bounds: {},
  },
  run_not_ok: {
    about: 'A run ended with items that did not work.',
    enabled: false,
    bounds: {},
  },
  failure_share: {
    about: 'Of the items of a run that have ended, too many failed.',
    enabled: false,
    bounds: {
      share: { default: 0.2, min: 0, max: 1, about: 'The share of failed items that is too many.' },
      least_items: { default: 20, min: 1, max: 10_000_000, about: 'So many items must have ended.' },
    },
  },
  budget_near: {
    about: 'A run has nearly spent its budget, or a project its credit.',
    enabled: true,
    bounds: { share: { default: 0.9, min: 0, max: 1, about: 'The share spent that is near.' } },
  },
  consumer_stalled: {
    about: 'Items wait and nobody has taken any.',
    enabled: true,
    bounds: { minutes: { default: 10, min: 1, max: 10_080, about: 'How long nobody may take any.' } },
  },
  unpriced_model: {
    about: 'A run under a budget called a model whose price is not known, so the budget cannot be held.',
    enabled: true,
    bounds: {},
  },
}

export interface Alert {
  project_id: string
  agent_id: string | null
  schedule_id: string | null
  run_id: string | null
  rule: AlertRule
  /** What it is about: within 24 hours a rule alerts once about one subject. */
  subject_id: string
  /** A fixed token, never prose. */
  reason: string
  message: string
  advice: string
  command: string
  since: Date
}

/** A moment that produced no work. */
export interface MissedMoment {
  project_id: string
  agent_id: string
  /** Null once the agent is gone. */
  agent_slug: string | null
  schedule_id: string
  cron: string
  timezone: string
  scheduled_for: Date
  reason: OccurrenceReason
  run_id: string | null
}

const WHY_MISSED: Readonly<
  Record<Exclude<OccurrenceReason, 'manual'>, { happened: string; advice: string; command: string }>
> = {
  overdue: {
    happened: 'passed while no tick was running',
    advice: 'See that the tick is called every minute; start by hand what is still wanted.',
    command: 'assay schedules trigger {schedule}',
  },
  invalid_cron: {
    happened: 'could not be planned: its cron expression is not valid, and the schedule is disabled',
    advice: 'Mend the expression, then enable the schedule.',
    command: 'assay schedules update {schedule} --cron "0 9 * * *" && assay schedules enable {schedule}',
  },
  invalid_timezone: {
    happened: 'could not be planned: its time zone is not known, and the schedule is disabled',
    advice: 'Set a zone of the IANA database, then enable the schedule.',
    command: 'assay schedules update {schedule} --timezone UTC && assay schedules enable {schedule}',
  },
  agent_not_found: {
    happened: 'started nothing: its agent is gone',
    advice: 'Delete the schedule, or deploy the agent again.',
    command: 'assay schedules delete {schedule}',
  },
  no_deployed_version: {
    happened: 'started nothing: nothing is deployed for its agent',
    advice: 'Deploy the agent.',
    command: 'assay deploy agent.ts',
  },
  plan_limit: {
    happened: 'started nothing: the account has as many open runs as it may have, or is suspended',
    advice: 'Wait for runs to end or cancel some, then start it by hand.',
    command: 'assay schedules trigger {schedule}',
  },
  agent_lookup_failed: {
    happened: 'started nothing: its agent could not be looked up',
    advice: 'See whether the stores are well, then start it by hand.',
    command: 'assay schedules trigger {schedule}',
  },
  account_lookup_failed: {
    happened: 'started nothing: its account could not be looked up',
    advice: 'See whether the stores are well, then start it by hand.',
    command: 'assay schedules trigger {schedule}',
  },
  dispatch_failed: {
    happened: 'started nothing: its run could not be submitted',
    advice: 'See whether the stores are well, then start it by hand.',
    command: 'assay schedules trigger {schedule}',
  },
  run_never_started: {
    happened: 'submitted a run that no worker has started',
    advice: 'See why nothing takes it; once that is mended the run goes on by itself.',
    command: 'assay watch {run}',
  },
}

/**
 * The alert for a moment that produced no work; null where nobody needs one.
 *
 * @example
 * scheduleMissed({ …, agent_slug: 'nightly', cron: '0 2 * * *', reason: 'overdue' }).message
 * // 'Schedule "0 2 * * *" (UTC) of agent nightly: 2026-03-02T02:00:00.000Z passed while no tick was running.'
 */
export function scheduleMissed(moment: MissedMoment): Alert | null {
  if (moment.reason === 'manual') return null
  const { happened, advice, command } = WHY_MISSED[moment.reason]
  const agent = moment.agent_slug === null ? 'a deleted agent' : `agent ${moment.agent_slug}`
  const { project_id, agent_id, schedule_id, run_id, scheduled_for } = moment
  return {
    project_id,
    agent_id,
    schedule_id,
    run_id,
    rule: 'schedule_missed',
    subject_id: schedule_id,
    reason: moment.reason,
    message: `Schedule "${moment.cron}" (${moment.timezone}) of ${agent}: ${scheduled_for.toISOString()} ${happened}.`,
    advice,
    command: command.replaceAll('{schedule}', schedule_id).replaceAll('{run}', run_id ?? ''),
    since: scheduled_for,
  }
}

/** What the rules about runs look at. */
export interface WatchedRun {
  project_id: string
  agent_id: string
  agent_slug: string
  run_id: string
  status: string
  total_items: number
  ok: number
  degraded: number
  failed: number
  budget_exceeded: number
  cancelled: number
  cost_micro: number
  budget_micro: number | null
  since: Date
}

const ofRun = (rule: AlertRule, run: WatchedRun) => ({
  project_id: run.project_id,
  agent_id: run.agent_id,
  schedule_id: null,
  run_id: run.run_id,
  rule,
  subject_id: run.run_id,
  since: run.since,
})

/** A run has ended, and not with all of its items ok. */
export function runNotOk(run: WatchedRun): Alert {
  const parts = [
    [run.degraded, 'degraded'],
    [run.failed, 'failed'],
    [run.budget_exceeded, 'over budget'],
    [run.cancelled, 'cancelled'],
  ] as const
  const counts = parts.filter(([n]) => n > 0).map(([n, word]) => `${n} ${word}`)
  return {
    ...ofRun('run_not_ok', run),
    reason: run.status,
    message: `Run ${run.run_id} of agent ${run.agent_slug} ended ${run.status}: of ${run.total_items} items ${counts.join(', ')}.`,
    advice: 'Look at what did not work, then replay or dismiss it.',
    command: `assay triage --run ${run.run_id}`,
  }
}

/** Too many of a run's items have failed. */
export function failureShare(run: WatchedRun): Alert {
  const ended = run.ok + run.degraded + run.failed
  return {
    ...ofRun('failure_share', run),
    reason: 'failure_share',
    message: `Run ${run.run_id} of agent ${run.agent_slug}: ${run.failed} of ${ended} items that have ended failed.`,
    advice: 'If they fail for one cause, cancel the run, mend it and replay what failed.',
    command: `assay clusters --run ${run.run_id}`,
  }
}

/** A run has nearly spent its budget. */
export function runBudgetNear(run: WatchedRun): Alert {
  return {
    ...ofRun('budget_near', run),
    reason: 'run_budget',
    message: `Run ${run.run_id} of agent ${run.agent_slug} has spent ${dollars(run.cost_micro)} of its ${dollars(run.budget_micro!)}; at the end of it no more items are dispatched.`,
    advice: 'What is not dispatched can be replayed with a budget of its own.',
    command: `assay watch ${run.run_id}`,
  }
}

/** A run under a budget met a model call whose cost cannot be told. */
export function unpricedModel(
  call: Pick<WatchedRun, 'project_id' | 'agent_id' | 'agent_slug' | 'run_id' | 'since'> & {
    /** Null where the call did not say its model or its tokens. */
    model: string | null
    /** Somebody said that they know: nothing was paused. */
    allowed: boolean
  },
): Alert {
  const { agent_id, agent_slug, model, allowed } = call
  const what = model === null ? 'a model without telling its tokens' : `model ${model}, which has no price`
  return {
    project_id: call.project_id,
    agent_id,
    schedule_id: null,
    run_id: call.run_id,
    rule: 'unpriced_model',
    subject_id: call.run_id,
    reason: model === null ? 'no_usage' : 'no_price',
    message: `Run ${call.run_id} of agent ${agent_slug} has a budget and called ${what}: ${allowed ? 'it goes on, and the budget does not count these calls' : 'its items are paused'}.`,
    advice:
      model === null
        ? 'Have the agent report the usage of its calls; resume an item to go on without.'
        : 'Set the price; paused items then go on by themselves.',
    command:
      model === null
        ? `assay triage --run ${call.run_id}`
        : `assay prices set ${shellWord(model)} --input USD --output USD`,
    since: call.since,
  }
}

/** A model's name as one word of a command line. */
const shellWord = (text: string) =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`

/** What the rules about projects look at. */
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
    advice: 'Raise the credit of the project; paused items then go on by themselves.',
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

/** Items of a project wait and nobody takes them. */
export function consumerStalled({ name, runs, run_id, deployed, ...project }: StalledProject): Alert {
  const cause = deployed ? 'no consumer has taken any' : 'nothing is deployed for their agent'
  return {
    ...ofProject(project.project_id, 'consumer_stalled', project.since),
    run_id,
    reason: deployed ? 'no_consumer' : 'no_deployed_version',
    message: `Project ${name}: items of ${runs} ${runs === 1 ? 'run' : 'runs'} wait since ${project.since.toISOString()} and ${cause}.`,
    advice: deployed ? 'See that a consumer is running and can reach the stores.' : 'Deploy the agent.',
    command: deployed ? `assay watch ${run_id}` : 'assay deploy agent.ts',
  }
}

const ofProject = (project_id: string, rule: AlertRule, since: Date) => ({
  project_id,
  agent_id: null,
  schedule_id: null,
  run_id: null,
  rule,
  subject_id: project_id,
  since,
})

/** The mail that tells an alert. */
export function alertMail(alert: Pick<Alert, 'rule' | 'message' | 'advice' | 'command' | 'since'>) {
  const subject = `[Assay] ${alert.rule.replaceAll('_', ' ')}: ${alert.message}`
  return {
    subject: subject.length <= SUBJECT_CHARACTERS ? subject : `${subject.slice(0, SUBJECT_CHARACTERS - 1)}…`,
    text: `${alert.message}\n\nSince: ${alert.since.toISOString()}\n${alert.advice}\n\n    ${alert.command}\n`,
  }
}

const SUBJECT_CHARACTERS = 150
