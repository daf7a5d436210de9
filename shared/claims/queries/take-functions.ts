// The database functions that take items of a run. Guarantee: the number that may start is computed under the locks of
// the run's row and of its project's usage row, taken in that order, so caps are exact at every commit. Only queued items
// are locked after the run: items in flight belong to settling, which locks them before it.
//
// A call is one message: it locks, then reads and takes, and each of its statements has a snapshot of its own, from
// after the lock (READ COMMITTED). PostgreSQL keeps the plans as long as the connection lives, so a plan must not
// depend on the rows there were when it was made: a plan for few rows would read them all when there are many. Where
// most runs are small, it expects a large one to be small, too, and may find its items by the run alone. So chosen items
// are found by `hasSeqIn`, whose condition depends on the server's version, and lateral queries with an offset look
// items up one by one.

import { become, countMoves, guard, isIn, useMoves } from '../../items/queries/transitions.ts'
import { hasSeqIn, LOOKS_UP_LISTS, type Server } from '../../kernel/packed-columns.ts'
import { IS_OPEN, IS_SERVED, PROJECT_ROOM, runRoom, runsWithCaps } from './admission.ts'
import { OFFERED_ITEMS } from './pilots.ts'

interface TakeFunction {
  name: string
  /** In addition to those that all functions have. */
  parameters?: readonly string[]
  /** Statements before the one that takes: `low_seq` and `high_seq` bound the items at the cursor. */
  before?: string
  /** CTEs that end with `taken`, the items, and `moved`, the next position of the cursor. */
  taken: string
}

const CLAIMED = { claim: 'n.n' }
/** The columns of an item that a consumer gets. */
export const TAKEN = `i.seq, i.attempt, i.item_id, i.partition_key, i.input, i.step_count, i.cost_micro, i.extra_budget_micro,
        i.unpriced, i.ran_ms, i.agent_failures, i.transport_failures`
/** Whether an item waits for a retry: such items are taken as due ones, with their `together` and `cuts`. */
const IS_DUE =
  'exists (select from due_items d where d.project_id = of_project and d.run_id = of_run and d.seq = i.seq)'

/**
 * Counts the items of each partition in flight, over all runs of the project. The counts are an object that is read by
 * key: a join would be planned for the few rows there may have been when the plan was made.
 */
const COUNT_BUSY = `busy := (select jsonb_object_agg(p.partition_key, p.n) from (
    select i.partition_key, count(*) as n
    from claims c, unnest(c.seqs) as s(seq), lateral (select partition_key, status from items
        where project_id = of_project and run_id = c.run_id and seq = s.seq offset 0) i
    where c.project_id = of_project and ${isIn(['running'])} and i.partition_key is not null
    group by 1) p);
  `
const IS_WITHIN_SHARE =
  '(partition_key is null or nth <= per_partition - coalesce((busy->>partition_key)::int, 0))'

/** What `due_items` knows of an item besides when it is due. */
const OF_DUE = ['together', 'cuts', 'upstream_id', 'stops', 'refusals', 'cut_answers'] as const
const NOT_DUE =
  'null::smallint as together, null::smallint as cuts, null::uuid as upstream_id, null::smallint as stops, null::smallint as refusals, null::smallint as cut_answers'

const due = (most: string) => `select d.seq, d.due_at from due_items d
        where d.project_id = of_project and d.run_id = of_run and d.due_at <= now() and (fresh or d.cuts is null)
        order by d.due_at limit ${most}`

/** Removes the chosen items from the due ones; if none is chosen, nothing is written. */
const leaveDue = (chosen: string, server: Server) => `with chosen as materialized (${chosen}), due as (
    delete from due_items d where d.project_id = of_project and d.run_id = of_run and ${hasSeqIn(server, 'd', 'chosen')}
    returning d.seq, ${OF_DUE.map(name => `d.${name}`).join(', ')}
  )
  select array_agg(due.seq), ${OF_DUE.map(name => `array_agg(due.${name})`).join(', ')}
  into due_seqs, ${OF_DUE.map(name => `${name}_of`).join(', ')} from due;
  if due_seqs is null then
    return;
  end if;
  `

