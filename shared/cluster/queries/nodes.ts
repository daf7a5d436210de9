// Finds out whether rows are distributed over several nodes, by project; tracks which nodes of a cluster this process
// has lost, and which projects are on the others. Guarantee: while none is lost, and always on one machine, a query of
// all projects is one statement without a condition; after a loss it covers the projects on the other nodes.
// A process finds out with its first statement, so it is restarted after a database was distributed.

import type { Fragment } from 'postgres'
import type { Sql } from '../../context.ts'
import { sinceMs } from '../../kernel/elapsed.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { isNodeLost, NODE_LOST } from '../../kernel/unreachable.ts'

interface Loss {
  /** As host:port. */
  nodes: readonly string[]
  /** Projects on nodes that answer. */
  projects: ReadonlySet<string>
  looked_ms: number
}

let loss: Loss | undefined
let looking: Promise<void> | undefined
let known: boolean | undefined

/** Looked up once for the installation of this process; after a failure it is looked up again. */
export async function isDistributed(sql: Sql): Promise<boolean> {
  known ??= await hasNodes(sql)
  return known
}

async function hasNodes(sql: Sql): Promise<boolean> {
  const [row] = await sql<{ is_any: boolean }[]>`
    select exists (select from pg_extension where extname = 'citus') and to_regclass('pg_dist_partition') is not null as is_any`
  if (!row!.is_any) return false
  return (
    (await sql`select from pg_dist_partition where logicalrelid = to_regclass('runs') and partmethod = 'h'`)
      .length > 0
  )
}

/** The nodes that are lost now, as far as this process knows. */
export const lostNodes = (): readonly string[] => loss?.nodes ?? []

/** False if the project is on a lost node: its state is unknown then. */
export const canBeAsked = (project_id: string): boolean => loss?.projects.has(project_id) ?? true

/** An additional condition that leaves out projects on lost nodes, by the alias of their rows. */
export type Reachable = (alias: string) => Fragment

const reachable = (sql: Sql): Reachable => {
  if (loss === undefined) return () => sql``
  const projects = [...loss.projects]
  if (projects.length === 0) return () => sql`and false` // with an empty list a cluster would leave out no node
  return alias => sql`and ${sql.unsafe(alias)}.project_id = any(${projects}::uuid[])`
}

/** Queries all reachable projects. If a node was lost just now, it queries once more, without that node's projects. */
export async function askReachable<T>(sql: Sql, ask: (of: Reachable) => PromiseLike<T>): Promise<T> {
  if (
    loss !== undefined &&
    isOutside(sql) &&
    sinceMs(performance.now(), loss.looked_ms) >= LIMITS.nodes_look_ms
  )
    look(sql).catch(() => {}) // in the background: a machine that does not answer takes long
  try {
    return await ask(reachable(sql))
  } catch (error) {
    // Only coordinators report a lost node. A transaction cannot continue after a statement that failed.
    if (!isOutside(sql) || !isNodeLost(error)) throw error
    await look(sql)
    return ask(reachable(sql))
  }
}

/** A row not found by its id alone may be on a lost node. @throws the error that PostgreSQL would report */
export function refuseUntold(): void {
  if (loss === undefined) return
  const error = new Error(
    `not found, and nobody can tell while ${loss.nodes.join(' and ')} cannot be reached`,
  )
  throw Object.assign(error, { code: NODE_LOST })
}

/** For callers that cannot retry after an error: from then on this process knows of the lost node. */
export async function noteLostNode(sql: Sql, error: unknown): Promise<void> {
  if (loss === undefined && isNodeLost(error)) await look(sql).catch(() => {})
}

const isOutside = (sql: Sql): boolean => 'begin' in sql

function look(sql: Sql): Promise<void> {
  looking ??= findLoss(sql)
    .then(found => {
      loss = found
    })
    .finally(() => {
      looking = undefined
    })
  return looking
}

async function findLoss(sql: Sql): Promise<Loss | undefined> {
  const nodes = await sql<{ name: string; group: number; answers: boolean }[]>`
    select nodename || ':' || nodeport as name, groupid as group,
      coalesce(citus_check_connection_to_node(nodename, nodeport), false) as answers
    from pg_dist_node where noderole = 'primary' and isactive`
  const lost = nodes.filter(({ answers }) => !answers)
  if (lost.length === 0) return undefined
  const groups = nodes.filter(({ answers }) => answers).map(({ group }) => group)
  const projects = await sql<{ id: string }[]>`
    select p.id from projects p
      join pg_dist_shard s on s.logicalrelid = 'runs'::regclass
        and worker_hash(p.id) between s.shardminvalue::int and s.shardmaxvalue::int
      join pg_dist_placement l on l.shardid = s.shardid
    where l.groupid = any(${groups}::int[])`
  return {
    nodes: lost.map(({ name }) => name),
    projects: new Set(projects.map(({ id }) => id)),
    looked_ms: performance.now(),
  }
}
