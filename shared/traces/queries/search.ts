// Queries the search index of steps. Guarantee: a page costs the same however many steps there are, as long as its
// filters have an index: every filter of the interface has one. A page is bounded in bytes as well as in rows.

import { type SQL, sql } from 'drizzle-orm'
import { askProjects } from '../../cluster/queries/distributed.ts'
import type { Context, Database } from '../../context.ts'
import type { OutcomeReason } from '../../grading/vocabulary.ts'
import type { Outcome } from '../../items/vocabulary.ts'
import { firstIdAt } from '../../kernel/ids.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { isFullOfBytes, withinPage } from '../../kernel/page-bytes.ts'
import { wordQuery } from '../../kernel/words.ts'
import type { SearchedIn } from '../vocabulary.ts'
import type { StepRow } from '../wire/steps.ts'

/** Pages are sorted by `started_text` and `cost_micro`, as the database writes them. */
export type FoundStep = StepRow & {
  project_id: string
  started_text: string
  /** The size of its input and output. */
  bytes: number
}

export interface StepKey {
  cost_micro: number
  started_text: string
  run_id: string
  seq: number
  step_no: number
}

export interface StepSearch {
  project_ids: readonly string[]
  /** The trace of one item; read from the steps themselves. */
  record?: { run_id: string; seq: number } | undefined
  run_id?: string | undefined
  item_id?: string | undefined
  item_id_prefix?: string | undefined
  outcome?: Outcome | undefined
  outcome_reason?: OutcomeReason | undefined
  min_cost_micro?: number | undefined
  /** RFC 3339; from is inclusive, to exclusive. */
  from?: string | undefined
  to?: string | undefined
  q?: string | undefined
  /** Where q is searched for. */
  in?: SearchedIn | undefined
  /** `cost` lists the steps that cost something, the most expensive first. */
  sort: 'recent' | 'cost'
  after?: StepKey | undefined
  limit: number
}

// An agent's clock may be behind ours: a step may look older than the run it belongs to.
const SKEW_MS = 3_600_000

/**
 * Steps with their parent item, in the order of `sort`.
 *
 * Words are searched in the newest steps first, which finds frequent words; words that are not there are rare, and the
 * index of words finds them. Left alone, the planner takes every word for frequent and walks through all steps.
 */
export async function searchSteps({ sql, db }: Pick<Context, 'sql' | 'db'>, search: StepSearch) {
  const ask = (project_ids: readonly string[]) => searchIn(db, { ...search, project_ids })
  const { limit, sort } = search
  return withinPage(await askProjects(sql, search.project_ids, ask, { limit, compare: ORDERS[sort] }))
}

const placeOf = ({ started_text, run_id, seq, step_no }: FoundStep) =>
  `${started_text} ${run_id} ${String(seq).padStart(10, '0')} ${String(step_no).padStart(10, '0')}`
const recentFirst = (a: FoundStep, b: FoundStep) => (placeOf(a) < placeOf(b) ? 1 : -1)
const ORDERS: Record<StepSearch['sort'], (a: FoundStep, b: FoundStep) => number> = {
  recent: recentFirst,
  cost: (a, b) => b.cost_micro - a.cost_micro || recentFirst(a, b),
}

async function searchIn(db: Database, search: StepSearch): Promise<FoundStep[]> {
  if (search.q === undefined) return read(db, search)
  const asked = await wanted(db, search, search.q)
  const near = await read(db, search, asked, 'near')
  return near.length >= search.limit || isFullOfBytes(near) ? near : read(db, search, asked, 'rare')
}

/** How many steps a search finds, up to LIMITS.search_counted of them, and whether there are more. */
export async function countFound({ sql, db }: Pick<Context, 'sql' | 'db'>, search: StepSearch) {
  const most = LIMITS.search_counted
  const ask = async (project_ids: readonly string[]) => [await countIn(db, { ...search, project_ids })]
  const order = { limit: search.project_ids.length, compare: () => 0 }
  const counts = await askProjects(sql, search.project_ids, ask, order)
  const sum = counts.reduce((sum, one) => sum + one, 0)
  return { total: Math.min(sum, most), more_than_total: sum > most }
}

