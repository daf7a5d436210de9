// The request and response shapes of the preview of a cron's fire times.

import { timestamp } from '../../kernel/answer-fields.ts'
import * as z from '../../kernel/documented-zod.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { parseCron } from '../rules/cron.ts'
import { type Fire, firesAfter } from '../rules/fire-times.ts'
import { cron, timezone } from './schedules.ts'

export const PreviewQuery = z.strictObject({
  cron,
  timezone: timezone.default('UTC'),
})

export const Preview = z
  .object({
    cron,
    timezone,
    moments: z
      .array(
        z.object({
          wall_clock: z.string().meta({ example: '2026-03-29T02:30', description: 'What the clock shows.' }),
          at: timestamp.nullable().describe('When that is; null for a time that does not exist.'),
          note: z
            .enum(['skipped', 'repeated'])
            .nullable()
            .describe(
              'skipped: the clock jumps over it, nothing fires. repeated: the clock shows it twice, it fires the first time.',
            ),
        }),
      )
      .describe(
        `The next ${LIMITS.next_fires} moments, with up to ${LIMITS.skipped_fires} that are skipped among them.`,
      ),
  })
  .openapi('SchedulePreview', { description: 'When an expression would fire.' })

/** @throws ScheduleError, when the cron cannot be read */
export function previewOf(text: string, zone: string, after: Date): z.input<typeof Preview> {
  const fires = firesAfter(parseCron(text), zone, after.getTime())
  const shown: Fire[] = []
  for (let firing = 0, skipped = 0; firing < LIMITS.next_fires; ) {
    const fire = fires.next().value
    if (fire.at !== null) firing++
    else if (++skipped > LIMITS.skipped_fires) continue
    shown.push(fire)
  }
  return { cron: text, timezone: zone, moments: shown.map(momentOf) }
}

const momentOf = ({ wall, at, repeated }: Fire) => ({
  wall_clock: new Date(wall * 60_000).toISOString().slice(0, 16),
  at: at === null ? null : new Date(at).toISOString(),
  note: at === null ? ('skipped' as const) : repeated ? ('repeated' as const) : null,
})
