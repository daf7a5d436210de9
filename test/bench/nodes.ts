// Measures the load of each database node: statements, bytes of its log and of its database, processor time.
// Guarantee: the statements exclude the bench's own polls.

import postgres, { type Sql } from 'postgres'
import { commandOf, processorSeconds } from './proc.ts'

export interface Node {
  name: string
  sql: Sql
  port: number
  /** Process id of the server; undefined if it does not run on this machine. */
  pid: number | undefined
}

export interface Use {
  /** By all clients together; NaN if the node does not count them. */
  statements: number
  wal: number
  bytes: number
  seconds: number
}

const LOOPBACK = ['127.0.0.1', 'localhost', '::1', '[::1]']
const MODULE = 'pg_stat_statements'

/** Connects to each node by the URL of a database on it; the coordinator's URL comes first. */
export async function openNodes(urls: readonly string[]): Promise<Node[]> {
  const nodes: Node[] = []
  for (const [i, url] of urls.entries()) {
    const { hostname, port } = new URL(url)
    const sql = postgres(url, { max: 1, onnotice: () => {}, connection: { application_name: 'bench' } })
    const name = urls.length === 1 ? 'PostgreSQL' : i === 0 ? 'coordinator' : `worker ${i}`
    nodes.push({ name, sql, port: Number(port || 5432), pid: await serverOf(sql, hostname) })
  }
  return nodes
}

export async function closeNodes(nodes: readonly Node[]): Promise<void> {
  for (const { sql } of nodes) {
    if (await areCounted(sql))
      await sql`select pg_stat_statements_reset(0, oid, 0) from pg_database where datname = current_database()`
    await sql.end()
  }
}

async function serverOf(sql: Sql, hostname: string): Promise<number | undefined> {
  if (!LOOPBACK.includes(hostname)) return undefined
  const [file] = await sql`select split_part(pg_read_file('postmaster.pid'), ${'\n'}, 1)::int as pid`
  return /postgres/.test(commandOf(file!.pid)) ? file!.pid : undefined
}

/** Makes the node count the statements of new sessions from then on, without BEGIN, COMMIT and other utility ones. */
export async function countStatements({ sql }: Node, database: string): Promise<void> {
  const [server] = await sql`select current_setting('shared_preload_libraries') as libraries`
  if (!server!.libraries.includes(MODULE)) return
  // A worker refuses statements that a coordinator would propagate.
  await sql`set citus.enable_ddl_propagation = off`
  await sql.unsafe(`create extension if not exists ${MODULE}`)
  await sql.unsafe(`alter database ${database} set ${MODULE}.track_utility = off`)
}

async function areCounted(sql: Sql): Promise<boolean> {
  const [module] = await sql`select to_regclass(${MODULE}) is not null as is_there`
  return module!.is_there
}

export async function useOf({ sql, pid }: Node): Promise<Use> {
  const [row] = await sql<{ wal: number; bytes: number }[]>`
    select (pg_current_wal_lsn() - '0/0')::float8 as wal, pg_database_size(current_database())::float8 as bytes`
  const statements = (await areCounted(sql)) ? await statementsOf(sql) : Number.NaN
  return { ...row!, statements, seconds: pid === undefined ? Number.NaN : processorSeconds(pid) }
}

/** Citus renames the columns that a statement reads, so the bench's polls are recognised by the alias `is_over`. */
async function statementsOf(sql: Sql): Promise<number> {
  const [row] = await sql<{ n: number }[]>`
    select coalesce(sum(calls), 0)::float8 as n from pg_stat_statements(true)
    where dbid = (select oid from pg_database where datname = current_database())
      and query not ilike '%pg_stat_%' and query not ilike '%as is_over%'`
  return row!.n
}

export const difference = (after: Use, before: Use): Use => ({
  statements: after.statements - before.statements,
  wal: after.wal - before.wal,
  bytes: after.bytes - before.bytes,
  seconds: after.seconds - before.seconds,
})
