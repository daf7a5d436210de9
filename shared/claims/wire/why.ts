// The response that says why an item is not running.

import { ITEM_STATUSES } from '../../items/vocabulary.ts'
import { count, id, timestamp } from '../../kernel/answer-fields.ts'
import * as z from '../../kernel/documented-zod.ts'
import { WAITS, type WaitToken, type WhyFacts } from '../rules/why.ts'

export const Why = z
  .object({
    token: z.enum(WAITS).describe('What it waits for, for machines.'),
    message: z.string().describe('The same in one sentence.'),
    item_status: z.enum(ITEM_STATUSES),
    run_id: id('The run of the item.'),
    due_at: timestamp
      .nullable()
      .describe('When it may be offered again, after an attempt that did not end it.'),
    items_ahead: count('Items of its run that are offered before it.'),
    run_running: z.int().nullable().describe('Items of the run at work.'),
    run_cap: z.int().nullable().describe('How many may be; null is no cap of its own.'),
    project_running: z.int().nullable().describe('Items of the project at work.'),
    project_cap: z.int().nullable().describe('How many may be.'),
    partition_running: z
      .int()
      .nullable()
      .describe('Items of its partition at work, where partitions have a cap.'),
    partition_cap: z.int().nullable().describe('How many may be.'),
  })
  .openapi('Why', { description: 'Why an item is not running.' })

export function whyOf(
  run_id: string,
  {
    token,
    message,
    facts,
    due_at,
  }: { token: WaitToken; message: string; facts: WhyFacts; due_at: Date | null },
): z.input<typeof Why> {
  const { admission, partition } = facts
  const caps = [admission?.run_concurrency, admission?.agent_concurrency].filter(
    cap => typeof cap === 'number',
  )
  return {
    token,
    message,
    item_status: facts.status,
    run_id,
    due_at: due_at === null ? null : due_at.toISOString(),
    items_ahead: facts.ahead,
    run_running: admission?.run_running ?? null,
    run_cap: caps.length === 0 ? null : Math.min(...caps),
    project_running: admission?.project_running ?? null,
    project_cap: admission?.project_concurrency ?? null,
    partition_running: partition?.running ?? null,
    partition_cap: partition?.cap ?? null,
  }
}