// By subscripts: PostgreSQL expects a thousand of them, so it uses a hash join.
const takeDueSeqs = ({ looksUpLists }: Server) => `taken as (
      update items i set ${become('claim', 'locked_at')}
      from generate_subscripts(due_seqs, 1) n
      where i.project_id = of_project and i.run_id = of_run and i.seq = any(due_seqs)${looksUpLists ? '' : WITHIN_DUE}
        and i.seq = due_seqs[n] and ${guard('claim')}
      returning ${TAKEN}, ${OF_DUE.map(name => `${name}_of[n] as ${name}`).join(', ')}
    ), moved as (select low_seq as next_seq)`
const WITHIN_DUE = `
        and i.seq between (select min(s.seq) from unnest(due_seqs) s(seq)) and (select max(s.seq) from unnest(due_seqs) s(seq))`

const TAKE_RANGE: TakeFunction = {
  name: 'take_range',
  before: `high_seq := least(low_seq + room - 1, high_seq);
  if high_seq < low_seq then
    return;
  end if;
  has_due := exists (
    select from due_items d where d.project_id = of_project and d.run_id = of_run and d.seq between low_seq and high_seq);
  `,
  taken: `taken as (
      update items i set ${become('claim', 'locked_at')}
      where i.project_id = of_project and i.run_id = of_run and ${guard('claim')} and i.seq between low_seq and high_seq
        and (not has_due or not ${IS_DUE})
      returning ${TAKEN}, ${NOT_DUE}
    ), moved as (select high_seq + 1 as next_seq)`,
}

const takeDue = (server: Server): TakeFunction => ({
  name: 'take_due',
  parameters: ['fresh boolean'],
  before: leaveDue(`select d.seq from (${due('room')}) d`, server),
  taken: takeDueSeqs(server),
})

const takeDueFair = (server: Server): TakeFunction => ({
  name: 'take_due_fair',
  parameters: ['fresh boolean', 'per_partition int', 'lookahead int'],
  before: `${COUNT_BUSY}${leaveDue(
    `
      select ranked.seq from (
        select d.seq, d.due_at, i.partition_key,
          row_number() over (partition by i.partition_key order by d.due_at, d.seq) as nth
        from (${due('lookahead')}) d cross join lateral (select partition_key from items
          where project_id = of_project and run_id = of_run and seq = d.seq offset 0) i) ranked
      where ${IS_WITHIN_SHARE}
      order by due_at limit room`,
    server,
  )}`,
  taken: takeDueSeqs(server),
})

const takeFair = (server: Server): TakeFunction => ({
  name: 'take_fair',
  parameters: ['per_partition int', 'lookahead int'],
  before: COUNT_BUSY,
  taken: `near as (
      select i.seq, i.partition_key from items i
      where i.project_id = of_project and i.run_id = of_run and i.seq between low_seq and high_seq and ${guard('claim')}
        and not ${IS_DUE}
      order by i.seq limit lookahead
    ), ranked as (
      select seq, partition_key, row_number() over (partition by partition_key order by seq) as nth from near
    ), chosen as (
      select ranked.seq from ranked where ${IS_WITHIN_SHARE} order by ranked.seq limit room
    ), taken as (
      update items i set ${become('claim', 'locked_at')}
      where i.project_id = of_project and i.run_id = of_run and ${hasSeqIn(server, 'i', 'chosen')} and ${guard('claim')}
      returning ${TAKEN}, ${NOT_DUE}
    ), moved as (
      select coalesce((select min(near.seq) from near where near.seq not in (select taken.seq from taken)),
        (select max(near.seq) + 1 from near), high_seq + 1) as next_seq
    )`,
})

const ROOM_PARAMETERS =
  'of_project uuid, of_run uuid, of_deployment uuid, most int, kept_places int, kept_of_run int'

const ROOM_FUNCTION = `CREATE FUNCTION lock_room(${ROOM_PARAMETERS}, OUT low_seq int, OUT high_seq int, OUT room int)
LANGUAGE plpgsql AS $$
BEGIN
  perform from runs r join project_usage u using (project_id)
    where r.project_id = of_project and r.id = of_run for no key update of r, u;
  select r.next_seq, ${OFFERED_ITEMS}, greatest(0, least(most, ${PROJECT_ROOM} - kept_places,
    ${runRoom('of_project')} - kept_of_run))::int
  into low_seq, high_seq, room
  from ${runsWithCaps('of_project')}
  where r.project_id = of_project and r.id = of_run and d.id = of_deployment and ${IS_OPEN} and ${IS_SERVED};
END
$$;`

