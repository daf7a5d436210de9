// The shapes of schedules and their occurrences, and how rows are converted to them.

import { worstOutcome } from '../../items/rules/lifecycle.ts'
import type { runs } from '../../items/tables/runs.ts'
import { Run } from '../../items/wire/runs.ts'
import { rawJson } from '../../json/raw-json.ts'
import { id, Json, timestamp } from '../../kernel/answer-fields.ts'
import * as z from '../../kernel/documented-zod.ts'
import { ApiError } from '../../kernel/errors.ts'
import { label, uuid } from '../../kernel/fields.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { shownUrl } from '../../kernel/shown-url.ts'
import { usdOf } from '../../prices/rules/pricing.ts'
import { ResultsReceiverOrder } from '../../results/wire/results.ts'
import { Source, SourceOrder, SourceProblem, sourceOf } from '../../sources/wire/sources.ts'
import { shownStart, shownStartOf, startOrder } from '../../submission/wire/start-settings.ts'
import { Estimate, estimateAnswer, type Foreseen } from '../../upstreams/wire/estimate.ts'
import { NamedLimitList } from '../../upstreams/wire/upstream-limits.ts'
import { parseCron, ScheduleError } from '../rules/cron.ts'
import { nextFires } from '../rules/fire-times.ts'
import type { occurrences, schedules } from '../tables/schedules.ts'
import { DISABLED_REASONS, OCCURRENCE_OUTCOMES, OCCURRENCE_REASONS } from '../vocabulary.ts'

type RunColumns = typeof runs.$inferSelect
export type OccurrenceRow = Omit<typeof occurrences.$inferSelect, 'manual' | 'project_id' | 'watch_until'> & {
  run?: RunColumns | null
}
export type ScheduleRow = typeof schedules.$inferSelect & {
  /** The size of its input. */
  bytes: number
  agent_slug: string
  last_event: OccurrenceRow | null
  last_event_run: RunColumns | null
}

const OccurrenceRun = Run.pick({
  status: true,
  worst_outcome_status: true,
  total_items: true,
  completed: true,
  degraded_count: true,
  failed: true,
  budget_exceeded_count: true,
  stop_reason: true,
  finished_at: true,
  cost_usd: true,
}).openapi('ScheduleRun', { description: 'A run of a schedule as it stands.' })

const occurrenceRunOf = (row: RunColumns): z.input<typeof OccurrenceRun> => ({
  status: row.status!,
  worst_outcome_status: worstOutcome({ ...row, started: row.started_at !== null }),
  total_items: row.total_items,
  completed: row.ok + row.degraded,
  degraded_count: row.degraded,
  failed: row.failed + row.budget_exceeded,
  budget_exceeded_count: row.budget_exceeded,
  stop_reason: row.stop_reason,
  finished_at: row.finished_at?.toISOString() ?? null,
  cost_usd: usdOf(row.cost_micro),
})

export const Occurrence = z
  .object({
    schedule_id: id('The schedule.'),
    scheduled_for: timestamp.describe(
      'The moment its cron named; of a start by hand, when it was asked for.',
    ),
    occurred_at: timestamp.describe('When the service acted.'),
    outcome: z
      .enum(OCCURRENCE_OUTCOMES)
      .describe(
        'fired: a run was submitted. skipped: the service decided not to. error: something broke on its side. missed: nothing was attempted.',
      ),
    reason: z.enum(OCCURRENCE_REASONS).nullable().describe('Why, as a fixed token.'),
    detail: z
      .union([SourceProblem, z.null()])
      .describe('What was wrong with its source, of source_failed alone.'),
    run_id: id('The run, where one was submitted.').nullable(),
    run: OccurrenceRun.nullable()
      .optional()
      .describe('The run as it stands, null where there is none; left out of events of a whole project.'),
    tries: z.int().min(0).describe('How often a start was attempted.'),
    retry_at: timestamp.nullable().describe('When it is tried again; null once it is decided.'),
  })
  .openapi('ScheduleEvent', { description: 'What became of a moment that a schedule named.' })

