// Decides whether runs may be started, for callers that start several at once and count them themselves. Guarantee: the
// same rule as the SQL in `queries/run-admission.ts`; a test compares the two.

/** Why no run may be started; if several reasons apply, the first is reported. */
export type RunRejection = 'account_suspended' | 'plan_limit' | 'quota_exceeded' | 'too_many_open_runs'

/** How many more runs may be open. */
export interface RunRoom {
  is_suspended: boolean
  /** Null if the account's plan has no bound. */
  account_room: number | null
  /** Bytes that the account may still keep, as of the last measurement; null without a bound. */
  bytes_room: number | null
  project_room: number
}

/** Why this many more runs may not be started; null if they may. */
export function refusalOf(
  { is_suspended, account_room, bytes_room, project_room }: RunRoom,
  runs: number,
): RunRejection | null {
  if (is_suspended) return 'account_suspended'
  if (account_room !== null && account_room < runs) return 'plan_limit'
  if (bytes_room !== null && bytes_room <= 0) return 'quota_exceeded'
  return project_room < runs ? 'too_many_open_runs' : null
}
