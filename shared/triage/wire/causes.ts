// The response shape of causes, each a group of similar failures, and the mapping from rows.

import { authorName } from '../../items/rules/started-by.ts'
import type { StartedBy } from '../../items/vocabulary.ts'
import { count, id, timestamp } from '../../kernel/answer-fields.ts'
import * as z from '../../kernel/documented-zod.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { usdOf } from '../../prices/rules/pricing.ts'
import { CAUSE_ID, causeTitle, messageOf } from '../rules/causes.ts'
import { TRIAGE_ACTIONS, type TriageAction } from '../vocabulary.ts'

const EXAMPLE = 'cause_0509102d3433'

export const causeId = z
  .string()
  .regex(CAUSE_ID, 'must be the id of a cause')
  .meta({ description: 'Only items of this cause.', example: EXAMPLE })

export const Cause = z
  .object({
    id: z
      .string()
      .regex(CAUSE_ID)
      .meta({ description: 'Made of what the cause is made of, so it stays the same.', example: EXAMPLE }),
    project_id: id('The project of its items.'),
    agent_id: id('The agent of its items.'),
    agent_slug: z.string(),
    title: z.string().describe('The cause in one line.'),
    step: z
      .string()
      .nullable()
      .describe('The step that failed or was judged, without its index; null where there was none.'),
    error_code: z.string().nullable().describe('Null where the items ran to their end, or are held.'),
    reason: z.string().describe('Why, as a token: the outcome reason, or hold.'),
    message: z
      .string()
      .nullable()
      .describe('What they say, with `*` for what differs; null where they say nothing.'),
    count: count(
      'How often it was met, decided about or not: a replay that ends by it again counts once more.',
    ),
    waiting: count('Of those, items that wait for a decision.'),
    share: z
      .number()
      .min(0)
      .max(1)
      .nullable()
      .describe("Of the run's items, the share that has it; null unless the list is of a run."),
    runs: count('Runs with items that have it.'),
    cost_usd: z.number().describe('What all of that has cost.'),
    first_seen: timestamp.describe('When an item first had it.'),
    last_seen: timestamp.describe('When an item last had it.'),
    record_id: id('Record id of an item that has it; null where none is kept any more.').nullable(),
  })
  .openapi('Cause', { description: 'Why items did not work, or are held: similar ones are one cause.' })
export type Cause = z.input<typeof Cause>

export const CausePage = z
  .object({
    rows: z.array(Cause),
    total: count(`Causes on all pages together; ${LIMITS.causes_counted} stands for as many or more.`),
    next_cursor: z.string().nullable().describe('Where the next page begins; null on the last one.'),
  })
  .openapi('CausePage')

export const CauseWithRuns = Cause.extend({
  latest_runs: z
    .array(
      z.object({
        run_id: id('The run.'),
        name: z.string().nullable(),
        replay_of: id('The run whose items it replays.').nullable(),
        created_at: timestamp.describe('When the run was submitted.'),
        count: count('Items of it that have the cause.'),
        waiting: count('Of those, items that wait for a decision.'),
        first_seen: timestamp,
        last_seen: timestamp,
      }),
    )
    .max(LIMITS.failure_groups)
    .describe('The newest runs with it, the newest first.'),
  decisions: z
    .array(
      z.object({
        recovery_id: id('The recovery that acts on them.'),
        action: z.enum(TRIAGE_ACTIONS),
        eligible: count('Items that it was for.'),
        created_by: z
          .string()
          .nullable()
          .describe('Who decided: the e-mail of a member, or `key` and the name of a key.'),
        created_at: timestamp,
      }),
    )
    .max(LIMITS.failure_groups)
    .describe('What was decided about all of its items at once, the newest first.'),
}).openapi('CauseWithRuns', { description: 'A cause, and in which runs it was met.' })

export interface CauseSource {
  id: string
  project_id: string
  agent_id: string
  agent_slug: string
  step: string
  error_code: string
  reason: string
  template: string
  varies: number[]
  count: number
  waiting: number
  cost_micro: number
  run_items: number | null
  runs: number
  first_seen: Date
  last_seen: Date
  record_id: string | null
}

export function causeOf(row: CauseSource): Cause {
  const { template, varies, cost_micro, run_items, ...same } = row
  const message = messageOf(template, varies)
  return {
    ...same,
    title: causeTitle({ ...row, message }),
    step: row.step || null,
    error_code: row.error_code || null,
    message: message || null,
    share: run_items === null ? null : row.count / run_items,
    cost_usd: usdOf(cost_micro),
    first_seen: row.first_seen.toISOString(),
    last_seen: row.last_seen.toISOString(),
  }
}

export interface CauseRunSource {
  run_id: string
  name: string | null
  replay_of: string | null
  created_at: Date
  count: number
  waiting: number
  first_seen: Date
  last_seen: Date
}

export interface CauseDecisionSource {
  recovery_id: string
  action: TriageAction
  eligible: number
  created_by: StartedBy | null
  created_at: Date
}

export const causeWithRunsOf = (
  row: CauseSource,
  runs: readonly CauseRunSource[],
  decisions: readonly CauseDecisionSource[],
): z.input<typeof CauseWithRuns> => ({
  ...causeOf(row),
  latest_runs: runs.map(run => ({
    ...run,
    created_at: run.created_at.toISOString(),
    first_seen: run.first_seen.toISOString(),
    last_seen: run.last_seen.toISOString(),
  })),
  decisions: decisions.map(one => ({
    ...one,
    created_by: one.created_by && authorName(one.created_by),
    created_at: one.created_at.toISOString(),
  })),
})
