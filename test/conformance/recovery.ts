import { describe, expect, it } from 'vitest'
import { advanceRecoveries } from '../../shared/recovery/verbs/recover.ts'
import { makeAgent, makeRun } from './make.ts'
import { fails, holds, type Play, ran, recordId, workOff, works } from './play.ts'
import type { Given } from './suite.ts'

const repairedIn = async (world: ReturnType<Given>, run: string): Promise<(string | null)[]> =>
  (await world.call('GET', `/v2/runs/${run}/items`)).json.map(
    (item: { mended_by: string | null }) => item.mended_by,
  )

/** Triage, replays, resumes, clusters, recoveries, and why an item is not running. */
export function recoveryPart(given: Given): void {
  describe('triage', () => {
    it('lists items that await a decision, newest first, in pages without repeats or gaps [triage.list, triage.lanes, triage.actions, triage.leaves, items.partition-key]', async () => {
      const world = given()
      const items = ['a', 'b', 'c', 'd', 'e'].map(id => ({
        input: id,
        item_id: id,
        partition_key: `p-${id}`,
      }))
      const { agent, run } = await ran(world, fails(), items)
      const list = async (query: string) => {
        const { status, json } = await world.call('GET', `/v1/triage?agent_id=${agent.id}&${query}`)
        expect(status).toBe(200)
        return {
          ids: json.rows.map((row: { item_id: string }) => row.item_id),
          next: json.next_cursor,
          rows: json.rows,
        }
      }
      const all = await list('kind=dlq')
      expect(all.ids).toEqual(['e', 'd', 'c', 'b', 'a'])
      expect(all.next).toBeNull()
      expect(all.rows[0]).toMatchObject({
        record_id: recordId(run, 5),
        run_id: run,
        partition_key: 'p-e',
        kind: 'dlq',
        reason: 'step_error',
        error_code: 'tool_call_error',
        message: 'no answer',
        status: 'failed',
        outcome_status: 'failed',
        available_actions: ['replay', 'acknowledge', 'dismiss'],
      })
      const first = await list('limit=2')
      await world.call('POST', `/v1/durable/runs/${recordId(run, 5)}/dismiss`)
      const second = await list(`limit=2&cursor=${first.next}`)
      const third = await list(`limit=2&cursor=${second.next}`)
      expect([first.ids, second.ids, third.ids]).toEqual([['e', 'd'], ['c', 'b'], ['a']])
      expect(third.next).toBeNull()

      expect((await list('kind=quarantine')).ids).toEqual([])
      expect((await list('partition_key=p-b')).ids).toEqual(['b'])
      expect((await list(`run_id=${run}`)).ids).toEqual(['d', 'c', 'b', 'a'])
      expect((await list('reason=step_error')).ids).toHaveLength(4)
      expect((await list('reason=refusal')).ids).toEqual([])
      expect((await list(`cluster_key=${all.rows[4].cluster_key}`)).ids).toEqual(['a'])
      const other = await world.call('GET', `/v1/triage?kind=dlq&cursor=${first.next}`)
      expect([other.status, other.json.error.code]).toEqual([400, 'invalid_cursor'])
    })

    it('clamps limit to 1 to 200 and refuses unknown lanes [limits.triage-page]', async () => {
      const world = given()
      const items = Array.from({ length: 203 }, (_, n) => ({ input: n }))
      const { run } = await ran(world, fails(), items)
      for (const [query, length] of [
        ['', 50],
        ['&limit=0', 1],
        ['&limit=201', 200],
      ] as const) {
        const { json } = await world.call('GET', `/v1/triage?run_id=${run}${query}`)
        expect([query, json.rows.length]).toEqual([query, length])
      }
      expect((await world.call('GET', '/v1/triage?kind=other')).status).toBe(400)
    })

    it('removes a row by acknowledging, which decides nothing, and by dismissing, which does [triage.acknowledge, triage.dismiss, triage.leaves]', async () => {
      const world = given()
      const { run } = await ran(world, item => (item.seq === 1 ? works(item) : fails()(item)), [
        { input: 1 },
        { input: 2 },
      ])
      const id = recordId(run, 2)
      const status = async () => (await world.call('GET', `/v2/runs/${run}`)).json.status
      const acknowledged = await world.call('POST', `/v1/durable/runs/${id}/acknowledge`)
      expect([acknowledged.status, acknowledged.text]).toEqual([200, ''])
      expect((await world.call('GET', `/v1/triage?run_id=${run}`)).json.rows).toEqual([])
      expect(await status()).toBe('partial')
      const again = await world.call('POST', `/v1/durable/runs/${id}/acknowledge`)
      expect([again.status, again.json.error.code]).toEqual([409, 'item_already_decided'])
      expect((await world.call('POST', `/v1/durable/runs/${id}/dismiss`)).status).toBe(200)
      expect(await status()).toBe('completed')
      expect((await world.call('GET', `/v1/durable/runs/${id}`)).json.outcome_status).toBe('failed')
      expect((await world.call('POST', `/v1/durable/runs/${id}/dismiss`)).status).toBe(409)
      expect((await world.call('POST', `/v1/durable/runs/${recordId(run)}/dismiss`)).status).toBe(409)
    })
  })

  it('a decision names its author, also after the author is removed [triage.author]', async () => {
    const world = given()
    const { run } = await ran(
      world,
      fails('a_code_of_authors'),
      Array.from({ length: 6 }, () => ({ input: 1 })),
    )
    const owner = (await world.call('POST', '/v1/sessions', { body: world.first.account, token: null })).json
    const body = { email: 'bea@assay.test', role: 'operator', password: 'correct horse battery' }
    const { json: bea } = await world.call('POST', '/v1/members', { token: owner.access_token, body })
    const { email, password } = body
    const session = await world.call('POST', '/v1/sessions', { body: { email, password }, token: null })
    const token = session.json.access_token
    const record = async (seq: number) =>
      (await world.call('GET', `/v1/durable/runs/${recordId(run, seq)}`)).json
    for (const [at, verb] of ['acknowledge', 'dismiss', 'replay'].entries()) {
      await world.call('POST', `/v1/durable/runs/${recordId(run, at + 1)}/${verb}`, { token })
      expect([verb, (await record(at + 1)).decided_by]).toEqual([verb, 'bea@assay.test'])
    }
    await world.call('DELETE', `/v1/members/${bea.id}`, { token: owner.access_token })
    expect((await record(2)).decided_by).toBe('bea@assay.test')
    const late = await world.call('POST', `/v1/durable/runs/${recordId(run, 2)}/dismiss`)
    expect(late.json.error.message).toMatch(/it was dismissed by bea@assay\.test (just now|\d+ m?s ago)\.$/)

    const { project_id } = world.first
    const { json: key } = await world.call('POST', `/v1/projects/${project_id}/api-keys`, {
      body: { name: 'night desk' },
    })
    await world.call('POST', `/v1/durable/runs/${recordId(run, 4)}/dismiss`, { token: key.key })
    expect((await record(4)).decided_by).toBe('key night desk')
    await world.call('POST', `/v1/durable/runs/${recordId(run, 4)}/reopen`)
    expect(await record(4)).toMatchObject({ decided_by: null, decided_at: null })

    const [cause] = (await world.call('GET', `/v1/causes?run_id=${run}`)).json.rows
    const order = { project_id, action: 'dismiss', filter: { cause_id: cause.id } }
    const recovery = await world.call('POST', '/v1/recoveries', { token: key.key, body: order })
    expect([recovery.status, recovery.json.created_by]).toEqual([202, 'key night desk'])
    expect((await record(5)).decided_by).toBe('key night desk')
    expect((await world.call('GET', `/v1/causes/${cause.id}`)).json.decisions).toMatchObject([
      { recovery_id: recovery.json.id, action: 'dismiss', created_by: 'key night desk' },
    ])
  })

  it('a decision can be taken back, and the run follows, unless the item was replayed [triage.reopen]', async () => {
    const world = given()
    const { run } = await ran(world, item => (item.seq === 1 ? works(item) : fails()(item)), [
      { input: 1 },
      { input: 2 },
    ])
    const id = recordId(run, 2)
    const status = async () => (await world.call('GET', `/v2/runs/${run}`)).json.status
    const record = async () => (await world.call('GET', `/v1/durable/runs/${id}`)).json
    const act = async (action: string) => {
      const { status, json } = await world.call('POST', `/v1/durable/runs/${id}/${action}`)
      return json === undefined ? status : [status, json.error?.code]
    }
    expect(await act('reopen')).toEqual([409, 'item_not_reopenable'])
    for (const decision of ['acknowledge', 'dismiss']) {
      expect(await act(decision)).toBe(200)
      expect((await record()).available_actions).toContain('reopen')
      expect(await act('reopen')).toBe(200)
      expect(await status()).toBe('partial')
      expect((await world.call('GET', `/v1/triage?run_id=${run}`)).json.rows).toHaveLength(1)
      expect(await record()).toMatchObject({
        outcome_status: 'failed',
        disposition: null,
        decided_at: null,
        available_actions: ['replay', 'acknowledge', 'dismiss'],
      })
    }
    expect((await world.call('POST', `/v1/durable/runs/${id}/replay`)).status).toBe(202)
    expect(await record()).toMatchObject({ disposition: 'replayed', available_actions: [] })
    expect(await act('reopen')).toEqual([409, 'item_not_reopenable'])
  })

  describe('a replay', () => {
    it('returns the new item and how many steps it reuses, and shows in the lineage of both [recovery.replay, recovery.steps-reused, items.replayed-from, items.lineage, runs.list-by-item, runs.items-mended]', async () => {
      const world = given()
      const { run } = await ran(world, fails(), [{ input: { n: 1.5 }, item_id: 'again' }])
      const id = recordId(run)
      const replay = await world.call('POST', `/v1/durable/runs/${id}/replay`)
      expect([replay.status, replay.json]).toEqual([
        202,
        {
          run_id: expect.any(String),
          record_id: recordId(replay.json.run_id),
          reused_steps: 1,
          warnings: [],
        },
      ])
      const twice = await world.call('POST', `/v1/durable/runs/${id}/replay`)
      expect([twice.status, twice.json.error.code]).toEqual([409, 'item_not_replayable'])
      await workOff(world, works)
      const record = await world.call('GET', `/v1/durable/runs/${replay.json.record_id}`)
      expect(record.json).toMatchObject({
        item_id: 'again',
        input_snapshot: { n: 1.5 },
        outcome_status: 'ok',
        replayed_from: id,
        cost_usd: 0,
      })
      const lineage = await world.call('GET', `/v1/durable/runs/${replay.json.record_id}/lineage`)
      expect(
        lineage.json.map((one: { record_id: string; generation: number }) => [one.record_id, one.generation]),
      ).toEqual([
        [id, -1],
        [replay.json.record_id, 0],
      ])
      expect(await repairedIn(world, run)).toEqual([replay.json.record_id])
      expect(await repairedIn(world, replay.json.run_id)).toEqual([null])
      const { json } = await world.call('GET', `/v2/runs?item_id=again`)
      expect(json.map((one: { id: string }) => one.id)).toEqual([replay.json.run_id, run])
      expect((await world.call('GET', `/v2/runs/${run}/verify`)).json.balanced).toBe(true)
    })

    it('repairs nothing once people called it wrong, but a replay of it may [runs.items-mended]', async () => {
      const world = given()
      const { run } = await ran(world, fails(), [{ input: 1 }])
      const path = (id: string) => `/v1/durable/runs/${id}`
      const replay = async (id: string) => {
        const { status, json } = await world.call('POST', `${path(id)}/replay`)
        expect(status).toBe(202)
        await workOff(world, works)
        return json
      }
      const first = await replay(recordId(run))
      expect(await repairedIn(world, run)).toEqual([first.record_id])
      expect((await world.call('POST', `${path(first.record_id)}/wrong`)).status).toBe(200)
      expect(await repairedIn(world, run)).toEqual([null])
      const second = await replay(first.record_id)
      expect(await repairedIn(world, run)).toEqual([second.record_id])
      expect(await repairedIn(world, first.run_id)).toEqual([second.record_id])
    })

    it('keeps its item from another replay if it worked, unless people called it wrong [recovery.replay-again]', async () => {
      const world = given()
      const { run } = await ran(world, fails(), [{ input: 1 }])
      const replay = () => world.call('POST', `/v1/durable/runs/${recordId(run)}/replay`)
      const { json } = await replay()
      await workOff(world, works)
      expect((await replay()).status).toBe(409)
      expect((await world.call('POST', `/v1/durable/runs/${json.record_id}/wrong`)).status).toBe(200)
      expect((await replay()).status).toBe(202)
    })

    it('takes another input byte for byte, a deployment and a budget, and refuses unknown values', async () => {
      const world = given()
      const { run } = await ran(world, fails(), [{ input: 1 }, { input: 2 }])
      const raw = '{"input": {"__proto__": 1e2, "x": "\\u0000"}, "deployment": "original", "budget_cents": 7}'
      const headers = { 'content-type': 'application/json' }
      const edited = await world.call('POST', `/v1/durable/runs/${recordId(run)}/replay`, { raw, headers })
      expect([edited.status, edited.json.reused_steps]).toEqual([202, 0])
      const { text } = await world.call('GET', `/v1/durable/runs/${edited.json.record_id}`)
      expect(text).toContain('"input_snapshot":{"__proto__": 1e2, "x": "\\u0000"}')
      expect((await world.call('GET', `/v2/runs/${edited.json.run_id}`)).json.budget_cents).toBe(7)
      for (const body of [
        { from_step: 'nowhere' },
        { deployment: 'other' },
        { unknown: 1 },
        { budget_cents: -1 },
        [],
      ]) {
        const refused = await world.call('POST', `/v1/durable/runs/${recordId(run, 2)}/replay`, { body })
        expect([body, refused.status, refused.json.error.code]).toEqual([body, 400, 'invalid_request'])
      }
      await world.call('POST', `/v2/runs/${edited.json.run_id}/cancel`)
    })

    it('of an item that worked is refused [recovery.not-replayable, recovery.not-paused, errors.409]', async () => {
      const world = given()
      const { run } = await ran(world, works, [{ input: 1 }])
      const refused = await world.call('POST', `/v1/durable/runs/${recordId(run)}/replay`)
      expect([refused.status, refused.json.error.code]).toEqual([409, 'item_not_replayable'])
      const resumed = await world.call('POST', `/v1/durable/runs/${recordId(run)}/resume`)
      expect([resumed.status, resumed.json.error.code]).toEqual([409, 'item_not_paused'])
    })
  })

  describe('a held item', () => {
    it('is in quarantine, says why, and continues when it is resumed [recovery.resume, triage.lanes, triage.actions]', async () => {
      const world = given()
      const { run } = await ran(world, holds, [{ input: 1 }])
      const { json } = await world.call('GET', `/v1/triage?kind=quarantine&run_id=${run}`)
      expect(json.rows).toMatchObject([
        { message: 'looks like fraud', available_actions: ['resume', 'acknowledge', 'dismiss'] },
      ])
      const why = await world.call('GET', `/v1/durable/runs/${recordId(run)}/why`)
      expect(why.json).toMatchObject({ token: 'paused_for_decision', item_status: 'paused' })
      const resumed = await world.call('POST', `/v1/durable/runs/${recordId(run)}/resume`)
      expect([resumed.status, resumed.json]).toEqual([
        202,
        { run_id: run, record_id: recordId(run), reused_steps: 0, warnings: [] },
      ])
      await workOff(world, holds)
      expect((await world.call('GET', `/v2/runs/${run}`)).json).toMatchObject({
        status: 'completed',
        paused: 0,
      })
    })
  })

  describe('failure clusters', () => {
    it('add up to all failures of the project, with at most five ids each [clusters.list, clusters.key, clusters.other-says-nothing, clusters.ids, clusters.sum]', async () => {
      const world = given()
      const items = Array.from({ length: 7 }, (_, n) => ({
        input: { text: ' the same\n prompt' },
        item_id: `c${n}`,
      }))
      await ran(world, fails('a_code_of_its_own'), [...items, { input: 'alone' }])
      const { json } = await world.call('GET', '/v1/durable/runs/clusters')
      const cluster = json.clusters.find(
        (one: { error_code: string }) => one.error_code === 'a_code_of_its_own',
      )
      expect(cluster).toMatchObject({ count: 7, sample_prompt: 'the same prompt' })
      expect(cluster.cluster_key).toMatch(/^a_code_of_its_own:[0-9a-f]+$/)
      expect(cluster.item_ids).toEqual(['c6', 'c5', 'c4', 'c3', 'c2'])
      const other = json.clusters.at(-1)
      expect(other).toMatchObject({ cluster_key: 'other', error_code: '', sample_prompt: '', item_ids: [] })
      const sum = json.clusters.reduce((all: number, one: { count: number }) => all + one.count, 0)
      expect(sum).toBe(json.total_failures)
      expect(
        (await world.call('GET', '/v1/durable/runs/clusters', { token: world.stranger.key })).json,
      ).toEqual({
        clusters: [],
        total_failures: 0,
      })
    })
  })

  describe('a recovery', () => {
    it('acts on one lane only, which triage counts [recoveries.lane, triage.count]', async () => {
      const world = given()
      const both: Play = item => (item.input === 'hold' ? holds(item) : fails()(item))
      const { run } = await ran(world, both, [{ input: 'hold' }, { input: 1 }, { input: 2 }])
      const counted = async (more: string) =>
        (await world.call('GET', `/v1/triage?run_id=${run}&limit=1&count=true${more}`)).json.total
      expect([await counted(''), await counted('&kind=dlq'), await counted('&kind=quarantine')]).toEqual([
        3, 2, 1,
      ])
      const filter = { run_id: run, kind: 'dlq' }
      const order = { action: 'dismiss', filter }
      const plan = await world.call('POST', '/v1/recoveries', { body: { ...order, dry_run: true } })
      expect(plan.json).toMatchObject({ eligible: 2, held: 0 })
      await world.call('POST', '/v1/recoveries', { body: order })
      await advanceRecoveries(world.ctx)
      expect([await counted('&kind=dlq'), await counted('&kind=quarantine')]).toEqual([0, 1])
      const mixed = { filter: { ...filter, status: 'cancelled' } }
      const { status, json } = await world.call('POST', '/v1/recoveries', { body: mixed })
      expect([status, json.error.message]).toEqual([400, expect.stringContaining('kind')])
    })

    it('says in a dry run what it would do, does it, and shows its counts [recoveries.cohort]', async () => {
      const world = given()
      const { run } = await ran(world, fails(), [{ input: 1 }, { input: 2 }, { input: 3 }])
      await world.call('POST', `/v1/durable/runs/${recordId(run, 3)}/acknowledge`)
      const order = { name: 'after the outage', filter: { run_id: run } }
      const plan = await world.call('POST', '/v1/recoveries', { body: { ...order, dry_run: true } })
      expect([plan.status, plan.json]).toMatchObject([
        200,
        {
          eligible: 2,
          ineligible: [{ reason: 'acknowledged', count: 1 }],
          looked_at_items: 2,
          rules: [{ rule: 'goes_on', reason: 'step_error', items: 2, reused_steps: 2, offered_steps: 0 }],
        },
      ])
      const started = await world.call('POST', '/v1/recoveries', { body: order })
      expect([started.status, started.json]).toMatchObject([
        202,
        { name: 'after the outage', status: 'running', eligible: 2, replayed: 2, ended: 0 },
      ])
      await workOff(world, works)
      await advanceRecoveries(world.ctx)
      const { json } = await world.call('GET', `/v1/recoveries/${started.json.id}`)
      expect(json).toMatchObject({ status: 'completed', ended: 2, ok: 2, failed: 0 })
      const list = await world.call('GET', '/v1/recoveries?limit=1')
      const { warnings, ...listed } = json
      expect([list.json, warnings]).toEqual([[listed], []])
      const late = await world.call('POST', `/v1/recoveries/${started.json.id}/abort`)
      expect([late.status, late.json.error.code]).toEqual([409, 'recovery_already_ended'])
    })

    it('acts on what its dry run counted, and on nothing that came later [recoveries.plan]', async () => {
      const world = given()
      const { agent } = await ran(world, fails(), [{ input: 1 }, { input: 2 }])
      const order = { action: 'dismiss', filter: { agent_id: agent.id, reason: 'step_error' } }
      const plan = await world.call('POST', '/v1/recoveries', { body: { ...order, dry_run: true } })
      expect(plan.json).toMatchObject({ eligible: 2, filter: order.filter })
      const late = await world.call('POST', '/v1/batches', {
        body: { agent_id: agent.id, items: [{ input: 3 }] },
      })
      await workOff(world, fails())
      const body = { ...order, filter: plan.json.filter }
      const { json } = await world.call('POST', '/v1/recoveries', { body })
      expect(json).toMatchObject({ eligible: 2, decided: 2 })
      const { rows } = (await world.call('GET', `/v1/triage?agent_id=${agent.id}`)).json
      expect(rows.map((row: { run_id: string }) => row.run_id)).toEqual([late.json.group_id])
    })

    it.each([
      ['2000-01-01T00:00:00Z', '2000-01-01T00:00:00.5Z', 200],
      ['2000-01-01T02:00:00+02:00', '2000-01-01T00:30:00Z', 200],
      ['2000-01-01T00:00:00.5Z', '2000-01-01T00:00:00Z', 400],
      ['2000-01-01T00:30:00Z', '2000-01-01T01:00:00+01:00', 400],
    ])(
      'compares the times of its filter as moments, however they are written: %s to %s [recoveries.cohort]',
      async (from, to, status) => {
        const body = { action: 'dismiss', filter: { from, to }, dry_run: true }
        const answer = await given().call('POST', '/v1/recoveries', { body })
        expect(answer.status).toBe(status)
        if (status === 400)
          expect(answer.json.error.message).toBe('Field "filter.from" is later than "filter.to".')
      },
    )

    it('dismisses all items of a filter in one order, as one entry of the audit log [recoveries.decide]', async () => {
      const world = given()
      const { run } = await ran(world, fails(), [{ input: 1 }, { input: 2 }, { input: 3 }])
      const order = { action: 'dismiss', filter: { run_id: run } }
      const plan = await world.call('POST', '/v1/recoveries', { body: { ...order, dry_run: true } })
      expect([plan.status, plan.json]).toMatchObject([
        200,
        { action: 'dismiss', eligible: 3, held: 0, ineligible: [], runs: 0, rules: [], max_cost_usd: null },
      ])
      const started = await world.call('POST', '/v1/recoveries', { body: order })
      expect([started.status, started.json]).toMatchObject([
        202,
        { action: 'dismiss', status: 'completed', eligible: 3, decided: 3, left: 0, replayed: 0, stages: [] },
      ])
      expect((await world.call('GET', `/v1/triage?run_id=${run}`)).json.rows).toEqual([])
      expect((await world.call('GET', `/v2/runs/${run}/verify`)).json.balanced).toBe(true)
      const log = await world.call('GET', '/v1/audit?action=createRecovery&limit=2')
      expect(log.json.entries[0]).toMatchObject({ fields: ['action', 'filter'] })
      for (const more of [{ first: 1 }, { reuse: 'all' }, { budget_cents: 1 }]) {
        const refused = await world.call('POST', '/v1/recoveries', { body: { ...order, ...more } })
        expect([refused.status, refused.json.error.code]).toEqual([400, 'invalid_request'])
      }
    })

    it('counts items that ended like their original without another call [recoveries.unchanged]', async () => {
      const world = given()
      const degrades: Play = item => [
        ...(item.recorded.length > 0 ? [] : fails()(item).slice(0, 1)),
        { type: 'result', seq: item.seq, attempt: item.attempt, degraded: 'not good', output: 1 },
      ]
      const { run } = await ran(world, degrades, [{ input: 1 }])
      const started = await world.call('POST', '/v1/recoveries', {
        body: { filter: { run_id: run }, reuse: 'all' },
      })
      await workOff(world, degrades)
      await advanceRecoveries(world.ctx)
      const recovery = (await world.call('GET', `/v1/recoveries/${started.json.id}`)).json
      expect(recovery).toMatchObject({ degraded: 1, unchanged: 1, stages: [{ still_fail: 1, unchanged: 1 }] })
      const [replay] = recovery.run_ids
      expect((await world.call('GET', `/v2/runs/${replay}`)).json.unchanged_count).toBe(1)
      const record = async (id: string) => (await world.call('GET', `/v1/durable/runs/${id}`)).json.unchanged
      expect([await record(recordId(run)), await record(recordId(replay))]).toEqual([false, true])
    })

    it('refuses a reason that no item has, and names those that exist [recoveries.reasons]', async () => {
      const world = given()
      const { run } = await ran(world, fails(), [{ input: 1 }, { input: 2 }])
      for (const dry_run of [true, false]) {
        const body = { filter: { run_id: run, reason: 'bogus' }, dry_run }
        const refused = await world.call('POST', '/v1/recoveries', { body })
        expect([refused.status, refused.json.error]).toMatchObject([
          400,
          { code: 'invalid_request', hint: 'There are: step_error (2).' },
        ])
      }
    })

    it('takes the same words as a replay for what is reused, and only one at a time [recoveries.reuse]', async () => {
      const world = given()
      const { run } = await ran(world, fails(), [{ input: 1 }])
      const filter = { run_id: run }
      const plan = async (more: object) =>
        (await world.call('POST', '/v1/recoveries', { body: { filter, dry_run: true, ...more } })).json
      expect((await plan({ reuse: 'all' })).rules).toMatchObject([{ rule: 'goes_on', reused_steps: 1 }])
      expect((await plan({ reuse: 'none' })).rules).toMatchObject([{ rule: 'from_start', reused_steps: 0 }])
      for (const path of ['/v1/recoveries', `/v1/durable/runs/${recordId(run)}/replay`]) {
        const body = { ...(path.endsWith('replay') ? {} : { filter }), reuse: 'all', from_step: 'x' }
        const refused = await world.call('POST', path, { body })
        expect([refused.status, refused.json.error.code]).toEqual([400, 'invalid_request'])
      }
      const started = await world.call('POST', '/v1/recoveries', { body: { filter, reuse: 'none' } })
      expect([started.status, started.json]).toMatchObject([
        202,
        { reuse: 'none', from_step: null, unchanged: 0, stages: [{ stage: 'all', items: 1, worked: 0 }] },
      ])
      await workOff(world, works)
      await advanceRecoveries(world.ctx)
    })

    it('of items that were replayed already names their replays, as a dry run does [recoveries.replayed]', async () => {
      const world = given()
      const { run } = await ran(world, fails(), [{ input: 1 }])
      const filter = { run_id: run }
      const order = (more: object) => world.call('POST', '/v1/recoveries', { body: { filter, ...more } })
      const { json } = await order({})
      await workOff(world, fails())
      await advanceRecoveries(world.ctx)
      const [replay] = (await world.call('GET', `/v1/recoveries/${json.id}`)).json.run_ids
      const planned = await order({ dry_run: true })
      expect(planned.json).toMatchObject({ eligible: 0, replay_run_ids: [replay] })
      const refused = await order({})
      expect([refused.status, refused.json.error]).toMatchObject([
        409,
        {
          code: 'nothing_to_recover',
          message: 'No item can be replayed; 1 cannot: replayed already.',
          hint: `Their replays are in run ${replay} (assay watch ${replay}).`,
        },
      ])
    })

    it('can be aborted, and refuses a filter that matches nothing [recoveries.abort]', async () => {
      const world = given()
      const { run } = await ran(world, fails(), [{ input: 1 }])
      const started = await world.call('POST', '/v1/recoveries', { body: { filter: { run_id: run } } })
      const nothing = await world.call('POST', '/v1/recoveries', { body: { filter: { run_id: run } } })
      expect([nothing.status, nothing.json.error.code]).toEqual([409, 'nothing_to_recover'])
      const aborted = await world.call('POST', `/v1/recoveries/${started.json.id}/abort`)
      expect([aborted.status, aborted.json.status]).toEqual([202, 'aborting'])
      await workOff(world, works)
      await advanceRecoveries(world.ctx)
      const { json } = await world.call('GET', `/v1/recoveries/${started.json.id}`)
      expect(json).toMatchObject({ status: 'aborted', cancelled: 1 })
      expect((await world.call('GET', `/v1/triage?run_id=${run}`)).json.rows).toHaveLength(1)
    })
  })

  it('a recovery runs the rest of a cancelled run, and says which filters do not go with that', async () => {
    const world = given()
    const agent = await makeAgent(world)
    const run = await makeRun(world, agent.id, [{ input: 1 }, { input: 2 }])
    await world.call('POST', `/v2/runs/${run}/cancel`)
    const order = (filter: object, more = {}) =>
      world.call('POST', '/v1/recoveries', { body: { filter: { status: 'cancelled', ...filter }, ...more } })
    const [missing, mixed] = [await order({}), await order({ run_id: run, reason: 'refusal' })]
    expect([missing.status, missing.json.error.message]).toEqual([
      400,
      'Field "filter.run_id": is missing: cancelled items are found by their run.',
    ])
    expect([mixed.status, mixed.json.error.message]).toMatchObject([
      400,
      expect.stringMatching(/"filter.reason"/),
    ])
    const plan = await order({ run_id: run }, { dry_run: true })
    expect(plan.json).toMatchObject({
      eligible: 2,
      ineligible: [],
      agent_ids: [agent.id],
      runs: 1,
      cost_usd: 0,
    })
    const { status, json } = await order({ run_id: run }, { deployment: 'original', budget_cents: 9 })
    expect([status, json]).toMatchObject([202, { deployment: 'original', budget_cents: 9, replayed: 2 }])
    expect(json.run_ids).toHaveLength(1)
    expect((await world.call('GET', `/v2/runs/${json.run_ids[0]}`)).json).toMatchObject({
      total_items: 2,
      budget_cents: 9,
      replay_of: run,
    })
    await world.call('POST', `/v1/recoveries/${json.id}/abort`)
  })

  it('why an item is not running is one token and one sentence [items.why]', async () => {
    const world = given()
    const agent = await makeAgent(world)
    const run = await makeRun(world, agent.id, [{ input: 1 }])
    const { status, json } = await world.call('GET', `/v1/durable/runs/${recordId(run)}/why`)
    expect([status, json]).toMatchObject([
      200,
      { token: 'no_deployment', message: 'Nothing is deployed for its agent yet.', item_status: 'queued' },
    ])
    expect((await world.call('GET', `/v1/durable/runs/${recordId(run, 2)}/why`)).status).toBe(404)
  })
}
