// What a key or a member leaves, by the log of changes: what lets somebody in, works, or sends data out without them.
// Guarantee: also what was made with keys and by members that they made, and by members since a link of theirs set the
// password, however many lie between; of the log, only the entries of these operations are read, however many runs they
// started.

import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../context.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { ACTORS, GRANTS } from '../rules/grants.ts'
import { MADE_KINDS, type MadeKind } from '../vocabulary.ts'
import type { MadeRow } from '../wire/members.ts'

/** A key or a member. */
export interface Actor {
  account_id: string
  id: string
}

/** What there still is of it, the first LIMITS.made_listed; not the member who asks, and nothing of theirs. */
export async function findMade(db: Database, actor: Actor, asking: string | null): Promise<MadeRow[]> {
  const found = [...MADE_KINDS].map(kind => FOUND[kind](actor))
  const rows = await db.execute<MadeRow & Record<string, unknown>>(sql`
    with recursive ${actors(actor, ACTORS, asking)}, ${entries(actor)}
    select kind, id, name, project_id,
      case when bool_or(how = 'made') then 'made' else min(how) end as how,
      bool_or(knows_secret) as knows_secret
    from (${sql.join(found, sql` union all `)}) found
    where id is distinct from ${asking}::uuid
    group by kind, id, name, project_id
    order by array_position(array[${words(MADE_KINDS)}], kind), bool_or(how = 'made') desc, id
    limit ${LIMITS.made_listed}`)
  return [...rows]
}

const words = (list: readonly string[]): SQL => sql.raw(list.map(word => `'${word}'`).join(', '))

const actionsOf = (kind: MadeKind): SQL =>
  words(Object.keys(GRANTS).filter(action => GRANTS[action]!.includes(kind)))

/** The actor, and those that it made or took over by these operations, except for one; `since` when it acts by them. */
const actors = (
  { account_id, id }: Actor,
  by: readonly string[],
  except: string | null = null,
) => sql`actors as (
      select ${id}::uuid as id, '-infinity'::timestamptz as since
      union
      select made.id, made.since from actors m cross join lateral (
        select l.target_id as id, case when l.action <> 'createPasswordLink' then l.created_at else (
          select min(u.created_at) from audit_log u
          where u.account_id = l.account_id and u.action = 'usePasswordLink' and u.actor_id = l.target_id
            and u.created_at > l.created_at) end as since
        from audit_log l
        where l.account_id = ${account_id} and l.actor_id = m.id and l.created_at >= m.since
          and l.action in (${words(by)}) and l.target_id is distinct from ${except}::uuid and l.target_id is not null
      ) made where made.since is not null)`

const entries = ({ account_id }: Actor) => sql`entries as (
      select l.action, l.target_id, l.project_id, l.fields, l.created_at
      from actors m join audit_log l on l.actor_id = m.id and l.created_at >= m.since
      where l.account_id = ${account_id} and l.action in (${words(LOGGED)}) and l.target_id is not null)`

/** Their rows name who started them, except runs that a schedule was set off for. */
const NAMED: readonly MadeKind[] = ['recovery', 'run']

/** What is found by its entry. */
const LOGGED = Object.keys(GRANTS).filter(
  action => action === 'triggerSchedule' || GRANTS[action]!.some(kind => !NAMED.includes(kind)),
)

/** Rows that a deploy made or changed have the time of its transaction, as its entry has. */
const DEPLOYED = sql`entries e
      join deployments d on d.id = e.target_id and e.action in ('createDeployment', 'promoteDeployment')`

