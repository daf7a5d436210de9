// Limits of what a caller may send: identifiers, JSON, submissions, triggers. The page that submits a file loads them
// into the browser, so other limits are kept in other files.

import { KiB, MiB } from './bytes.ts'

export const INPUT_LIMITS = {
  blank_bytes: 64 * KiB, // of blank lines, beyond what the other lines have
  // Identifiers and labels
  item_id_bytes: 256,
  partition_key_bytes: 256,
  api_key_name_characters: 128,
  name_characters: 256,
  description_characters: 4096,
  slug_characters: 64,
  tags_per_run: 10,
  tag_characters: 64,
  saved_views: 20, // of a member in a project, and shared views of a project
  view_name_characters: 64,
  view_query_characters: 500,
  idempotency_key_characters: 256,
  idempotency_window_hours: 24,

  // Triggers
  trigger_name_characters: 64,
  secret_env_characters: 256,
  signing_secret_characters: { min: 8, max: 256 },
  standard_secret_bytes: { min: 24, max: 64 }, // as in Standard Webhooks
  webhook_tolerance_s: 300, // as in Standard Webhooks, Stripe and Slack
  trigger_items_bytes: 25 * MiB, // a body of items; GitHub sends as much at most
  trigger_touch_ms: 1000, // last_fired_at is exact to this

  // JSON from outside
  json_depth: 64,
  path_characters: 2048, // of a URL; no operation or page has as many, and trying 16,000 slashes took 340 ms
  page_path: { characters: 300, parts: 12 }, // two ids of 36 characters and a few words are the longest
  reread_characters: 65_536, // an open record or head above it is read again only once it is an eighth longer: 6 ms behind a megabyte
  query_parameters: 100, // no operation has as many; reporting thousands of unknown ones took 7 to 25 ms
  open_body_bytes: 4 * KiB, // for callers who are not authenticated: an e-mail and a password, or a token
  body_bytes: 64 * KiB,
  configuration_bytes: 256 * KiB, // an agent's configuration, and what its deployment declares
  input_body_bytes: 1 * MiB + 64 * KiB, // an input and the settings of its run
  batch_bytes: 64 * MiB,
  // All bodies above body_bytes that a process holds at once; as text and values they take about four times that
  bodies_bytes: 192 * MiB,
  bodies_bytes_per_account: 64 * MiB,
  bodies_wait_ms: 20_000, // for room among them
  // Signed bodies, whose sender is unknown until the whole body is there: two of the largest, each of another account
  unproven_bodies_bytes: 64 * MiB,
  unproven_body_ms: 60_000, // for a signed body to arrive: 25 MiB at 4 Mbit/s
  body_stall_ms: 90_000, // without a byte; an upload may pause for a minute
  // The rest of a refused body is read: more than anybody sends by mistake, and reading is cheap
  body_drain_bytes: 128 * MiB,
  body_drain_ms: 15_000,
  /** How long bytes are discarded after a refusal is written: enough for its sender to read it, across the world. */
  linger_ms: 1000,
  // Bodies longer than body_bytes: fifty blocked all other requests for as long as they arrived
  bodies_drained_at_once: 4,
  item_input_bytes: 1 * MiB,
  item_line_bytes: 1 * MiB + 8 * KiB, // an input and its two keys, with every character of the keys escaped
  item_output_bytes: 1 * MiB,
  step_payload_bytes: 256 * KiB,
  step_tokens: 10_000_000, // no model reads or writes as much in one call
  step_cost_micro: 1_000 * 1_000_000, // no call costs as much
  step_duration_ms: 366 * 86_400_000, // longer than any attempt lasts
  step_key_characters: 256,
  error_message_characters: 2000,
  unread_characters: 500, // of the note about a model's answer that could not be read
  bad_lines_named: 20,
  callback_url_characters: 2048,
  budget_cents: 100_000_000_000, // a billion dollars: its micro-dollars stay below 2^53

  // Submission
  items_per_run: 10_000_000,
  insert_chunk_items: 2000, // 500: 0.97, 2000: 1 (end-to-end ratio in the prototype)
  insert_chunk_bytes: 8 * MiB,
  inserts_in_flight: 2, // 1: 0.92 (end-to-end ratio in the prototype)
  pilot_items: 20, // run first by the dashboard
  first_rows: 100, // of a file, from which the dashboard guesses what its fields are
  head_bytes: 64 * KiB, // of a file, in which these rows are looked for
  duplicate_ids_in_memory: 100_000, // beyond this PostgreSQL checks for repeated item ids
} as const
