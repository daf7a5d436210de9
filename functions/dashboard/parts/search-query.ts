// The query of a search link, and its translation to API parameters.

import * as z from 'zod'
import { OUTCOME_REASONS } from '../../../shared/grading/vocabulary.ts'
import { OUTCOMES } from '../../../shared/items/vocabulary.ts'
import { defined } from '../../../shared/kernel/defined.ts'
import { SEARCHED_IN } from '../../../shared/traces/vocabulary.ts'

/** An empty field of the form means any. */
const any = <T extends z.ZodType>(of: T) => z.literal('').or(of).optional()
/** A time as a browser's datetime field sends it; in UTC. */
const moment = any(
  z.string().regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$/, 'must be a date and a time such as 2026-01-31T09:00'),
)

export const SearchQuery = z.strictObject({
  q: z.string().optional(),
  /** Where words are looked for: messages, unless everything is asked for. */
  in: any(z.enum(SEARCHED_IN)),
  outcome: any(z.enum(OUTCOMES)),
  reason: any(z.enum(OUTCOME_REASONS)),
  item: z.string().optional(),
  run_id: any(z.uuid()),
  min_cost: any(z.coerce.number().min(0)),
  from: moment,
  to: moment,
  sort: any(z.enum(['recent', 'cost'])),
  cursor: z.string().optional(),
})
export type SearchQuery = z.output<typeof SearchQuery>

export const instantOf = (local: string | undefined) => (local ? `${local}:00Z` : undefined)

export const rangeAsked = ({ from, to }: SearchQuery) => defined({ from: instantOf(from), to: instantOf(to) })

/** The filters as API parameters, without the time range and the cursor. */
export const filterAsked = ({ q, in: where, outcome, reason, item, run_id, min_cost, sort }: SearchQuery) =>
  defined({
    q: q?.trim(),
    in: q?.trim() ? where || ('messages' as const) : undefined,
    outcome_status: outcome,
    outcome_reason: reason,
    item_id_prefix: item,
    run_id,
    min_cost_usd: min_cost,
    sort,
  })
