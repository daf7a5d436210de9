// Measures how long reads over HTTP take with 10,000 and with 2,000,000 items. `--explain` prints the plans for the larger
// number.
//
//   npm run bench:reads [-- --explain] [--items 200000]

import { drizzle } from 'drizzle-orm/postgres-js'
import { listItems } from '../../shared/items/queries/items.ts'
import { listRuns } from '../../shared/items/queries/runs.ts'
import { newRunId } from '../../shared/kernel/ids.ts'
import { countCohort } from '../../shared/recovery/queries/recoveries.ts'
import { type StepSearch, searchSteps } from '../../shared/traces/queries/search.ts'
import { countErrorCategories } from '../../shared/traces/queries/step-errors.ts'
import { indexSteps } from '../../shared/traces/queries/step-index.ts'
import { listTriage } from '../../shared/triage/queries/triage.ts'
import { ensureStepPartitions } from '../../shared/upkeep/queries/partitions.ts'
import { type Bench, startBench } from './stack.ts'

const SMALL = 10_000
const LARGE = Number(argument('--items') ?? 2_000_000)
const ITEMS_PER_RUN = 100_000
const FLUSH_STEPS = 4000 // items written per statement, and steps indexed per statement
const TIMES = 25

function argument(name: string): string | undefined {
  const at = process.argv.indexOf(name)
  return at === -1 ? undefined : process.argv[at + 1]
}

interface Batch {
  account_id: string
  project_id: string
  agent_id: string
  run_id: string
}

/** Writes this many items in bulk, each with a step; every 20th is failed, every 50th degraded. */
async function fill(bench: Bench, items: number): Promise<Batch> {
  const { sql } = bench
  const [project] = await sql`select id, account_id from projects limit 1`
  const { data: agent } = await bench.client.POST('/v1/agents', { body: { name: 'reads', slug: 'reads' } })
  const scope = { project_id: project!.id as string, agent_id: agent!.id }
  const random = (bytes: Uint8Array) => void crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>)
  await ensureStepPartitions(sql, Date.now())
  await sql.unsafe(WORDS)
  const runs = Math.max(1, items / ITEMS_PER_RUN)
  let run_id = ''
  for (let n = 0; n < runs; n++) {
    run_id = newRunId(Date.now() - (runs - n) * 1000, random)
    await fillRun(bench, { run_id, ...scope, n, items: Math.min(items, ITEMS_PER_RUN) })
  }
  for (const table of ['items', 'steps', 'step_index', 'triage', 'runs'])
    await sql.unsafe(`vacuum analyze ${table}`)
  return { account_id: project!.account_id, run_id, ...scope }
}

const VOCABULARY =
  'customer order refund shipping invoice delayed parcel address billing account password reset urgent please help warehouse carrier tracking number delivery date status'
const WORDS = `
  create or replace function bench_text(n bigint) returns text language sql immutable as $$
    select string_agg((string_to_array('${VOCABULARY}', ' '))[1 + (n * 31 + k * 17 + n / 23 * k) % 22], ' ')
    from generate_series(1, 12) k $$`

