// Lists every event that a process logs. Guarantee: no other event is logged, because Context.log takes no other name;
// infra/logs.md describes each to operators, and each has a test that makes it happen
// (test/structure/log-events.test.ts).

export type LogLevel = 'info' | 'warn' | 'error'

interface Described {
  /** The levels that it is logged at. */
  levels: readonly LogLevel[]
  says: string
  /** The ids that it names. */
  ids?: string
}

export const LOG_EVENTS = {
  request: {
    levels: ['info'],
    says: 'a request was answered: `method`, `path` (the template; null where nothing is), `status`, `ms` until the answer began',
    ids: '`request_id` (the header `x-request-id`), `account_id`, `project_id`, `target_id` (what it made or named: run, agent, item)',
  },
  request_failed: { levels: ['error'], says: 'it was answered 500', ids: '`request_id`' },
  request_broke_off: {
    levels: ['info'],
    says: 'its sender went away in the middle of the body',
    ids: '`request_id`',
  },
  page_failed: { levels: ['error'], says: 'a page of the dashboard could not be made: its `path`' },
  unknown_setting: {
    levels: ['warn'],
    says: 'a variable `ASSAY_…` is no setting: its `name`, and the one that may have been `meant`',
  },
  proxy_not_trusted: {
    levels: ['warn'],
    says: 'a request was passed on by somebody whom `ASSAY_TRUSTED_PROXIES` does not name, since it names nobody; told once',
  },
  unit_did_not_answer: {
    levels: ['error'],
    says: 'the router reached no function for it',
    ids: '`request_id`',
  },
  ready: { levels: ['info'], says: 'a process takes requests, or plays its parts: `unit`, `url`' },
  rows_moved: {
    levels: ['info'],
    says: 'a migration has brought the rows of a table that were there to what it needs: `table`, `rows`, `ms`',
  },
  key_built: {
    levels: ['info'],
    says: 'a migration has built the keys that it needs of a table, or of a week of one: `table`, `ms`',
  },
  migrated: { levels: ['info'], says: 'the schema is that of this version' },
  consumed: {
    levels: ['info'],
    says: 'a consumer came to the end of its work: how many items it claimed and settled',
  },
  handed_over: { levels: ['info'], says: "a consumer's time was over, and it called its successor" },
  tick: {
    levels: ['info'],
    says: 'a call of the tick came to its end: how many sweeps it made, and how much they found to do',
  },
  consume_failed: {
    levels: ['error'],
    says: 'an invocation of the consumer failed; the next one goes on',
  },
  tick_failed: { levels: ['error'], says: 'the same of the tick' },
  look_failed: { levels: ['warn'], says: 'PostgreSQL was not to be had; tried again' },
  turn_failed: {
    levels: ['warn'],
    says: 'a run could not be claimed from, such as under another master key; tried again',
    ids: '`run_id`',
  },
  heartbeat_failed: { levels: ['warn'], says: 'leases could not be prolonged; tried again' },
  backlog_failed: { levels: ['warn'], says: 'the backlog could not be counted; tried again' },
  metrics_failed: { levels: ['warn'], says: 'metrics could not be read; the next scrape asks again' },
  lease_lost: {
    levels: ['warn'],
    says: 'this consumer was taken for dead, or the run was cancelled now, and it let its items go',
    ids: '`run_id`, `claim_id`',
  },
  lease_expired: {
    levels: ['warn'],
    says: 'a consumer died: its items are offered again',
    ids: '`run_id`',
  },
  settle_failed: {
    levels: ['warn', 'error'],
    says: 'verdicts could not be written; `error` once it is given up, and the items are offered again',
    ids: '`run_id`',
  },
  settle_refused: {
    levels: ['error'],
    says: 'PostgreSQL cannot store what an agent sent; the item is failed',
    ids: '`run_id`, `record_id`',
  },
  spend_day_failed: {
    levels: ['error'],
    says: "a project's budgets did not begin their next day; usually a zone this host does not know",
    ids: '`project_id`',
  },
  held: {
    levels: ['warn'],
    says: 'the installation was restored and does nothing by itself until `assay admin go-on`',
  },
  chore_failed: { levels: ['warn'], says: 'a part of the tick failed; the next tick does it' },
  chore_late: { levels: ['warn'], says: 'a part of the tick takes long; it goes on beside the others' },
  start_refused: {
    levels: ['error'],
    says: 'a process ends, for a reason that a person has to mend: [When it does not start](README.md#when-it-does-not-start)',
  },
  start_failed: { levels: ['error'], says: 'it ends for another reason, with a stack' },
  crashed: {
    levels: ['error'],
    says: 'a process met an error that nobody caught, and ends with exit code 70',
  },
  agents_run_as_root: {
    levels: ['warn'],
    says: "agents' processes cannot be given a user of their own, and `why`",
  },
  not_ready: { levels: ['warn'], says: '`/health/ready` answers 503, and why; told once until that changes' },
  degraded: {
    levels: ['warn'],
    says: '`/health/ready` answers 200, and names what a store does not do; told once until that changes',
  },
  ready_again: { levels: ['info'], says: 'it answers 200 again' },
  waiting_for_postgres: {
    levels: ['warn'],
    says: 'a process starts and PostgreSQL does not answer; it tries until it does',
  },
  run_check_failed: {
    levels: ['warn'],
    says: 'a run that ended could not be looked at as a whole; its end is told without that',
    ids: '`run_id`',
  },
  recovery_failed: {
    levels: ['warn'],
    says: 'a recovery could not go on; tried again',
    ids: '`recovery_id`',
  },
  trigger_source_failed: {
    levels: ['warn'],
    says: 'the source of a trigger could not be read: where, and what it said in `error`, of which the sender is told nothing',
    ids: '`project_id`, `trigger_id`',
  },
  dispatch_failed: {
    levels: ['warn'],
    says: 'a schedule could not start its run',
    ids: '`schedule_id`',
  },
  agent_lookup_failed: { levels: ['warn'], says: 'nor find its agent' },
  account_lookup_failed: { levels: ['warn'], says: 'nor its account' },
  poke_failed: { levels: ['warn'], says: "the consumer's URL did not answer; the tick mends it" },
  poke_refused: { levels: ['warn'], says: 'it answered with an error' },
  telemetry_dropped: {
    levels: ['warn'],
    says: 'so many `spans` and `exports_of_metrics` did not get to the receiver within the last minute, and the last `error`',
  },
  redis_unreachable: {
    levels: ['warn'],
    says: 'Redis cannot be talked to, and why; told once until it is back',
  },
  redis_is_a_cluster: { levels: ['error'], says: '`REDIS_URL` lacks `?cluster=true`' },
  background_failed: {
    levels: ['error'],
    says: 'what went on after an answer failed, such as an entry of the audit log',
  },
  prices_updated: {
    levels: ['info'],
    says: "the list of models' prices was fetched from `ASSAY_PRICES_URL`: `url`, `models`",
  },
  prices_not_updated: {
    levels: ['warn'],
    says: 'it could not be fetched, or is not as expected: the list that was there stays; `url`, `error`',
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

/** The table in infra/logs.md. */
export function eventTable(): string {
  const rows = Object.entries<Described>(LOG_EVENTS).map(
    ([name, { levels, says, ids = '' }]) =>
      `| \`${name}\` | ${levels.join(', ')} | ${says} |${ids && ` ${ids}`} |`,
  )
  return ['| event | level | says | ids |', '|---|---|---|---|', ...rows].join('\n')
}
