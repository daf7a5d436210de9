// The shapes of deadlines.

import { id, timestamp } from '../../kernel/answer-fields.ts'
import * as z from '../../kernel/documented-zod.ts'
import { uuid as uuidIn } from '../../kernel/fields.ts'
import type { deadlines } from '../tables/deadlines.ts'

export type DeadlineRow = typeof deadlines.$inferSelect & {
  agent_slug: string
  cron: string | null
  schedule_name: string | null
}

const finishedBy = (description: string) =>
  z
    .string()
    .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day such as 06:30')
    .meta({ description, example: '06:30' })

export const NewDeadline = z
  .strictObject({
    schedule_id: uuidIn('The schedule whose run must have ended.').optional(),
    agent_id: uuidIn(
      'The agent of which some run of the day before must have ended; instead of a schedule.',
    ).optional(),
    finished_by: finishedBy('By when, each day.'),
    timezone: z
      .string()
      .optional()
      .describe("A name of the IANA database; by default the schedule's own, and UTC for an agent."),
  })
  .refine(
    body => (body.schedule_id === undefined) !== (body.agent_id === undefined),
    'must name either schedule_id or agent_id',
  )
  .openapi({ example: { agent_id: '019c2b1e-7a40-7c3d-9f21-5be000000000', finished_by: '06:30' } })

export const Deadline = z
  .object({
    id: id('The id to delete it by.'),
    agent_id: id('The agent.'),
    agent_slug: z.string(),
    schedule_id: id('The schedule; null where any run of the agent will do.').nullable(),
    cron: z.string().nullable().describe('Of the schedule.'),
    schedule_name: z.string().nullable().describe('Of the schedule, where it has one.'),
    finished_by: finishedBy('By when, each day.'),
    timezone: z.string(),
    due_at: timestamp.describe('When it comes next.'),
    created_at: timestamp,
  })
  .openapi('Deadline', {
    description:
      'By when something has to have finished each day; the rule not_finished alerts when it has not.',
  })

export const deadlineOf = (row: DeadlineRow): z.input<typeof Deadline> => ({
  id: row.id,
  agent_id: row.agent_id,
  agent_slug: row.agent_slug,
  schedule_id: row.schedule_id,
  cron: row.cron,
  schedule_name: row.schedule_name,
  finished_by: row.finished_by,
  timezone: row.timezone,
  due_at: row.due_at.toISOString(),
  created_at: row.created_at.toISOString(),
})
