// Queues test messages for channels, and reads the project names in them.

import type { Sql } from '../../context.ts'

export async function findProjectNames(sql: Sql, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await sql<{ id: string; name: string }[]>`
    select id, name from projects where id = any(${[...ids]}::uuid[])`
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** Queues a test message for a channel; undefined if the project has none with this id. */
export async function queueChannelTest(sql: Sql, project_id: string, channel_id: string) {
  const [row] = await sql<{ id: string; created_at: Date }[]>`
    insert into deliveries (project_id, kind, url, format)
    select project_id, 'channel.test', url, format from alert_channels
    where id = ${channel_id} and project_id = ${project_id}
    returning id, created_at`
  return row
}
