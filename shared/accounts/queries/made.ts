// What a member made that outlives the member, by the log of changes. Guarantee: also what was made with keys and by
// members that the member made, however many lie between.

import { sql } from 'drizzle-orm'
import type { Database } from '../../context.ts'
import { LIMITS } from '../../kernel/limits.ts'
import type { MadeRow } from '../wire/members.ts'

/** What there still is of it, the first LIMITS.made_listed. */
export async function findMade(db: Database, account_id: string, member_id: string): Promise<MadeRow[]> {
  const rows = await db.execute<MadeRow & Record<string, unknown>>(sql`
    ${madeBy(account_id, member_id)}
    select 'key' as kind, k.id, k.name, k.project_id from made m join api_keys k on k.id = m.target_id
    where k.revoked_at is null
    union all
    select 'trigger', t.id, t.name, t.project_id from made m join triggers t on t.id = m.target_id
    union all
    select 'schedule', s.id, s.cron, s.project_id from made m join schedules s on s.id = m.target_id
    union all
    select 'alert_channel', c.id, '', c.project_id from made m join alert_channels c on c.id = m.target_id
    union all
    select 'member', b.id, b.email, null from made m join members b on b.id = m.target_id
    where b.id <> ${member_id}
    limit ${LIMITS.made_listed}`)
  return [...rows]
}

const CREATED = sql`('createApiKey', 'createTrigger', 'createSchedule', 'createAlertChannel', 'createMember')`

const madeBy = (account_id: string, member_id: string) => sql`with recursive made as (
      select target_id from audit_log
      where account_id = ${account_id} and actor_id = ${member_id} and action in ${CREATED} and target_id is not null
      union
      select l.target_id from made m join audit_log l on l.actor_id = m.target_id
      where l.account_id = ${account_id} and l.action in ${CREATED} and l.target_id is not null)`

/** Revokes all keys that the member made, also those beyond what is listed. */
export async function revokeMade(db: Database, account_id: string, member_id: string): Promise<void> {
  await db.execute(sql`
    ${madeBy(account_id, member_id)}
    update api_keys set revoked_at = now()
    where id in (select target_id from made) and revoked_at is null`)
}
