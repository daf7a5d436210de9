// How items are processed: store deadlines, dispatch, attempts, agents and the limits of a project.

import { KiB, MiB } from './bytes.ts'

export const WORK_LIMITS = {
  // Deadlines for a store, from request to answer; a connection that misses one is closed
  ready_ms: 2000, // time that each store has to answer the readiness probe
  ready_kept_ms: 1000, // a probe's result is reused for so long: anybody may call the probe
  ready_rights_ms: 30_000, // schema and rights that were right are checked again after this
  database_connections: { min: 3, max: 100 }, // of a process; min: one each for statements, changes and callers' reads
  ready_reason_ms: 30_000, // a store that stays away keeps its reason for so long: a pooler's tries are 15 s apart
  store_connect_ms: 5000, // for PostgreSQL to accept a session
  // A request that waits so long asks whether PostgreSQL answers anybody, and gives it so long: five seconds together.
  store_silent_look_ms: 1500,
  store_silent_ms: 3000,
  store_rest_ms: 60_000, // an idle connection is closed after this: its backend holds 4 to 17 MB
  store_answer_ms: 20_000, // one statement, lock waits included: no lock is held for longer than transaction_idle_ms
  store_read_ms: 60_000, // one statement on a connection for callers' reads
  // PostgreSQL's own statement timeout for callers' reads, by class: it comes before store_read_ms
  statement_ms: {
    plain: 10_000, // reading a page or a row: a thousand times what one takes
    heavy: 55_000, // a read that counts or compares a million items takes seconds
  },
  statement_spare_ms: 2000, // PostgreSQL's own timeout, and its message, come before this process gives it up
  store_long_ms: 600_000, // a statement over all items of a run, however many it has
  store_start_ms: 1000, // between two tries of a process that starts while PostgreSQL is away
  store_start_job_ms: 300_000, // a migration job begins no further try after this
  id_clock_ms: 60_000, // after this a process asks PostgreSQL for the time again: clocks drift by seconds in a day
  id_clock_apart_ms: 1000, // two clocks of a process that differ by more were not only read one after the other
  store_full_retry_s: 30, // Retry-After while PostgreSQL's disk is full: somebody has to free space
  log_waiting_characters: 4_000_000, // of a log file that is written more slowly than lines come, or not at all
  store_retry_s: 2, // Retry-After for callers: a restart of PostgreSQL takes about as long

  // Dispatch
  claim_bytes: 32 * MiB, // inputs in one claim, estimated from the run's average
  claim_items: 1000, // one claim; 250: 0.85, 500: 0.92, 2000: 1.0 (end-to-end ratio in the prototype)
  request_items: 256, // items in one agent request; 64: 0.90, 16: 0.69
  refill_ms: 1000, // how long flushes reuse what a claim has read of its run, such as prices and settings
  // Claims of one run or project: the next is sent while PostgreSQL answers one; 1: 0.88, 2: 0.95 in the prototype
  claims_at_once: 3,
  claims_under_way: 6, // of one consumer, over all runs: each uses one of the process's twelve connections
  // Largest submission that is claimed at once, while its caller waits; a consumer claims from larger ones afterwards
  claimed_as_submitted: 32,
  look_retry_ms: 200, // pause after a poll for runs, or a claim, that failed
  settles_in_flight_per_run: 2,
  items_in_flight_per_consumer: 8000,
  open_runs_per_look: 64,
  materializing_touch_ms: 60_000,
  materializing_idle_minutes: 15, // a submission that stopped arriving is given up after this
  partition_lookahead_items: 5000,
  sweep_items: 5000,
  projects_per_sweep: 1000, // projects that one chore of the tick visits, one statement or more each; the next tick continues
  retention_days: 36_500,
  purge_runs: 2000, // runs marked in one tick, per project and kind of retention
  purge_items: 1000, // items of one run purged in one statement
  purges_per_sweep: 100, // pieces, each of one run or of many small ones
  purge_ms: 400, // of each tick: small runs are purged at 1,000 a second
  partition_moved_rows: 5000, // rows written before their week's partition existed, moved into it under its lock
  audit_days: 365,
  // How long an expired API key is reported as expired and not as unknown; afterwards only the audit log names it
  dead_keys_days: 30,
  log_days: 365, // occurrences and alerts are kept, where the project sets no record retention
  log_removals_per_sweep: 1000, // rows of each log
  // Runs of deleted projects and agents, or past retention, removed at once, with sweep_items rows of each kind
  runs_removed: 1000,
  // Time in each tick for deleted projects and agents; as much again for abandoned submissions
  removal_ms: 700,
  budget_probe_items: 10, // items dispatched under a budget before the cost of one item is known
  // Time in a sweep, sweep_items at a time: a dead consumer's items are offered again, however many claims it had
  reap_ms: 5000,
  claims_aborted_at_once: 5, // of a run whose items in flight are aborted; together as many items as sweep_items
  tick_ms: 1000, // on one machine; platforms call the tick once a minute
  chore_ms: 10_000, // the tick continues without a chore that takes longer
  chore_rest_ms: 10_000, // until housekeeping that found nothing looks again; it looked every second, for nothing
  sweep_ms: 30_000, // the rest is left to the next sweep; shorter than one call of the tick
  // A chore that has not ended by then is taken for lost and started again; longer than any store wait inside it
  chore_lost_ms: 120_000,
  // Readiness reports a stall after this: platforms tick once a minute, a consumer's turn waits for statements
  turn_late_ms: { tick: 150_000, consumer: 60_000 },
  installation_name_characters: 16, // the longest name of a function has 23 more, and a DNS label 63
  neighbour_ms: 300_000, // a tick of another installation within this time shares our Redis: platforms call one a minute
  neighbour_noted_ms: 86_400_000, // the log names such a neighbour once in this time
  turn_kept_ms: 600_000, // how long Redis remembers when the last turn ended
  tick_function_ms: 50_000, // one call of the tick takes at most this
  tick_open_ms: 20_000, // at most one unauthenticated call of the tick in this time runs it; crons call once a minute
  lease_ms: 25_000, // a dead consumer's items are offered again within lease + tick: under 35 s on one machine
  heartbeat_ms: 8_000,
  transaction_idle_ms: 10_000, // PostgreSQL ends a transaction that pauses longer between two statements
  consume_ms: 50_000, // one invocation of the consumer; platforms commonly stop a function at 60 s
  // A consumer this young counts as having its whole time; it takes the long steps that an older one must leave
  consumer_fresh_ms: 2000,
  yield_before_end_ms: 10_000,
  hand_over_ms: 2000, // kept free at the end of an invocation, to give back items that did not yield
  heap_look_ms: 60_000, // a process idle for this long returns to the system what its heap grew by
  drain_ms: 5000, // a process asked to stop waits this long for items in flight
  settle_items: 1000,
  settle_bytes: 8 * MiB,
  settle_backoff_ms: { base: 100, max: 2000 }, // while PostgreSQL is away
  step_flush_ms: 20,
  consume_seconds: { min: 12, max: 280 }, // more than yielding takes; less than Node's fetch waits for an answer
  consumers: { default: 4, min: 1, max: 100 }, // awake at once on a platform
  awake_ms: 5000, // a consumer that was killed counts as awake for this long
  awake_beat_ms: 1000,
  call_ms: 5000, // from calling a consumer until it is awake; a cold start takes less
  notify_backoff_ms: [250, 1000, 5000], // together longer than awake_ms, so a killed consumer no longer counts as awake
  metrics_upstreams: 1000, // whose pace a gauge looks at: those that were called last
  metrics_counted: 10_000, // rows a gauge counts at most; more are reported as this number
  metrics_cache_ms: 2000,
  self_notify_ms: 5000, // a consumer in a process of its own polls for work this often, notified or not

  // Telemetry, where it is exported
  traced_items: 100, // the first, then every hundredth of ten thousand, then every ten-thousandth: 1,198 of 10 million
  traced_failures: 1000, // the first of a run, in addition to traced_items
  traced_steps: 64, // the last of an attempt; 8000 items in flight hold 100 MB of them at most
  telemetry_spans: 8192, // waiting for the receiver; any more are dropped
  telemetry_batch_spans: 512,
  telemetry_delay_ms: 1000, // a platform may freeze a process soon after its answer
  telemetry_interval_ms: { default: 60_000, min: 1000, max: 3_600_000 },
  log_repeat_ms: 60_000, // between two lines about the same store that is away
  log_reasons: 100, // remembered for that, of one connection pool
  telemetry_report_ms: 60_000, // one log line for everything that was dropped in this time
  telemetry_flush_ms: 3000, // a process that is ending waits no longer for the receiver

  // Attempts
  transport_attempts: 5,
  attempts_per_item: 10_000, // hand-overs included
  transport_backoff_ms: { base: 500, max: 30_000 },
  consecutive_failures: 100,
  // A process that ends cuts all its connections; ends within this time count as one, however late they are read
  ends_together_ms: 300,
  // An end is shared with others that were under way and ended within this time, however busy this thread was meanwhile
  ends_near_ms: 1000,
  // After an end that took other requests with it, a host gets one batch of items at a time for so long
  one_batch_ms: 30_000,
  batch_wait_ms: 45_000, // for a batch before; then its items wait in the queue, where they hold no place
  restart_retry_ms: 1000, // between two tries of what was not sent
  uncounted_attempts: 100, // of an item, because of others; later ones count, so that no item is sent for ever

  // An agent, unless its declaration asks for less
  agent_timeout_seconds: { default: 300, max: 86_400 },
  agent_steps: { default: 200, max: 10_000 },
  agent_retries: 10,
  agent_network_hosts: 100,
  agent_schedules: 100, // declared by one agent
  agent_triggers: 100,
  agent_generators: 100,
  agent_models: 100, // declared by one agent
  // A schema that an agent behind a URL declares: as much as a hundred models of ten fields each
  schema_bytes: 128 * KiB,
  schema_parts: 3000, // objects in it; reading as many takes 0.1 s, in slices
  schema_depth: 128, // parts that refer on to others with the same value
  schema_dynamic_anchors: 32, // looked through at each part that is evaluated
  schema_pattern_characters: 4096,
  schema_pattern_size: 5000, // parts of the automaton; the largest of zod's own, an IPv6 range, has 710
  schema_patterns_size: 50_000, // of all patterns of a schema: reading as many takes 0.1 s, in slices
  schema_automata_bytes: 64 * MiB, // that the automata of all patterns may have grown by; then they are made again
  schema_mismatches_named: 5, // as many as the SDK names of its own
  // All steps of one check take 10 to 50 ms. 1 MiB of rows `{"id":1,"ok":true}` takes four fifths of them
  schema_check_steps: 700_000,
  schema_read_steps: 3_000_000, // a schema of 3,000 parts against its draft, at a deploy
  // After a check that took longer than this, an account's next one waits three times as long as it took: an item of another
  // account needs several turns of the event loop
  schema_turn_ms: 5,
  schema_rest_times: 3,
  schemas_kept_bytes: 2 * MiB, // of declared schemas; once read, they take about twenty times that
  // Versions of code that the answers of one deployment may name; a name for each build of a year's working days fits twice
  code_versions: 100,
  code_version_characters: 128, // a digest with its algorithm has 71
  code_version_runs: 1000, // of an agent, the latest, over which its versions are summed: by their keys, some ms
  code_version_tries: 5, // for a number, of consumers that meet new versions at once
  code_version_deployments: 1000, // whose versions one consumer remembers
  generator_name_characters: 64,
  // Lines sent together; the generator is asked for more once they were taken
  generator_piece_characters: 65_536,
  // A change of settings is tried again after a deadlock: a cluster locks each whole table for a moment
  change_tries: 3,
  deploy_tries: 3, // a deploy tries again when the API creates something it was about to create
  plan_value_characters: 200, // of a value that a deploy changes, as the plan shows it
  agent_timeout_grace_ms: 1000, // the agent may report its own timeout first
  // How long a response may stay open after its last needed line; later the connection is cut, not reused
  agent_linger_ms: 1000,
  agent_bundle_bytes: 10 * MiB,
  bundle_spared_minutes: 60, // on a cluster, unused code is removed only after it: its deployment may be about to commit
  // Whether they are used is asked of a cluster at once: 64 bytes each. No index has it, so each chunk reads all deployments
  bundles_chunk: 10_000,
  deployment_bytes: 24 * MiB, // a bundle as a JSON string, its declaration and its environment
  agent_env_bytes: 64 * KiB,
  // Resident memory of one process of an agent, as the operator sets it. At rest it has 100; V8's heap has 4 GiB at most
  agent_memory_mib: { default: 1024, min: 384, max: 8192 },
  agent_heap_of_memory: 0.25,
  // The kernel's own limit counts what is writable, used or not. V8 reserves 512 for code, of which it uses nothing; 128 less,
  // since the program's own pages are resident and not writable: so an item gets an error before its process is ended
  agent_unused_mib: 384,
  // Agent processes on one machine: as many as half of its memory holds, at 96 MiB each at rest
  agent_processes: { min: 8, max: 256 },
  agent_processes_of_memory: 0.5,
  agent_process_bytes: 96 * MiB,
  // Items in one process before another is started, as the operator sets it: from one request on; 1024 holds a whole claim
  agent_process_items: { default: 1024, min: 256, max: 8000 },
  agent_process_crowded: 1.5, // times as many where there is no room for another process
  agent_processes_of_account: 0.75, // leaves room for others, however many agents one account deploys
  // For requests with a suspect among their items, in processes apart: of one account, and of one deployment
  agent_processes_apart: { size: 32, share: [16, 8] },
  agent_apart_join_ms: 1000, // requests of one item share a process if they are sent within so long, as those of a claim are
  agent_apart_wait_ms: 10_000, // for one of them; with the wait for room and the start less than that for a head
  // Wait for room; enough of the consumer's wait for the response head is left then to start a process
  agent_process_wait_ms: 45_000,
  // Threads of an agent's process: one for each name look-up in progress, of which workerd makes 512 at most
  agent_threads: 1024,
  // At Rust's default of 2 MiB, the stacks of 220 look-ups filled the memory of a process and it died
  agent_thread_stack_bytes: 512 * KiB,
  agent_open_files: 16_384, // one outgoing connection for each item in flight, and as many incoming ones
  agent_log_bytes: 256 * KiB,
  agent_log_line_characters: 4096,
  agent_log_bytes_per_second: 64 * KiB, // of one process; more lines of that second are left out
  agent_log_waiting_bytes: 1 * MiB,
  agent_log_file_bytes: 16 * MiB, // and as much in the file before it
  agent_cpu_without_pong_ms: 1000, // CPU time, not wall time, so a starved host does not trip it
  agent_alone_cpu_without_pong_ms: 10_000, // for an isolated item's or a generator's process: nobody else waits in it
  // Items started before the process yields to others; counted, because workerd's clock stands still while code runs
  agent_started_at_once: 100,
  agent_watch_ms: 250,
  agent_start_ms: 30_000,
  agent_stop_ms: 2000, // from SIGTERM to SIGKILL
  runtime_request_bytes: 256 * MiB, // a claim's inputs, and what its items have recorded
  agent_head_ms: 60_000, // agents send a heartbeat at least every 10 s
  // An idle process is ended after this: workerd takes 90 MB, and a fraction of a second to start again
  agent_idle_ms: 60_000,
  agent_body_bytes: 512 * MiB, // that an agent reads of a request: 256 items of 1 MiB, with what they recorded
  // Of bodies whose signature an agent's process has not checked yet, together: the inputs of the largest request, and some
  // more. The consumer proves by its head that it has the key, so that it does not wait for room among them
  agent_unproven_bytes: 288 * MiB,
  agent_unproven_spare_bytes: 16 * MiB, // of these for small bodies alone
  agent_small_body_bytes: 64 * KiB,
  agent_arrival_ms: 60_000, // for a signed body to arrive, proven or not: longer the consumer waits for no head (agent_head_ms)
  agent_line_bytes: 2 * MiB,
  // Longest line that is passed over, once its item has ended for it; a longer one ends its request
  agent_skipped_line_bytes: 8 * MiB,
  // What an agent may send in a request without recording anything: prints, blank lines, lines about items that ended
  unrecorded_bytes: 64 * KiB,
  unrecorded_bytes_per_second: 1 * KiB, // since the request began, in addition
  // Of one item that we ended, whose agent may not know it yet: its others should not pay for what it goes on to say
  unrecorded_bytes_of_ended: 4 * MiB,
  unrecorded_words: 200, // of the first such line, in the log and in messages
  agent_error_bytes: 4 * KiB, // read of an error response, or of one that is ignored
  // Connections being opened to one address at a time: listeners queue 128 to 511 and drop any more for a second
  agent_connects: 64,
  agent_connect_ms: 10_000, // for a connection and its handshake: one that hangs blocks a place for others
  agent_free_sockets: 8192, // kept open: as many as there are items in flight
  agent_socket_idle_ms: 4000, // then we close first: servers commonly close after 5 s
  agent_keys: 1000, // remembered by a process: deriving one takes 0.4 ms
  answer_bytes: 8 * MiB, // lines of a later answer in one POST: held whole, since they are read again if another POST wrote meanwhile
  answer_lines: 100_000, // of one POST: as many lines without content hold 15 MB
  answer_passed_over: 10, // lines of one POST that nobody can use, as its answer names them
  answer_heartbeat_bytes: 1 * KiB, // such a body is read at once; if it is a heartbeat, it waits for no other POST
  // POST bodies a process reads at a time: it grows by eight times as much, of an API unit's 384 MiB
  answers_bytes: 24 * MiB,
  answers_bytes_per_run: 16 * MiB, // of answers_bytes, so that one run cannot take all
  answer_least_bytes: 1 * MiB, // the least a POST counts for: a run can have 16 read at a time, or two of the longest
  answer_read_ms: 15_000, // for a body to arrive once its turn has come; with the wait for the turn, less than a lease
  answer_turn_ms: 30_000, // then the turn is taken back: not every host reports that a request is gone
  answer_look_ms: 500, // how often a waiting POST checks whether it has waited for answer_early_ms
  answer_piece_characters: 2 * MiB, // the SDK fills one POST up to this; the line that reaches it is the last
  // Lines may arrive before the consumer has read the 202: their POST waits this long for the consumer
  answer_early_ms: 5000,
  // First pause of that wait; each further one is longer by this much, since an agent may send many early POSTs
  answer_poll_ms: 100,
  // Attempts with an agent that promised a later answer and was never heard of again: each may be paid for
  unanswered_attempts: 2,
  answer_tries: 5, // of a POST about an item that another POST writes about at the same time
  answer_retry_ms: { base: 500, max: 5000 }, // of an agent's POST; several tries fit into a lease
  agent_heartbeat_ms: 5_000, // the protocol asks for one every 10 s
  agent_load_ms: 15_000, // a bundle must register its agent within this time, where it is not loaded in the sandbox
  // In the sandbox at a deploy: 0.1 s for most, 0.4 for the largest clients; a process of its own, so few at a time
  bundle_load_ms: 10_000,
  bundle_loads: { size: 4, share: 2 },
  step_cut_head_bytes: 2 * KiB,
  // What is kept of a cut payload's shape, so that its tokens and its end can still be read
  outline_text_characters: 2_000,
  outline_entries: 20,
  outline_values: 1_000,
  outline_depth: 8,
  // Answers with which a model call that throws is recorded, each as a step of its own, and what is held of one until then
  seen_answers: 32,
  seen_answer_characters: 1_000_000,
  reported_text_characters: 64 * KiB, // of an answer that the agent reports in its own words

  // A project, unless its settings say otherwise
  project_concurrency: 256,
  run_concurrency: 100_000,
  project_open_runs: 10_000, // runs that have not ended; every poll for work reads them
  project_requests_per_second: 2000, // of one key or session; about what one process serves on two cores
  request_burst_seconds: 2,
  open_runs_retry_s: 5,
  // An estimate: open runs that share what binds, earlier runs of the agent, and their items, to learn what one asks
  estimate_runs: 500,
  estimate_earlier_runs: 20,
  estimate_items: 400,
  prices_per_project: 1000, // rows, past prices included
  prices_checked_days: 30,
  prices_checked_through: 20_000, // runs of a project, searched for calls without a price
  // The latest runs, and as many with unpriced calls; of each, the first prices_checked_steps
  prices_checked_runs: 200,
  prices_checked_steps: 200,
  prices_checked_models: 500, // listed; those called most
  prices_update_ms: 86_400_000, // a price list that is kept fresh is fetched once a day
  prices_fetch_ms: 30_000,
  prices_bytes: 16 * MiB, // of a fetched list: thirty times today's size
  prices_found: 1000, // models whose price a process remembers; finding one takes about 50 µs
  spending_days: 400, // daily spending is kept; a month's budget reads 31
  spend_days_per_sweep: 500, // projects whose day ends in one tick
  unpriced_runs_per_sweep: 500, // runs waiting for a price that one sweep checks
  unpriced_runs_looked_at: 10, // the latest of an agent: models they could not price are known at submission
  requests_per_connection: 16, // unanswered; clients and proxies send the next request after the answer
  rate_answer_ms: 100, // Redis only holds hints: without an answer by then the request continues
  rate_read_ms: 10, // extra wait for a process that stood still: its timers fire before it reads its sockets
  rate_rest_ms: 1000, // after a missed answer, Redis is not asked for this long
} as const
