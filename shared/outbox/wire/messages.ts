// The shapes of messages to channels with the format `json`.

import type { Digest, DigestWords, RunLinks } from '../../alerts/rules/digest.ts'
import { Alert, type AlertRow, alertOf } from '../../alerts/wire/alerts.ts'
import { Run, type RunRow, runOf } from '../../items/wire/runs.ts'
import { id, timestamp } from '../../kernel/answer-fields.ts'
import * as z from '../../kernel/documented-zod.ts'

/** A run that has ended, with the schedule that started it and that schedule's run before. */
export interface DigestEnd {
  run: RunRow & { finished_at: Date }
  schedule_id: string | null
  cron: string | null
  timezone: string | null
  scheduled_for: Date | null
  previous: (RunRow & { finished_at: Date }) | null
  /** What the run waited for. */
  waited_for_hosts: readonly { host: string; label: string | null }[]
}

export const AlertResolved = z
  .object({ type: z.literal('alert.resolved'), timestamp, data: Alert })
  .openapi('AlertResolved', { description: 'What an alert reported is so no more.' })

export const ChannelTest = z
  .object({
    type: z.literal('channel.test'),
    timestamp,
    data: z.object({ project_id: id('The project.'), message: z.string() }),
  })
  .openapi('ChannelTest', { description: 'Somebody tests a channel.' })

export const RunDigest = z
  .object({
    type: z.literal('run.digest'),
    timestamp: timestamp.describe('When the run ended.'),
    data: z.object({
      name: z.string().describe('What people call the run: its agent, and its schedule or its name.'),
      ran: z.string().describe('Whether it ran, in words.'),
      worked: z.string().describe('Whether it worked, in words.'),
      cost: z.string().describe('What it cost of its budget, in words.'),
      compared: z.string().nullable().describe('With the run of the same schedule before, in words.'),
      causes: z
        .array(z.object({ cause: z.string(), items: z.int().min(1) }))
        .describe(
          'Why items did not work, most first; three at most. Items that were held and went on, and those that people found to have worked, are not counted.',
        ),
      noticed: z.array(z.string()).describe('What checks over the run found, in words.'),
      corrected_items: z
        .int()
        .describe(
          'Items whose verdict people corrected: the words count them as people say, `run` as recorded.',
        ),
      previous_corrected_items: z.int().describe('The same of the run before.'),
      waited: z
        .string()
        .nullable()
        .describe(
          'How long, and for what, it waited for something outside that served nobody; null if it did not.',
        ),
      waits: z
        .array(z.string())
        .describe('What items of its project wait for outside as this is written, in words; three at most.'),
      left: z
        .string()
        .nullable()
        .describe('How many items did not end well and can be run again, in words; null if none.'),
      command: z
        .string()
        .nullable()
        .describe('The command that runs all of these again; null if there are none.'),
      links: z.object({
        run: z.string().meta({ format: 'uri', description: 'The page of the run.' }),
        results: z.string().meta({ format: 'uri', description: 'The page of its results.' }),
        results_api: z.string().meta({ format: 'uri', description: 'Where a program reads its results.' }),
      }),
      schedule: z
        .object({
          id: id('The schedule.'),
          cron: z.string(),
          timezone: z.string(),
          scheduled_for: timestamp,
        })
        .nullable()
        .describe('What started the run; null where no schedule did.'),
      run: Run.describe('The run as it was when it ended.'),
      previous: Run.nullable().describe('The run of the same schedule before.'),
    }),
  })
  .openapi('RunDigest', { description: 'What became of a run, for people.' })

export const alertResolvedOf = (alert: AlertRow): z.input<typeof AlertResolved> => ({
  type: 'alert.resolved',
  timestamp: (alert.resolved_at ?? alert.created_at).toISOString(),
  data: alertOf(alert),
})

export const channelTestOf = (
  project_id: string,
  message: string,
  at: Date,
): z.input<typeof ChannelTest> => ({
  type: 'channel.test',
  timestamp: at.toISOString(),
  data: { project_id, message },
})

export function runDigestOf(
  end: DigestEnd,
  words: DigestWords,
  { run: reported, previous: before, causes, noticed }: Digest,
  links: RunLinks,
): z.input<typeof RunDigest> {
  const { run, previous, schedule_id, cron, timezone, scheduled_for } = end
  return {
    type: 'run.digest',
    timestamp: run.finished_at.toISOString(),
    data: {
      ...words,
      causes: [...causes],
      noticed: [...noticed],
      corrected_items: reported.corrected,
      previous_corrected_items: before?.corrected ?? 0,
      links,
      schedule:
        schedule_id === null
          ? null
          : {
              id: schedule_id,
              cron: cron!,
              timezone: timezone!,
              scheduled_for: scheduled_for!.toISOString(),
            },
      run: runOf(run),
      previous: previous && runOf(previous),
    },
  }
}
