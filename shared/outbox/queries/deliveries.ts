// Reads and writes outgoing messages and the tries to deliver them. Guarantee: a message is written in the transaction
// of the change it reports, one sender at a time holds it, and only its holder records how a try ended.

import { isHeld } from '../../accounts/queries/installation.ts'
import { askProjects } from '../../cluster/queries/distributed.ts'
import type { Sql } from '../../context.ts'
import { findProjects } from '../../kernel/each-project.ts'
import { LIMITS } from '../../kernel/limits.ts'
import type { ChannelFormat, DeliveryKind, DeliveryState } from '../vocabulary.ts'
import type { DeliveryRow, TryRow } from '../wire/deliveries.ts'

/** A message that a sender has leased. */
export interface HeldDelivery {
  id: string
  account_id: string
  project_id: string
  kind: DeliveryKind
  url: string
  format: ChannelFormat
  host: string
  /** Null until it is composed. */
  body: string | null
  /** The number of this try. The sender holds the message as long as this is the last try. */
  tries: number
}

/** How many messages a process is sending, by host, project and account. */
export interface InFlight {
  /** Projects whose files are being sent: one per project at a time, and few in all. */
  files: Set<string>
  hosts: Map<string, number>
  projects: Map<string, number>
  accounts: Map<string, number>
}

/** Counts a message that is being sent, or with -1 one that no longer is. */
export function countInFlight(
  { files, hosts, projects, accounts }: InFlight,
  { host, account_id, project_id, kind }: HeldDelivery,
  n: 1 | -1,
): void {
  if (kind === 'run.results') n === 1 ? files.add(project_id) : files.delete(project_id)
  add(hosts, host, n)
  add(projects, project_id, n)
  add(accounts, account_id, n)
}

function add(counts: Map<string, number>, key: string, n: number): void {
  const left = (counts.get(key) ?? 0) + n
  if (left === 0) counts.delete(key)
  else counts.set(key, left)
}

/**
 * Leases up to `slots` messages that are due. Projects are visited one after another, those with nothing in flight
 * first. Within one, hosts are served one by one, those with the fewest messages in flight first, so that a long queue
 * for one does not delay the others. A host, a project and an account have a share of the slots. A message that has used
 * up its tries, or whose project is gone, is given up. Without `mails`, mails are left to a process that sends them.
 */
export async function claimDeliveries(
  sql: Sql,
  inFlight: InFlight,
  slots: number,
  mails: boolean,
): Promise<HeldDelivery[]> {
  // A look in an index for each project: counting what is due would take longer the longer the queues are.
  const look = sql`
    select u.project_id from project_usage u
    where exists (select 1 from deliveries d where d.project_id = u.project_id and d.due_at <= now())
    order by u.project_id = any(${[...inFlight.projects.keys()]}::uuid[]), random()`
  const soFar = structuredClone(inFlight)
  const held: HeldDelivery[] = []
  for (const project_id of await findProjects(sql, look)) {
    if (held.length >= slots) break
    try {
      const started = await startTries(sql, soFar, slots - held.length, mails, project_id)
      for (const one of started) countInFlight(soFar, one, 1)
      held.push(...started)
    } catch (error) {
      // What is leased already is sent: unsent, it would have lost a try. The next poll meets the fault again.
      if (held.length === 0) throw error
      break
    }
  }
  return held
}

/** In two statements: Citus takes no recursive query beside an INSERT of what another part returns. */
function startTries(sql: Sql, inFlight: InFlight, slots: number, mails: boolean, project_id: string) {
  return sql.begin(async transaction => {
    const tx = transaction as unknown as Sql
    const held = await claimDeliveriesOf(tx, inFlight, slots, mails, project_id)
    const tries = held.map(one => ({ project_id, delivery_id: one.id, try: one.tries }))
    if (tries.length > 0) await tx`insert into delivery_tries ${tx(tries)}`
    return held
  }) as Promise<HeldDelivery[]>
}

