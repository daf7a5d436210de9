// Limits of recovery, alerts, schedules, sources, messages to the outside and sign-in.

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
  reopen_minutes: 60, // a triage decision can be taken back within this time
  recovery_chunk_items: 1000, // copied in one transaction
  recovery_chunk_steps: 20_000, // of those items; an item that has more is copied alone
  recovery_chunks_per_sweep: 20,
  // A dry run reads the steps of this many items, which takes a second; of a larger cohort they are a sample
  recovery_plan_items: 20_000,
  reasons_named: 20, // existing reasons listed to a caller who named one that does not occur
  replay_runs_named: 3, // to a caller whose items were replayed already
  recovery_makers: 100, // versions of agents whose reused steps a recovery counts apart; as many as a deployment names
  recovery_makers_named: 3,
  recovery_maker_runs: 20, // the newest of an agent, which say what its code calls itself
  recovery_runs: 50, // of one recovery: a run for each agent, or for each deployment that items ran with
  lineage_items: 100, // ancestors and replays shown for one item
  repairing_replays: 10_000, // replays read to find which items of a page were repaired: twenty for each

  // Upstreams
  upstreams_per_deployment: 50, // any more count as one: the host as this deployment uses it
  upstreams_per_project: 200,
  upstream_limits_per_project: 100, // that people set
  named_limits: 10, // of one declaration or schedule
  limit_line_characters: 1000, // a host of 300, a variable and three parts
  upstreams_per_look: 100, // that something is to be done for
  upstream_look_ms: 500, // between two looks of a consumer at upstreams that are not open
  upstream_known_ms: 60_000, // a consumer reads the states of projects whose items it had within this time
  upstream_kept_days: 7, // without a call
  upstream_forgotten_ms: 3_600_000, // a state that nobody waits for is left after an hour
  upstream_long_ms: 600_000, // away for longer, it is tried once a minute
  // A moment that is named is believed for a minute, then for twice as long at each probe
  upstream_moment_ms: { first: 60_000, max: 900_000 },
  // How an upstream opens: as many items in the first second, twice as many in each that follows
  upstream_opening: { first: 4, max: 1000 },
  upstream_brief_ms: 3000, // one that was closed for less opens at once
  upstream_local_ms: 5000, // an agent's process calls no upstream that it found closed for so long
  // An item that would wait for what is not stored as closed comes back by itself, less and less often
  upstream_unstored_ms: { first: 500, max: 60_000 },
  upstream_held_ms: 10_000, // a call waits for its turn in its process for so long, and then its item in the queue
  upstream_report_ms: 250, // between two reports of limits by an agent's process
  upstream_turn_ms: 200, // between two turns of a process at an upstream that holds items back
  upstream_permit_ms: 600, // a permit that was not used by then is given back
  upstream_in_flight_ms: 20_000, // a process that was not heard for so long has no items in flight
  upstream_deployments: 50, // the newest that call it, kept with an upstream
  upstreams_paced: 1000, // that a consumer keeps in mind
  upstreams_header_bytes: 4 * KiB, // servers take 8 to 16 KiB of headers in all
  bound_upstreams_header_bytes: 2 * KiB,
  upstreams_header_words: 60, // of each that is named there
  upstream_words: 300, // of a refusal
  upstream_body_bytes: 16 * KiB, // read of a refusal's body
  upstream_host_characters: 300,
  upstream_items_counted: 10_000, // that wait for one, for people
  upstream_runs: 20, // that wait for one, named to people
  cut_answers: 3, // sends of an item whose answer was cut at the same step
  refusals_of_item: 3, // then a refusal is the item's own fault, if others were served meanwhile
  patience_seconds: { default: 86_400, min: 60, max: 2_592_000 },

  // Alerts
  alert_repeat_hours: 24,
  alert_look_ms: 10_000, // between two checks of open runs; 10,000 runs are read in 8 ms
  alert_runs_per_look: 1000,
  alert_runs_looked_back: 1000, // an agent's newest runs, among which one is that a resolved alert also stood for
  alert_runs_stood_for: 50, // of these, how many are judged by the rules: the first that meets one raises the next alert
  alert_settings_per_project: 1000,
  alert_channels_per_project: 20,
  // Sampled from a run by key in 30 to 60 ms, however long their outputs; a share of a third is off by at most 3 in 100
  run_check_items: 1000,
  run_check_head_characters: 500, // of each output
  run_check_runs_before: 20, // earlier runs of the schedule searched for one that was checked
  // Earlier runs of the agent searched for one of the same name; runs of single items are among them
  run_check_runs_of_agent: 5000,
  run_checks_at_once: 20,
  run_checks_ms: 2000, // of a tick; the rest waits for the next tick, and so do the messages about the run's end
  alert_ended_runs_ms: 2000, // of a tick; the rest waits for the next
  refused_calls_sampled: 20, // items of a run; each item's steps are read by primary key
  digest_causes: 3,
  digest_nights: 20, // occurrences searched for the run before; those whose runs retention removed are skipped
  digest_cause_characters: 200,
  deadlines_per_project: 200,
  deadlines_per_look: 200,
  deadlines_foreseen: 50, // a look; each has the end of its run estimated
  deadline_runs: 1000, // the latest of an agent, searched for one of the day that ended
  channel_test_poll_ms: 300,
  channel_test_ms: 20_000, // the command waits this long for the result of a test message
  slack_blocks: 50, // this and the next two as in Slack's block reference
  slack_fields: 10,
  slack_characters: { header: 150, section: 3000, field: 2000, button: 75, text: 4000 },
  // A Teams webhook accepts 28 KB, counted as two bytes a character; a message has seven texts
  teams_text_characters: 1000,
  mail_subject_characters: 150,
  mail_silence_ms: 10_000,
  alerts_page: { default: 50, max: 200 },

  // Schedules
  cron_characters: 256,
  timezone_characters: 64, // the longest name has 32
  schedules_page: { default: 50, max: 200 },
  events_page: { default: 50, max: 500 },
  next_fires_looked_at: 500, // schedules of which a look of the tick compares the next moment with their cron: 20 ms
  fires_per_chunk: 500, // schedules in one transaction
  moments_per_chunk: 5000, // occurrences in one transaction; 43,200 missed ones take nine
  fire_ms: 10_000, // of a tick; the rest waits for the next
  // A tick waits this long for another session's lock; then it notes that in the occurrence's row and tries again
  fire_lock_ms: 2000,
  late_fire_hours: 24, // after an outage the newest occurrence still fires, unless it is older
  fire_backoff_s: { base: 5, max: 300 },
  run_start_minutes: 15, // a run that no consumer started within this time is reported as never started
  next_fires: 5, // shown for a schedule
  skipped_fires: 5, // shown in a preview: wall-clock times that do not exist

  // Sources
  sources_at_once: 8, // read in one process; each holds a chunk of rows
  sources_at_once_per_project: 2, // leaves room for others, however many sources of a project trickle
  // Tries before a failure is reported, about five minutes by fire_backoff_s: an exporter's restart is over by then
  source_tries_alerted: 6,
  source_lease_ms: 25_000, // then the reader counts as dead and the source is read again, as items are
  source_ms: 600_000, // one reading; ten million rows of 100 bytes take two minutes
  source_request_ms: 280_000, // one reading within a request; Node's fetch waits 300 s for an answer
  pilot_of_run_items: 10_000, // more is no pilot
  pilots_per_sweep: 100,
  source_requests_at_once: 8, // in one process, for callers who wait; two of a project, as above
  interim_answers: 100, // 1xx before an answer: hosts send one or two, and a proxy one in each few seconds
  source_silence_ms: 30_000, // between two pieces of an answer
  source_bytes: 8 * 1024 * MiB,
  source_rowless_bytes: 8 * MiB, // sent without a row, such as blank lines; a row has 1 MiB of characters at most
  source_error_bytes: 1000, // read of an error response, to quote it
  source_detail_characters: 500,
  source_words_characters: 120, // quoted of an error response: one line, as a form shows it
  source_headers: 20,
  source_header_bytes: 8 * KiB, // all headers together
  source_field_characters: 256,
  source_preview_items: 5,

  // Verdicts that people judge
  suspected_one_of: 5, // people are asked about one of so many items with a suspected answer
  questions_per_agent: 20, // open at once; as many as a reason needs to be judged good or not
  questions_per_sweep: 500,
  verdicts_days: 90, // a reason judged longer ago has had its rules changed since
  verdicts_page: { default: 50, max: 200 },
  verdicts_judged_least: 20, // with fewer, a share says little
  verdicts_wrong_share: 0.2, // above this the reason is shown with a warning

  // Messages to the outside
  delivery_tries: 4, // the first and three more
  delivery_backoff_ms: { base: 10_000, factor: 6, jitter: 0.25 }, // 10 s, 1 min, 6 min: outlasts a restart, then a deploy
  delivery_ms: 15_000, // one try, from the name look-up to the end of the answer
  delivery_lease_ms: 30_000, // then the sender counts as dead and the delivery is tried again
  name_lookups: 8, // at once in one process, each in a thread: half of those set in infra/node/threads.ts
  name_lookups_per_account: 3, // two accounts whose name servers are silent leave two look-ups to others
  // For a turn among the look-ups; wait and look-up both count towards delivery_ms and agent_connect_ms
  name_lookup_wait_ms: 10_000,
  delivery_answer_bytes: 64 * KiB, // read of an answer, so that the receiver can finish it; then it is cut off
  delivery_error_characters: 500,
  deliveries_in_flight: 128, // in one process; each may hold a body with an item's output
  deliveries_in_flight_per_host: 16,
  deliveries_in_flight_per_project: 32, // leaves room for others, however many receivers of a project hang
  deliveries_in_flight_per_account: 48, // two accounts whose receivers hang leave a quarter to others
  results_file_bytes: 1024 * MiB, // larger results are read from the API, in parts of the caller's choice
  results_file_ms: 900_000, // one try, from the first read to the end of the answer: a gigabyte at 10 Mbit/s
  results_file_idle_ms: 30_000, // between two slices that the receiver takes, and from the last one to its answer
  results_file_lease_ms: 960_000,
  results_files_in_flight: 4, // in one process, one of each project; each holds a chunk of results
  results_file_slice_bytes: 64 * KiB, // signed at once: 6 ms, then other work gets the event loop
  delivery_days: 30, // kept in the log
  deliveries_removed_per_sweep: 1000,
  deliveries_page: { default: 50, max: 200 },
  signing_overlap_hours: 24, // both secrets sign for this long after a roll

  // Sessions
  session_minutes: 15,
  refresh_days: 30,
  refresh_again_ms: 10_000, // a used token sent again within this time belongs to a client that lost the answer
  password_link_hours: 24, // until a link for a new password expires: to be passed on by hand, perhaps over a night
  password_characters: { min: 12, max: 256 },
  user_agent_characters: 256,
  sign_ins_per_email_and_address: { burst: 10, per_minute: 2 }, // failed sign-ins; a successful one costs nothing
  sign_ins_per_email: { burst: 100, per_minute: 20 }, // from all addresses together: ten of them that guess
  sign_ins_per_address: { burst: 100, per_minute: 30 },
  emails_taken: { burst: 10, per_minute: 2 }, // "e-mail taken" answers per account: those who add members mistype less
  password_hashes: 2, // at once in one process, 32 MiB each; files and names need the other two threads of the pool
  password_hash_wait_ms: 10_000, // for a turn: about 200 hashes on one core
  read_noted_ms: 60_000, // a read that the same caller repeats within this time gets one audit entry
  throttled_names: 10_000, // remembered by a process: sessions and projects that read secrets within the minute
  refusals_noted: { burst: 10, per_hour: 6 }, // audit entries about one member or trigger: 53,000 a year
  refusals_noted_per_account: { burst: 100, per_hour: 60 },
  sign_in_place_ms: 90 * 86_400_000, // how long a place where somebody signed in is remembered
  // An account, unless the operator sets its quotas otherwise
  members_per_account: 1000,
  made_listed: 1000, // of what a member made who is removed
  projects_per_account: 1000, // listed in one answer
  agents_per_account: 10_000, // listed in one answer
  schedules_per_account: 10_000,
  own_fires: { burst: 20, per_hour: 60 }, // of a trigger by messages of an installation: chains of runs, and no loops
  triggers_per_account: 10_000,
  keys_per_account: 10_000, // each is looked for by its hash: more than any account uses, and few enough to list
  kept_bytes_ms: 60_000, // then an account's stored bytes are summed again: 100,000 runs are 14,000 pages
  accounts_measured_per_sweep: 20,
  auth_cached: 10_000, // callers that one process remembers
  auth_cache_ms: 2000, // a revoked key is dead everywhere within 5 s
} as const