const definition = ({ name, parameters = [], before = '', taken }: TakeFunction) => `CREATE FUNCTION ${name}(
  ${[ROOM_PARAMETERS, 'lease_ms int', ...parameters].join(', ')}
) RETURNS TABLE (claim_id bigint, seq int, attempt smallint, item_id text, partition_key text, input text, past json)
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET jit = off AS $$
#variable_conflict use_column
DECLARE
  low_seq int;
  high_seq int;
  room int;
  locked_at timestamptz;
  has_due boolean;
  busy jsonb;
  due_seqs int[];
  together_of smallint[];
  cuts_of smallint[];
  upstream_id_of uuid[];
  stops_of smallint[];
  refusals_of smallint[];
  cut_answers_of smallint[];
BEGIN
  select * into low_seq, high_seq, room from lock_room(of_project, of_run, of_deployment, most, kept_places, kept_of_run);
  if coalesce(room, 0) = 0 then
    return;
  end if;
  ${before}locked_at := clock_timestamp();
  return query
    with ${taken}, n as (select count(*)::int as n from taken), counted as (
      update runs r set ${countMoves(CLAIMED)}, next_seq = moved.next_seq, touched_at = locked_at,
        started_at = case when n.n > 0 then coalesce(r.started_at, locked_at) else r.started_at end,
        deployment_id = of_deployment
      from n, moved where r.project_id = of_project and r.id = of_run
    ), used as (
      update project_usage u set ${useMoves(CLAIMED)} from n where u.project_id = of_project
    ), claim as (
      insert into claims (run_id, project_id, seqs, attempts, lease_until)
      select of_run, of_project, array_agg(t.seq), array_agg(t.attempt),
        locked_at + make_interval(secs => lease_ms / 1000.0)
      from taken t having count(*) > 0 returning id
    )
    select claim.id, t.seq, t.attempt, t.item_id, t.partition_key, t.input,
      case when t.attempt > 1 or t.step_count > 0 or t.cost_micro > 0 or t.extra_budget_micro is not null or t.unpriced
          or t.ran_ms > 0 or t.agent_failures > 0 or t.transport_failures > 0 or t.together is not null or t.cuts is not null
          or t.upstream_id is not null or t.cut_answers is not null
        then json_build_object('step_count', t.step_count, 'cost_micro', t.cost_micro,
          'extra_budget_micro', t.extra_budget_micro, 'unpriced', t.unpriced, 'ran_ms', t.ran_ms,
          'agent_failures', t.agent_failures, 'transport_failures', t.transport_failures, 'together', t.together,
          'cuts', t.cuts, 'upstream_id', t.upstream_id, 'stops', coalesce(t.stops, 0), 'refusals', coalesce(t.refusals, 0), 'cut_answers', coalesce(t.cut_answers, 0)) end
    from taken t, claim;
END
$$;`

/** The functions as they are on servers of a kind. */
export const takeFunctions = (server: Server): readonly string[] => [
  ROOM_FUNCTION,
  ...[TAKE_RANGE, takeDue(server), takeDueFair(server), takeFair(server)].map(definition),
]

/**
 * The last section of the first migration, which makes the functions what they are here: `npm run generate` writes it
 * after the line that it begins with. Once released it stays: text that takes the same is written by a migration after
 * it, and a function that is to do something else gets a new name, since the version before still calls the old one.
 */
export const TAKE_SECTION = section()

function section(): string {
  const [newer, older] = [true, false].map(looksUpLists => takeFunctions({ looksUpLists }).join('\n'))
  return `-- Made by npm run generate from shared/claims/queries/take-functions.ts, which says why the version matters.
DO $do$
BEGIN
if current_setting('server_version_num')::int >= ${LOOKS_UP_LISTS}0000 then
${newer}
else
${older}
end if;
END
$do$;
`
}