export function occurrenceOf(row: OccurrenceRow): z.input<typeof Occurrence> {
  return {
    schedule_id: row.schedule_id,
    scheduled_for: row.scheduled_for.toISOString(),
    occurred_at: row.occurred_at.toISOString(),
    outcome: row.outcome,
    reason: row.reason,
    detail: row.detail,
    run_id: row.run_id,
    ...(row.run !== undefined && { run: row.run && occurrenceRunOf(row.run) }),
    tries: row.tries,
    retry_at: row.retry_at?.toISOString() ?? null,
  }
}

export const cron = z
  .string()
  .describe(
    'Five fields: minute, hour, day of the month, month, day of the week. Read on the wall clock of the zone.',
  )
export const timezone = z.string().describe('A name of the IANA database.')

const LIMITS_OF_RUNS =
  "Limits of what its runs need outside: while one of them is at work, they stand in place of the project's for these upstreams, for the items of all runs, and may be higher."

/** When a run of a schedule ends, as far as that can be foreseen. */
export interface EndingRow {
  run_id: string | null
  starts_at: Date | null
  items: number
  deadline_at: Date | null
  foreseen: Foreseen
}

const Ending = z
  .object({
    run_id: id('The open run; null if it is to start.').nullable(),
    starts_at: timestamp.nullable().describe('When it starts; null of an open run.'),
    items: z.int().min(0).describe('Of one that is to start as many as the latest run had.'),
    deadline_at: timestamp.nullable().describe('By when it has to end, if the schedule has a deadline.'),
    estimate: Estimate,
  })
  .openapi('ScheduleEnding', { description: 'When a run of a schedule ends, by all that is known.' })

export const endingOf = (row: EndingRow, now_ms: number): z.input<typeof Ending> => ({
  run_id: row.run_id,
  starts_at: row.starts_at?.toISOString() ?? null,
  items: row.items,
  deadline_at: row.deadline_at?.toISOString() ?? null,
  estimate: estimateAnswer(row.foreseen, row.starts_at?.getTime() ?? now_ms),
})