/** Counts one step more than LIMITS.search_counted at most: the newest ones first, as a search looks for them. */
async function countIn(db: Database, search: StepSearch): Promise<number> {
  const most = LIMITS.search_counted + 1
  const counted = async (asked?: Wanted, how?: 'near' | 'rare') => {
    const [row] = await db.execute<{ n: number }>(sql`
      select count(*)::int as n from (
        select from ${projectsOf(search.project_ids)} cross join lateral (${candidatesOf(search, asked, how)}) x
        limit ${most}
      ) x`)
    return row!.n
  }
  if (search.q === undefined) return counted()
  const asked = await wanted(db, search, search.q)
  const near = await counted(asked, 'near')
  return near >= most ? near : counted(asked, 'rare')
}

/** The size of a step's payloads; PostgreSQL knows it without reading payloads that are stored apart from the row. */
const BYTES = sql`coalesce(octet_length(s.input), 0) + coalesce(octet_length(s.output), 0)`

async function read(
  db: Database,
  search: StepSearch,
  asked?: Wanted,
  how?: 'near' | 'rare',
): Promise<FoundStep[]> {
  const { limit, project_ids } = search
  // On a cluster, naming the project leads the query to its node.
  const one = (alias: string) =>
    project_ids.length === 1 ? sql`${sql.raw(alias)}.project_id = ${project_ids[0]}` : sql`true`
  const order = orderOf(search)
  const candidates = candidatesOf(search, asked, how)
  // Project by project, so that each one's index gives its first rows in order.
  const rows = await db.execute<FoundStep & { started_at: unknown }>(sql`
    with found as materialized (
      select x.run_id, x.seq, x.step_no, x.started_at, x.cost_micro, x.project_id
      from ${projectsOf(search.project_ids)} cross join lateral (
        select * from (${candidates}) x order by ${order} limit ${limit}
      ) x order by ${order} limit ${limit}
    )
    , sized as (
      select x.*, i.item_id, i.outcome as item_outcome, (${BYTES})::float8 as bytes, (sum(${BYTES}) over (order by ${order}) - (${BYTES}))::float8 as bytes_before
      from found x join steps s using (project_id, run_id, seq, step_no) join items i using (project_id, run_id, seq)
      where ${one('s')} and ${one('i')}
    )
    select s.*, x.item_id, x.item_outcome, x.bytes, s.started_at::text as started_text
    from sized x join steps s using (project_id, run_id, seq, step_no)
    where x.bytes_before < ${LIMITS.page_bytes} and ${one('s')}
    order by ${order}`)
  return [...rows].map(row => ({ ...row, started_at: new Date(row.started_text) }))
}

const orderOf = ({ sort }: StepSearch) =>
  sort === 'cost'
    ? sql`x.cost_micro desc, x.started_at desc, x.run_id desc, x.seq desc, x.step_no desc`
    : sql`x.started_at desc, x.run_id desc, x.seq desc, x.step_no desc`

/** The statement that finds the steps of a project `p`, in no order. */
function candidatesOf(search: StepSearch, asked?: Wanted, how?: 'near' | 'rare'): SQL {
  // One item's trace is read from the steps themselves, so it is complete even while the index lags behind.
  const table = search.record !== undefined && asked === undefined ? sql`steps` : sql`step_index`
  const kept = sql`join runs r on r.project_id = x.project_id and r.id = x.run_id and r.steps_purged_at is null`
  const conditions = sql.join(conditionsOf(search), sql` and `)
  const filtered = sql`from ${table} x ${kept} where ${conditions}`
  const columns = sql`x.run_id, x.seq, x.step_no, x.started_at, x.cost_micro, x.project_id`
  const met = asked === undefined ? sql`true` : matches(asked)
  // "offset 0" keeps the planner from merging the subquery. Steps with rare words are found before their runs are
  // looked up: the planner estimates a fiftieth of all steps, and of ten million it read those of each run (700 ms).
  return how === undefined
    ? sql`select ${columns} ${filtered} and ${met}`
    : how === 'rare'
      ? sql`select x.* from (select ${columns} from ${table} x where ${conditions} and ${met} offset 0) x ${kept}`
      : sql`select * from (
            select ${columns}, x.words, x.name ${filtered} order by ${orderOf(search)} limit ${LIMITS.search_near_steps}
          ) x where ${met}`
}