const FOUND: Record<MadeKind, (actor: Actor) => SQL> = {
  key: () => sql`
      select 'key' as kind, k.id, k.name, k.project_id, 'made' as how, true as knows_secret
      from entries e join api_keys k on k.id = e.target_id
      where e.action in (${actionsOf('key')}) and k.revoked_at is null`,
  // Another name makes another secret, and the row anew.
  trigger: () => sql`
      select 'trigger', t.id, t.name, t.project_id,
        case when e.action = 'createTrigger' then 'made' else 'changed' end,
        t.created_at = e.created_at or 'signing_secret' = any(e.fields)
      from entries e join triggers t on t.id = e.target_id
      where e.action in (${actionsOf('trigger')})
      union all
      select 'trigger', t.id, t.name, t.project_id, 'made', true
      from ${DEPLOYED} join triggers t on t.project_id = d.project_id and t.agent_id = d.agent_id
      where t.declared and t.created_at = e.created_at`,
  signing_secret: ({ account_id }) => sql`
      select 'signing_secret', p.id, p.name, p.id,
        case when e.action = 'rollSigningSecret' then 'made' else 'read' end, true
      from entries e join projects p on p.id = e.target_id
      where e.action in (${actionsOf('signing_secret')}) and p.account_id = ${account_id} and not exists (
        select from audit_log r
        where r.account_id = ${account_id} and r.action = 'rollSigningSecret' and r.target_id = e.target_id
          and r.created_at > e.created_at
          and not exists (select from actors m where m.id = r.actor_id and r.created_at >= m.since))`,
  // A link that nobody used ends with its maker.
  member: ({ account_id, id }) => sql`
      select 'member', b.id, b.email, null::uuid,
        case when e.action = 'createMember' then 'made' else 'changed' end, false
      from entries e join members b on b.id = e.target_id
      where e.action in (${actionsOf('member')}) and b.id <> ${id} and (
        e.action <> 'createPasswordLink' or exists (
          select from audit_log u
          where u.account_id = ${account_id} and u.action = 'usePasswordLink' and u.target_id = e.target_id
            and u.created_at > e.created_at))`,
  // Only the current one starts with new runs. Who deployed a URL has the key of all versions there.
  deployment: () => sql`
      select 'deployment', c.id, a.slug || ' version ' || c.version, c.project_id,
        case when c.id <> d.id then 'read' when e.action = 'createDeployment' then 'made' else 'changed' end,
        c.url is not null
      from ${DEPLOYED}
      join agents a on a.project_id = d.project_id and a.id = d.agent_id
      join deployments c on c.project_id = a.project_id and c.id = a.current_deployment_id
      where (c.id = d.id or c.url = d.url) and a.deleted_at is null`,
  schedule: () => sql`
      select 'schedule', s.id, s.cron, s.project_id,
        case when e.action = 'createSchedule' then 'made' else 'changed' end, false
      from entries e join schedules s on s.id = e.target_id
      where e.action in (${actionsOf('schedule')})
      union all
      select 'schedule', s.id, s.cron, s.project_id,
        case when s.created_at = e.created_at then 'made' else 'changed' end, false
      from ${DEPLOYED} join schedules s on s.project_id = d.project_id and s.agent_id = d.agent_id
      where s.declared and e.created_at in (s.created_at, s.updated_at)`,
  alert_channel: () => sql`
      select 'alert_channel', c.id, '', c.project_id, 'made', false
      from entries e join alert_channels c on c.id = e.target_id
      where e.action in (${actionsOf('alert_channel')})`,
  agent: () => sql`
      select 'agent', a.id, a.slug, a.project_id, 'changed', false
      from entries e join agents a on a.id = e.target_id
      where e.action in (${actionsOf('agent')}) and a.deleted_at is null`,
  recovery: ({ account_id }) => sql`
      select 'recovery', q.id, coalesce(q.name, q.action::text), q.project_id, 'made', false
      from projects p join recoveries q on q.project_id = p.id
      join actors m on m.id::text = q.created_by->>'id' and q.created_at >= m.since
      where p.account_id = ${account_id} and q.finished_at is null and q.status <> 'aborting'`,
  run: ({ account_id }) => sql`
      select 'run', r.id, coalesce(r.name, ''), r.project_id, 'made', false
      from projects p join runs r on r.project_id = p.id
      join actors m on m.id::text = r.started_by->>'id' and r.created_at >= m.since
      where p.account_id = ${account_id} and r.finished_at is null
      union all
      select 'run', r.id, coalesce(r.name, ''), r.project_id, 'made', false
      from projects p join runs r on r.project_id = p.id
      join entries e on e.action = 'triggerSchedule' and e.target_id = r.id
      where p.account_id = ${account_id} and r.finished_at is null`,
}

/** What of it is to be revoked. */
export interface Revocation {
  keys: boolean
  triggers: boolean
}

/** How much was revoked. */
export interface Revoked {
  revoked_keys: number
  revoked_triggers: number
}

/**
 * In a transaction that revokes alone, so that nothing of it is made meanwhile: a chain of keys in which each makes the
 * next would outrun a search. Revokes all keys made by it or with its keys, and deletes all triggers whose secret it or they know, also those beyond
 * what is listed. Members whom it made stay, with what is theirs.
 */
export async function revokeMade(
  db: Database,
  actor: Actor,
  { keys, triggers }: Revocation,
): Promise<Revoked> {
  const withKeys = actors(actor, ['createApiKey'])
  const revoked = { revoked_keys: 0, revoked_triggers: 0 }
  if (keys) {
    const rows = await db.execute(sql`
      with recursive ${withKeys}
      update api_keys set revoked_at = now()
      where id in (select id from actors) and revoked_at is null returning id`)
    revoked.revoked_keys = rows.length
  }
  if (triggers) {
    const rows = await db.execute(sql`
      with recursive ${withKeys}, ${entries(actor)}, found (kind, id, name, project_id, how, knows_secret) as (
        ${FOUND.trigger(actor)})
      delete from triggers where id in (select id from found where knows_secret) returning id`)
    revoked.revoked_triggers = rows.length
  }
  return revoked
}
