// Reads and writes outgoing messages and the tries to deliver them. Guarantee: a message is written in the transaction
// of the change it reports, one sender at a time holds it, and only its holder records how a try ended.

import { isHeld } from '../../accounts/queries/installation.ts'
import {
  type Asked,
  askEach,
  asked,
  askProjects,
  asProjects,
  ofOne,
} from '../../cluster/queries/distributed.ts'
import { askReachable, type Reachable } from '../../cluster/queries/nodes.ts'
import type { Sql } from '../../context.ts'
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
 * Leases up to `slots` messages that are due. Hosts are served one by one, those with the fewest messages in flight
 * first, so that a long queue for one does not delay the others. A project and an account have a share of the slots,
 * however many hosts they name; the account with the fewest in flight comes first. A message that has used up its
 * tries, or whose project is gone, is given up. Without `mails`, mails are left to a process that sends them.
 */
export async function claimDeliveries(
  sql: Sql,
  inFlight: InFlight,
  slots: number,
  mails: boolean,
): Promise<HeldDelivery[]> {
  const look = (of: Reachable) =>
    sql`select project_id from deliveries where due_at <= now() ${of('deliveries')} group by 1 order by min(due_at)`
  // On a cluster the projects are queried one after another: what one gets counts against the limits of the next.
  const soFar = structuredClone(inFlight)
  return askEach(sql, look, slots, async (project, slots) => {
    if (project === null) return claimDeliveriesOf(sql, inFlight, slots, mails, null)
    const held = await claimApart(sql, soFar, slots, mails, project)
    for (const one of held) countInFlight(soFar, one, 1)
    return held
  })
}

/** On a cluster another statement inserts the tries: Citus sends rows that an INSERT reads from a CTE to all nodes. */
async function claimApart(sql: Sql, inFlight: InFlight, slots: number, mails: boolean, project: string) {
  const claimed = await sql.begin(async begun => {
    const tx = begun as unknown as Sql
    const held = await claimDeliveriesOf(tx, inFlight, slots, mails, project)
    if (held.length > 0)
      await tx`
        insert into delivery_tries (project_id, delivery_id, try)
        select ${project}, id, try from unnest(${held.map(one => one.id)}::uuid[], ${held.map(one => one.tries)}::int[]) as t(id, try)`
    return held
  })
  return claimed as HeldDelivery[]
}

/** Hosts with messages to send, as `waiting`. For all projects together, each host is found by one step in an index. */
const hostsOf = (sql: Sql, project: Asked) =>
  project === null
    ? sql`recursive waiting as (
      (select host from deliveries where due_at is not null and not ${isHeld(sql)} order by host limit 1)
      union all
      select (select d.host from deliveries d where d.due_at is not null and d.host > w.host order by d.host limit 1)
      from waiting w where w.host is not null
    )`
    : sql`waiting as (
      select distinct host from deliveries where due_at is not null ${asked(sql, 'deliveries', project)} and not ${isHeld(sql)}
    )`

const noteTries = (sql: Sql) => sql`, started as (
    insert into delivery_tries (project_id, delivery_id, try) select project_id, id, tries from held where goes_on
  )`

function claimDeliveriesOf(sql: Sql, inFlight: InFlight, slots: number, mails: boolean, project: Asked) {
  const of = (alias: string) => asked(sql, alias, project)
  const busy = sql.json(Object.fromEntries(inFlight.hosts))
  const busyProjects = sql.json(Object.fromEntries(inFlight.projects))
  const busyAccounts = sql.json(Object.fromEntries(inFlight.accounts))
  const room = LIMITS.results_files_in_flight - inFlight.files.size
  return sql<HeldDelivery[]>`
    with ${hostsOf(sql, project)}, candidate as (
      select d.*, busy.n + row_number() over (partition by w.host order by d.due_at) as place
      from waiting w, lateral (select coalesce((${busy}::jsonb ->> w.host)::int, 0) as n) busy, lateral (
        select d.id, d.project_id, d.due_at, d.kind = 'run.results' as is_file from deliveries d
        where d.host = w.host and d.due_at <= now() ${of('d')} and (${mails} or d.url not like 'mailto:%')
          and (d.kind <> 'run.results' or ${room > 0} and d.project_id <> all(${[...inFlight.files]}::uuid[]))
        order by d.due_at limit greatest(0, ${LIMITS.deliveries_in_flight_per_host} - busy.n)
        for update skip locked
      ) d
    ), ranked as (
      select c.*, coalesce((${busyProjects}::jsonb ->> project_id::text)::int, 0)
        + row_number() over (partition by project_id order by place, due_at) as nth,
        row_number() over (partition by is_file, project_id order by place, due_at) as nth_of_kind
      from candidate c
    ), of_account as (
      select r.*, coalesce((${busyAccounts}::jsonb ->> p.account_id::text)::int, 0)
        + row_number() over (partition by p.account_id order by place, due_at) as turn
      from ranked r join projects p on p.id = r.project_id
      where nth <= ${LIMITS.deliveries_in_flight_per_project} and (not is_file or nth_of_kind = 1)
    ), fitting as (
      select *, row_number() over (partition by is_file order by turn, place, due_at) as nth_fitting from of_account
      where turn <= ${LIMITS.deliveries_in_flight_per_account}
    ), chosen as (
      select c.id, p.account_id, p.account_id is not null and d.tries < d.tries_allowed as goes_on,
        now() + interval '1 ms'
          * case when d.kind = 'run.results' then ${LIMITS.results_file_lease_ms}::int else ${LIMITS.delivery_lease_ms}::int end as held_until
      from (
        select id from fitting where not is_file or nth_fitting <= ${room}
        order by turn, place, due_at limit ${slots}
      ) c
      join deliveries d using (id) join projects p on p.id = d.project_id
      where true ${of('d')}
    ), held as (
      update deliveries d set tries = d.tries + goes_on::int,
        due_at = case when goes_on then c.held_until end
      from chosen c where d.id = c.id ${of('d')}
      returning d.*, c.account_id, goes_on
    ) ${project === null ? noteTries(sql) : sql``}
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
  const { count } = await askReachable(
    sql,
    of => sql`
    delete from deliveries where id in (
      select id from deliveries
      where due_at is null ${of('deliveries')} and created_at < now() - ${LIMITS.delivery_days} * interval '1 day'
      order by created_at limit ${limit}) ${of('deliveries')}`,
  )
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
    where t.project_id = d.project_id ${ofOne(sql, 't', ids)} and t.delivery_id = d.id and t.duration_ms is not null order by try desc limit 1
  ) last on true`

const newestFirst = (a: DeliveryRow, b: DeliveryRow) =>
  a.created_text === b.created_text ? (a.id < b.id ? 1 : -1) : a.created_text < b.created_text ? 1 : -1

/** A page of the log, newest first. */
export async function listDeliveries(sql: Sql, filter: DeliveryFilter): Promise<DeliveryRow[]> {
  const { run_id, state, before, limit } = filter
  const key = before && sql`(${before.created_text}::text::timestamptz, ${before.id}::uuid)`
  const ask = (ids: readonly string[]) => sql<DeliveryRow[]>`
    select ${columns(sql)} from (
      select d.* from ${asProjects(sql, ids)}, lateral (
        select * from deliveries d where d.project_id = p.id
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
