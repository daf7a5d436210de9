// How items are worked off: waits for stores, dispatch, attempts, agents and what a project may do at once.

import { KiB, MiB } from './bytes.ts'

export const WORK_LIMITS = {
  // Waits for a store, from the asking to the answer; a connection that misses one is given up
  ready_ms: 2000, // each store has so long to answer the probe
  ready_kept_ms: 1000, // its answer serves all who ask: it is open to everybody
  ready_rights_ms: 30_000, // schema and rights that were right are asked for again
  database_connections: { min: 3, max: 100 }, // of one process: one each for statements, changes and callers' reads
  store_connect_ms: 5000, // for PostgreSQL to take a session
  store_rest_ms: 60_000, // then a connection that nobody uses is closed: its backend holds 4 to 17 MB
  store_answer_ms: 20_000, // a statement; locks included, which nobody holds for longer than transaction_idle_ms
  store_read_ms: 60_000, // a connection for callers' reads
  // What PostgreSQL itself lets a statement of a caller's read take, by its class, before that connection is given up
  statement_ms: {
    plain: 10_000, // of a page or a row: a thousand times what one takes
    heavy: 55_000, // one that counts or compares a million items takes seconds
  },
  store_long_ms: 600_000, // a statement over all items of a run of any length
  store_start_ms: 1000, // between two tries of a process that starts while PostgreSQL is away
  store_start_job_ms: 300_000, // of a migration, which is a job that ends: no try begins later
  nodes_look_ms: 2000, // a cluster that has lost a node is asked again whether it is back; each look takes 10 ms, or a connection's time where a machine is silent
  store_retry_s: 2, // what callers are told to wait: a restart of PostgreSQL takes about as long

  // Dispatch
  claim_bytes: 32 * MiB, // of inputs in one claim, judged by the run's average
  claim_items: 1000, // one claim; 250: 0.85, 500: 0.92, 2000: 1.0 (end-to-end ratio in the prototype)
  request_items: 256, // items in one agent request; 64: 0.90, 16: 0.69
  claims_at_once: 3, // while one is in PostgreSQL the next is on its way; 1: 0.88, 2: 0.95 in the prototype
  claims_under_way: 6, // of one consumer, over all runs: each has a connection, of the twelve of a process
  claimed_as_submitted: 32, // items of one submission, whose caller waits for the claim; of more the run is claimed from afterwards
  look_retry_ms: 200, // after a look, or a claim, that failed
  settles_in_flight_per_run: 2,
  items_in_flight_per_consumer: 8000,
  open_runs_per_look: 64,
  materializing_touch_ms: 60_000,
  materializing_idle_minutes: 15, // a submission that stopped arriving is given up
  partition_lookahead_items: 5000,
  sweep_items: 5000,
  retention_days: 36_500,
  purge_runs: 2000, // marked in a tick for each project
  purge_items: 1000, // of one run in one statement
  purges_per_sweep: 100, // pieces, each of one run, or of many small ones
  purge_ms: 400, // of each tick: small runs go at 1,000 a second
  partition_moved_rows: 5000, // that came before the partition of their week, moved under its lock
  audit_days: 365,
  dead_keys_days: 30, // an API key that has expired is told from one that never was for so long; the audit log names it after that
  log_days: 365, // moments of schedules and alerts, where the project does not say how long it keeps records
  log_removals_per_sweep: 1000, // rows of each
  runs_removed: 1000, // at once, of projects and agents that were deleted and by retention, with sweep_items rows of each kind
  removal_ms: 700, // of each tick, for projects and agents that were deleted; and for submissions that never arrived whole
  budget_probe_items: 10, // dispatched under a budget before the cost of one item is known
  reap_ms: 5000, // of a sweep, sweep_items at a time: however many claims a dead consumer had, its items are offered again
  claims_aborted_at_once: 5, // of a run that is cancelled now; as many items as sweep_items
  tick_ms: 1000, // on one machine; platforms tick once a minute
  chore_ms: 10_000, // then the tick goes on without it
  sweep_ms: 30_000, // then the rest is left to the next sweep, and less than a call of the tick
  chore_lost_ms: 120_000, // one that has not ended by then never will; longer than any wait for a store it makes
  turn_late_ms: { tick: 150_000, consumer: 60_000 }, // platforms tick once a minute; a turn waits for statements
  turn_kept_ms: 600_000, // when the last one ended
  tick_function_ms: 50_000, // one call of the tick at most
  tick_open_ms: 20_000, // from one call that proves nothing to the next that is heard; crons call once a minute
  lease_ms: 25_000, // a dead consumer's items are offered again within lease + tick, under 35 s
  heartbeat_ms: 8_000,
  transaction_idle_ms: 10_000, // between two statements of a transaction; then PostgreSQL ends it
  consume_ms: 50_000, // one invocation of the consumer; platforms commonly stop a function at 60 s
  consumer_fresh_ms: 2000, // since it began: what was cut off is taken by one that has its time before it
  yield_before_end_ms: 10_000,
  hand_over_ms: 2000, // left at the end of an invocation to give back what did not yield
  heap_look_ms: 60_000, // at rest for so long a process gives back what its heap grew by
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
  notify_backoff_ms: [250, 1000, 5000], // longer altogether than a consumer that was killed counts as awake
  metrics_counted: 10_000, // of what is due; more than that is said to be so many
  metrics_cache_ms: 2000,
  self_notify_ms: 5000, // a consumer in a process of its own looks for work this often, woken or not

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
  change_tries: 3, // of settings, where others that wait for it are waited for: on a cluster each table is locked whole for a moment
  deploy_tries: 3, // when something it is about to make is made through the API meanwhile
  plan_value_characters: 200, // of a value that a deploy changes
  agent_timeout_grace_ms: 1000, // the agent may report its own timeout first
  agent_linger_ms: 1000, // between an answer's last needed line and its end
  agent_bundle_bytes: 10 * MiB,
  deployment_bytes: 24 * MiB, // a bundle as a JSON string, its declaration and its environment
  agent_env_bytes: 64 * KiB,
  agent_memory_bytes: 1024 * MiB,
  // Processes for agents on one machine: half of its memory, of 96 MiB each at rest
  agent_processes: { min: 8, max: 256 },
  agent_processes_of_memory: 0.5,
  agent_process_bytes: 96 * MiB,
  agent_processes_of_account: 0.75, // however many agents one account deploys, there is room for others
  agent_process_wait_ms: 45_000, // for room; a process can be started after it while its consumer still waits for the head
  agent_heap_mib: 256,
  agent_threads: 1024, // of its process: one for each look-up of a name under way, of which workerd makes 512 at most
  agent_thread_stack_bytes: 512 * KiB, // at Rust's own 2 MiB those of 220 look-ups filled agent_memory_bytes, and the process died
  agent_open_files: 16_384, // a connection out for each item in flight, and as many in
  agent_log_bytes: 256 * KiB,
  agent_cpu_without_pong_ms: 1000, // CPU time, not wall time: a starved host does not trip it
  agent_alone_cpu_without_pong_ms: 10_000, // nobody else waits in that process
  agent_begun_at_once: 100, // items of a request, before others have the thread: by number, since in workerd the clock stands still while code runs
  agent_watch_ms: 250,
  agent_start_ms: 30_000,
  agent_stop_ms: 2000, // from SIGTERM to SIGKILL
  runtime_request_bytes: 256 * MiB, // a claim's inputs, and what its items have recorded
  agent_head_ms: 60_000, // agents send a heartbeat at least every 10 s
  agent_idle_ms: 60_000, // then its process ends: one of workerd takes 90 MB, and a fraction of a second to start again
  agent_line_bytes: 2 * MiB,
  agent_error_bytes: 4 * KiB, // read of an answer that is none
  agent_connects: 64, // being opened at a time to one place: listeners queue 128 to 511, and drop what is more for a second
  agent_connect_ms: 10_000, // for a connection and its handshake: one that hangs keeps a place from others
  agent_free_sockets: 8192, // kept: as many as there are items in flight
  agent_socket_idle_ms: 4000, // then ours closes first: servers commonly close after 5 s
  agent_keys: 1000, // remembered by a process: deriving one takes 0.4 ms
  answer_bytes: 8 * MiB, // of lines that come later, in one POST: held whole, since of a bad one nothing counts
  answer_lines: 100_000, // of one POST: 15 MB are held of lines that say nothing
  answer_heartbeat_bytes: 1 * KiB, // what is no longer is read at once, and waits for no other where it is a heartbeat
  answers_bytes: 24 * MiB, // of the POSTs that a process takes at a time: it grows by eight times that, in 384 MiB of an API unit
  answers_bytes_per_run: 16 * MiB, // of these, so that no run takes all
  answer_least_bytes: 1 * MiB, // that a POST counts for: 16 of one run are taken at a time, and two of the longest
  answer_read_ms: 15_000, // for one to come, from its turn on: with the wait for that, less than a lease
  answer_turn_ms: 30_000, // then its turn is over: not every host tells that a request is gone
  answer_look_ms: 500, // one that waits for its turn looks whether it has waited answer_early_ms
  answer_piece_characters: 2 * MiB, // of what the SDK sends in one POST, before the line that is one too many
  answer_early_ms: 5000, // lines may be quicker than the 202 before them: their POST waits so long for its consumer
  answer_poll_ms: 100, // and longer by as much with every look: an agent may send many that are early
  unanswered_attempts: 2, // of an agent that is not heard of when it answers later: each may be paid for
  answer_tries: 5, // of a POST about an item that another POST writes about at the same time
  answer_retry_ms: { base: 500, max: 5000 }, // of an agent's POST; more than one fits into a lease
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
  prices_checked_through: 20_000, // runs of a project, for those with calls that had no price
  prices_checked_runs: 200, // the latest of these, and as many with such calls; of each the first steps
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
  requests_per_connection: 16, // unanswered; clients and proxies send the next after the answer
  rate_answer_ms: 100, // Redis holds hints: without an answer by then the request goes on
  rate_read_ms: 10, // more for a process that stood still: its timers come before what lies in its sockets
  rate_rest_ms: 1000, // and for so long nobody asks it again
} as const