async function fillRun(bench: Bench, run: Omit<Batch, 'account_id'> & { n: number; items: number }) {
  const { sql } = bench
  const { run_id, project_id, agent_id, n, items } = run
  const failed = Math.floor(items / 20)
  const degraded = Math.floor(items / 50) - Math.floor(items / 100)
  await sql`
    insert into runs (id, project_id, agent_id, total_items, next_seq, ok, degraded, failed, undecided, started_at, finished_at)
    values (${run_id}, ${project_id}, ${agent_id}, ${items}, ${items + 1}, ${items - failed - degraded}, ${degraded},
      ${failed}, ${failed + degraded}, now(), now())`
  const outcome = sql`case when g % 20 = 0 then 'failed' when g % 50 = 10 then 'degraded' else 'ok' end::outcome`
  await sql`
    insert into items (project_id, run_id, seq, line, status, outcome, attempt, step_count, item_id, partition_key, error_code,
      error_message, input, output, started_at, completed_at, cost_micro)
    select ${project_id}::uuid, ${run_id}, g, g, case when g % 20 = 0 then 'failed' else 'completed' end::item_status, ${outcome}, 1, 1,
      'ticket-' || (g + ${n * ITEMS_PER_RUN}), 'tenant-' || g % 100, case when g % 20 = 0 then 'tool_call_error' end,
      case when g % 20 = 0 then 'the warehouse answered 503' end, '{"text": "' || bench_text(g) || '"}', '{"queue": 1}',
      now(), now(), g % 5000
    from generate_series(1, ${items}) g`
  for (let first = 1; first <= items; first += FLUSH_STEPS)
    await sql`
      insert into steps (project_id, run_id, seq, step_no, attempt, kind, outcome, cost_micro, started_at, duration_ms, key, name,
        outcome_reason, error_code, error_message, input, output)
      select ${project_id}::uuid, ${run_id}, g, 1, 1, case when g % 3 = 0 then 'tool_call' else 'llm_call' end::step_kind, ${outcome},
        g % 5000, now() + g * interval '1 microsecond', 1, 'k', 'search_orders_' || g % 7,
        case when g % 20 = 0 then 'step_error' when g % 50 = 10 then 'refusal' end,
        case when g % 20 = 0 then 'tool_call_error' end,
        case when g % 20 = 0 then 'the warehouse answered 503 for ' || bench_text(g) end,
        '{"text": "' || bench_text(g) || '", "id": "rare' || g % 9973 || '"}', '{"queue": 1}'
      from generate_series(${first}::int, ${Math.min(first + FLUSH_STEPS - 1, items)}::int) g`
  while ((await indexSteps(sql, FLUSH_STEPS)) > 0);
  await sql`
    insert into triage (run_id, seq, project_id, agent_id, lane, reason, error_code, partition_key, prompt)
    select run_id, seq, ${project_id}, ${agent_id}, 'dlq', coalesce(error_code, 'refusal'), error_code, partition_key,
      case when error_code is not null then 'prompt ' || seq % 40 end
    from items where run_id = ${run_id} and outcome <> 'ok'`
}

/** A request: a path, and for a POST its body. */
type Read = (batch: Batch, items: number) => string | { path: string; body: object }

const READS: Record<string, Read> = {
  'list runs': () => '/v2/runs',
  'list items': ({ run_id }) => `/v2/runs/${run_id}/items`,
  'list items that did not work': ({ run_id }) => `/v2/runs/${run_id}/items?outcome=not_ok`,
  triage: () => '/v1/triage',
  'triage, one lane and tenant': () => '/v1/triage?kind=dlq&partition_key=tenant-20',
  clusters: () => '/v1/durable/runs/clusters',
  'search, most recent': () => '/v1/steps',
  'search, a rare word': () => '/v1/steps?q=rare1234',
  'search, a common word': () => '/v1/steps?q=parcel',
  'search, two words': () => '/v1/steps?q=warehouse+503',
  'search, an unknown word': () => '/v1/steps?q=xylophone',
  'search, part of a name': () => '/v1/steps?q=rch_orders_3',
  'search, item_id': () => '/v1/steps?item_id=ticket-4711',
  'search, item_id_prefix': (_, items) => `/v1/steps?item_id_prefix=ticket-${String(items).slice(0, -2)}`,
  'search, failed': () => '/v1/steps?outcome_status=failed',
  'search, by reason': () => '/v1/steps?outcome_reason=refusal',
  'search, dearest': () => '/v1/steps?sort=cost',
  'search, failed and dearest': () => '/v1/steps?sort=cost&outcome=failed',
  'search, min_cost_usd': () => '/v1/steps?min_cost_usd=0.0049',
  'search, a time range': () => '/v1/steps?from=2026-01-01T00:00:00Z&to=2100-01-01T00:00:00Z',
  'error categories': () => '/v1/steps/error-categories',
  'error categories, to a minute': () => '/v1/steps/error-categories?from=2026-01-01T00:30:00Z',
  // Counts exactly what it would replay, so its time grows with the items that wait for a decision.
  'recovery, dry run': ({ project_id }) => ({
    path: '/v1/recoveries',
    body: { project_id, filter: {}, dry_run: true },
  }),
}

interface Filled extends Batch {
  bench: Bench
  items: number
}

/** Milliseconds of one read, or null if this version lacks the operation. */
async function timeOf({ bench, items, ...batch }: Filled, read: Read) {
  const asked = read(batch, items)
  const { path, body } = typeof asked === 'string' ? { path: asked, body: undefined } : asked
  const headers = { authorization: `Bearer ${bench.api_key}`, 'content-type': 'application/json' }
  const began = performance.now()
  const response = await fetch(bench.base_url + path, {
    headers,
    ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
  })
  await response.arrayBuffer()
  return response.ok ? performance.now() - began : null
}

