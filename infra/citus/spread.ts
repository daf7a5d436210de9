// Shows how projects are spread over nodes, and moves one to a shard of its own. Guarantee: showing changes nothing,
// and a project is moved with all its rows.

import type { Sql } from 'postgres'
import { ExitError } from '../local/exit-error.ts'
import { FIRST } from './places.ts'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

async function refuseUndistributed(sql: Sql): Promise<void> {
  const [there] = await sql`select to_regclass('pg_dist_partition') is not null as is_any`
  const rows = there!.is_any
    ? await sql`select from pg_dist_partition where logicalrelid = to_regclass(${FIRST}) and partmethod = 'h'`
    : []
  if (rows.length === 0)
    throw new ExitError(
      'not_distributed',
      'this database is not distributed: run infra/distribute.ts --apply first.',
    )
}

/** Prints one line per node, then what a rebalance would move. */
export async function printSpread(sql: Sql, say: (line: string) => void): Promise<void> {
  await refuseUndistributed(sql)
  const nodes = await sql<{ node: string; shards: number; projects: number; bytes: string }[]>`
    with place as (
      select s.shardid, p.nodename || ':' || p.nodeport as node from pg_dist_shard s join citus_shards p using (shardid)
      where s.logicalrelid = to_regclass(${FIRST})
    ), project as (
      select get_shard_id_for_distribution_column(${FIRST}, project_id) as shardid, count(*)::int as n
      from project_usage group by 1
    ), size as (
      select nodename || ':' || nodeport as node, sum(shard_size) as bytes from citus_shards
      where citus_table_type = 'distributed' group by 1
    )
    select node, count(*)::int as shards, coalesce(sum(n), 0)::int as projects, pg_size_pretty(max(bytes)) as bytes
    from place left join project using (shardid) left join size using (node) group by 1 order by 1`
  for (const { node, shards, projects, bytes } of nodes)
    say(`${node}: ${projects} projects in ${shards} shards, ${bytes}`)
  const moves = await sql<{ shard: string; source: string; target: string }[]>`
    select shardid::text as shard, sourcename || ':' || sourceport as source, targetname || ':' || targetport as target
    from get_rebalance_table_shards_plan(to_regclass(${FIRST})) where table_name = to_regclass(${FIRST})`
  if (moves.length === 0) say('A rebalance would move nothing.')
  for (const { shard, source, target } of moves)
    say(`A rebalance would move shard ${shard} from ${source} to ${target}.`)
}

/** Gives a project a shard of its own, with all of its rows. */
export async function isolate(sql: Sql, project: string, say: (line: string) => void): Promise<void> {
  await refuseUndistributed(sql)
  const rows = UUID.test(project) ? await sql`select from project_usage where project_id = ${project}` : []
  if (rows.length === 0)
    throw new ExitError('project_unknown', `there is no project ${project}: name it by its id.`)
  const [made] = await sql.unsafe<{ shard: string }[]>(
    `select isolate_tenant_to_new_shard('${FIRST}', '${project}'::uuid, 'CASCADE', shard_transfer_mode => 'block_writes')::text as shard`,
  )
  say(`The project has shard ${made!.shard} to itself; citus_move_shard_placement moves it to another node.`)
}
