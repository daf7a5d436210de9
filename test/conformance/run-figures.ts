import { describe, expect, it } from 'vitest'
import { firstIdAt } from '../../shared/kernel/ids.ts'
import type { AgentLine, ItemLine } from '../../shared/protocol/rules/protocol.ts'
import { indexSteps } from '../../shared/traces/queries/step-index.ts'
import { letWait, shut } from '../support/upstreams.ts'
import { makeAgent, makeRun } from './make.ts'
import { called, deploy, fails, holds, type Play, ran, recordId, workOff, works } from './play.ts'
import type { Given } from './suite.ts'
import type { World } from './world.ts'

/** Plays what the input names; items that other tests have left work. */
const byInput: Play = item => (PLAYS[item.input as keyof typeof PLAYS] ?? works)(item)
const PLAYS = {
  ok: works,
  fail: fails(),
  hold: holds,
  empty: ({ seq, attempt }: ItemLine): AgentLine[] => [{ type: 'result', seq, attempt, output: '' }],
}

type Inputs = (keyof typeof PLAYS)[]

const itemsOf = (inputs: Inputs, partition_key = 'a') =>
  inputs.map((input, at) => ({ input, item_id: `${partition_key}-${at}`, partition_key }))

/** Two ended runs of one agent over the same items. */
async function twoRuns(
  world: World,
  before: Inputs,
  after: Inputs,
): Promise<[before: string, after: string]> {
  const agent = await makeAgent(world)
  await deploy(world, agent.id)
  const start = (inputs: Inputs) =>
    makeRun(
      world,
      agent.id,
      inputs.map((input, at) => ({ input, item_id: `same-${at}` })),
    )
  const runs: [string, string] = [await start(before), await start(after)]
  await workOff(world, byInput)
  return runs
}

