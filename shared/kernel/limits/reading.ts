// Limits of what is read for callers: pages, searches, results, event streams, the dashboard.

import { KiB, MiB } from './bytes.ts'

export const READING_LIMITS = {
  // Pages
  piece_characters: 256 * KiB, // of a streamed answer, built and sent before the next: half a millisecond
  page_bytes: 8 * MiB, // inputs and outputs; the item that exceeds it is the page's last
  runs_page: { default: 50, max: 500 },
  items_page: { default: 50, max: 500 },
  // For one page of a filtered list; a page that found too few ends early, with a cursor to continue
  items_looked_through: 20_000,
  resends_counted: 10_000, // of a run, as often as it is looked at: some 2 ms
  failures_looked_through: 20_000, // items of a run, to count by reason, cluster and partition
  failure_groups: 20, // listed for each of them
  uncounted_items: 200, // of a run: what is wrong with their ungraded or unpriced calls is summed up
  cause_message_characters: 1000, // read of a message
  cause_words: 64, // compared of a message
  masked_messages: 256, // whose words a process remembers, at most 1,000 characters each
  cause_input_characters: 65_536, // of an input whose texts are searched for in its message
  cause_input_texts: 256,
  causes_of_kind: 500, // of one agent, step, code and reason; failures unlike any of them share one more
  causes_per_project: 2000,
  recoveries_looked_at: 1000, // for those of one cause
  causes_counted: 10_000, // of several projects
  causes_forgotten: 200, // causes without items deleted at once, where a project has causes_per_project
  causes_remembered: 20_000, // by one consumer
  // After this PostgreSQL is asked again whether there is room for a cause that was filed under all others
  causes_other_ms: 60_000,
  compared_items: 1_000_000, // of each of two runs
  diffed_items: 100_000, // by the command line, which holds the outputs of both
  compared_changes: 50, // items listed for each change of verdict
  // Recorded answers that are graded again; about 60 µs a call
  regrade_page: { default: 2000, max: 2000 }, // items in one request
  regrade_ms: 1000, // of one request
  regrade_page_ms: 5000, // of a dashboard page, which repeats the request until then
  regrade_chunk_items: 200, // read at once, 12 ms of grading; then other work gets its turn
  regrade_chunk_bytes: 8 * MiB,
  regrade_item_calls: 1000, // the latest of one item; the last one decides its verdict
  regrade_examples: 5, // of each change
  regrade_line_bytes: 16 * MiB, // of a file of answers
  regrade_labels: 200, // pairs of a label and a verdict; also the verdicts of a file whose names are not ours
  activity_days: { default: 14, max: 90 },
  queue_runs: 10, // runs with waiting items that are listed, each with the reason
  queue_retries: 20, // listed, those due first
  model_usage_days: { default: 30, max: 90 },
  agent_runs_summed: 50, // of each agent, the latest of a week: shows whether it works now
  model_usage_rows: 200, // models of agents
  model_call_rows: 2000, // of an agent and a day: a hundred models, each with durations that differ by a factor of 32
  activity_runs: 200_000, // the latest, summed by day
  held_cache_ms: 2000, // how old a page's statement about a hold may be
  days_cache_ms: 86_400_000, // sums of days that are over
  activity_counted: 10_000, // waiting items are counted up to this; more are reported as this number
  activity_fires: 20, // listed of the occurrences that started nothing
  steps_page: { default: 50, max: 200 },
  search_characters: 256,
  search_names: 1000, // different names of steps that a search reads
  // The latest steps, scanned one by one for a word: 4 ms; a word that is not among them is rare
  search_near_steps: 20_000,
  search_counted: 1000, // steps that a search finds; of more, this number is reported
  search_text_characters: 4000, // of an input and of an output; later text is not found
  search_catch_up_steps: 1000, // indexed before a search, in 0.1 s; the tick indexes the rest
  index_flushes: 100, // read for one batch
  index_slice_steps: 200, // about 2 ms of the process; 2,000 held it for 10 to 20
  index_idle_ms: 900, // of each tick while no item is running
  index_ms: 250, // of a tick, where items are running all the time
  index_wait_ms: 2000, // from one such share to the next
  error_categories: 100,
  triage_page: { default: 50, max: 200 },
  recoveries_page: { default: 50, max: 200 },
  members_page: { default: 50, max: 200 },
  accounts_page: { default: 50, max: 200 },
  owners_shown: 5, // of an account, to the installation's operator
  sessions_page: { default: 50, max: 200 },
  deployments_compared: 50, // with a new one, which is not created if one equals it, environment included
  deployments_page: { default: 50, max: 200 },
  keys_page: { default: 50, max: 200 },
  keys_chunk: 1000, // of a project's keys, read at once; under 1 MiB
  bare_agents_chunk: 500, // without their configurations
  agents_chunk: 16, // of a list of agents read at once: 4 MiB where each has the largest configuration allowed
  audit_page: { default: 50, max: 200 },
  triggers_page: { default: 50, max: 200 },
  export_chunk_items: 1000,
  export_chunk_bytes: 8 * MiB, // inputs and outputs read at once; one item may have more

  // Results
  result_first_items: 1000, // of the first slice of a run: a caller who reads only the beginning gets it in 20 ms
  result_slice_items: 100_000, // found in one statement, in 0.5 s; 13 MB of them are held while they are sent
  result_streams: 12, // open at once in one process
  result_streams_per_account: 4,
  result_stall_ms: 60_000, // a stream whose caller takes nothing for so long is closed
  result_fields_characters: 4000,

  // Reads that may take seconds: verifications, comparisons, searches, exports
  heavy_reads: 2, // at once in one process; the other connections (at least one, if there are two) serve plain reads
  heavy_reads_per_account: 1,
  heavy_wait_ms: 30_000, // for a turn among the heavy reads

  // Uploads
  upload_ms: 300_000, // of a body that trickles: Node's own bound for any body; platforms give functions little more
  upload_least_bytes: 64 * KiB, // after upload_ms, must arrive in each body_stall_ms: a line of 6 kbit/s sends that

  // Compression
  compressed_characters: 1024, // a shorter answer fits into one packet as it is
  accepted_codings: 20, // looked at in one request

  // Event streams
  event_streams: 500, // open at once in one process; what one follows is a row, read at most twice a poll
  event_streams_per_account: 200, // so that no account takes those of the others; nor a project, nor a key or session
  event_streams_per_project: 150,
  event_streams_per_caller: 100, // with one key: the account's other keys, and its members, have their own
  // Between two checks whether the caller may still listen; the answer is cached for auth_cache_ms
  event_caller_ms: 1000,
  // A body that took longer than this to come is of a caller who is looked up again
  quick_body_ms: 1000,
  event_stream_ms: 300_000,
  // Then a stream no longer counts, ended or not: not every host reports that its caller has left
  event_place_ms: 330_000,
  event_poll_ms: 500,
  event_heartbeat_ms: 15_000, // proxies close a connection that is silent for a minute
  event_retry_ms: 1000,
  event_wait_s: 5, // at most, keeps the stream of an ended run open for a caller who asks for it

  // Dashboard
  form_fields: 1000,
  form_bytes: 4 * MiB, // of a form that holds an input: urlencoded, a character may take three bytes
  form_unpacked_bytes: 32 * MiB, // of a packed file in a form, which is in memory twice; scripts unpack any size
  // Of one payload, or of one prompt; its raw form has no limit of its own. A page has four: of the item and of a step
  page_text_characters: 20_000,
  item_html_bytes: 300_000, // of an item's page with as many steps as it shows; 150 KB compressed
  markdown_characters: 40_000, // rendered of a payload, or of a whole prompt: 10 ms, 150 for the worst text known
  compared_characters: 100_000, // of each of two outputs
  compared_edits: 1000, // words or lines in which two outputs differ: a tenth of a second
  compared_ms: 200, // for finding them
  page_messages: 100, // of one prompt, the latest
  page_html_bytes: 60_000, // of a list page, which a phone on a slow line loads in a second; it has as many rows as fit
  runs_shown: 34,
  keys_shown: 44,
  results_looked_ms: 400, // for the results that a page shows
  results_waited_ms: 5000, // for the first of them, which may wait for other heavy reads of the account
  changes_shown: 150, // items named in a comparison of two runs, all changes together
  inbox_page: 18, // triage items shown at once and decided by one form; each may be the only one of its cause
  inbox_input_characters: 120, // of an input, in its row: one line
  causes_shown: 5,
  causes_page: 50,
  search_page: 30,
  trace_page: 100, // steps of an item shown at once
  // An action's message on the next page, kept in a cookie; encoded, a character takes up to nine bytes
  notice_characters: 400,
  notice_cookie_bytes: 3900, // browsers keep 4096 with name and attributes
} as const
