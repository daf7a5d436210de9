// The shape of who or what started a run.

import * as z from '../../kernel/documented-zod.ts'
import { STARTERS } from '../vocabulary.ts'

export const StartedBy = z.object({
  kind: z.enum(STARTERS),
  id: z.uuid().nullable().describe('It may have been removed since. Null of runs from before it was kept.'),
  name: z
    .string()
    .describe('Of the time of the start: the e-mail of a member, the name of a key, schedule or trigger.'),
})