function conditionsOf(search: StepSearch): SQL[] {
  const { record, run_id, item_id, item_id_prefix, outcome, outcome_reason, min_cost_micro, from, to } =
    search
  const found: SQL[] = [sql`x.project_id = p.id`]
  if (record !== undefined) found.push(sql`x.run_id = ${record.run_id} and x.seq = ${record.seq}`)
  if (run_id !== undefined) found.push(sql`x.run_id = ${run_id}`)
  if (item_id !== undefined)
    found.push(sql`(x.project_id, x.run_id, x.seq) in (
      select project_id, run_id, seq from items where project_id = p.id and item_id = ${item_id})`)
  // As a range: the row-level security policy of items would keep `like` from the index. U+10FFFF is no character.
  if (item_id_prefix !== undefined)
    found.push(sql`(x.project_id, x.run_id, x.seq) in (
      select project_id, run_id, seq from items
      where project_id = p.id and item_id >= ${item_id_prefix} and item_id < ${`${item_id_prefix}\u{10ffff}`})`)
  if (outcome !== undefined)
    found.push(outcome === 'ok' ? sql`x.outcome = 'ok'` : sql`x.outcome = ${outcome} and x.outcome <> 'ok'`)
  if (outcome_reason !== undefined)
    found.push(sql`x.outcome_reason = ${outcome_reason} and x.outcome_reason is not null`)
  if (min_cost_micro !== undefined) found.push(sql`x.cost_micro >= ${min_cost_micro}`)
  if (search.sort === 'cost' || (min_cost_micro ?? 0) > 0) found.push(sql`x.cost_micro > 0`)
  if (from !== undefined) found.push(sql`x.started_at >= ${from}::timestamptz`)
  // Runs are older than their steps, so this leaves out later partitions.
  if (to !== undefined)
    found.push(
      sql`x.started_at < ${to}::timestamptz and x.run_id < ${firstIdAt(Date.parse(to) + SKEW_MS)}::uuid`,
    )
  if (search.after !== undefined) found.push(comesAfter(search.sort, search.after))
  return found
}

/** What q asks for: its words, as a tsquery, and the names of steps that contain it. */
interface Wanted {
  words: string | null
  names: readonly string[]
}

/** Condition: the step has every word of q, or a name that contains q as it is. */
function matches({ words, names }: Wanted): SQL {
  // As plain values, so that the planner knows how rare they are.
  const byWords = words === null ? sql`false` : sql`x.words @@ ${words}::tsquery`
  return names.length === 0 ? byWords : sql`(${byWords} or x.name = any(${texts(names)}))`
}

function comesAfter(sort: StepSearch['sort'], key: StepKey): SQL {
  const time = sql`${key.started_text}::timestamptz`
  const rest = sql`${time}, ${key.run_id}::uuid, ${key.seq}::int, ${key.step_no}::int`
  // With a condition on the first column alone, the index can begin there.
  return sort === 'cost'
    ? sql`x.cost_micro <= ${key.cost_micro}
        and (x.cost_micro, x.started_at, x.run_id, x.seq, x.step_no) < (${key.cost_micro}::bigint, ${rest})`
    : sql`x.started_at <= ${time} and (x.started_at, x.run_id, x.seq, x.step_no) < (${rest})`
}

/**
 * The words of a text, and the names of steps that contain the text, whatever its case. Walks the index from one name
 * to the next, so its cost depends on different names, not on steps; beyond a thousand names of a project, those late
 * in the alphabet are missed.
 */
async function wanted(
  db: Database,
  { project_ids, in: where = 'everything' }: StepSearch,
  text: string,
): Promise<Wanted> {
  const words = wordQuery(text, where)
  if (where === 'messages') return { words, names: [] }
  const [row] = await db.execute<{ names: string[] | null }>(sql`
    select array_agg(distinct n.name) as names from ${projectsOf(project_ids)} cross join lateral (
      with recursive walk as (
        (select name, 1 as n from step_index where project_id = p.id order by name limit 1)
        union all
        select (
          select x.name from step_index x where x.project_id = p.id and x.name > walk.name order by x.name limit 1
        ), n + 1 from walk where walk.name is not null and n < ${LIMITS.search_names}
      ) select name from walk where name is not null
    ) n where n.name ilike ${`%${likeText(text)}%`}`)
  return { words, names: row!.names ?? [] }
}

const likeText = (text: string) => text.replace(/[\\%_]/g, '\\$&')

// Each list is one text, because the driver splits a list into parameters.
const arrayText = (values: readonly string[]) =>
  `{${values.map(value => `"${value.replace(/["\\]/g, '\\$&')}"`).join(',')}}`
const projectsOf = (ids: readonly string[]) =>
  ids.length === 1 ? sql`(select ${ids[0]}::uuid as id) p` : sql`unnest(${uuids(ids)}) as p(id)`
const uuids = (values: readonly string[]) => sql`${arrayText(values)}::uuid[]`
const texts = (values: readonly string[]) => sql`${arrayText(values)}::text[]`
