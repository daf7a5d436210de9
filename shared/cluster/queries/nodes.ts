// Finds out whether rows are distributed over several nodes, by project; tracks which nodes of a cluster this process
// has lost, and which projects are on the others. Guarantee: while none is lost, and always on one machine, a query of
// all projects is one statement without a condition; after a loss it covers the projects on the other nodes. It waits
// for a node that is silent no longer than LIMITS.nodes_slow_ms and the LIMITS.nodes_answer_ms that each node has.
// A process finds out with its first statement, so it is restarted after a database was distributed.

import type { Fragment } from 'postgres'
import type { Sql } from '../../context.ts'
import { sinceMs } from '../../kernel/elapsed.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { isNodeLost, NODE_LOST, wasWaitedFor } from '../../kernel/unreachable.ts'

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
  known ??= await lookWhether(sql)
  return known
}

/** The same, where it was looked up before. */
export const isKnownDistributed = (): boolean => known === true

/** Rows are on one machine, where it was looked up before. */
export const isKnownUndivided = (): boolean => known === false

/** Looks it up in any database. */
export async function lookWhether(sql: Sql): Promise<boolean> {
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

/** The projects on nodes that answer; undefined while no node is lost. */
export const projectsThere = (): readonly string[] | undefined => loss && [...loss.projects]

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
  // A transaction cannot continue after a statement that failed or was left.
  if (!isOutside(sql) || !(await isDistributed(sql))) return ask(reachable(sql))
  lookAgain(sql)
  try {
    return await orSilent(sql, ask(reachable(sql)))
  } catch (error) {
    if (!isNodeLost(error)) throw error // only coordinators report a lost node
    if (!heard.has(error as Error)) await look(sql)
    return ask(reachable(sql))
  }
}

/** Errors of nodes that were found to be silent by a look. */
const heard = new WeakSet<Error>()

/**
 * The answer, unless it is late and a look then finds that a node was lost meanwhile, for which it may wait without an
 * end. @throws as PostgreSQL would if that node were down
 */
export async function orSilent<T>(sql: Sql, asked: PromiseLike<T>): Promise<T> {
  if (!isKnownDistributed()) return asked
  const silence = Promise.withResolvers<never>()
  const known = lostNodes().join()
  const hear = () => {
    if (loss === undefined || lostNodes().join() === known) return
    const error = lostError('what was asked may be')
    heard.add(error)
    silence.reject(error)
  }
  const timer = setTimeout(() => look(sql).then(hear, () => {}), LIMITS.nodes_slow_ms)
  return Promise.race([asked, silence.promise]).finally(() => clearTimeout(timer))
}

/** While a node is lost: looks in the background whether it is back, at most every LIMITS.nodes_look_ms. */
export function lookAgain(sql: Sql): void {
  if (loss !== undefined && sinceMs(performance.now(), loss.looked_ms) >= LIMITS.nodes_look_ms)
    look(sql).catch(() => {})
}

/** Refuses what names a project on a lost node, before it waits for the node. @throws as PostgreSQL would */
export function refuseLost(project_id: string): void {
  if (!canBeAsked(project_id)) throw lostError('its project is')
}

/** A row not found by its id alone may be on a lost node. @throws as PostgreSQL would */
export function refuseUntold(): void {
  if (loss !== undefined) throw lostError('not found, and it may be')
}

const lostError = (what: string) =>
  Object.assign(new Error(`${what} on ${lostNodes().join(' or ')}, which cannot be reached`), {
    code: NODE_LOST,
  })

/** For callers that cannot retry after an error: from then on this process knows of the lost node. */
export async function noteLostNode(sql: Sql, error: unknown): Promise<void> {
  if (loss !== undefined) return
  if (isNodeLost(error) || (isKnownDistributed() && wasWaitedFor(error))) await look(sql).catch(() => {})
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

/** Opens a session that no other statement uses. */
export interface Apart {
  apart(): Sql
}

/**
 * In a session of its own: in any other, a coordinator asks over a connection to the node that it has kept, and waits
 * for it without an end; and all others may be waiting just so.
 */
async function findLoss(pool: Sql): Promise<Loss | undefined> {
  const sql = (pool as Sql & Apart).apart()
  try {
    return (await isDistributed(sql)) ? await lossOf(sql) : undefined
  } finally {
    await sql.end({ timeout: 0 })
  }
}

async function lossOf(sql: Sql): Promise<Loss | undefined> {
  const nodes = await sql.begin(async tx => {
    await tx`select set_config('citus.node_connection_timeout', ${String(LIMITS.nodes_answer_ms)}, true)`
    return tx<{ name: string; group: number; answers: boolean }[]>`
      select nodename || ':' || nodeport as name, groupid as group,
        coalesce(citus_check_connection_to_node(nodename, nodeport), false) as answers
      from pg_dist_node where noderole = 'primary' and isactive`
  })
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
