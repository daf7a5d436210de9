// Projects of a stack whose database lies on several nodes, each with a key and an agent behind a URL, and where they lie.

import { openConnections } from '../../infra/node/connections.ts'
import { createContext } from '../../infra/node/context.ts'
import { insertProject } from '../../shared/accounts/queries/projects.ts'
import { mintKey } from '../../shared/accounts/verbs/keys.ts'
import type { Context, Sql } from '../../shared/context.ts'
import type { Stack } from './stack.ts'

export interface ClusterProject {
  id: string
  api_key: string
  agent_id: string
  /** Of the worker that its rows lie on. */
  port: number
}

/** `urlOf` says where the agent of a project is. */
export async function makeProjects(
  stack: Pick<Stack, 'databaseUrl' | 'base_url'>,
  count: number,
  urlOf: (project_id: string) => string,
): Promise<ClusterProject[]> {
  const connections = openConnections({ databaseUrl: stack.databaseUrl, redisUrl: 'redis://127.0.0.1:1' })
  try {
    const config = { base_url: stack.base_url, master_key: '5a'.repeat(32) }
    const ctx = createContext({ connections, config, logLevel: 'error' })
    const [account] = await ctx.sql<{ id: string }[]>`select id from accounts limit 1`
    const projects: ClusterProject[] = []
    for (let i = 0; i < count; i++) projects.push(await makeProject(ctx, account!.id, `project ${i}`, urlOf))
    return projects
  } finally {
    await connections.close()
  }
}

async function makeProject(ctx: Context, account_id: string, name: string, urlOf: (id: string) => string) {
  const [id, agent_id, deployment_id] = [ctx.newId(), ctx.newId(), ctx.newId()]
  await insertProject(ctx.db, { id, account_id, name })
  const { key } = await mintKey(ctx, id, 'key')
  const declaration = ctx.sql.json({ name: 'plain', max_consecutive_failures: 1000 })
  await ctx.sql`insert into agents (id, project_id, name, slug) values (${agent_id}, ${id}, 'plain', 'plain')`
  await ctx.sql`
    insert into deployments (id, project_id, agent_id, version, kind, url, protocol, declaration)
    values (${deployment_id}, ${id}, ${agent_id}, 1, 'url', ${urlOf(id)}, 'ndjson', ${declaration})`
  await ctx.sql`update agents set current_deployment_id = ${deployment_id} where id = ${agent_id}`
  return { id, agent_id, api_key: key, port: await portOf(ctx.sql, id) }
}

async function portOf(sql: Sql, project_id: string): Promise<number> {
  const [row] = await sql<{ port: number }[]>`
    select nodeport as port from pg_dist_placement join pg_dist_node using (groupid)
    where shardid = get_shard_id_for_distribution_column('runs', ${project_id}::uuid)`
  return row!.port
}
