// What GET /metrics says, and to whom.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { answerMetrics } from '../../../functions/metrics.ts'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import { paceTurn, startPacing } from '../../../shared/pacing/rules/pacing.ts'
import { noteTurn, TURNERS } from '../../../shared/redis/turns.ts'
import { readDatabaseState } from '../../../shared/upkeep/queries/check-up.ts'
import { INSTALLATION_METRICS } from '../../../shared/upkeep/verbs/check-up.ts'
import { METRICS, POOL_METRICS } from '../../../shared/upkeep/verbs/metrics.ts'
import { giveEnv } from '../../support/deployment-env.ts'
import { type TestEngine, testEngine } from '../../support/engine.ts'
import { letWait, shut } from '../../support/upstreams.ts'

let engine: TestEngine
beforeAll(async () => {
  engine = await testEngine()
})
afterAll(() => engine.close())

let now = 0
/** Scrapes the metrics once the kept answer of the last scrape is out of date. */
async function scraped(metrics_token: string | undefined, bearer: string) {
  now += LIMITS.metrics_cache_ms
  const { config, ...ctx } = engine.ctx
  const asked = {
    ...ctx,
    now: () => now,
    config: metrics_token === undefined ? config : { ...config, metrics_token },
  }
  const request = new Request('http://assay/metrics', { headers: { authorization: `Bearer ${bearer}` } })
  const response = await answerMetrics(asked, request)
  return { status: response.status, text: await response.text() }
}

const figures = async () => {
  const { status, text } = await scraped('t', 't')
  expect(status).toBe(200)
  const lines = text.split('\n').filter(line => /^\w+ /.test(line))
  return Object.fromEntries(lines.map(line => [line.split(' ')[0]!, Number(line.split(' ')[1])]))
}

it('the metrics can be read with the token only, and by nobody if none is set', async () => {
  expect(await scraped(undefined, 'undefined')).toMatchObject({ status: 401 })
  expect(await scraped('t', 'x')).toMatchObject({ status: 401 })
  expect(await scraped('t', 't')).toMatchObject({ status: 200 })
})

it('every metric has a help, a type and a number', async () => {
  for (const turner of TURNERS) await noteTurn(engine.ctx.redis, turner)
  const { text } = await scraped('t', 't')
  for (const name of [...Object.keys(METRICS), ...Object.keys(INSTALLATION_METRICS)]) {
    const label = METRICS[name]?.label
    const labelled = label === undefined ? '' : `\\{${label}="\\w+"\\}`
    const own = new RegExp(`^# HELP ${name} .+\\n# TYPE ${name} gauge\\n${name}${labelled} [0-9.]+$`, 'm')
    // Where nothing is limited, there is no share.
    if (name !== 'assay_upstream_limit_used_ratio') expect(text).toMatch(own)
  }
})

it('every pool of the process reports its size, its use, who waits and who was refused', async () => {
  const [bodies, most] = [engine.ctx.bodies, LIMITS.bodies_bytes_per_account]
  const giveBack = await bodies.take('one', most, 0)
  expect(await bodies.take('one', 1, 0)).toBeUndefined()
  const waits = bodies.take('one', 1, 60_000)
  const { text } = await scraped('t', 't')
  for (const [name, { type }] of Object.entries(POOL_METRICS))
    expect(text).toMatch(
      new RegExp(`^# HELP ${name} .+\n# TYPE ${name} ${type}\n${name}\\{pool="\\w+"\\} \\d+$`, 'm'),
    )
  const figureOf = (name: string) =>
    new RegExp(`^${name}\\{pool="large_body_bytes"\\} (\\d+)$`, 'm').exec(text)?.[1]
  expect(Object.keys(POOL_METRICS).map(figureOf)).toEqual([`${LIMITS.bodies_bytes}`, `${most}`, '1', '1'])
  giveBack!()
  ;(await waits)!()
})

