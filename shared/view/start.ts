// What runs of a schedule or a trigger start with, and who started a run, for pages and the command line.

import type { StartedBy } from '../items/vocabulary.ts'
import type { Schemas } from '../sdk/client.ts'

export type Start = Pick<
  Schemas['Trigger'],
  | 'budget_cents'
  | 'allow_unpriced'
  | 'pilot_items'
  | 'concurrency'
  | 'timeout_seconds'
  | 'patience_seconds'
  | 'callback_url'
  | 'tags'
>

/** Who or what started a run. @example 'schedule nightly' @example 'ana@example.com' */
export const sayStarter = ({ kind, name }: StartedBy): string =>
  // A schedule without a name of its own is named by its cron already: `schedule 0 2 * * *`.
  kind === 'member' || name.startsWith(`${kind} `) ? name : `${kind} ${name}`
