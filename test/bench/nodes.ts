// The nodes that hold rows, and what each is asked and takes: statements, bytes of its log and of its database, processor
// time. Guarantee: what the bench itself asks while it waits is left out of the statements.

import postgres, { type Sql } from 'postgres'
import { commandOf, processorSeconds } from './proc.ts'

export interface Node {
  name: string
  sql: Sql
  port: number
  /** Of the server, where it is a process of this machine. */
  pid: number | undefined
}

export interface Use {
  /** Of all clients together; not counted where the node does not count them. */
  statements: number
  wal: number
  bytes: number
  seconds: number
}

const LOOPBACK = ['127.0.0.1', 'localhost', '::1', '[::1]']
const MODULE = 'pg_stat_statements'

/** By the URLs of a database on each, the first one's name first. */
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

/** From then on the node counts statements of new sessions, each part of a transaction that does something once. */
export async function countStatements({ sql }: Node, database: string): Promise<void> {
  const [server] = await sql`select current_setting('shared_preload_libraries') as libraries`
  if (!server!.libraries.includes(MODULE)) return
  // A worker takes nothing that its coordinator would hand on.
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

/** Nodes name columns that a statement reads in words of their own. */
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
