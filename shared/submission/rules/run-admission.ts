// Whether runs may be started. Guarantee: the rule for whoever starts several at once and counts by itself; PostgreSQL is
// told the same by `queries/run-admission.ts`, and a test compares the two.

/** Why no run may be started; of several the first is told. */
export type RunRejection = 'account_suspended' | 'plan_limit' | 'quota_exceeded' | 'too_many_open_runs'

/** How many runs more may be open. */
export interface RunRoom {
  is_suspended: boolean
  /** Null where the plan of the account has no bound. */
  account_room: number | null
  /** Bytes that its quota leaves to be kept, as of the last measurement; null where it has no bound. */
  bytes_room: number | null
  project_room: number
}

/** Null where so many runs more may be started. */
export function refusalOf(
  { is_suspended, account_room, bytes_room, project_room }: RunRoom,
  runs: number,
): RunRejection | null {
  if (is_suspended) return 'account_suspended'
  if (account_room !== null && account_room < runs) return 'plan_limit'
  if (bytes_room !== null && bytes_room <= 0) return 'quota_exceeded'
  return project_room < runs ? 'too_many_open_runs' : null
}
