// Defines the alert rules, and words the alerts about missed occurrences and unpriced models. Guarantee: every alert
// says what happened, since when, what to do, and the command that does it.

import { setPriceCommand } from '../../prices/rules/prices.ts'
import { wallClock } from '../../schedules/rules/fire-times.ts'
import type { OccurrenceReason } from '../../schedules/vocabulary.ts'
import { ALERT_RULES, type AlertRule } from '../vocabulary.ts'

interface Bound {
  default: number
  min: number
  max: number
  about: string
}

export interface Rule {
  about: string
  /** Whether the rule alerts in projects that have not set it. */
  enabled: boolean
  /** Its alert explains why nothing has finished, so a deadline that is missed meanwhile raises no alert of its own. */
  explains_lateness: boolean
  bounds: Readonly<Record<string, Bound>>
}

export const RULES: Readonly<Record<AlertRule, Rule>> = {
  schedule_missed: {
    about: 'An occurrence of a schedule produced no work.',
    enabled: true,
    explains_lateness: true,
    bounds: {},
  },
  run_not_ok: {
    about: 'A run ended with at least one item that did not work.',
    enabled: false,
    explains_lateness: true,
    bounds: {},
  },
  failure_share: {
    about: 'Of the items of a run, too many failed or were degraded.',
    enabled: true,
    explains_lateness: true,
    bounds: {
      share: { default: 0.2, min: 0, max: 1, about: 'The share of items not ok that is too many.' },
      least_items: { default: 20, min: 1, max: 10_000_000, about: 'So many items must have ended.' },
    },
  },
  budget_near: {
    about: 'A project has nearly spent its credit.',
    enabled: true,
    explains_lateness: false,
    bounds: { share: { default: 0.9, min: 0, max: 1, about: 'The share spent that is near.' } },
  },
  consumer_stalled: {
    about: 'Items wait and nobody has taken any.',
    enabled: true,
    explains_lateness: false,
    bounds: { minutes: { default: 10, min: 1, max: 10_080, about: 'How long nobody may take any.' } },
  },
  unpriced_model: {
    about: 'A run under a budget called a model whose price is not known, so the budget cannot be held.',
    enabled: true,
    explains_lateness: true,
    bounds: {},
  },
  source_failed: {
    about: 'The source that a schedule reads its items from failed.',
    enabled: true,
    explains_lateness: true,
    bounds: {},
  },
  credentials_refused: {
    about: 'A provider refused the credentials of an agent (401 or 403 in model calls).',
    enabled: true,
    explains_lateness: true,
    bounds: {},
  },
  budget_exceeded: {
    about: 'A run spent its budget before all of its items were through.',
    enabled: true,
    explains_lateness: true,
    bounds: {},
  },
  not_finished: {
    about: 'A schedule or an agent with a deadline had no run that ended by then.',
    enabled: true,
    explains_lateness: true,
    bounds: {},
  },
  items_held: {
    about: 'Items are held for a person, and nobody has decided.',
    enabled: true,
    explains_lateness: false,
    bounds: { hours: { default: 24, min: 1, max: 8760, about: 'How long an item may wait for a person.' } },
  },
  upstream_unavailable: {
    about: 'Items wait for a provider or an agent that serves nobody.',
    enabled: true,
    explains_lateness: false,
    bounds: {
      minutes: {
        default: 10,
        min: 1,
        max: 10_080,
        about: 'How long it may be away or cooling; without credit or with a refused key it alerts at once.',
      },
    },
  },
}

/** Rules whose open alert does not silence a missed deadline. */
export const RULES_BESIDE_DEADLINES = ALERT_RULES.filter(rule => !RULES[rule].explains_lateness)

export interface Alert {
  project_id: string
  agent_id: string | null
  schedule_id: string | null
  run_id: string | null
  rule: AlertRule
  /** What the alert is about. A rule alerts once per subject until that alert is resolved. */
  subject_id: string
  /** A fixed token, never prose. */
  reason: string
  message: string
  advice: string
  command: string
  since: Date
}

/** An occurrence that produced no work. */
export interface MissedOccurrence {
  project_id: string
  agent_id: string
  /** Null once the agent is gone, undefined if the slug could not be read. */
  agent_slug: string | null | undefined
  schedule_id: string
  /** The label of the schedule. */
  name: string | null
  cron: string
  timezone: string
  scheduled_for: Date
  reason: OccurrenceReason
  /** What was wrong with its source, if that is the reason. */
  detail: { line: number | null; text: string } | null
  run_id: string | null
}