/** Measures both in turn, so that other load on the machine affects both equally; returns medians. */
async function compare(name: string, small: Filled, large: Filled): Promise<void> {
  const taken: [number[], number[]] = [[], []]
  for (let i = 0; i < TIMES + 5; i++) {
    for (const [at, filled] of [small, large].entries()) {
      const ms = await timeOf(filled, READS[name]!)
      if (ms === null) return console.log(`${name.padEnd(32)}${'none'.padStart(12)}`)
      if (i >= 5) taken[at]!.push(ms)
    }
  }
  const [before, then] = taken.map(times => times.sort((a, b) => a - b)[Math.floor(TIMES / 2)]!) as [
    number,
    number,
  ]
  const shown = (ms: number) => `${ms.toFixed(1)} ms`.padStart(12)
  console.log(`${name.padEnd(32)}${shown(before)}${shown(then)}  ${(then / before).toFixed(2)}`)
}

/** The statements that the searches send. */
async function explain(bench: Bench, { account_id, project_id, run_id }: Batch): Promise<void> {
  const sent: { text: string; values: unknown[] }[] = []
  const options = bench.sql.options as { debug: unknown }
  const db = drizzle(bench.sql as never)
  const search = (more: Partial<StepSearch>) => () =>
    searchSteps(
      { sql: bench.sql as never, db },
      { project_ids: [project_id], sort: 'recent', limit: 51, ...more },
    )
  const reads: Record<string, () => Promise<unknown>> = {
    'list runs': () => listRuns(db, { account_id, project_id, limit: 51 }),
    'list items that did not work': () =>
      listItems(db, {
        project_id,
        run_id,
        total_items: ITEMS_PER_RUN,
        outcome: 'not_ok',
        after_seq: 0,
        limit: 51,
      }),
    'search, most recent': search({}),
    'search, a rare word': search({ q: 'rare1234' }),
    'search, a common word': search({ q: 'parcel' }),
    'search, two words': search({ q: 'warehouse 503' }),
    'search, part of a name': search({ q: 'rch_orders_3' }),
    'search, item_id': search({ item_id: 'ticket-4711' }),
    'search, failed': search({ outcome: 'failed' }),
    'search, by reason': search({ outcome_reason: 'refusal' }),
    'search, dearest': search({ sort: 'cost' }),
    'triage, one lane and tenant': () =>
      listTriage(
        bench.sql,
        { project_ids: [project_id], lanes: ['dlq'], partition_key: 'tenant-20', limit: 51 },
        200,
      ),
    'error categories, to a minute': () =>
      countErrorCategories(bench.sql, {
        project_ids: [project_id],
        from: '2026-01-01T00:30:00Z',
        limit: 100,
      }),
    'recovery, dry run': () => countCohort(bench.sql, project_id, {}),
  }
  for (const [name, read] of Object.entries(reads)) {
    sent.length = 0
    options.debug = (_: number, text: string, values: unknown[]) => sent.push({ text, values })
    await read()
    options.debug = undefined
    for (const { text, values } of sent) {
      const plan = await bench.sql.unsafe(
        `explain (analyze, buffers, costs off, summary on) ${text}`,
        values as never[],
      )
      console.log(`\n${name}\n${plan.map(row => `  ${row['QUERY PLAN']}`).join('\n')}`)
    }
  }
}

async function filled(items: number): Promise<Filled> {
  const bench = await startBench()
  await bench.sql`update projects set settings = settings || '{"requests_per_second": 100000}'`
  const began = performance.now()
  const batch = await fill(bench, items)
  console.log(`${items.toLocaleString('en')} items in ${((performance.now() - began) / 1000).toFixed(0)} s`)
  return { bench, items, ...batch }
}

const large = await filled(LARGE)
const small = await filled(SMALL)
try {
  console.log(`\n${''.padEnd(32)}${'10,000'.padStart(12)}${LARGE.toLocaleString('en').padStart(12)}  ratio`)
  for (const name of Object.keys(READS)) await compare(name, small, large)
  if (process.argv.includes('--explain')) await explain(large.bench, large)
} finally {
  await Promise.all([small.bench.close(), large.bench.close()])
}