export const Schedule = z
  .object({
    id: id('What {scheduleId} in paths stands for.'),
    project_id: id('The project of its agent.'),
    agent_id: id('The agent it starts.'),
    agent_slug: z.string(),
    name: z.string().nullable().describe('What people call it; its runs are called so too.'),
    cron,
    timezone,
    enabled: z.boolean(),
    disabled_reason: z
      .enum(DISABLED_REASONS)
      .nullable()
      .describe('operator: a person disabled it. Otherwise what cannot be read. Null while it is enabled.'),
    declared: z.boolean().describe("Declared in the agent's code: deploys change and remove it."),
    input: Json.refine(value => value !== undefined).describe('The input of each run, byte for byte.'),
    source: z.union([Source, z.null()]).describe('Where its items come from; null: one item, its input.'),
    ...shownStart,
    results: ResultsReceiverOrder.nullable(),
    limits: NamedLimitList.nullable().describe(LIMITS_OF_RUNS),
    next_fires: z
      .array(timestamp)
      .describe(`The next ${LIMITS.next_fires} moments; empty while it is disabled.`),
    last_run_at: timestamp.nullable().describe('When it last submitted a run, by itself or by hand.'),
    last_event: z.union([Occurrence, z.null()]).describe('What became of its latest moment.'),
    ending: Ending.optional().describe(
      'When its open run ends, else its next one; of a schedule that is asked for alone, and has had a run or starts one item.',
    ),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .openapi('Schedule', { description: 'A recurring start of an agent.' })

export function scheduleOf(row: ScheduleRow): z.input<typeof Schedule> {
  return {
    id: row.id,
    project_id: row.project_id,
    agent_id: row.agent_id,
    agent_slug: row.agent_slug,
    name: row.name,
    cron: row.cron,
    timezone: row.timezone,
    enabled: row.enabled,
    disabled_reason: row.disabled_reason,
    declared: row.declared,
    input: rawJson(row.input),
    source: row.source && sourceOf(row.source),
    ...shownStartOf(row),
    results: row.results && { ...row.results, url: shownUrl(row.results.url) },
    limits: row.limits,
    next_fires: nextOf(row),
    last_run_at: row.last_run_at?.toISOString() ?? null,
    last_event: row.last_event && occurrenceOf({ ...row.last_event, run: row.last_event_run }),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}

/** From the stored next fire time on; one that is due and not yet acted on is included. */
function nextOf({ next_at, cron, timezone }: ScheduleRow): string[] {
  if (next_at === null) return []
  try {
    const fires = nextFires(parseCron(cron), timezone, next_at.getTime() - 1, LIMITS.next_fires)
    return fires.map(at => new Date(at).toISOString())
  } catch (error) {
    // The tick will disable the schedule for this; until then it must still be shown.
    if (error instanceof ScheduleError || error instanceof RangeError) return []
    throw error
  }
}

const settings = {
  name: label(LIMITS.name_characters, 'What people call it, and its runs.').nullable().optional(),
  source: SourceOrder.nullable().optional(),
  input: z.unknown().describe('Any JSON; it is kept byte for byte. Null when absent.').optional(),
  ...startOrder,
  results: ResultsReceiverOrder.nullable().optional(),
  limits: NamedLimitList.nullable()
    .optional()
    .describe(`${LIMITS_OF_RUNS} Signed-in owners set it; null or an empty list for none.`),
}

/**
 * The settings of a schedule's runs as stored: the fields above, and the input as its JSON text.
 * submission/wire/start-settings.ts says which of them a run gets.
 */
export type ScheduleSettings = {
  [K in Exclude<keyof typeof settings, 'input'>]-?: Exclude<z.output<(typeof settings)[K]>, undefined>
} & { input: string }

/** The defaults. */
const UNSAID: ScheduleSettings = {
  name: null,
  source: null,
  input: 'null',
  budget_cents: null,
  allow_unpriced: false,
  pilot_items: null,
  concurrency: null,
  timeout_seconds: null,
  patience_seconds: null,
  callback_url: null,
  results: null,
  limits: null,
  tags: [],
}

/** The settings that a caller gives. */
export type SaidSettings = { [K in keyof ScheduleSettings]?: ScheduleSettings[K] | undefined }

/** The settings of a new schedule: those given, and defaults. */
export function settingsOf(said: SaidSettings): ScheduleSettings {
  const settings = { ...UNSAID }
  for (const key of Object.keys(UNSAID) as (keyof ScheduleSettings)[])
    if (said[key] !== undefined) Object.assign(settings, { [key]: said[key] })
  return settings
}

export const ScheduleOrder = refusingMaxSteps(
  z.strictObject({
    agent_id: uuid('The agent to start.'),
    cron,
    timezone: timezone.default('UTC'),
    enabled: z.boolean().default(true),
    ...settings,
  }),
).openapi('ScheduleOrder', {
  description: 'A recurring start of an agent.',
  example: {
    agent_id: '019c2b1e-7a40-7c3d-9f21-5be000000000',
    name: 'Nightly tickets',
    cron: '0 2 * * *',
    timezone: 'Europe/Berlin',
    budget_cents: 500,
    source: { url: 'https://example.com/export?day={date}', format: 'ndjson', item_id: 'ticket_id' },
  },
})

export const ScheduleChanges = refusingMaxSteps(
  z
    .strictObject({ cron: cron.optional(), timezone: timezone.optional(), ...settings })
    .refine(changes => Object.keys(changes).length > 0, 'must change something'),
).openapi('ScheduleChanges', {
  description: 'What is to be different; what is absent stays.',
  example: { cron: '0 3 * * *', budget_cents: 700 },
})

/** Callers are known to look for `max_steps` here, so the error says where it belongs. */
function refusingMaxSteps<T extends z.ZodType>(schema: T) {
  return z.preprocess(value => {
    if (typeof value === 'object' && value !== null && 'max_steps' in value)
      throw new ApiError(
        'max_steps_rejected',
        'Field "max_steps" is no setting of a schedule.',
        "Set it in the agent's declaration, where it holds for every run.",
      )
    return value
  }, schema)
}
