// Every bound of the system stands here: sizes, counts, times, retries. Units are the last word of a name.

const KiB = 1024
const MiB = 1024 * KiB

export const LIMITS = {
  // Identifiers and labels
  item_id_bytes: 256,
  partition_key_bytes: 256,
  api_key_name_characters: 128,
  name_characters: 256,
  description_characters: 4096,
  slug_characters: 64,
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
  body_bytes: 64 * MiB,
  body_drain_ms: 5000, // what is left of a refused body is read for so long
  item_input_bytes: 1 * MiB,
  item_line_bytes: 1 * MiB + 8 * KiB, // an input and its two keys, every character of theirs escaped
  item_output_bytes: 1 * MiB,
  step_payload_bytes: 256 * KiB,
  step_tokens: 100_000_000, // no model reads or writes as much in one call
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
  duplicate_ids_in_memory: 100_000, // beyond this PostgreSQL looks for repeated item ids

  // Pages
  runs_page: { default: 50, max: 500 },
  items_page: { default: 50, max: 500 },
  items_looked_through: 20_000, // for one page of a filtered list; a page that found less ends early and leads on
  failures_looked_through: 20_000, // of a run, to count by reason, cluster and partition
  failure_groups: 20, // listed of each
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
  activity_days: { default: 14, max: 90 },
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
  index_batch_steps: 2000,
  index_ms: 250, // of each tick, whatever else there is to do
  index_idle_ms: 900, // of each tick while the database has nothing else to do
  error_categories: 100,
  triage_page: { default: 50, max: 200 },
  recoveries_page: { default: 50, max: 200 },
  members_page: { default: 50, max: 200 },
  accounts_page: { default: 50, max: 200 },
  owners_shown: 5, // of an account, to whoever operates the installation
  sessions_page: { default: 50, max: 200 },
  deployments_page: { default: 50, max: 200 },
  audit_page: { default: 50, max: 200 },
  triggers_page: { default: 50, max: 200 },
  export_chunk_items: 1000,
  export_chunk_bytes: 8 * MiB, // of inputs and outputs read at once; one item may have more

  // Results
  result_slice_items: 100_000, // found in one statement, 0.5 s of them; 13 MB are held of them while they are sent
  result_streams: 12, // open at once in one process
  result_streams_per_account: 4,
  result_reads: 2, // at once in one process: the other connections are left to short reads
  result_stall_ms: 60_000, // a caller that takes nothing for so long is given up
  result_fields_characters: 4000,

  // Waits for a store, from the asking to the answer; a connection that misses one is given up
  ready_ms: 2000, // each store has so long to answer the probe
  store_connect_ms: 5000, // for PostgreSQL to take a session
  store_answer_ms: 20_000, // a statement; locks included, which nobody holds for longer than transaction_idle_ms
  store_read_ms: 60_000, // a caller's read: one that counts or compares a million items takes seconds
  store_long_ms: 600_000, // a statement over all items of a run of any length
  store_start_ms: 1000, // between two tries of a process that starts while PostgreSQL is away
  store_retry_s: 2, // what callers are told to wait: a restart of PostgreSQL takes about as long

  // Event streams
  event_streams: 500, // open at once in one process; each reads one row a poll
  event_stream_ms: 300_000,
  event_poll_ms: 500,
  event_heartbeat_ms: 15_000, // proxies close what is silent for a minute
  event_retry_ms: 1000,

  // Dispatch
  claim_bytes: 32 * MiB, // of inputs in one claim, judged by the run's average
  claim_items: 1000, // one claim; 250: 0.85, 500: 0.92, 2000: 1.0 (end-to-end ratio in the prototype)
  request_items: 256, // items in one agent request; 64: 0.90, 16: 0.69
  claims_at_once: 3, // while one is in PostgreSQL the next is on its way; 1: 0.88, 2: 0.95 in the prototype
  settles_in_flight_per_run: 2,
  items_in_flight_per_consumer: 8000,
  open_runs_per_look: 64,
  materializing_touch_ms: 60_000,
  materializing_idle_minutes: 15, // a submission that stopped arriving is given up
  partition_lookahead_items: 5000,
  sweep_items: 5000,
  retention_days: 36_500,
  purge_runs: 500, // marked in a tick for each project
  purge_items: 1000, // of one run in one statement
  purges_per_sweep: 100, // pieces; a run of one item is two, and there may be many such runs
  purge_ms: 250, // of each tick
  partition_moved_rows: 5000, // that came before the partition of their week, moved under its lock
  log_days: 365, // moments of schedules and alerts, where the project does not say how long it keeps records
  log_removals_per_sweep: 1000, // rows of each
  removals_per_sweep: 20, // steps of sweep_items rows, of projects and agents that were deleted
  budget_probe_items: 10, // dispatched under a budget before the cost of one item is known
  claims_reaped_per_sweep: 20,
  claims_aborted_at_once: 5, // of a run that is cancelled now; as many items as sweep_items
  tick_ms: 1000, // on one machine; platforms tick once a minute
  chore_ms: 10_000, // then the tick goes on without it
  chore_lost_ms: 120_000, // one that has not ended by then never will; longer than any wait for a store it makes
  turn_late_ms: { tick: 150_000, consumer: 60_000 }, // platforms tick once a minute; a turn waits for statements
  turn_kept_ms: 600_000, // when the last one ended
  tick_function_ms: 50_000, // one call of the tick at most
  lease_ms: 25_000, // a dead consumer's items are offered again within lease + tick, under 35 s
  heartbeat_ms: 8_000,
  transaction_idle_ms: 10_000, // between two statements of a transaction; then PostgreSQL ends it
  consume_ms: 50_000, // one invocation of the consumer; platforms commonly stop a function at 60 s
  yield_before_end_ms: 10_000,
  hand_over_ms: 2000, // left at the end of an invocation to give back what did not yield
  drain_ms: 5000, // a process asked to stop waits this long for items in flight
  settle_items: 1000,
  settle_bytes: 8 * MiB,
  settle_backoff_ms: { base: 100, max: 2000 }, // while PostgreSQL is away
  step_flush_ms: 20,
  consume_seconds: { min: 12, max: 280 }, // more than it takes to yield; less than Node's fetch waits for an answer
  consumers: { default: 4, min: 1, max: 100 }, // awake at once on a platform
  awake_ms: 5000, // one that was killed counts as awake for so long
  awake_beat_ms: 1000,
  call_ms: 5000, // from a call to a consumer that is awake; a cold start takes less
  poke_backoff_ms: [250, 1000, 5000], // longer altogether than a consumer that was killed counts as awake
  metrics_counted: 10_000, // of what is due; more than that is said to be so many
  metrics_cache_ms: 2000,
  self_poke_ms: 5000, // a consumer in a process of its own looks for work this often, woken or not

  // Telemetry, where it is exported
  traced_items: 100, // the first of a run, every hundredth of ten thousand, then every ten-thousandth: 1,198 of 10 million
  traced_failures: 1000, // the first of a run, beside those
  traced_steps: 64, // the last of an attempt; 8000 items in flight hold 100 MB of them at most
  telemetry_spans: 8192, // not yet taken by the receiver; what is more is dropped
  telemetry_batch_spans: 512,
  telemetry_delay_ms: 1000, // a platform may freeze a process soon after its answer
  telemetry_interval_ms: { default: 60_000, min: 1000, max: 3_600_000 },
  telemetry_report_ms: 60_000, // a line of the log for all that was dropped in it
  telemetry_flush_ms: 3000, // a process that ends waits no longer for the receiver

  // Attempts
  transport_attempts: 5,
  attempts_per_item: 10_000, // hand-overs and all
  transport_backoff_ms: { base: 500, max: 30_000 },
  consecutive_failures: 100,

  // An agent, unless its declaration asks for less
  agent_timeout_seconds: { default: 300, max: 86_400 },
  agent_steps: { default: 200, max: 10_000 },
  agent_retries: 10,
  agent_network_hosts: 100,
  agent_schedules: 100, // declared ones
  agent_triggers: 100,
  agent_generators: 100,
  agent_models: 100, // that it declares
  generator_name_characters: 64,
  generator_piece_characters: 65_536, // of an answer's lines, sent at once; the next are made when these were taken
  deploy_tries: 3, // when something it is about to make is made through the API meanwhile
  plan_value_characters: 200, // of a value that a deploy changes
  agent_timeout_grace_ms: 1000, // the agent may report its own timeout first
  agent_linger_ms: 1000, // between an answer's last needed line and its end
  agent_bundle_bytes: 10 * MiB,
  agent_env_bytes: 64 * KiB,
  agent_memory_bytes: 1024 * MiB,
  agent_heap_mib: 256,
  agent_log_bytes: 256 * KiB,
  agent_cpu_without_pong_ms: 1000, // CPU time, not wall time: a starved host does not trip it
  agent_alone_cpu_without_pong_ms: 10_000, // nobody else waits in that process
  agent_watch_ms: 250,
  agent_start_ms: 30_000,
  agent_stop_ms: 2000, // from SIGTERM to SIGKILL
  runtime_request_bytes: 256 * MiB, // a claim's inputs, and what its items have recorded
  agent_head_ms: 60_000, // agents send a heartbeat at least every 10 s
  agent_idle_ms: 300_000,
  agent_line_bytes: 2 * MiB,
  agent_error_bytes: 4 * KiB, // read of an answer that is none
  agent_heartbeat_ms: 5_000, // the protocol asks for one every 10 s
  agent_load_ms: 15_000, // a bundle must say who it is within this time
  step_cut_head_bytes: 2 * KiB,
  // Of a payload that is cut, what is kept of its shape, so that its tokens and its end are read
  outline_text_characters: 2_000,
  outline_entries: 20,
  outline_values: 1_000,
  outline_depth: 8,
  told_text_characters: 64 * KiB, // of an answer in an agent's own words

  // A project, unless its settings say otherwise
  project_concurrency: 256,
  run_concurrency: 100_000,
  project_open_runs: 10_000, // runs that have not ended; every look for work reads them
  project_requests_per_second: 2000, // of one key or session; about what one process answers on two cores
  request_burst_seconds: 2,
  open_runs_retry_s: 5,
  prices_per_project: 1000, // rows, those of the past too
  prices_checked_days: 30,
  prices_checked_runs: 200, // the latest of a project; of each the first steps
  prices_checked_steps: 200,
  prices_checked_models: 500, // named; those called most
  prices_update_ms: 86_400_000, // a list that is kept fresh is fetched once a day
  prices_fetch_ms: 30_000,
  prices_bytes: 16 * MiB, // of a list that is fetched: thirty times what there is today
  prices_found: 1000, // models whose price is remembered by a process; finding one takes about 50 µs
  spending_days: 400, // kept of what was spent by day; a month's budget reads 31
  spend_days_per_sweep: 500, // projects whose day ends in one tick
  unpriced_runs_per_sweep: 500, // looked at for a price that has come
  unpriced_runs_looked_at: 10, // the latest of an agent: what they could not price is known at submission
  rate_answer_ms: 100, // Redis holds hints: without an answer by then the request goes on
  rate_rest_ms: 1000, // and for so long nobody asks it again

  // Recovery
  cluster_prompt_characters: 200,
  cluster_item_ids: 5,
  clusters_listed: 1000, // the largest; smaller ones are counted under `other`
  clusters_cache_ms: 30_000,
  cluster_reading_bytes: 8 * MiB, // inputs read at once to find the prompts of items that were never dispatched
  cluster_reading_items: 1000,
  triage_message_characters: 200,
  reopen_minutes: 60, // within which a decision can be taken back
  recovery_chunk_items: 1000, // copied in one transaction
  recovery_chunk_steps: 20_000, // of those items; an item that has more goes alone
  recovery_chunks_per_sweep: 20,
  recovery_plan_items: 20_000, // whose steps a dry run looks at, a second of it; of more they stand for all
  reasons_named: 20, // to whoever named one that does not occur
  recovery_runs: 50, // of one recovery: a run for each agent, or each deployment that items ran with
  lineage_items: 100, // ancestors and replays shown of one item
  mending_replays: 10_000, // looked at to tell which items of a page were mended: twenty of each

  // Alerts
  alert_repeat_hours: 24,
  alert_look_ms: 10_000, // at open runs; 10,000 of them are read in 8 ms
  alert_runs_per_look: 1000,
  alert_settings_per_project: 1000,
  alert_channels_per_project: 20,
  run_check_items: 1000, // of a run, read by their keys in 20 ms; a share of a third is off by 3 in 100 at most
  run_check_head_characters: 500, // of each output
  run_check_runs_before: 20, // looked back for one that was looked at
  run_checks_at_once: 20,
  run_checks_ms: 2000, // of a tick; what is left waits for the next, and so does what is told of its end
  alert_ended_runs_ms: 2000, // of a tick; what is left waits for the next
  refused_calls_sampled: 20, // items of a run, each by the primary key of its steps
  digest_causes: 3,
  digest_nights: 20, // looked back for the run before; those that retention removed are passed over
  digest_cause_characters: 200,
  deadlines_per_project: 200,
  deadlines_per_look: 200,
  deadline_runs: 1000, // the latest of an agent, looked through for one of the day that ended
  channel_test_poll_ms: 300,
  channel_test_ms: 20_000, // the command waits for what became of a test message
  slack_blocks: 50, // these as Slack's reference of blocks says
  slack_fields: 10,
  slack_characters: { header: 150, section: 3000, field: 2000, button: 75, text: 4000 },
  teams_text_characters: 1000, // a webhook takes 28 KB, counted as two bytes a character; a message has seven texts
  mail_subject_characters: 150,
  mail_silence_ms: 10_000,
  alerts_page: { default: 50, max: 200 },

  // Schedules
  cron_characters: 256,
  timezone_characters: 64, // the longest name has 32
  schedules_page: { default: 50, max: 200 },
  events_page: { default: 50, max: 500 },
  fires_per_chunk: 500, // schedules of one transaction
  moments_per_chunk: 5000, // of one transaction; 43,200 missed ones are nine
  fire_ms: 10_000, // of a tick; what is left waits for the next
  fire_lock_ms: 2000, // a tick waits for somebody's lock; then it says so in the moment's row and comes again
  late_fire_hours: 24, // the newest moment of an outage still fires, unless it is older
  fire_backoff_s: { base: 5, max: 300 },
  run_start_minutes: 15, // a run that no worker started within this is said to be never started
  next_fires: 5, // shown of a schedule
  skipped_fires: 5, // shown of a preview, of wall-clock times that do not exist

  // Sources
  sources_at_once: 8, // read in one process; each holds a chunk of rows
  sources_at_once_per_project: 2, // however many sources of a project drip, there is room for others
  source_tries_told: 6, // about five minutes by fire_backoff_s: a restart of the exporter is over by then
  source_lease_ms: 25_000, // then its reader is taken for dead and it is read again, as an item is
  source_ms: 600_000, // one reading; ten million rows of 100 bytes take two minutes
  source_request_ms: 280_000, // one reading within a request; Node's fetch waits 300 s for an answer
  pilot_of_run_items: 10_000, // more is no pilot
  pilots_per_sweep: 100,
  source_requests_at_once: 8, // in one process, for callers who wait; two of a project, as above
  source_silence_ms: 30_000, // between two pieces of an answer
  source_guess_bytes: 64 * 1024, // of blanks before what tells the format of a body
  source_bytes: 8 * 1024 * MiB,
  source_error_bytes: 1000, // read of an answer that is none, to be told
  source_detail_characters: 500,
  source_headers: 20,
  source_header_bytes: 8 * KiB, // of all of them
  source_field_characters: 256,
  source_preview_items: 5,

  // Verdicts that people judge
  suspected_one_of: 5, // items with a suspected answer: one of so many is asked about
  questions_per_agent: 20, // open at once; as many as a reason needs to be told good or not
  questions_per_sweep: 500,
  verdicts_days: 90, // judged longer ago, a reason has got other rules since
  verdicts_page: { default: 50, max: 200 },
  verdicts_judged_least: 20, // before that a share says little
  verdicts_wrong_share: 0.2, // more is said where the reason is shown

  // Messages to the outside
  delivery_tries: 4, // the first and three more
  delivery_backoff_ms: { base: 10_000, factor: 6, jitter: 0.25 }, // 10 s, 1 min, 6 min: outlasts a restart, then a deploy
  delivery_ms: 15_000, // one try, from the look-up of the name to the end of the answer
  delivery_lease_ms: 30_000, // then its sender is taken for dead and it is tried again
  delivery_answer_bytes: 64 * KiB, // read of an answer, so that the receiver can finish it; then cut off
  delivery_error_characters: 500,
  deliveries_in_flight: 128, // in one process; each may hold a body of an item's output
  deliveries_in_flight_per_host: 16,
  deliveries_in_flight_per_project: 96, // however many receivers of a project hang, there is room for others
  results_file_bytes: 1024 * MiB, // what has more is read from the API, in parts of the caller's choice
  results_file_ms: 900_000, // one try, from the first look to the end of the answer: a gigabyte at 10 Mbit/s
  results_file_idle_ms: 30_000, // between two slices that the receiver takes, and from the last to its answer
  results_file_lease_ms: 960_000,
  results_files_in_flight: 4, // in one process, one of each project; each holds a chunk of results
  results_file_slice_bytes: 64 * KiB, // signed at once: 6 ms, then others are let in
  delivery_days: 30, // kept in the log
  deliveries_removed_per_sweep: 1000,
  deliveries_page: { default: 50, max: 200 },
  signing_overlap_hours: 24, // both secrets sign after a roll

  // Sessions
  session_minutes: 15,
  refresh_days: 30,
  password_characters: { min: 12, max: 256 },
  user_agent_characters: 256,
  sign_ins_per_email: { burst: 10, per_minute: 2 }, // failed ones; a good one costs nothing
  sign_ins_per_address: { burst: 100, per_minute: 30 },
  members_per_account: 1000,
  auth_cached: 10_000, // callers that one process remembers
  auth_cache_ms: 2000, // a revoked key is dead everywhere within 5 s

  // Dashboard
  form_bytes: 4 * MiB, // of a form that holds an input: urlencoded, a character may take three bytes
  page_text_characters: 100_000, // of one payload; its raw form has no bound of its own
  step_text_characters: 10_000, // of a payload in a trace, where there may be two hundred of them
  page_messages: 100, // of one prompt, the latest
  inbox_page: 50, // items of triage shown at once, and decided about by one form
  causes_shown: 5,
  search_page: 30,
  trace_page: 100, // steps of an item shown at once
  notice_characters: 400, // what an action says on the next page, in a cookie; encoded, one takes up to nine bytes
  notice_cookie_bytes: 3900, // browsers keep 4096 with name and attributes
} as const
