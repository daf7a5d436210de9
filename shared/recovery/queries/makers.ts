// Names the versions of agents that made reused steps, and those that replays run on. Guarantee: reads a row for each
// maker, and of each agent its newest runs alone.

import {
  countKeptSteps,
  type EndedItemRow,
  findEndedItems,
  findFirstMakers,
  type StepCount,
  type StepHeadRow,
} from '../../claims/queries/recorded.ts'
import type { Sql } from '../../context.ts'
import type { ItemKey } from '../../kernel/ids.ts'
import { LIMITS } from '../../kernel/limits.ts'
import {
  addMade,
  type Ender,
  type MadeSteps,
  type Maker,
  makerIn,
  type NamedSteps,
  UNNAMED,
} from '../rules/makers.ts'
import type { DeploymentChoice } from '../vocabulary.ts'
import type { RecoveryRow } from '../wire/recoveries.ts'

interface Asked {
  project_id: string
  deployment: DeploymentChoice
  /** The replays' own runs, as far as there are any. */
  run_ids: readonly string[]
}

/** What an agent's code called itself last: what was seen first after all others, or ended items of a newer run. */
const newestCode = (sql: Sql, project_id: string) => sql`
  select array[v.name] as names from code_versions v left join lateral (
    select max(r.created_at) as used_at
    from (select id, created_at from runs where project_id = ${project_id} and agent_id = a.id
      order by id desc limit ${LIMITS.recovery_maker_runs}) r
    join run_versions e on e.project_id = ${project_id} and e.run_id = r.id and e.code_version = v.no
  ) u on true
  where v.project_id = ${project_id} and v.agent_id = a.id
  order by greatest(v.created_at, u.used_at) desc, v.no desc limit 1`

/** By which code the replays of an agent ended. */
const endedBy = (sql: Sql, { project_id, run_ids }: Asked) => sql`
  select array_agg(distinct v.name) as names from runs r
    join run_versions e on e.project_id = ${project_id} and e.run_id = r.id
    join code_versions v on v.project_id = ${project_id} and v.agent_id = a.id and v.no = e.code_version
  where r.project_id = ${project_id} and r.agent_id = a.id and r.id = any(${[...run_ids]}::uuid[])`

/** Steps by what made them, with names; an agent that is gone runs on nothing. */
export async function nameMakers(sql: Sql, made: readonly MadeSteps[], asked: Asked): Promise<NamedSteps[]> {
  if (made.length === 0) return []
  const { project_id, deployment } = asked
  const rows = await sql<
    { version: number | null; code: string | null; now: number | null; codes: string[] | null }[]
  >`
    select d.version, v.name as code, ${deployment === 'current' ? sql`c.version` : sql`d.version`} as now,
      coalesce(ended.names, newest.names) as codes
    from unnest(${made.map(one => one.agent_id)}::uuid[], ${made.map(one => one.deployment_id)}::uuid[],
      ${made.map(one => one.code_version)}::int[]) with ordinality m(agent_id, deployment_id, code_version, n)
      left join agents a on a.project_id = ${project_id} and a.id = m.agent_id
      left join deployments d on d.project_id = ${project_id} and d.id = m.deployment_id
      left join deployments c on c.project_id = ${project_id} and c.id = a.current_deployment_id
      left join code_versions v on v.project_id = ${project_id} and v.agent_id = m.agent_id and v.no = m.code_version
      left join lateral (${endedBy(sql, asked)}) ended on true
      left join lateral (${newestCode(sql, project_id)}) newest on true
    order by m.n`
  return rows.map(({ version, code, now, codes }, at) => ({
    steps: made[at]!.steps,
    deployment_version: version,
    code_version: code,
    unnamed: made[at]!.code_version === UNNAMED,
    runs_on: { deployment_version: now, code_versions: codes ?? [] },
  }))
}

/** What made the steps that a recovery took over. */
export const makersOf = (sql: Sql, recovery: RecoveryRow): Promise<NamedSteps[]> =>
  nameMakers(sql, recovery.reused, { ...recovery, run_ids: [...recovery.pilot_run_ids, ...recovery.run_ids] })

export type FirstMakers = ReadonlyMap<string, Maker>

/** The code of its attempt or, of a step that its item had taken over, what made that. */
export function makerOf(
  item: Ender,
  { key, attempt, reused }: Pick<StepHeadRow, 'key' | 'attempt' | 'reused'>,
  first: FirstMakers,
): MadeSteps {
  const maker = reused ? (first.get(key) ?? unknownMaker(item)) : makerIn(item, attempt)
  return { ...maker, steps: 1 }
}

const NOTHING: FirstMakers = new Map()

/** Retention took what made it. */
const unknownMaker = ({ agent_id }: Maker): Maker => ({ agent_id, deployment_id: null, code_version: null })

/** By the place of an item, what made the steps that it took over. */
export async function firstMakersOf(
  sql: Sql,
  items: readonly ItemKey[],
  steps: readonly Pick<StepHeadRow, 'reused'>[],
): Promise<(n: number) => FirstMakers> {
  const found = steps.some(step => step.reused) ? await findFirstMakers(sql, items) : []
  const firstOf = new Map<number, Map<string, Maker>>()
  for (const maker of found)
    firstOf.set(
      maker.n,
      (firstOf.get(maker.n) ?? new Map<string, Maker>()).set(maker.key, makerIn(maker, maker.made_in)),
    )
  return n => firstOf.get(n) ?? NOTHING
}

/** What made the steps that items go on after; the caller bounds how many steps these are. */
export async function madeOfHeld(sql: Sql, keys: readonly ItemKey[]): Promise<MadeSteps[]> {
  if (keys.length === 0) return []
  const items = await findEndedItems(sql, keys)
  return madeOfKept(sql, items, await countKeptSteps(sql, items))
}

/** What made the steps that an item took over from the one that it replays. */
export async function makersOfReused(sql: Sql, key: ItemKey): Promise<NamedSteps[]> {
  const items = await findEndedItems(sql, [key])
  const counts = (await countKeptSteps(sql, items)).filter(({ reused }) => reused)
  const made = await madeOfKept(sql, items, counts)
  return nameMakers(sql, made, { project_id: key.project_id, deployment: 'original', run_ids: [] })
}

async function madeOfKept(
  sql: Sql,
  items: readonly EndedItemRow[],
  counts: readonly StepCount[],
): Promise<MadeSteps[]> {
  const firstOf = await firstMakersOf(sql, items, counts)
  return addMade(
    [],
    counts.flatMap(({ n, attempt, reused, steps }) => {
      const item = items[n - 1]!
      if (!reused) return [{ ...makerIn(item, attempt), steps }]
      const known = [...firstOf(n).values()].map(maker => ({ ...maker, steps: 1 }))
      return [...known, { ...unknownMaker(item), steps: steps - known.length }]
    }),
  )
}
