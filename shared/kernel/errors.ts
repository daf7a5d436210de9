// Errors a caller may see: a stable code for machines, a message for people, and the status that goes with it.

/** Every `error.code` an answer can carry, with its status. The reference table in the docs is made from this. */
export const API_ERRORS = {
  invalid_request: 400,
  invalid_json: 400,
  invalid_utf8: 400,
  duplicate_key: 400,
  too_deep: 400,
  number_out_of_range: 400,
  line_too_long: 400,
  body_too_large: 400,
  invalid_line: 400,
  duplicate_item_id: 400,
  no_items: 400,
  too_many_items: 400,
  invalid_cursor: 400,
  invalid_cron: 400,
  invalid_timezone: 400,
  invalid_schema: 400,
  max_steps_rejected: 400,
  unpriced_model: 400,
  load_failed: 400,
  load_timeout: 400,
  source_failed: 400,
  source_empty: 400,
  idempotency_key_reused: 409,
  unauthenticated: 401,
  plan_limit: 402,
  quota_exceeded: 402,
  account_suspended: 402,
  forbidden: 403,
  suspended: 403,
  not_found: 404,
  agent_slug_taken: 409,
  schedule_cron_taken: 409,
  trigger_name_taken: 409,
  email_taken: 409,
  last_owner: 409,
  run_already_ended: 409,
  item_not_replayable: 409,
  item_not_paused: 409,
  item_already_decided: 409,
  verdict_not_judgeable: 409,
  item_not_reopenable: 409,
  nothing_to_recover: 409,
  recovery_already_ended: 409,
  claim_ended: 409,
  claim_not_handed_over: 409,
  delivery_pending: 409,
  too_many_channels: 409,
  too_many_deadlines: 409,
  too_many_saved_views: 409,
  too_many_limits: 409,
  too_many_prices: 409,
  rate_limited: 429,
  too_many_open_runs: 429,
  internal: 500,
  store_unreachable: 500,
  store_full: 500,
  dependency_unreachable: 503,
  dependency_unusable: 503,
} as const
export type ApiErrorCode = keyof typeof API_ERRORS

export class ApiError extends Error {
  readonly code: ApiErrorCode
  readonly status: (typeof API_ERRORS)[ApiErrorCode]
  readonly hint: string | undefined
  /** When a retry makes sense; sent as Retry-After. */
  readonly retry_after_s: number | undefined
  constructor(code: ApiErrorCode, message: string, hint?: string, retry_after_s?: number) {
    super(message)
    this.name = 'ApiError'
    this.code = code
    this.status = API_ERRORS[code]
    this.hint = hint
    this.retry_after_s = retry_after_s
  }
}
