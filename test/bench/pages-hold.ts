// Measures how long the server takes for pages of the dashboard with two runs of 1,000,000 items, 100,000 small runs and a run
// whose items have 40 steps, and how large the pages are, compressed and not. `--stay` keeps the server running until it is stopped, so that one can look at the pages.
//
//   node test/bench/pages.ts [--stay] [--items 1000000] [--runs 100000]

import { type IncomingMessage, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { brotliDecompressSync } from 'node:zlib'
import { itemRecordId, newRunId } from '../../shared/kernel/ids.ts'
import { finished, lines } from './batch.ts'
import { type Bench, startBench } from './stack.ts'

const ITEMS = Number(argument('--items') ?? 1_000_000)
const RUNS = Number(argument('--runs') ?? 100_000)
const DAYS = 14
const TIMES = 15
const PIECE = 250_000 // items per statement
const FILL_S = 1200 // one statement over all items

function argument(name: string): string | undefined {
  const at = process.argv.indexOf(name)
  return at === -1 ? undefined : process.argv[at + 1]
}

interface Batch {
  project_id: string
  /** The later of the two large runs, and the earlier one. */
  run_id: string
  before_id: string
  /** A run of the same agent through its deployment. */
  steps_id: string
  cause_id: string
}

const STEPS = 40

const random = (bytes: Uint8Array) => void crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>)

async function fill(bench: Bench): Promise<Batch> {
  const { sql, client } = bench
  const [project] = await sql`select id from projects limit 1`
  const project_id = project!.id as string
  const { data: agent } = await client.POST('/v1/agents', { body: { name: 'pages', slug: 'pages' } })
  const agent_id = agent!.id
  const now = Date.now()
  const before_id = newRunId(now - 86_400_000, random)
  const run_id = newRunId(now - 3_600_000, random)
  for (const [at, id] of [before_id, run_id].entries()) {
    // Every 20th item failed and every 50th is degraded; in the second run these are other items.
    const verdict = (g: string) =>
      `case when (${g} + ${at}) % 20 = 0 then 'failed' when (${g} + ${at}) % 50 = 10 then 'degraded' else 'ok' end`
    const created_at = new Date(now - (at === 0 ? 86_400_000 : 3_600_000))
    for (let first = 1; first <= ITEMS; first += PIECE)
      await sql`
      insert into items (project_id, run_id, seq, line, status, outcome, attempt, step_count, item_id, partition_key, error_code,
        error_message, outcome_reason, input, output, started_at, completed_at, cost_micro)
      select ${project_id}, ${id}, g, g, (case when o = 'failed' then o else 'completed' end)::item_status, o::outcome, 1, 1,
        'ticket-' || g, 'tenant-' || g % 100, case when o = 'failed' then 'tool_call_error' end,
        case when o = 'failed' then 'the warehouse answered 503' end,
        case o when 'failed' then 'step_error' when 'degraded' then 'refusal' end,
        '{"text": "' || repeat('customer order refund shipping ', 10) || g || '"}', '{"queue": 1}', now(), now(), g % 5000
      from (select g, ${sql.unsafe(verdict('g'))} as o from generate_series(${first}::int, ${Math.min(ITEMS, first + PIECE - 1)}::int) g) g`.timeout(
        FILL_S,
      )
    await sql`
      insert into runs (id, project_id, agent_id, total_items, next_seq, ok, degraded, failed, undecided, cost_micro,
        created_at, started_at, finished_at)
      select ${id}, ${project_id}, ${agent_id}, ${ITEMS}, ${ITEMS + 1}, count(*) filter (where outcome = 'ok'),
        count(*) filter (where outcome = 'degraded'), count(*) filter (where outcome = 'failed'),
        count(*) filter (where outcome <> 'ok'), sum(cost_micro), ${created_at}, ${created_at}::timestamptz + interval '20 s',
        ${created_at}::timestamptz + interval '30 min'
      from items where project_id = ${project_id} and run_id = ${id}`.timeout(FILL_S)
    await sql`
      insert into triage (run_id, seq, project_id, agent_id, lane, reason, error_code, partition_key, prompt)
      select run_id, seq, ${project_id}, ${agent_id}, 'dlq', outcome_reason, error_code, partition_key,
        case when error_code is not null then 'prompt ' || seq % 40 end
      from items where project_id = ${project_id} and run_id = ${id} and outcome <> 'ok'`.timeout(FILL_S)
  }
  await fillRuns({ sql } as Bench, { project_id, agent_id, now })
  const steps_id = await runWithSteps(bench)
  for (const table of ['items', 'triage', 'runs']) await sql.unsafe(`vacuum analyze ${table}`).timeout(FILL_S)
  return { project_id, run_id, before_id, steps_id, cause_id: await firstCause(bench) }
}

