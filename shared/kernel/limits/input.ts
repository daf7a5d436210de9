// What a caller may send: identifiers, JSON, submissions, triggers. Browsers get these with the page that submits a
// file, so bounds of other things stand elsewhere.

import { KiB, MiB } from './bytes.ts'

export const INPUT_LIMITS = {
  // Identifiers and labels
  item_id_bytes: 256,
  partition_key_bytes: 256,
  api_key_name_characters: 128,
  name_characters: 256,
  description_characters: 4096,
  slug_characters: 64,
  tags_per_run: 10,
  tag_characters: 64,
  saved_views: 20, // of a member in a project, and shared ones of a project
  view_name_characters: 64,
  view_query_characters: 500,
  idempotency_key_characters: 256,
  idempotency_window_hours: 24,

  // Triggers
  trigger_name_characters: 64,
  secret_env_characters: 256,
  signing_secret_characters: { min: 8, max: 256 },
  standard_secret_bytes: { min: 24, max: 64 }, // as Standard Webhooks says
  webhook_tolerance_s: 300, // as Standard Webhooks, Stripe and Slack say
  trigger_items_bytes: 25 * MiB, // a body of items; GitHub sends as much at most
  trigger_touch_ms: 1000, // last_fired_at is exact to this

  // JSON from outside
  json_depth: 64,
  query_parameters: 100, // no operation has as many; telling of thousands that are unknown took 7 to 25 ms
  open_body_bytes: 4 * KiB, // where nobody is known: an e-mail and a password, or a token
  body_bytes: 64 * KiB,
  configuration_bytes: 256 * KiB, // an agent's configuration, and what a deployment of it declares
  input_body_bytes: 1 * MiB + 64 * KiB, // an input and how it is run
  batch_bytes: 64 * MiB,
  bodies_bytes: 192 * MiB, // of all bodies above body_bytes that a process holds at once; as text and values they take some four times that
  bodies_bytes_per_account: 64 * MiB,
  bodies_wait_ms: 20_000, // for room among them
  unproven_bodies_bytes: 64 * MiB, // of what is signed: nobody knows who sent it before it is there; two of the largest, each of another account
  unproven_body_ms: 60_000, // to come whole: 25 MiB at 4 Mbit/s
  body_stall_ms: 90_000, // without a byte; an upload may pause for a minute
  // What is left of a refused body is read: more than anybody sends by mistake, and it is cheap
  body_drain_bytes: 128 * MiB,
  body_drain_ms: 15_000,
  /** For how long what still arrives is thrown away once a refusal is written: enough for its sender to read it, across the world. */
  linger_ms: 1000,
  bodies_drained_at_once: 4, // of those longer than body_bytes: fifty held up all else for as long as they came
  item_input_bytes: 1 * MiB,
  item_line_bytes: 1 * MiB + 8 * KiB, // an input and its two keys, every character of theirs escaped
  item_output_bytes: 1 * MiB,
  step_payload_bytes: 256 * KiB,
  step_tokens: 100_000_000, // no model reads or writes as much in one call
  step_duration_ms: 366 * 86_400_000, // longer than any attempt lasts
  step_key_characters: 256,
  error_message_characters: 2000,
  unread_characters: 500, // of what is said of a model's answer that was not read
  bad_lines_named: 20,
  callback_url_characters: 2048,
  budget_cents: 100_000_000_000, // a billion dollars: its micro-dollars stay below 2^53

  // Submission
  items_per_run: 10_000_000,
  insert_chunk_items: 2000, // 500: 0.97, 2000: 1 (end-to-end ratio in the prototype)
  insert_chunk_bytes: 8 * MiB,
  inserts_in_flight: 2, // 1: 0.92 (end-to-end ratio in the prototype)
  pilot_items: 20, // of what the dashboard runs first
  first_rows: 100, // of a file, by which the dashboard guesses what its fields are
  head_bytes: 64 * KiB, // of a file, in which they are looked for
  duplicate_ids_in_memory: 100_000, // beyond this PostgreSQL looks for repeated item ids
} as const
