// Lists every event that a process logs. Guarantee: no other event is logged, because Context.log takes no other name;
// infra/logs.md describes each to operators, and each has a test that makes it happen
// (test/structure/log-events.test.ts).

export type LogLevel = 'info' | 'warn' | 'error'

export interface Described {
  /** The levels that it is logged at. */
  levels: readonly LogLevel[]
  /** What happened, what it means and what to do, for an operator. */
  meaning: string
  /** Its fields that have ids. */
  ids?: string
}

export const LOG_EVENTS = {
  request: {
    levels: ['info'],
    meaning:
      'A request was answered: `method`, `path` (its template; null if no endpoint has that path), `status`, and `ms` until the answer began.',
    ids: '`request_id` (the header `x-request-id`), `account_id`, `project_id`, `target_id` (what it created or addressed: a run, an agent, an item)',
  },
  request_failed: {
    levels: ['error'],
    meaning:
      'A request met an error that its endpoint does not expect, and was answered with 500; `error` has the details. If a store was unreachable, this ends when the store is back. Anything else is a bug: please report it.',
    ids: '`request_id`',
  },
  request_broke_off: {
    levels: ['info'],
    meaning:
      'The sender closed the connection before its request body was complete. If this happens often, check the time and size limits of the proxy in front.',
    ids: '`request_id`',
  },
  answer_broke_off: {
    levels: ['error'],
    meaning:
      'A streamed answer, such as an export, could not be read to its end: `error` has the details. Its last line says so to the caller, and the connection was cut.',
    ids: '`request_id`',
  },
  page_failed: {
    levels: ['error'],
    meaning:
      'A page of the dashboard met an unexpected error, and the visitor got a 500: `path`, `error`. Report it if it happens again.',
  },
  unknown_setting: {
    levels: ['warn'],
    meaning:
      'An environment variable begins with `ASSAY_` but is no setting, so it has no effect: `name`, and in `meant` the setting with the most similar name. Correct its name or remove it.',
  },
  proxy_not_trusted: {
    levels: ['warn'],
    meaning:
      'A proxy passed on a request, but `ASSAY_TRUSTED_PROXIES` names no network, so all callers behind the proxy share one limit on signing in. Add the network of `proxy` to that setting. Each process logs this once.',
  },
  unit_did_not_answer: {
    levels: ['error'],
    meaning:
      'The router could not reach the function in `unit`, or got no usable answer from it, and answered the caller itself. Check that the function runs and that `ASSAY_UNIT_URL` leads to it.',
    ids: '`request_id`',
  },
  ready: {
    levels: ['info'],
    meaning: 'A process accepts requests, or runs its parts: `unit`, `url`.',
  },
  migrated: {
    levels: ['info'],
    meaning: 'The migration has ended: the database has the schema of this version.',
  },
  consumed: {
    levels: ['info'],
    meaning: 'A consumer ended its work. The line says how many items it claimed and settled.',
  },
  handed_over: {
    levels: ['info'],
    meaning: 'A consumer reached the end of its time: it claims nothing more and called its successor.',
  },
  tick: {
    levels: ['info'],
    meaning:
      'A call of the tick ended. The line says how many sweeps it made, and how much they found to do.',
  },
  consume_failed: {
    levels: ['error'],
    meaning:
      'A consumer stopped with an error. The next call starts another one, and the items that this one had claimed are offered again. If it repeats, items wait: `error` says why.',
  },
  tick_failed: {
    levels: ['error'],
    meaning:
      'A call of the tick failed, and the next call does its work. If it repeats, no schedule fires and lost items are not offered again: `error` says why.',
  },
  look_failed: {
    levels: ['warn'],
    meaning:
      'A consumer could not read which runs have work, usually because PostgreSQL is away. It tries again after a moment; the same error is logged once a minute. If it repeats, check PostgreSQL.',
  },
  turn_failed: {
    levels: ['warn'],
    meaning:
      "A consumer could not claim or begin items of this run, or end a run that was stopped. Other runs continue, and it tries this one again. If it repeats for one run, read `error`: this process may have another master key than the one that sealed the environment of the run's agent.",
    ids: '`run_id`',
  },
  heartbeat_failed: {
    levels: ['warn'],
    meaning:
      'A consumer could not extend its leases, and tries again at the next heartbeat, after eight seconds. If none succeeds before the leases of 25 s expire, its items are offered again.',
  },
  backlog_failed: {
    levels: ['warn'],
    meaning:
      'A consumer could not count the backlog, so it calls no further consumers until its next try, a second later. If it repeats, check PostgreSQL.',
  },
  metrics_failed: {
    levels: ['warn'],
    meaning:
      'The metrics could not be read from PostgreSQL, and the scrape got a 503. The next scrape tries again. If it repeats, check PostgreSQL.',
  },
  lease_lost: {
    levels: ['warn'],
    meaning:
      'A consumer lost the lease of a claim, because it was silent for too long or the run was cancelled at once, and stopped the items of that claim. Unless the run was cancelled, they are offered again, and this consumer lacked CPU time or a connection to PostgreSQL.',
    ids: '`run_id`, `claim_id`',
  },
  lease_expired: {
    levels: ['warn'],
    meaning:
      "A consumer died or was silent for longer than its lease, and its items (`items`) are offered again. If it repeats, find out why consumers die: a crash, a limit on memory, a platform's limit on time.",
    ids: '`run_id`',
  },
  settle_failed: {
    levels: ['warn', 'error'],
    meaning:
      'Results could not be written, and are tried again for 50 s. A line of level `error` is the last try: then the items are offered again, which may repeat their model calls. Check PostgreSQL.',
    ids: '`run_id`',
  },
  agent_lines_passed_over: {
    levels: ['warn'],
    meaning:
      'An agent sent lines that record nothing (`lines`, the first of them begins with `first`): prints among its answers, or lines about items that had ended. They change no verdict. Correct the agent: beyond 64 KiB and 1 KiB a second its request is ended, or its later answer refused.',
    ids: '`run_id`',
  },
  settle_refused: {
    levels: ['error'],
    meaning:
      'PostgreSQL refuses to store what the agent sent for an item, so the item ends as failed. Read `error` and correct the agent.',
    ids: '`run_id`, `record_id`',
  },
  spend_day_failed: {
    levels: ['error'],
    meaning:
      "The budget day of a project could not be changed, so its daily budget still counts the day before. Every tick tries again. The usual cause is a time zone of the project that this host does not know: update the host's zones or change the project's zone.",
    ids: '`project_id`',
  },
  held: {
    levels: ['warn'],
    meaning:
      'The installation was restored from a backup and is held: it dispatches no items, fires no schedules and sends no messages. Check it, then run `assay admin go-on`.',
  },
  chore_failed: {
    levels: ['warn'],
    meaning:
      'One chore of the tick failed, and the next sweep tries it again; while a store is away, that is logged once a minute. If it repeats, `chore` says what is not done, and `error` why.',
  },
  chore_late: {
    levels: ['warn'],
    meaning:
      'One chore of the tick takes longer than the sweep waits (`after_ms`). It continues beside the others. If it repeats, check what slows PostgreSQL down.',
  },
  start_refused: {
    levels: ['error'],
    meaning:
      'A process cannot start for a reason that a person has to fix, and ended with exit code 78. `error` says what to do: [When it does not start](README.md#when-it-does-not-start).',
  },
  start_failed: {
    levels: ['error'],
    meaning:
      'A process could not start because of an unexpected error, and ended with exit code 1; `error` has the stack. If it happens again, report it.',
  },
  crashed: {
    levels: ['error'],
    meaning:
      'A process met an error that nothing caught, and ended with exit code 70. The platform, systemd or `npm start` starts it again, and the items it had claimed are offered again. If it happens again, report `error`.',
  },
  log_lines_lost: {
    levels: ['warn'],
    meaning:
      'The log file could not be written for a while, as on a full disk: `lines` that came meanwhile are lost. The process worked on.',
  },
  agent_printed: {
    levels: ['info'],
    meaning:
      'An agent in a bundle printed a line: `agent`, `text`, without the secrets of its environment. Only where there is no data folder; else the lines are in its `agents.log`.',
    ids: '`deployment_id`',
  },
  bundle_not_loaded: {
    levels: ['warn'],
    meaning:
      'A deploy could not load its bundle once, because the runtime that should have done it could not be reached or started no process; `error` says why. The bundle was deployed all the same, with a warning. Check the runtime: items of bundles need it too.',
  },
  agents_run_as_root: {
    levels: ['warn'],
    meaning:
      "Agents' processes run as root, because they cannot be given a user of their own; `why` says what is missing. Fix that, or run Assay as another user.",
  },
  not_ready: {
    levels: ['warn'],
    meaning:
      '`/health/ready` of this process now answers 503; `error` says what is wrong and what to do. Logged once for each change.',
  },
  degraded: {
    levels: ['warn'],
    meaning:
      '`/health/ready` of this process answers 200, but a store does not do all it should; `error` says what and what to do. Logged once for each change.',
  },
  ready_again: {
    levels: ['info'],
    meaning: '`/health/ready` of this process answers 200 again, and nothing is wrong with the stores.',
  },
  waiting_for_postgres: {
    levels: ['warn'],
    meaning:
      'A starting process cannot reach PostgreSQL and tries until it can; a migration gives up after five minutes. Check PostgreSQL and `DATABASE_URL`.',
  },
  run_check_failed: {
    levels: ['warn'],
    meaning:
      'An ended run could not be checked as a whole, and the check is not repeated: messages about its end do not have it. The verdicts of its items are not affected.',
    ids: '`run_id`',
  },
  schedule_moved_back: {
    levels: ['warn'],
    meaning:
      'The next fire time of a schedule (`was`) was later than that of its cron: a clock was ahead when it was computed. It was moved back to `next_at`. Fire times between are lost: check the clocks of PostgreSQL and of the processes.',
    ids: '`schedule_id`',
  },
  recovery_failed: {
    levels: ['warn'],
    meaning:
      'A recovery could not take its next step. Other recoveries continue, and every tick tries this one again. If it repeats, read `error`.',
    ids: '`recovery_id`',
  },
  trigger_source_failed: {
    levels: ['warn'],
    meaning:
      'A request to a trigger started no run, because the source of its items could not be read: `error` has the address and its answer. The sender learns only that the source failed. Correct the source, and let the sender try again.',
    ids: '`project_id`, `trigger_id`',
  },
  dispatch_failed: {
    levels: ['warn'],
    meaning:
      'The run of a schedule that was due could not be written. The occurrence is recorded as an error and tried again until the schedule fires next. If it repeats, read `error`.',
    ids: '`schedule_id`',
  },
  agent_lookup_failed: {
    levels: ['warn'],
    meaning:
      'The agents of schedules that were due could not be read, so none of these schedules started a run. Their occurrences are recorded and tried again. If it repeats, check PostgreSQL.',
  },
  agent_names_not_read: {
    levels: ['warn'],
    meaning:
      'The names of agents could not be read for alerts about their schedules, so these alerts have the ids of the agents instead. If it repeats, check PostgreSQL.',
  },
  account_lookup_failed: {
    levels: ['warn'],
    meaning:
      'The accounts of schedules that were due could not be read, so none of these schedules started a run. Their occurrences are recorded and tried again. If it repeats, check PostgreSQL.',
  },
  poke_failed: {
    levels: ['warn'],
    meaning:
      "The consumer's URL could not be reached. The call is tried three more times; after that the work waits for the next tick. If it repeats, check `ASSAY_CONSUMER_URL` and that the consumer is deployed.",
  },
  poke_refused: {
    levels: ['warn'],
    meaning:
      "The consumer's URL answered with an error: `status`. After 429 and 5xx the call is tried three more times; otherwise the work waits for the next tick. With 401 or 403, check that both functions have the same master key; with 404, check `ASSAY_CONSUMER_URL`.",
  },
  telemetry_dropped: {
    levels: ['warn'],
    meaning:
      'The receiver of OpenTelemetry did not take some data in the last minute, which is lost: `spans`, `exports_of_metrics`, and the last `error`. Items are not affected. Check the receiver and `OTEL_EXPORTER_OTLP_ENDPOINT`.',
  },
  redis_unreachable: {
    levels: ['warn'],
    meaning:
      'Redis cannot be reached or refuses what is sent; `error` says why. Work continues, because consumers poll, but each process counts sign-ins for itself and limits no other requests. Check Redis and `REDIS_URL`. Logged once for each cause until Redis is back.',
  },
  redis_shared: {
    levels: ['warn'],
    meaning:
      "Another installation uses the same Redis under the same name, so each takes the other's consumers and ticks for its own, and work waits. Set `ASSAY_INSTALLATION` to a name in one of them, or give it a Redis of its own. Logged once a day, by the tick.",
  },
  redis_is_a_cluster: {
    levels: ['error'],
    meaning:
      '`REDIS_URL` names one node of a cluster, which refuses most commands. Add `?cluster=true` to it.',
  },
  background_failed: {
    levels: ['error'],
    meaning:
      'Work that continues after an answer failed, such as writing an entry of the audit log; the answer had been sent already. If it repeats, read `error`.',
  },
  prices_updated: {
    levels: ['info'],
    meaning: "The list of models' prices was fetched from `ASSAY_PRICES_URL`: `url`, `models`.",
  },
  prices_not_updated: {
    levels: ['warn'],
    meaning:
      "The list of models' prices could not be fetched, or is malformed: `url`, `error`. The list from before stays in use, and the next try is a day later. Check `ASSAY_PRICES_URL`.",
  },
} as const satisfies Record<string, Described>

export type EventName = keyof typeof LOG_EVENTS
type LevelOf<Name extends EventName> = (typeof LOG_EVENTS)[Name]['levels'][number]

/** Writes a line, unless its level is below the configured one. */
export type Log = <Name extends EventName>(
  level: LevelOf<Name>,
  event: Name,
  fields?: Record<string, unknown>,
) => void
