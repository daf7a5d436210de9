// What every error code means, in one sentence each. The document's examples and the table of error codes are made
// from this; a code without a meaning does not compile.

import type { ApiErrorCode } from '../../kernel/errors.ts'
import type { ItemErrorCode } from '../vocabulary.ts'

export const ERROR_MEANINGS: Record<ApiErrorCode, string> = {
  invalid_request:
    'A parameter or a field is unknown, missing, repeated or out of its range; the message names it.',
  invalid_json: 'The body is not JSON; the message says where it stops being it.',
  invalid_utf8: 'The body holds bytes that are not UTF-8.',
  duplicate_key: 'An object of the body has the same key twice.',
  too_deep: 'The body is nested deeper than 64 levels.',
  number_out_of_range: 'A number of the body is too large to be kept.',
  line_too_long: 'A line of the body is longer than one item may be.',
  body_too_large: 'The body is larger than a request may be; send items as lines instead.',
  invalid_line: 'Some lines are not items; the message names the first of them. Nothing was stored.',
  duplicate_item_id: 'An item_id occurs more than once in the submission. Nothing was stored.',
  no_items: 'The submission holds no items.',
  too_many_items: 'The submission holds more items than one run may have.',
  invalid_cursor: 'The cursor was not made by this list with these filters.',
  invalid_cron:
    'The cron expression is not five standard fields, or names no moment; the message says which.',
  invalid_timezone: 'The timezone is no name of the IANA database.',
  invalid_schema:
    'A schema that the agent declares cannot be checked; the message names the place in it and why, the hint the way out. Nothing was deployed.',
  max_steps_rejected: "max_steps is no setting of a schedule: it belongs to the agent's declaration.",
  unpriced_model:
    'The agent is known to call a model without a price, so the budget cannot be held; set the price, or allow calls without one.',
  load_failed:
    'The bundle of an agent did not load in the sandbox, where its items would run; the message names the place in the code, the hint the way out. Nothing was deployed.',
  load_timeout: 'The bundle of an agent took longer than 10 s to load in the sandbox. Nothing was deployed.',
  source_failed:
    'A source could not be read to its end; the message says where, unless it is to the sender of a trigger. Nothing was started.',
  source_empty: 'A source has no rows. Nothing was started.',
  idempotency_key_reused: 'The idempotency key was used for another request within the last 24 hours.',
  unauthenticated: 'The credentials are missing, malformed, expired or revoked.',
  plan_limit: 'The account has as many open runs, or members, as its quota allows.',
  quota_exceeded:
    'The account would have more of something than its quota allows; the message says which quota, how full it is, and who can raise it.',
  account_suspended: 'The account is suspended: nothing may be started.',
  suspended: 'The account is suspended: its keys open nothing, and its members may only read.',
  forbidden: 'The credentials are valid, but not for this project or this operation.',
  not_found: 'There is no such thing in this account.',
  agent_slug_taken: 'Another agent of the project has this slug.',
  schedule_cron_taken:
    'The agent has a schedule with this cron already, which the message names: an agent has each cron once.',
  trigger_name_taken: 'Another trigger of the agent has this name.',
  email_taken: 'Somebody signs in with this e-mail already.',
  last_owner: 'The account would be left without an owner.',
  run_already_ended: 'The run has ended, or is still being submitted: it can be cancelled only in between.',
  item_not_replayable:
    'The item worked, has not ended, or is being replayed already; the message says which.',
  item_not_paused: 'The item is not held for a decision, or its run was stopped, so it cannot go on.',
  item_already_decided: 'The item does not wait for a decision, or not any more.',
  verdict_not_judgeable:
    'The item has no verdict that could be wrong, it was judged already, or something else is said of it than the caller looked at; the message says which, and what to send instead.',
  item_not_reopenable:
    'Nothing was decided about the item, or what was cannot be taken back; the message says why.',
  nothing_to_recover: 'No item that waits for a decision passes the filter.',
  recovery_already_ended: 'The recovery has ended: there is nothing left to abort.',
  claim_ended:
    'The items of this answer address are not awaited from it any more: they have ended, were cancelled, or are offered again. Stop working on them.',
  claim_not_handed_over:
    'The consumer that sent the items still reads the answer to its own request, other answers are being taken, or the lines came too slowly; Retry-After says when to send them again.',
  delivery_pending: 'The message is still being tried; it says when it is tried next.',
  too_many_channels: 'The project has as many alert channels as it may have.',
  too_many_deadlines: 'The project has as many deadlines as it may have.',
  too_many_saved_views: 'As many views of lists are saved as there may be.',
  too_many_limits: 'The project has limits for as many upstreams as it may have.',
  too_many_prices: 'The project has as many prices as it may have.',
  rate_limited: 'Too many requests, or too many failed sign-ins; Retry-After says when to come back.',
  too_many_open_runs: 'The project has as many open runs as it may have; Retry-After says when to try again.',
  internal: "Something went wrong on the server's side; its log names the request by x-request-id.",
  store_unreachable:
    'A store did not answer in its time. Whether what was asked for has been done is not known: look, or ask again with the same idempotency_key. Retry-After says when.',
  store_full:
    'The disk of PostgreSQL is full: writes are refused and change nothing, reads go on. Send it again when the operator has freed space; Retry-After says when to try.',
  dependency_unreachable: 'A store that the service needs does not answer.',
  dependency_unusable:
    'What the service needs is there and cannot be worked with until a person fixes it: the message says what and how.',
}

/** Why an item ended, by its `error_code`. An agent may add codes of its own. */
export const ITEM_ERROR_MEANINGS: Record<ItemErrorCode, string> = {
  agent_error: 'The agent raised an error of its own.',
  tool_call_error: 'A tool call of the agent raised.',
  llm_call_error: 'A model call of the agent raised.',
  answer_refused: "The agent's check accepted no answer of the model, as often as it was asked.",
  invalid_input: 'The input does not match what the agent declares, or the agent refused it.',
  schema_check_limit:
    'Checking the input or output against its declared schema took too many steps and was given up; the message says which.',
  step_timeout: 'The item took longer than its time limit.',
  step_limit_exceeded: 'The item took more steps than the agent allows.',
  invalid_output:
    'The output is JSON that not every reader takes: a repeated key, a number too large for a double, more than 64 levels; the message says where.',
  output_too_large: 'The output is larger than an output may be.',
  budget_exceeded: "The run's budget was spent while the item was at work.",
  agent_crashed: "The agent's process died while the item was at work.",
  agent_unresponsive: 'The agent stopped answering while the item was at work.',
  agent_unreachable: 'The agent could not be reached.',
  protocol_error: 'What the agent sent does not follow the protocol.',
  lease_lost:
    'The consumer that worked on the item, or the agent that was to answer later, was lost, too often.',
  step_outlasts_consumer:
    'A step of the item takes longer than a consumer has: it was cut off twice, the second time after the whole of that. Give consumers more time (ASSAY_CONSUME_SECONDS), or run the agent behind a URL, where it may answer later.',
  answer_never_came:
    'The agent said that it would answer later and sent nothing at all, twice. It must reach BASE_URL, where the address that it is handed lies, and send at least a heartbeat every 10 seconds.',
  upstream_unavailable:
    'What the item needs, its agent or a provider that the agent calls, served nobody for as long as the run waits. The item was not tried again; `assay recover` runs it when it serves again.',
  too_many_attempts: 'The item was attempted too often: its agent yields without getting on.',
}