async function runWithSteps(bench: Bench): Promise<string> {
  const { agent_id, project } = await bench.deployBundle(STEPS)
  const { run_id } = await project.client.submitLines({ agent_id }, lines(3))
  await finished(bench, run_id)
  return run_id
}

/** The server names causes on its own, some thousand items a second. */
async function firstCause({ sql }: Bench): Promise<string> {
  for (let waited_s = 0; waited_s < FILL_S; waited_s++) {
    const [{ waiting }] = await sql<
      [{ waiting: boolean }]
    >`select exists (select from triage where cause_id is null) as waiting`
    const [cause] = await sql<{ id: string }[]>`select id from causes order by id limit 1`
    if (!waiting && cause) return cause.id
    await new Promise(resolve => setTimeout(resolve, 1000))
  }
  throw new Error(`the causes of all items were not named within ${FILL_S} s`)
}

/** Small runs, spread over the last days; one in a thousand failed. */
async function fillRuns(
  { sql }: Bench,
  { project_id, agent_id, now }: Record<'project_id' | 'agent_id', string> & { now: number },
) {
  const chunk = 1000
  for (let first = 0; first < RUNS; first += chunk) {
    const rows = Array.from({ length: Math.min(chunk, RUNS - first) }, (_, at) => {
      const ms = now - 10_000 - Math.floor(((first + at) / RUNS) * DAYS * 86_400_000)
      const at_ms = new Date(ms)
      const failed = (first + at) % 1000 === 7 ? 1 : 0
      return {
        id: newRunId(ms, random),
        project_id,
        agent_id,
        total_items: 10,
        next_seq: 11,
        ok: 10 - failed,
        failed,
        undecided: failed,
        cost_micro: 1234,
        created_at: at_ms,
        started_at: at_ms,
        finished_at: at_ms,
      }
    })
    await sql`insert into runs ${sql(rows)}`
  }
}

const PAGES: Record<string, (batch: Batch) => string> = {
  overview: ({ project_id }) => `/projects/${project_id}`,
  causes: ({ project_id }) => `/projects/${project_id}/causes`,
  cause: ({ project_id, cause_id }) => `/projects/${project_id}/causes/${cause_id}`,
  recoveries: ({ project_id }) => `/projects/${project_id}/recoveries`,
  verdicts: ({ project_id }) => `/projects/${project_id}/verdicts`,
  alerts: ({ project_id }) => `/projects/${project_id}/alerts`,
  deliveries: ({ project_id }) => `/projects/${project_id}/deliveries`,
  audit: ({ project_id }) => `/projects/${project_id}/audit`,
  search: ({ project_id }) => `/projects/${project_id}/search?q=ok`,
  triage: ({ project_id }) => `/projects/${project_id}/triage`,
  'triage, of a run': ({ project_id, run_id }) => `/projects/${project_id}/triage?run_id=${run_id}&kind=dlq`,
  health: ({ project_id }) => `/projects/${project_id}/health`,
  models: ({ project_id }) => `/projects/${project_id}/models`,
  agents: ({ project_id }) => `/projects/${project_id}/agents`,
  schedules: ({ project_id }) => `/projects/${project_id}/schedules`,
  'jump, an own id': ({ project_id }) => `/projects/${project_id}/jump?q=ticket-777777`,
  runs: ({ project_id }) => `/projects/${project_id}/runs`,
  'runs, failed': ({ project_id }) => `/projects/${project_id}/runs?outcome=failed`,
  'runs, cancelled (none)': ({ project_id }) => `/projects/${project_id}/runs?status=cancelled`,
  'runs, of an agent': ({ project_id }) => `/projects/${project_id}/runs?agent=pages`,
  run: ({ run_id }) => `/runs/${run_id}`,
  'run, all items': ({ run_id }) => `/runs/${run_id}?outcome=any`,
  'run, degraded': ({ run_id }) => `/runs/${run_id}?outcome=degraded`,
  'run, by reason': ({ run_id }) => `/runs/${run_id}?reason=refusal`,
  'run, by partition': ({ run_id }) => `/runs/${run_id}?partition_key=tenant-20`,
  'run, any item of a partition': ({ run_id }) => `/runs/${run_id}?outcome=any&partition_key=tenant-20`,
  'run, any item of an unknown partition': ({ run_id }) => `/runs/${run_id}?outcome=any&partition_key=nobody`,
  'run, cancelled (none)': ({ run_id }) => `/runs/${run_id}?outcome=any&status=cancelled`,
  'run, one item': ({ run_id }) => `/runs/${run_id}?outcome=any&item_id=ticket-777777`,
  item: ({ run_id }) => `/items/${itemRecordId(run_id, 20)}`,
  'item, 40 steps': ({ steps_id }) => `/items/${itemRecordId(steps_id, 1)}`,
  results: ({ run_id }) => `/runs/${run_id}/results`,
  'replay, dry run': ({ project_id, run_id }) => `/projects/${project_id}/recover?run_id=${run_id}&kind=dlq`,
  'compare, totals': ({ run_id, before_id }) => `/runs/${run_id}/compare?with=${before_id}`,
  'compare, items': ({ run_id, before_id }) => `/runs/${run_id}/compare?with=${before_id}&items=1`,
}

