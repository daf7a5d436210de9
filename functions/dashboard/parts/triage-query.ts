// The filters in the address of the triage page.

import * as z from 'zod'
import { TRIAGE_LANES } from '../../../shared/triage/vocabulary.ts'

/** An empty filter matches every item. */
export const triageFilter = {
  kind: z.enum(TRIAGE_LANES).or(z.literal('')).optional(),
  agent_id: z.string().optional(),
  run_id: z.string().optional(),
  reason: z.string().optional(),
  cause_id: z.string().optional(),
  cluster_key: z.string().optional(),
  partition_key: z.string().optional(),
}
export type TriageQuery = z.output<z.ZodObject<typeof triageFilter>>
