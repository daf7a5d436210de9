// What is read for a caller: pages, searches, results, event streams, the dashboard.

import { KiB, MiB } from './bytes.ts'

export const READING_LIMITS = {
  // Pages
  piece_characters: 256 * KiB, // of a streamed answer, made and sent before the next: half a millisecond
  page_bytes: 8 * MiB, // of inputs and outputs; the item that goes beyond is the last
  runs_page: { default: 50, max: 500 },
  items_page: { default: 50, max: 500 },
  items_looked_through: 20_000, // for one page of a filtered list; a page that found less ends early and leads on
  failures_looked_through: 20_000, // of a run, to count by reason, cluster and partition
  failure_groups: 20, // listed of each
  uncounted_items: 200, // of a run, whose calls without a grade or a price are told by what is wrong with them
  cause_message_characters: 1000, // of a message, looked at
  cause_words: 64, // of a message, compared
  masked_messages: 256, // whose words a process remembers, at most 1,000 characters each
  cause_input_characters: 65_536, // of an input, whose texts are looked for in its message
  cause_input_texts: 256,
  causes_of_kind: 500, // of one agent, step, code and reason; what is like none of them is one more
  causes_per_project: 2000,
  causes_forgotten: 200, // at once, where a project has as many, of those without items
  causes_remembered: 20_000, // by one consumer
  causes_other_ms: 60_000, // until it asks again whether there is room for what went to the one of all others
  compared_items: 1_000_000, // of each of two runs
  diffed_items: 100_000, // by the command line, which holds the outputs of both
  compared_changes: 50, // items listed of each change of verdict
  // Recorded answers that are graded again; about 60 µs a call
  regrade_page: { default: 2000, max: 2000 }, // items in one request
  regrade_ms: 1000, // of one request
  regrade_page_ms: 5000, // of a page that asks again and again
  regrade_chunk_items: 200, // read at once, 12 ms of grading; then others have their turn
  regrade_chunk_bytes: 8 * MiB,
  regrade_item_calls: 1000, // of one item, the last; the last one decides its verdict
  regrade_examples: 5, // of each change
  regrade_line_bytes: 16 * MiB, // of a file of answers
  regrade_labels: 200, // pairs of a label and a verdict; also verdicts of a file by names that are not ours
  activity_days: { default: 14, max: 90 },
  queue_runs: 10, // told of those that wait, each with why
  queue_retries: 20, // told, those that are due first
  model_usage_days: { default: 30, max: 90 },
  agent_runs_summed: 50, // of each agent, the latest of a week: whether it works now
  model_usage_rows: 200, // models of agents
  model_call_rows: 2000, // of an agent and a day: a hundred models, each as fast as slow within 32 times
  activity_runs: 200_000, // the latest, summed by day
  held_cache_ms: 2000, // what a page says of a hold
  days_cache_ms: 86_400_000, // sums of days that are over
  activity_counted: 10_000, // of what waits; more than that is said to be so many
  activity_fires: 20, // listed of those that started nothing
  steps_page: { default: 50, max: 200 },
  search_characters: 256,
  search_names: 1000, // different names of steps a search looks through
  search_near_steps: 20_000, // looked through one by one for a word: 4 ms; what is not among them is rare
  search_text_characters: 4000, // of an input and of an output; what comes later is not found
  search_catch_up_steps: 1000, // indexed before a search looks, 0.1 s of it; what is more waits for the tick
  index_flushes: 100, // looked through for one batch
  index_slice_steps: 200, // about 2 ms of the process; 2,000 held it for 10 to 20
  index_idle_ms: 900, // of each tick while nobody is at work
  index_ms: 250, // of a tick, where somebody always is at work
  index_wait_ms: 2000, // from one such share to the next
  error_categories: 100,
  triage_page: { default: 50, max: 200 },
  recoveries_page: { default: 50, max: 200 },
  members_page: { default: 50, max: 200 },
  accounts_page: { default: 50, max: 200 },
  owners_shown: 5, // of an account, to whoever operates the installation
  sessions_page: { default: 50, max: 200 },
  deployments_compared: 50, // with a new one, which is none where it equals an earlier one in its environment too
  deployments_page: { default: 50, max: 200 },
  bare_agents_chunk: 500, // without their configurations
  agents_chunk: 16, // of a list of agents read at once: 4 MiB where each has as large a configuration as may be
  audit_page: { default: 50, max: 200 },
  triggers_page: { default: 50, max: 200 },
  export_chunk_items: 1000,
  export_chunk_bytes: 8 * MiB, // of inputs and outputs read at once; one item may have more

  // Results
  result_first_items: 1000, // of the first slice of a run: who looks at its beginning has it in 20 ms
  result_slice_items: 100_000, // found in one statement, 0.5 s of them; 13 MB are held of them while they are sent
  result_streams: 12, // open at once in one process
  result_streams_per_account: 4,
  result_stall_ms: 60_000, // a caller that takes nothing for so long is given up
  result_fields_characters: 4000,

  // Reads that may take seconds: verifications, comparisons, searches, exports
  heavy_reads: 2, // at once in one process: the other connections, one at least where there are two, are left to plain reads
  heavy_reads_per_account: 1,
  heavy_wait_ms: 30_000, // for a turn among them

  // Uploads
  upload_ms: 300_000, // of a body that trickles, as Node's own bound of any; platforms give functions little more
  upload_least_bytes: 64 * KiB, // of it arrive in each body_stall_ms from then on: a line of 6 kbit/s sends that

  // Event streams
  event_streams: 500, // open at once in one process; what they follow is a row, read a poll or two
  event_streams_per_account: 200, // so that none takes those of the others; nor a project, nor a key or session
  event_streams_per_project: 150,
  event_streams_per_caller: 100, // with one key: its account's other keys, and its members, have their own
  event_caller_ms: 1000, // then it is asked again whether the caller may still listen, which is known for auth_cache_ms
  event_stream_ms: 300_000,
  event_place_ms: 330_000, // then a stream counts no more, ended or not: not every host tells that its caller has left
  event_poll_ms: 500,
  event_heartbeat_ms: 15_000, // proxies close what is silent for a minute
  event_retry_ms: 1000,
  event_wait_s: 5, // an ended run's stream stays open for so long at most, for who asks it to

  // Dashboard
  form_fields: 1000,
  form_bytes: 4 * MiB, // of a form that holds an input: urlencoded, a character may take three bytes
  page_text_characters: 100_000, // of one payload; its raw form has no bound of its own
  step_text_characters: 10_000, // of a payload in a trace, where there may be two hundred of them
  markdown_characters: 40_000, // of a payload, or of all of a prompt, that are rendered: 10 ms, 150 of the worst that is known
  compared_edits: 1000, // words or lines in which two outputs differ: a tenth of a second
  compared_ms: 200, // of looking for them
  page_messages: 100, // of one prompt, the latest
  page_html_bytes: 60_000, // of a page of a list, which a phone on a slow line takes in a second; its rows are as many as fit
  runs_shown: 36,
  results_looked_ms: 400, // for the results that a page shows
  results_waited_ms: 5000, // for the first of them, behind other heavy reads of the account
  changes_shown: 150, // items named where two runs are compared, of all changes together
  inbox_page: 18, // items of triage shown at once, and decided about by one form; each may be the only one of its cause
  inbox_input_characters: 120, // of an input, in its row: one line
  causes_shown: 5,
  search_page: 30,
  trace_page: 100, // steps of an item shown at once
  notice_characters: 400, // what an action says on the next page, in a cookie; encoded, one takes up to nine bytes
  notice_cookie_bytes: 3900, // browsers keep 4096 with name and attributes
} as const
