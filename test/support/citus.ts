// Makes, copies and drops databases on the Citus cluster whose coordinator CITUS_URL names.
// Guarantee: a test database, or a copy of one, exists on every node.

import postgres, { type Sql } from 'postgres'
import { SETTINGS } from '../../infra/citus/steps.ts'

export const NO_CLUSTER = 'CITUS_URL names no cluster of Citus'

const on = (url: string, database: string) => {
  const at = new URL(url)
  at.pathname = `/${database}`
  return at.href
}

async function ask<T>(url: string, act: (sql: Sql) => Promise<T>): Promise<T> {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  try {
    return await act(sql)
  } finally {
    await sql.end({ timeout: 5 })
  }
}

/** The URLs of all nodes, the coordinator's first. */
export async function nodesOf(url: string): Promise<string[]> {
  const nodes = await ask(
    url,
    sql => sql<{ host: string; port: number }[]>`
      select nodename as host, nodeport as port from pg_dist_node where noderole = 'primary' order by groupid`,
  )
  return nodes.map(({ host, port }) => {
    const at = new URL(url)
    at.hostname = host
    at.port = String(port)
    return at.href
  })
}

/** A database with the extension on every node; its coordinator knows the first `workers` of the other nodes. */
export async function makeCluster(nodes: readonly string[], name: string, workers = nodes.length - 1) {
  for (const node of nodes) {
    await ask(on(node, 'postgres'), sql => sql`create database ${sql(name)}`)
    await ask(on(node, name), sql => sql`create extension citus`)
  }
  const url = on(nodes[0]!, name)
  await ask(url, async sql => {
    const placeOf = (node: string) => [new URL(node).hostname, Number(new URL(node).port)] as const
    const [host, port] = placeOf(nodes[0]!)
    await sql`select citus_set_coordinator_host(${host}, ${port})`
    for (const node of nodes.slice(1, workers + 1)) {
      const [host, port] = placeOf(node)
      await sql`select citus_add_node(${host}, ${port})`
    }
  })
  return url
}

/** Ends all connections to the database and allows no new ones, so that it can be copied. */
export async function closeDatabase(nodes: readonly string[], name: string): Promise<void> {
  for (const node of nodes)
    await ask(on(node, 'postgres'), async sql => {
      await sql`alter database ${sql(name)} allow_connections false`
      await sql`select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = ${name}`
    })
}

/** Copies a database on every node and sets its settings, which a copy does not include. */
export async function copyDatabase(nodes: readonly string[], name: string, template: string): Promise<void> {
  for (const node of nodes)
    await ask(on(node, 'postgres'), async sql => {
      await sql`create database ${sql(name)} template ${sql(template)}`
      for (const [setting, value] of Object.entries(SETTINGS))
        await sql.unsafe(`alter database ${name} set ${setting} = ${value}`)
    })
}

export async function dropDatabase(nodes: readonly string[], name: string): Promise<void> {
  // A transaction that was open when a node was killed blocks dropping the database until the coordinator ends it,
  // which it does once a minute.
  if (nodes.length > 1)
    await ask(on(nodes[0]!, name), sql => sql`select recover_prepared_transactions()`).catch(() => {})
  for (const node of nodes)
    await ask(on(node, 'postgres'), async sql => {
      await sql`alter database ${sql(name)} allow_connections true`.catch(() => {})
      await sql`drop database if exists ${sql(name)} with (force)`
    })
}
