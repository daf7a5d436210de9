// What comes of runs: recoveries and alerts, and what starts them, is sent and signs in from outside.

import { KiB, MiB } from './bytes.ts'

export const OUTSIDE_LIMITS = {
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
  run_check_items: 1000, // of a run, read by their keys in 30 to 60 ms, however long their outputs; a share of a third is off by 3 in 100 at most
  run_check_head_characters: 500, // of each output
  run_check_runs_before: 20, // looked back for one that was looked at
  run_check_runs_of_agent: 5000, // looked through for one of the same name; runs of single items are among them
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
  source_words_characters: 120, // of what an answer that is none says: a line, as a form shows it
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
  name_lookups: 8, // of names at a time in one process, each in a thread: half of those that infra/node/threads.ts asks for
  name_lookups_per_account: 3, // two whose name servers are silent leave two to others
  name_lookup_wait_ms: 10_000, // for a turn among them; with the look-up itself it counts in delivery_ms and agent_connect_ms
  delivery_answer_bytes: 64 * KiB, // read of an answer, so that the receiver can finish it; then cut off
  delivery_error_characters: 500,
  deliveries_in_flight: 128, // in one process; each may hold a body of an item's output
  deliveries_in_flight_per_host: 16,
  deliveries_in_flight_per_project: 32, // however many receivers of a project hang, there is room for others
  deliveries_in_flight_per_account: 48, // two accounts whose receivers hang leave a quarter to others
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
  refresh_again_ms: 10_000, // so long after it was traded a token that comes again is one whose answer got lost
  password_characters: { min: 12, max: 256 },
  user_agent_characters: 256,
  sign_ins_per_email_and_address: { burst: 10, per_minute: 2 }, // failed ones; a good one costs nothing
  sign_ins_per_email: { burst: 100, per_minute: 20 }, // from all addresses together: ten of them that guess
  sign_ins_per_address: { burst: 100, per_minute: 30 },
  emails_taken: { burst: 10, per_minute: 2 }, // that an account is told of: who adds members mistypes fewer
  password_hashes: 2, // at once in one process, 32 MiB each; files and names need the other two threads of the pool
  password_hash_wait_ms: 10_000, // for a turn: some 200 on one core
  read_noted_ms: 60_000, // one entry of a read that the same caller repeats
  seldom_names: 10_000, // that a process remembers: sessions and projects that read secrets within the minute
  refusals_noted: { burst: 10, per_hour: 6 }, // in the audit log, of one member or trigger: 53,000 a year
  refusals_noted_per_account: { burst: 100, per_hour: 60 },
  sign_in_place_ms: 90 * 86_400_000, // that somebody signed in from a place before is remembered
  // An account, unless the operator sets its quotas otherwise
  members_per_account: 1000,
  projects_per_account: 1000, // listed in one answer
  agents_per_account: 10_000, // listed in one answer
  schedules_per_account: 10_000,
  kept_bytes_ms: 60_000, // then what an account keeps is summed anew: 100,000 runs are 14,000 pages
  accounts_measured_per_sweep: 20,
  auth_cached: 10_000, // callers that one process remembers
  auth_cache_ms: 2000, // a revoked key is dead everywhere within 5 s
} as const