function claimDeliveriesOf(sql: Sql, inFlight: InFlight, slots: number, mails: boolean, project_id: string) {
  const { files, hosts, projects, accounts } = inFlight
  const busy = sql.json(Object.fromEntries(hosts))
  const room = LIMITS.results_files_in_flight - files.size
  const hasRoomForFile = room > 0 && !files.has(project_id)
  const left = Math.min(slots, LIMITS.deliveries_in_flight_per_project - (projects.get(project_id) ?? 0))
  const busyAccounts = sql.json(Object.fromEntries(accounts))
  return sql<HeldDelivery[]>`
    with recursive waiting as (
      -- Each host is found by one step in an index.
      (select host from deliveries
        where project_id = ${project_id} and due_at is not null and not ${isHeld(sql)} order by host limit 1)
      union all
      select (
        select d.host from deliveries d
        where d.project_id = ${project_id} and d.due_at is not null and d.host > w.host order by d.host limit 1)
      from waiting w where w.host is not null
    ), candidate as (
      select d.*, busy.n + row_number() over (partition by w.host order by d.due_at) as place
      from waiting w, lateral (select coalesce((${busy}::jsonb ->> w.host)::int, 0) as n) busy, lateral (
        select d.id, d.due_at, d.kind = 'run.results' as is_file from deliveries d
        where d.project_id = ${project_id} and d.host = w.host and d.due_at <= now()
          and (${mails} or d.url not like 'mailto:%') and (d.kind <> 'run.results' or ${hasRoomForFile})
        order by d.due_at limit greatest(0, ${LIMITS.deliveries_in_flight_per_host} - busy.n)
        for update skip locked
      ) d
    ), ranked as (
      select c.*, row_number() over (partition by is_file order by place, due_at) as nth_of_kind from candidate c
    ), chosen as (
      select c.id, p.account_id, p.account_id is not null and d.tries < d.tries_allowed as goes_on,
        now() + interval '1 ms'
          * case when d.kind = 'run.results' then ${LIMITS.results_file_lease_ms}::int else ${LIMITS.delivery_lease_ms}::int end as held_until
      from (
        select id from ranked where not is_file or nth_of_kind = 1
        order by place, due_at limit greatest(0, least(${left}, (
          select ${LIMITS.deliveries_in_flight_per_account} - coalesce((${busyAccounts}::jsonb ->> p.account_id::text)::int, 0)
          from projects p where p.id = ${project_id})))
      ) c
      join deliveries d on d.project_id = ${project_id} and d.id = c.id join projects p on p.id = ${project_id}
    ), held as (
      update deliveries d set tries = d.tries + goes_on::int,
        due_at = case when goes_on then c.held_until end
      from chosen c where d.project_id = ${project_id} and d.id = c.id
      returning d.*, c.account_id, goes_on
    )
    select id, account_id, project_id, kind, url, format, host, body, tries from held where goes_on`
}

/** How a try ended. */
export interface TryEnd {
  delivered: boolean
  status: number | null
  error: string | null
  duration_ms: number
  /** The wait before the next try, if there is one. */
  backoff_ms: number
}

/** Records how a try ended; false if its lease ran out meanwhile and another sender holds the message. */
export async function endTry(sql: Sql, held: HeldDelivery, end: TryEnd): Promise<boolean> {
  const [row] = await sql<{ held: boolean }[]>`
    with ended as (
      update delivery_tries set status = ${end.status}, error = ${end.error}, duration_ms = ${end.duration_ms}
      where project_id = ${held.project_id} and delivery_id = ${held.id} and try = ${held.tries}
    ), freed as (
      update deliveries d set body = coalesce(d.body, ${held.body}),
        delivered_at = case when ${end.delivered} then clock.at end,
        due_at = case when not ${end.delivered} and d.tries < d.tries_allowed then clock.again end
      from (select now() as at, now() + ${end.backoff_ms} * interval '1 ms' as again) clock
      where d.project_id = ${held.project_id} and d.id = ${held.id} and d.tries = ${held.tries} and d.due_at is not null
      returning d.id
    )
    select exists (select 1 from freed) as held`
  return row!.held
}