/** Summaries of runs and items, and the filters of their lists. */
export function runFiguresPart(given: Given): void {
  describe('runs in figures', () => {
    it('items are found by reason, by partition and by their id [runs.items-by-why]', async () => {
      const world = given()
      const { run } = await ran(world, byInput, [
        ...itemsOf(['ok', 'fail', 'empty', 'hold']),
        ...itemsOf(['fail', 'ok'], 'b'),
      ])
      const found = async (query: string) => {
        const { status, json } = await world.call('GET', `/v2/runs/${run}/items?${query}`)
        expect(status).toBe(200)
        return json.map((item: { item_id: string }) => item.item_id).sort()
      }
      expect(await found('reason=empty_output')).toEqual(['a-2'])
      expect(await found('reason=nothing')).toEqual([])
      expect(await found('partition_key=b')).toEqual(['b-0', 'b-1'])
      expect(await found('partition_key=b&outcome=not_ok')).toEqual(['b-0'])
      expect(await found('status=failed')).toEqual(['a-1', 'b-0'])
      expect(await found('status=paused')).toEqual(['a-3'])
      expect(await found('item_id=a-1')).toEqual(['a-1'])
      expect(await found('item_id=a-1&outcome=ok')).toEqual([])
    })

    it('items are listed from one of them on, forwards and backwards, with the same filters [runs.items-beside]', async () => {
      const world = given()
      const { run } = await ran(world, byInput, itemsOf(['ok', 'fail', 'ok', 'empty', 'fail']))
      const listed = (query: string) => world.call('GET', `/v2/runs/${run}/items?${query}`)
      const found = async (query: string) =>
        (await listed(query)).json.map((item: { item_id: string }) => item.item_id)
      const third = recordId(run, 3)
      expect(await found(`after=${third}`)).toEqual(['a-3', 'a-4'])
      expect(await found(`after=${third}&order=desc`)).toEqual(['a-1', 'a-0'])
      expect(await found(`after=${third}&order=desc&outcome=not_ok`)).toEqual(['a-1'])
      expect(await found(`after=${third}&outcome=not_ok&limit=1`)).toEqual(['a-3'])
      expect(await found('order=desc&outcome=ok')).toEqual(['a-2', 'a-0'])
      const [bare] = (await listed(`after=${third}&limit=1&payloads=none`)).json
      expect([bare.item_id, bare.input, bare.output]).toEqual(['a-3', null, null])
      const first = await listed('order=desc&limit=2')
      expect(first.json).toMatchObject([{ item_id: 'a-4' }, { item_id: 'a-3' }])
      const cursor = first.headers.get('x-next-cursor')
      expect(await found(`order=desc&limit=2&cursor=${cursor}`)).toEqual(['a-2', 'a-1'])
      expect((await listed(`limit=2&cursor=${cursor}`)).status).toBe(400)
      expect((await listed(`after=${run}`)).status).toBe(400)
      expect((await listed(`after=${recordId(world.ctx.newRunId())}`)).status).toBe(400)
    })

    it('a filter returns a cursor when a page has scanned enough rows [runs.items-by-why]', async () => {
      const world = given()
      const agent = await makeAgent(world)
      const run = world.ctx.newRunId()
      const { sql } = world.ctx
      const row = { id: run, project_id: world.first.project_id, agent_id: agent.id, total_items: 20_001 }
      await sql`insert into runs ${sql(row)}`
      await sql`
        insert into items (project_id, run_id, seq, line, status, item_id, partition_key, input)
        select ${world.first.project_id}::uuid, ${run}::uuid, g, g, 'cancelled', 'far-' || g, case when g = 20001 then 'last' else 'other' end, '1'
        from generate_series(1, 20001) g`
      const first = await world.call('GET', `/v2/runs/${run}/items?partition_key=last`)
      expect(first.json).toEqual([])
      const next = first.headers.get('x-next-cursor')
      const second = await world.call('GET', `/v2/runs/${run}/items?partition_key=last&cursor=${next}`)
      expect(second.json).toMatchObject([{ item_id: 'far-20001' }])
      expect(second.headers.get('x-next-cursor')).toBeNull()
    })

    it('runs are listed by status, by verdict and by time [runs.list-by-outcome]', async () => {
      const world = given()
      const agent = await makeAgent(world)
      await deploy(world, agent.id)
      const ids: Record<string, string> = {}
      for (const input of ['ok', 'fail', 'empty', 'hold'])
        ids[input] = await makeRun(world, agent.id, [{ input }])
      await workOff(world, byInput)
      const { sql } = world.ctx
      const [old] = await sql`
        insert into runs ${sql({ id: firstIdAt(Date.parse('2026-01-02T12:00:00Z')).replace('8000-0', '8001-0'), project_id: world.first.project_id, agent_id: agent.id, total_items: 1 })}
        returning id`
      const found = async (query: string) => {
        const { status, json } = await world.call('GET', `/v2/runs?agent=${agent.slug}&${query}`)
        expect(status).toBe(200)
        return json.map((run: { id: string }) => run.id)
      }
      expect(await found('status=completed')).toEqual([ids.ok])
      expect(await found('outcome=failed')).toEqual([ids.fail])
      expect(await found('outcome=degraded')).toEqual([ids.empty])
      expect(await found('outcome=not_ok')).toEqual([ids.empty, ids.fail])
      expect(await found('outcome=ok')).toEqual([ids.ok])
      expect(await found('from=2026-01-02T12:00:00Z&to=2026-01-02T12:00:01Z')).toEqual([old!.id])
      const replayed = await world.call('POST', `/v1/durable/runs/${recordId(ids.fail!)}/replay`, {
        body: {},
      })
      expect(await found(`replay_of=${ids.fail}`)).toEqual([replayed.json.run_id])
      expect(await found(`replay_of=${ids.ok}`)).toEqual([])
      expect(await found('status=queued')).toEqual([replayed.json.run_id, old!.id])
      expect(await found('from=2026-01-02T12:00:01Z&outcome=not_ok')).toEqual([ids.empty, ids.fail])
    })

    it('failures of a run are counted by reason, by cluster and by partition [runs.failures]', async () => {
      const world = given()
      const { run } = await ran(world, byInput, [
        ...itemsOf(['fail', 'fail', 'ok', 'hold']),
        ...itemsOf(['empty', 'fail'], 'b'),
      ])
      await world.call('POST', `/v1/durable/runs/${recordId(run)}/acknowledge`, { body: {} })
      const { json } = await world.call('GET', `/v2/runs/${run}/failures`)
      expect(json).toMatchObject({ looked_at: 5, is_complete: true })
      expect(json).toMatchObject({ reason_count: 3, cluster_count: 1, partition_count: 2 })
      expect(json.reasons).toMatchObject([
        { kind: 'dlq', error_code: 'tool_call_error', count: 3, waiting: 2, message: 'no answer' },
        { kind: 'dlq', reason: 'empty_output', error_code: null, count: 1, waiting: 1 },
        { kind: 'quarantine', reason: 'hold', count: 1, waiting: 1, message: 'looks like fraud' },
      ])
      expect(json.clusters).toMatchObject([
        { error_code: 'tool_call_error', sample_prompt: 'fail', count: 3 },
      ])
      expect(json.partitions).toEqual([
        { partition_key: 'a', failed: 2, degraded: 0, held: 1, waiting: 2 },
        { partition_key: 'b', failed: 1, degraded: 1, held: 0, waiting: 2 },
      ])
    })

    it('runs are compared item by item [runs.compare]', async () => {
      const world = given()
      const [before, after] = await twoRuns(
        world,
        ['ok', 'ok', 'fail', 'empty', 'ok'],
        ['ok', 'fail', 'ok', 'empty'],
      )
      const { json } = await world.call('GET', `/v2/runs/${after}/compare?with=${before}`)
      expect([json.before.id, json.after.id]).toEqual([before, after])
      const change = (before: string, after: string) =>
        json.changes.find((one: typeof json) => one.before === before && one.after === after)
      expect(change('ok', 'ok')).toMatchObject({ count: 1, items: [] })
      expect(change('degraded', 'degraded')).toMatchObject({ count: 1, items: [] })
      expect(change('ok', 'failed').items).toEqual([
        {
          item_id: 'same-1',
          before_record_id: recordId(before, 2),
          after_record_id: recordId(after, 2),
          before_reason: null,
          after_reason: 'step_error',
        },
      ])
      expect(change('failed', 'ok').items).toMatchObject([{ item_id: 'same-2' }])
      expect(change('ok', 'absent').items).toEqual([
        {
          item_id: 'same-4',
          before_record_id: recordId(before, 5),
          after_record_id: null,
          before_reason: null,
          after_reason: null,
        },
      ])
      expect(json.changes).toHaveLength(5)
      expect([json.before_corrected_items, json.after_corrected_items]).toEqual([0, 0])
    })

    it('a comparison and the list of items have the verdicts that people corrected [runs.compare, results.corrected]', async () => {
      const world = given()
      const [before, after] = await twoRuns(world, ['empty', 'ok', 'ok'], ['ok', 'ok', 'empty'])
      for (const id of [recordId(before, 1), recordId(after, 2), recordId(after, 3)])
        await world.call('POST', `/v1/durable/runs/${id}/wrong`, { body: {} })
      const { json } = await world.call('GET', `/v2/runs/${after}/compare?with=${before}`)
      expect(json).toMatchObject({
        before: { degraded_count: 1 },
        after: { degraded_count: 1 },
        changes: [
          { before: 'ok', after: 'ok', count: 2, items: [] },
          { before: 'ok', after: 'degraded', count: 1, items: [{ item_id: 'same-1', before_reason: null }] },
        ],
        before_corrected_items: 1,
        after_corrected_items: 2,
      })
      const list = await world.call('GET', `/v2/runs/${after}/items`)
      expect(
        list.json.map((item: Record<string, string>) => [
          item.worst_outcome_status,
          item.corrected_outcome_status,
        ]),
      ).toEqual([
        ['ok', null],
        ['ok', 'degraded'],
        ['degraded', 'ok'],
      ])
    })

    it('runs and items are summed up by day, with those that await a decision [projects.activity]', async () => {
      const world = given()
      const { project_id } = world.first
      const path = `/v1/projects/${project_id}/activity`
      const earlier = (await world.call('GET', `${path}?days=2`)).json
      const { run } = await ran(world, byInput, itemsOf(['ok', 'fail', 'empty', 'hold'], 'c'))
      await world.call('POST', `/v1/durable/runs/${recordId(run, 2)}/replay`, { body: {} })
      await workOff(world, fails())
      await world.call('POST', `/v1/durable/runs/${recordId(run, 3)}/replay`, { body: {} })
      await workOff(world, works)
      const { json } = await world.call('GET', `${path}?days=2`)
      const grown = (of: (activity: typeof json) => number) => of(json) - of(earlier)
      const today = (name: string) => grown(({ days }) => days.at(-1)[name])
      expect(json.days).toHaveLength(2)
      expect(['runs', 'items', 'ok', 'failed', 'degraded'].map(today)).toEqual([1, 4, 1, 1, 1])
      expect(['replayed', 'replayed_ok'].map(today)).toEqual([2, 1])
      expect(grown(({ waiting }) => waiting.dlq)).toBe(1)
      expect(grown(({ waiting }) => waiting.quarantine)).toBe(1)
      expect((await world.call('GET', path)).json.days).toHaveLength(14)
      expect((await world.call('GET', `${path}?days=91`)).status).toBe(400)
    })

    it('calls are summed up by model and agent, with their latency [projects.models]', async () => {
      const world = given()
      const started_at = new Date(world.ctx.now()).toISOString()
      const calls: Play = item => {
        const line = called(item, 'summed-model', 40, 2)
        return line.type === 'step' ? [{ ...line, step: { ...line.step, started_at } }, ...works(item)] : []
      }
      await ran(world, calls, itemsOf(['ok', 'ok'], 'm'))
      while ((await indexSteps(world.ctx.sql, 1000)) > 0);
      const path = `/v1/projects/${world.first.project_id}/models`
      const { json } = await world.call('GET', path)
      const found = json.models.filter((one: { model: string }) => one.model === 'summed-model')
      expect(found).toMatchObject([{ calls: 2, failed: 0, unpriced: 2, input_tokens: 80, output_tokens: 4 }])
      expect(found[0]).toMatchObject({ agent_slug: expect.any(String), p50_ms: 1, p95_ms: 1 })
      expect((await world.call('GET', `${path}?days=91`)).status).toBe(400)
    })

    it('the queue shows what runs wait for, and when items are retried [projects.queue]', async () => {
      const world = given()
      const path = `/v1/projects/${world.first.project_id}/queue`
      const agent = await makeAgent(world)
      const run_id = await makeRun(world, agent.id, itemsOf(['ok', 'ok'], 'q'))
      const { sql } = world.ctx
      // Of many that wait, only the longest waiting are listed.
      await sql`update runs set touched_at = 'epoch' where id = ${run_id}`
      const { json } = await world.call('GET', path)
      const waiting = json.waiting_runs.find(({ id }: { id: string }) => id === run_id)
      expect(waiting).toMatchObject({ queued: 2, running: 0, token: 'no_deployment', agent_slug: agent.slug })
      await sql`update runs set next_seq = 2 where id = ${run_id}`
      await sql`insert into due_items (project_id, run_id, seq, due_at) values (${world.first.project_id}, ${run_id}, 1, now() - interval '1 hour')`
      const { next_retries } = (await world.call('GET', path)).json
      expect(next_retries.find((one: { run_id: string }) => one.run_id === run_id)).toMatchObject({
        record_id: recordId(run_id),
        due_at: expect.any(String),
        attempt: 0,
      })
    })

    it('an upstream that is not open is listed with what waits for it, and tried on demand [upstreams.list] [upstreams.retry]', async () => {
      const world = given()
      const { sql } = world.ctx
      const { project_id } = world.first
      const agent = await makeAgent(world)
      const run_id = await makeRun(world, agent.id, itemsOf(['ok', 'ok'], 'u'))
      const id = world.ctx.newId()
      await shut(sql, { project_id, id, words: 'No credit left' })
      await letWait(sql, { project_id, run_id }, id, 1)
      const { json } = await world.call('GET', `/v1/upstreams?project_id=${project_id}`)
      expect(json.find((one: { id: string }) => one.id === id)).toMatchObject({
        state: 'out_of_credit',
        reason: 'No credit left',
        waiting_items: 1,
        runs: [run_id],
      })
      const tried = await world.call('POST', `/v1/upstreams/${id}/retry`)
      expect([tried.status, tried.json.id]).toEqual([202, id])
    })

    it('the activity lists occurrences that started nothing [projects.activity]', async () => {
      const world = given()
      const { project_id } = world.first
      const agent = await makeAgent(world)
      const { json: schedule } = await world.call('POST', '/v1/schedules', {
        body: { agent_id: agent.id, cron: '0 4 * * *' },
      })
      const moment = new Date(world.ctx.now() - 60_000)
      const { sql } = world.ctx
      const row = {
        schedule_id: schedule.id,
        scheduled_for: moment,
        project_id,
        outcome: 'missed',
        reason: 'overdue',
      }
      await sql`insert into occurrences ${sql(row as never)}`
      const { json } = await world.call('GET', `/v1/projects/${project_id}/activity`)
      const { last_24_hours: day } = json
      const listed = day.unfired.find((one: { schedule_id: string }) => one.schedule_id === schedule.id)
      expect(listed).toMatchObject({ outcome: 'missed', reason: 'overdue', agent_slug: agent.slug })
      expect(day.unfired_moments).toBeGreaterThan(0)
    })
  })
}
