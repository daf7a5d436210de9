// What the runs of a schedule or a trigger are started with, as the API shows it to pages and to the command line alike.

import type { Schemas } from '../sdk/client.ts'

export type Start = Pick<
  Schemas['Trigger'],
  | 'budget_cents'
  | 'allow_unpriced'
  | 'pilot_items'
  | 'concurrency'
  | 'timeout_seconds'
  | 'callback_url'
  | 'tags'
>
