// The settings that runs of a schedule or a trigger start with, as the API shows them to pages and the command line.

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