const WHY_MISSED: Readonly<
  Record<
    Exclude<OccurrenceReason, 'manual' | 'source_empty'>,
    { happened: string; advice: string; command: string }
  >
> = {
  overdue: {
    happened: 'passed while no tick was running',
    advice: 'Make sure that the tick is called every minute; start by hand what is still needed.',
    command: 'assay schedules trigger {schedule}',
  },
  invalid_cron: {
    happened: 'could not be planned: its cron expression is not valid, and the schedule is disabled',
    advice: 'Correct the expression, then enable the schedule.',
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
    advice: 'Check PostgreSQL, then start it by hand.',
    command: 'assay schedules trigger {schedule}',
  },
  account_lookup_failed: {
    happened: 'started nothing: its account could not be looked up',
    advice: 'Check PostgreSQL, then start it by hand.',
    command: 'assay schedules trigger {schedule}',
  },
  dispatch_failed: {
    happened: 'started nothing: its run could not be submitted',
    advice: 'Check PostgreSQL and Redis, then start it by hand.',
    command: 'assay schedules trigger {schedule}',
  },
  source_failed: {
    happened: 'started nothing: its items could not be read',
    advice:
      'The source is read again until the schedule fires next. Correct the source, or start it by hand to read it at once.',
    command: 'assay schedules events {schedule}',
  },
  run_never_started: {
    happened: 'submitted a run that no worker has started',
    advice: 'Find out why no consumer starts it. As soon as one does, the run continues by itself.',
    command: 'assay watch {run}',
  },
}

/**
 * The alert for an occurrence that produced no work; null for a start by hand and for a source without items.
 *
 * @example
 * scheduleMissed({ …, name: 'nightly', agent_slug: 'tickets', cron: '0 2 * * *', reason: 'overdue' }).message
 * // 'Schedule nightly ("0 2 * * *", Europe/Berlin) of agent tickets: 2026-03-02 02:00 passed while no tick was running.'
 */
export function scheduleMissed(moment: MissedOccurrence): Alert | null {
  if (moment.reason === 'manual' || moment.reason === 'source_empty') return null
  const { happened, advice, command } = WHY_MISSED[moment.reason]
  const agent =
    moment.agent_slug === null ? 'a deleted agent' : `agent ${moment.agent_slug ?? moment.agent_id}`
  const { project_id, agent_id, schedule_id, run_id, scheduled_for, name, cron, timezone, detail } = moment
  const schedule = `Schedule ${name === null ? '' : `${name} `}("${cron}", ${timezone}) of ${agent}`
  const why = detail === null ? '' : `: ${problemText(detail)}`
  return {
    project_id,
    agent_id,
    schedule_id,
    run_id,
    rule: moment.reason === 'source_failed' ? 'source_failed' : 'schedule_missed',
    subject_id: schedule_id,
    reason: moment.reason,
    message: `${schedule}: ${wallClock(scheduled_for, timezone)} ${happened}${why.replace(/\.$/, '')}.`,
    advice,
    command: command.replaceAll('{schedule}', schedule_id).replaceAll('{run}', run_id ?? ''),
    since: scheduled_for,
  }
}

export const problemText = ({ line, text }: { line: number | null; text: string }): string =>
  line === null ? text : `Line ${line} of the source: ${text.replace(/^line \d+: /, '')}`

/** The alert for a run with a budget that made a model call of unknown cost. */
export function unpricedModel(call: {
  project_id: string
  agent_id: string
  agent_slug: string
  run_id: string
  since: Date
  /** Null if the call did not report its model or its tokens, or if its price does not count what it used. */
  model: string | null
  /** The run allows unpriced calls, so nothing was paused. */
  allowed: boolean
}): Alert {
  const { agent_id, agent_slug, model, allowed } = call
  const what =
    model === null
      ? 'a model without reporting its tokens, or for what its price does not count'
      : `model ${model}, which has no price`
  return {
    project_id: call.project_id,
    agent_id,
    schedule_id: null,
    run_id: call.run_id,
    rule: 'unpriced_model',
    subject_id: agent_id,
    reason: model === null ? 'no_usage' : 'no_price',
    message: `${agent_slug}: a run has a budget and called ${what}: ${allowed ? 'the run continues, and the budget does not count these calls' : 'its items are paused'}.`,
    advice:
      model === null
        ? 'Let the agent report the usage of its calls, or resume an item to continue without.'
        : 'Set the price; paused items then continue by themselves.',
    command: model === null ? `assay triage --run ${call.run_id}` : setPriceCommand(model),
    since: call.since,
  }
}