it('the metrics count open runs, waiting and startable items, and the longest wait', async () => {
  const { sql, project_id } = engine
  expect(await figures()).toMatchObject({
    assay_runs_open: 0,
    assay_items_waiting: 0,
    assay_oldest_wait_seconds: 0,
  })
  const runId = await engine.submit(10, { concurrency: 4 })
  await engine.submit(3)
  await sql`update runs set touched_at = now() - interval '90 seconds' where id = ${runId}`
  await sql`update projects set settings = settings || '{"concurrency": 6}' where id = ${project_id}`
  const counted = await figures()
  expect(counted).toMatchObject({
    assay_runs_open: 2,
    assay_items_waiting: 13,
    assay_items_startable: 6, // 4 by the cap of the run and 3 of the other run, bounded to 6 by the cap of the project
    assay_items_in_flight: 0,
    assay_leases_expired: 0,
    assay_schedules_overdue: 0,
    assay_consumers_awake: 0,
  })
  expect(counted.assay_oldest_wait_seconds).toBeGreaterThanOrEqual(90)
  await sql`update runs set running = 4 where id = ${runId}`
  await sql`update project_usage set running = 4`
  const busy = await figures()
  expect(busy).toMatchObject({ assay_items_in_flight: 4, assay_items_waiting: 9, assay_items_startable: 2 })
  expect(busy.assay_oldest_wait_seconds).toBeLessThan(90) // a run at its cap does not wait
  await sql`update runs set running = 0`
  await sql`update project_usage set running = 0`
})

it('the metrics say whether the master key opens what was sealed, and which versions the stores have', async () => {
  const { sql, ctx } = engine
  const { text } = await scraped('t', 't')
  expect(text).toMatch(/^assay_info\{version="\d[^"]*",postgres="\d[^"]*",redis="\d[^"]*"\} 1$/m)
  const { durable } = await readDatabaseState(sql)
  expect(await figures()).toMatchObject({
    assay_master_key_opens: 1,
    assay_database_durable: Number(durable),
  })
  await giveEnv(ctx, { A: 'b' })
  expect(await figures()).toMatchObject({ assay_master_key_opens: 1 })
  await giveEnv({ ...ctx, config: { ...ctx.config, master_key: 'ab'.repeat(32) } }, { A: 'b' })
  expect(await figures()).toMatchObject({ assay_master_key_opens: 0 })
})

it('the metrics count what items wait for by state, refused calls, and the limit that is used most, without a name', async () => {
  const { sql, project_id } = engine
  await engine.deploy()
  const run_id = await engine.submit(5)
  const [away, paced] = [engine.ctx.newId(), engine.ctx.newId()]
  await shut(sql, { project_id, id: away, state: 'away' })
  await letWait(sql, { project_id, run_id }, away, 2)
  await shut(sql, { project_id, id: paced, state: 'open', next_s: null })
  const at = Date.now()
  const pacing = startPacing(at - 60_000)
  const turn = { wants: 0, ahead_ms: 0, declared: { requests: '60/min' } }
  paceTurn(pacing, { ...turn, now_ms: at - 45_000, started: 24, served: 24, ended: 24 })
  paceTurn(pacing, { ...turn, now_ms: at, refused: 3 })
  await sql`update upstreams set pacing = ${sql.json(pacing as never)} where id = ${paced}`
  const { text } = await scraped('t', 't')
  const value = (name: string) =>
    Number(new RegExp(`^${name.replaceAll(/[{}]/g, '\\$&')} (.+)$`, 'm').exec(text)?.[1])
  expect(value('assay_upstreams{state="away"}')).toBe(1)
  expect(value('assay_upstreams{state="open"}')).toBe(1)
  expect(value('assay_upstream_items_waiting{state="away"}')).toBe(5)
  expect(value('assay_upstream_items_waiting{state="refused"}')).toBe(0)
  expect(value('assay_upstream_calls')).toBe(24)
  expect(value('assay_upstream_calls_refused')).toBe(3)
  expect(value('assay_upstream_limit_used_ratio')).toBeCloseTo(24 / 59.1, 2)
  expect(text).not.toMatch(/api\.example\.com|MODEL_KEY/)
  await sql`delete from runs where id = ${run_id}`
  await sql`delete from upstreams`
})