/** Makes a message due again that was delivered or given up; undefined while it is still being tried. */
export async function resendDelivery(sql: Sql, id: string): Promise<Date | undefined> {
  const [row] = await sql<{ due_at: Date }[]>`
    update deliveries set tries_allowed = tries + ${LIMITS.delivery_tries}, due_at = now(), delivered_at = null
    where id = ${id} and due_at is null returning due_at`
  return row?.due_at
}

/** Deletes messages that are delivered or given up and older than LIMITS.delivery_days; returns how many. */
export async function removeOldDeliveries(sql: Sql, limit: number): Promise<number> {
  const { count } = await sql`
    delete from deliveries where id in (
      select id from deliveries
      where due_at is null and created_at < now() - ${LIMITS.delivery_days} * interval '1 day'
      order by created_at limit ${limit})`
  return count
}

export interface DeliveryFilter {
  project_ids: readonly string[]
  run_id?: string | undefined
  state?: DeliveryState | undefined
  before?: { created_text: string; id: string } | undefined
  limit: number
}

const STATE = `case when d.due_at is not null then 'pending' when d.delivered_at is not null then 'delivered' else 'failed' end`

const columns = (sql: Sql) => sql`
  d.id, d.project_id, d.run_id, d.alert_id, d.kind, d.url, d.tries, d.due_at, d.created_at, d.delivered_at,
  d.created_at::text as created_text, ${sql.unsafe(STATE)} as state, last.status as last_status, last.error as last_error`

const lastTry = (sql: Sql, ids: readonly string[]) => sql`
  left join lateral (
    select status, error from delivery_tries t
    where t.project_id = d.project_id and t.project_id = any(${[...ids]}::uuid[]) and t.delivery_id = d.id
      and t.duration_ms is not null
    order by try desc limit 1
  ) last on true`

const newestFirst = (a: DeliveryRow, b: DeliveryRow) =>
  a.created_text === b.created_text ? (a.id < b.id ? 1 : -1) : a.created_text < b.created_text ? 1 : -1

/** A page of the log, newest first. */
export async function listDeliveries(sql: Sql, filter: DeliveryFilter): Promise<DeliveryRow[]> {
  const { run_id, state, before, limit } = filter
  const key = before && sql`(${before.created_text}::text::timestamptz, ${before.id}::uuid)`
  const ask = (ids: readonly string[]) => sql<DeliveryRow[]>`
    select ${columns(sql)} from (
      select d.* from unnest(${[...ids]}::uuid[]) as p(id), lateral (
        select * from deliveries d where d.project_id = p.id and d.project_id = any(${[...ids]}::uuid[])
          ${run_id === undefined ? sql`` : sql`and d.run_id = ${run_id}`}
          ${state === undefined ? sql`` : sql`and ${sql.unsafe(STATE)} = ${state}`}
          ${key === undefined ? sql`` : sql`and (d.created_at, d.id) < ${key}`}
        order by d.created_at desc, d.id desc limit ${limit}
      ) d
      order by d.created_at desc, d.id desc limit ${limit}
    ) d ${lastTry(sql, ids)}
    order by d.created_at desc, d.id desc`
  return askProjects(sql, filter.project_ids, ask, { limit, compare: newestFirst })
}

/** A message with its body, but without its tries; undefined if the account has none with this id. */
export async function findDelivery(sql: Sql, account_id: string, id: string) {
  const [of] = await sql<{ project_id: string }[]>`
    select d.project_id from deliveries d join projects p on p.id = d.project_id
    where p.account_id = ${account_id} and d.id = ${id}`
  if (!of) return undefined
  const [row] = await sql<(DeliveryRow & { body: string | null })[]>`
    select ${columns(sql)}, d.body from deliveries d ${lastTry(sql, [of.project_id])}
    where d.project_id = ${of.project_id} and d.id = ${id}`
  return row
}

/** Oldest first. */
export async function listTries(
  sql: Sql,
  { project_id, id }: Pick<DeliveryRow, 'project_id' | 'id'>,
): Promise<TryRow[]> {
  return sql<TryRow[]>`
    select try, started_at, duration_ms, status, error from delivery_tries
    where project_id = ${project_id} and delivery_id = ${id} order by try`
}
