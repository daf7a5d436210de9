// `npm run bench:index` measures how fast steps are indexed for search, and whether that slows down the runs that write them.

import { indexSteps } from '../../shared/traces/queries/step-index.ts'
import { batch, median, perSecond, ROUNDS, show } from './batch.ts'
import { type Agent, type Bench, startBench } from './stack.ts'

const STEPS = Number(process.env.BENCH_STEPS ?? 20_000)
const ITEMS = Number(process.env.BENCH_ITEMS ?? 20_000)
const FLUSH_STEPS = 1000
const RUN_ID = '01990000-0000-7000-8000-000000000000'

// The words come from a vocabulary of 6,000, all equally frequent: harder than any language.
const WORDS = `
  create function bench_words(n bigint, words int) returns text language sql immutable as $$
    select string_agg('w' || to_hex(abs(hashint8(n * 1000 + k)) % 6000), ' ') from generate_series(1, words) k $$`

// The texts of a step, by the number of words in its input and output; the first words are the same in every input.
const TEXTS = {
  'steps of a few letters': { common: 0, input: 0, output: 1 },
  'steps of 70 words': { common: 0, input: 30, output: 40 },
  'model calls with a prompt of 500 words': { common: 460, input: 40, output: 60 },
}

/** Indexes the steps of a run, written as settle writes them, in one process with nothing else to do. */
async function indexing(bench: Bench, text: (typeof TEXTS)[keyof typeof TEXTS]): Promise<number> {
  const { sql } = bench
  const [agent] = await sql`select id, project_id from agents limit 1`
  await sql`
    insert into runs ${sql({ id: RUN_ID, agent_id: agent!.id, project_id: agent!.project_id })} on conflict do nothing`
  await sql`truncate steps, step_index, unindexed_steps`
  const count = text.common > 0 ? STEPS / 5 : STEPS
  for (let first = 1; first <= count; first += FLUSH_STEPS)
    await sql`
      insert into steps (project_id, run_id, seq, step_no, attempt, kind, outcome, started_at, duration_ms, key, name, input, output)
      select (select project_id from runs where id = ${RUN_ID}), ${RUN_ID}, g, 1, 1, 'llm_call', 'ok', now() + g * interval '1 ms', 1, 'k', 'draft_' || g % 7,
        '{"text": "' || ${text.common > 0 ? sql`bench_words(0, ${text.common})` : sql`''`} || ' ' || coalesce(bench_words(g, ${text.input}), '') || '"}',
        '{"answer": "' || bench_words(-g, ${text.output}) || '"}'
      from generate_series(${first}::int, ${Math.min(first + FLUSH_STEPS - 1, count)}::int) g`
  const began = performance.now()
  while ((await indexSteps(sql, 2000)) > 0);
  return (count / (performance.now() - began)) * 1000
}

/** Runs items with five steps each, with the steps indexed beside the run or not indexed at all. */
async function settling(bench: Bench, agent: Agent, filed: boolean): Promise<number> {
  await bench.sql.unsafe(`alter table steps ${filed ? 'enable' : 'disable'} trigger steps_added`)
  return (await batch(bench, agent, { items: ITEMS })).drain * 5
}

/** Steps a second at which the tick indexes the remaining steps. */
async function catchingUp(bench: Bench): Promise<number> {
  const left = async () => {
    const [row] = await bench.sql<{ steps: number }[]>`
      select coalesce(sum(cardinality(seqs)), 0)::int as steps from unindexed_steps`
    return row!.steps
  }
  const steps = await left()
  const began = performance.now()
  while ((await left()) > 0) await new Promise(resolve => setTimeout(resolve, 50))
  return (steps / (performance.now() - began)) * 1000
}

const bench = await startBench()
try {
  const agent = await bench.deployBundle(5)
  await settling(bench, agent, true) // warm-up
  const rates: Record<'with' | 'without' | 'after', number[]> = { with: [], without: [], after: [] }
  for (let round = 0; round < ROUNDS; round++) {
    rates.without.push(await settling(bench, agent, false))
    rates.with.push(await settling(bench, agent, true))
    rates.after.push(await catchingUp(bench))
  }
  const [without, filed] = [median(rates.without), median(rates.with)]
  show('steps, 5 an item, not indexed', perSecond(without))
  show('the same, indexed beside the run', perSecond(filed), `${(filed / without).toFixed(2)} of that`)
  show('remaining steps, indexed by the tick', perSecond(median(rates.after)))
  await bench.stopServer()
  await bench.sql.unsafe(WORDS)
  for (const [name, text] of Object.entries(TEXTS))
    show(name, perSecond(await indexing(bench, text)), 'indexed')
} finally {
  await bench.close()
}
