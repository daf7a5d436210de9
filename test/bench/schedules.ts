// Measures how long it takes until 10,000 schedules that are due in the same minute have all fired and their items have
// ended, in a whole server that ticks once a second and runs the items meanwhile; and how fast the missed fire times of an
// outage of 30 days are written.
//
//   npm run bench:schedules [-- --schedules 20000]

import { show } from './batch.ts'
import { type Bench, startBench } from './stack.ts'

const at = process.argv.indexOf('--schedules')
const SCHEDULES = at === -1 ? 10_000 : Number(process.argv[at + 1])
const AGENTS = 100
const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe']
const POLL_MS = 100

/** Creates schedules that fire every minute, evenly spread over the agents; returns their first fire time. */
async function makeSchedules({ sql }: Bench, agentId: string): Promise<Date> {
  const [agent] = await sql`select project_id, current_deployment_id from agents where id = ${agentId}`
  await sql`update projects set settings = settings || '{"open_runs": 1000000}'`
  // An agent may have a cron expression only once, so each schedule spells "every minute" differently.
  await sql`
    insert into agents (id, project_id, name, slug, current_deployment_id)
    select gen_random_uuid(), ${agent!.project_id}, 'bench ' || n, 'bench-' || n, ${agent!.current_deployment_id}
    from generate_series(1, ${AGENTS}) n`
  const [due] = await sql<{ at: Date }[]>`
    select date_trunc('minute', now() + interval '65 seconds') as at`
  await sql`
    insert into schedules (id, project_id, agent_id, cron, timezone, input, next_at)
    select gen_random_uuid(), a.project_id, a.id,
      (select string_agg(((m + n) % 60)::text, ',') from generate_series(0, 59) m) || ' ' ||
        case when n < 60 then '*' else '0-23' end || ' * * ' || case when n < 120 then '*' else '0-6' end,
      (${ZONES}::text[])[1 + n % ${ZONES.length}], '{"n":' || n || '}', ${due!.at}
    from agents a, generate_series(0, ${SCHEDULES / AGENTS - 1}) n where a.slug like 'bench-%'`
  await sql`vacuum analyze schedules`
  return due!.at
}

interface Progress {
  fired: number
  runs: number
  done: number
  last_fired_s: number | null
}

async function progress({ sql }: Bench, due: Date): Promise<Progress> {
  const [row] = await sql<Progress[]>`
    select count(*)::int as fired, count(distinct o.run_id)::int as runs, count(r.finished_at)::int as done,
      extract(epoch from max(o.occurred_at) - ${due})::float8 as last_fired_s
    from occurrences o left join runs r on r.id = o.run_id
    where o.scheduled_for = ${due} and o.outcome = 'fired'`
  return row!
}

async function main(): Promise<void> {
  const bench = await startBench()
  try {
    const { sql } = bench
    const { agent_id } = await bench.deployUrl('ndjson')
    const due = await makeSchedules(bench, agent_id)
    console.log(
      `${SCHEDULES} schedules of ${AGENTS} agents in ${ZONES.length} zones, due at ${due.toISOString()}`,
    )
    let now = await progress(bench, due)
    while (now.fired < SCHEDULES && Date.now() < due.getTime() + 120_000) {
      await new Promise(resolve => setTimeout(resolve, POLL_MS))
      now = await progress(bench, due)
    }
    // Otherwise the fires of the next minute would be counted too.
    await sql`update schedules set enabled = false, disabled_reason = 'operator', next_at = null`
    show(
      'all fired after the minute began',
      `${now.last_fired_s!.toFixed(1)} s`,
      `${now.fired} with ${now.runs} runs`,
    )
    while (now.done < SCHEDULES && Date.now() < due.getTime() + 300_000) {
      await new Promise(resolve => setTimeout(resolve, POLL_MS))
      now = await progress(bench, due)
    }
    show('all their items ended', `${((Date.now() - due.getTime()) / 1000).toFixed(1)} s`, `${now.done} runs`)

    const began = performance.now()
    await sql`
      update schedules set enabled = true, disabled_reason = null, cron = '* * * * *', timezone = 'UTC',
        next_at = date_trunc('minute', now()) - interval '30 days'
      where id = (select id from schedules limit 1)`
    for (let left = 1; left > 0; ) {
      await new Promise(resolve => setTimeout(resolve, POLL_MS))
      left = (await sql`select count(*)::int as n from schedules where next_at <= now()`)[0]!.n
    }
    const [{ missed }] =
      (await sql`select count(*)::int as missed from occurrences where outcome = 'missed'`) as [
        { missed: number },
      ]
    show(
      '30 days of missed minutes written',
      `${((performance.now() - began) / 1000).toFixed(1)} s`,
      `${missed} rows`,
    )
  } finally {
    await bench.close()
  }
}

await main()
