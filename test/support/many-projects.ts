// Makes many projects at once, each with a key and an agent behind a URL; says which node of a cluster holds each.

import { openConnections } from '../../infra/node/connections.ts'
import { createContext } from '../../infra/node/context.ts'
import type { Context, Sql } from '../../shared/context.ts'
import { randomWord, sha256 } from '../../shared/kernel/secrets.ts'

export interface MadeProject {
  id: string
  api_key: string
  agent_id: string
  /** Port of the worker that holds the project's rows; 0 on one machine. */
  port: number
}

/** `urlOf` returns the URL of a project's agent. */
export async function makeProjects(
  stack: { databaseUrl: string; base_url: string },
  count: number,
  urlOf: (project_id: string) => string,
): Promise<MadeProject[]> {
  const connections = openConnections({ databaseUrl: stack.databaseUrl, redisUrl: 'redis://127.0.0.1:1' })
  try {
    const config = { base_url: stack.base_url, master_key: '5a'.repeat(32) }
    const ctx = createContext({ connections, config, logLevel: 'error' })
    const [account] = await ctx.sql<{ id: string }[]>`select id from accounts limit 1`
    return await insertProjects(ctx, account!.id, count, urlOf)
  } finally {
    await connections.close()
  }
}

/** Sends one statement per table: one per row would take a minute for a thousand projects. */
async function insertProjects(
  ctx: Context,
  account_id: string,
  count: number,
  urlOf: (id: string) => string,
) {
  const { sql, newId } = ctx
  const made = await Promise.all(
    Array.from({ length: count }, async () => {
      const api_key = `pk_${randomWord(ctx.random, 32)}`
      return { id: newId(), agent_id: newId(), deployment_id: newId(), api_key, hash: await sha256(api_key) }
    }),
  )
  await sql`insert into projects ${sql(made.map(({ id }) => ({ id, account_id, name: id })))}`
  await sql`insert into project_usage ${sql(made.map(({ id }) => ({ project_id: id })))}`
  const keys = made.map(({ id, api_key, hash }) => ({
    id: newId(),
    project_id: id,
    name: 'key',
    prefix: api_key.slice(0, 11),
    hash,
  }))
  await sql`insert into api_keys ${sql(keys as never)}`
  const agent = { name: 'plain', slug: 'plain' }
  await sql`insert into agents ${sql(made.map(({ id, agent_id }) => ({ id: agent_id, project_id: id, ...agent })))}`
  const declaration = sql.json({ name: 'plain', max_consecutive_failures: 1000 })
  const deployments = made.map(({ id, agent_id, deployment_id }) => ({
    id: deployment_id,
    project_id: id,
    agent_id,
    version: 1,
    kind: 'url',
    url: urlOf(id),
    protocol: 'ndjson',
    declaration,
  }))
  await sql`insert into deployments ${sql(deployments as never)}`
  await sql`
    update agents a set current_deployment_id = d.id from deployments d
    where d.project_id = a.project_id and d.agent_id = a.id`
  const ports = await portsOf(sql)
  return made.map(({ id, agent_id, api_key }) => ({ id, agent_id, api_key, port: ports.get(id) ?? 0 }))
}

async function portsOf(sql: Sql): Promise<Map<string, number>> {
  const [known] = await sql`select to_regclass('pg_dist_shard') is not null as are_nodes`
  if (!known!.are_nodes) return new Map()
  const rows = await sql<{ id: string; port: number }[]>`
    select p.id, n.nodeport as port from projects p
      join pg_dist_shard s on s.logicalrelid = 'runs'::regclass
        and worker_hash(p.id) between s.shardminvalue::int and s.shardmaxvalue::int
      join pg_dist_placement using (shardid) join pg_dist_node n using (groupid)`
  return new Map(rows.map(({ id, port }) => [id, port]))
}
