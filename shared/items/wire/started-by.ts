// The shape of who or what started a run.

import * as z from '../../kernel/documented-zod.ts'
import { STARTERS } from '../vocabulary.ts'

export const StartedBy = z.object({
  kind: z.enum(STARTERS),
  id: z.uuid().nullable().describe('Of a schedule or a trigger, which may have been deleted since.'),
  name: z
    .string()
    .describe('Of the time of the start: the e-mail of a member, the name of a key, schedule or trigger.'),
})