/** The cookies of a browser that has signed in. */
async function signIn({ base_url, account }: Bench): Promise<string> {
  const answer = await fetch(`${base_url}/dashboard/sign-in`, {
    method: 'POST',
    redirect: 'manual',
    headers: { origin: base_url, 'sec-fetch-site': 'same-origin' },
    body: new URLSearchParams({ email: account.email, password: account.password }),
  })
  return answer.headers
    .getSetCookie()
    .map(one => one.split(';')[0])
    .join('; ')
}

/** A page as a browser gets it: compressed. */
async function fetchPage(
  url: string,
  cookie: string,
): Promise<{ status: number; sent: Buffer; bytes: number }> {
  const answer = await new Promise<IncomingMessage>((resolve, reject) =>
    request(url, { headers: { cookie, 'accept-encoding': 'br' } }, resolve)
      .once('error', reject)
      .end(),
  )
  const sent = await buffer(answer)
  const page = answer.headers['content-encoding'] === 'br' ? brotliDecompressSync(sent) : sent
  return { status: answer.statusCode!, sent, bytes: page.length }
}

async function measure({ base_url }: Bench, cookie: string, path: string) {
  const took: number[] = []
  let page: Awaited<ReturnType<typeof fetchPage>> | undefined
  for (let i = 0; i < TIMES + 3; i++) {
    const began = performance.now()
    page = await fetchPage(`${base_url}/dashboard${path}`, cookie)
    if (i >= 3) took.push(performance.now() - began)
    if (page.status !== 200 || took[0]! > 3000) break
  }
  took.sort((a, b) => a - b)
  return {
    median: took[Math.floor(took.length / 2)] ?? Number.NaN,
    most: took.at(-1) ?? Number.NaN,
    ...page!,
  }
}

const bench = await startBench()
try {
  await bench.sql`update projects set settings = settings || '{"requests_per_second": 100000}'`
  const began = performance.now()
  const batch = await fill(bench)
  console.log(
    `${ITEMS.toLocaleString('en')} items twice and ${RUNS.toLocaleString('en')} runs in ${((performance.now() - began) / 1000).toFixed(0)} s`,
  )
  while ((await import('node:fs')).existsSync('/work/tmp/hold')) await new Promise(r => setTimeout(r, 2000))
  const cookie = await signIn(bench)
  console.log(
    `\n${''.padEnd(32)}${'median'.padStart(10)}${'max'.padStart(10)}${'KiB'.padStart(8)}${'sent'.padStart(8)}`,
  )
  for (const [name, page] of Object.entries(PAGES)) {
    const { median, most, bytes, sent, status } = await measure(bench, cookie, page(batch))
    const ms = (value: number) => `${value.toFixed(0)} ms`.padStart(10)
    const kib = (bytes: number) => (bytes / 1024).toFixed(0).padStart(8)
    const shown = status === 200 ? ms(median) + ms(most) + kib(bytes) + kib(sent.length) : ` ${status}`
    console.log(name.padEnd(32) + shown)
  }
  if (process.argv.includes('--stay')) {
    console.log(
      JSON.stringify({
        ...batch,
        base_url: bench.base_url,
        ...bench.account,
        api_key: bench.api_key,
        database: bench.sql.options.port,
      }),
    )
    await new Promise<void>(resolve => process.once('SIGTERM', () => resolve()))
  }
} finally {
  await bench.close()
}
