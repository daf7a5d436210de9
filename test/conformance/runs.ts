import { describe, expect, it } from 'vitest'
import { answersPart } from './answers.ts'
import { makeAgent, makeRun } from './make.ts'
import { deploy, fails, holds, workOff, works } from './play.ts'
import { runFiguresPart } from './run-figures.ts'
import { stepsPart } from './steps.ts'
import { submissionPart } from './submission.ts'
import type { Given } from './suite.ts'
import { upstreamLimits } from './upstream-limits.ts'

/** Runs, their items and the records of items. */
export function runsPart(given: Given): void {
  submissionPart(given)
  stepsPart(given)
  runFiguresPart(given)
  upstreamLimits(given)
  answersPart(given)

  describe('runs', () => {
    it('are listed newest first, by agent and by item, in pages [runs.list, runs.list-by-agent, runs.list-by-item]', async () => {
      const world = given()
      const agent = await makeAgent(world)
      const ids: string[] = []
      for (const item_id of ['a', 'b', 'a', 'c'])
        ids.unshift(await makeRun(world, agent.id, [{ input: 1, item_id }]))
      const list = async (query: string) => {
        const answer = await world.call('GET', `/v2/runs?agent=${agent.slug}&${query}`)
        expect(answer.status).toBe(200)
        return {
          ids: answer.json.map((run: { id: string }) => run.id),
          next: answer.headers.get('x-next-cursor'),
        }
      }
      expect(await list('')).toEqual({ ids, next: null })
      expect((await list('item_id=a')).ids).toEqual([ids[1], ids[3]])
      expect((await list('item_id=nothing')).ids).toEqual([])

      const first = await list('limit=3')
      expect(first.ids).toEqual(ids.slice(0, 3))
      const second = await list(`limit=3&cursor=${first.next}`)
      expect(second).toEqual({ ids: ids.slice(3), next: null })
    })

    it('say who or what started them [runs.started-by]', async () => {
      const world = given()
      const agent = await makeAgent(world)
      await deploy(world, agent.id)
      const { json: session } = await world.call('POST', '/v1/sessions', {
        token: null,
        body: world.first.account,
      })
      const make = async (path: string, more: object) =>
        (await world.call('POST', path, { body: { agent_id: agent.id, ...more } })).json
      const schedule = await make('/v1/schedules', { cron: '0 2 * * *', input: 1, name: 'Nightly' })
      const trigger = await make('/v1/triggers', { name: 'new-ticket' })
      const starts: [path: string, body: unknown, token?: string][] = [
        ['/v1/batches', { agent_id: agent.id, items: [{ input: 1 }] }],
        [`/v1/agents/${agent.id}/runs`, { input: 1 }, session.access_token],
        ['/v1/runs', { agent_id: agent.id, input: 1 }, session.access_token],
        [`/v1/schedules/${schedule.id}/trigger`, undefined],
        [new URL(trigger.url).pathname, { text: 'a' }, trigger.secret],
      ]
      const found: unknown[] = []
      for (const [path, body, token] of starts) {
        const { json } = await world.call('POST', path, {
          ...(body ? { body } : {}),
          ...(token && { token }),
        })
        found.push((await world.call('GET', `/v2/runs/${json.run_id}`)).json.started_by)
      }
      const { json: first } = await world.call('GET', `/v2/runs?agent=${agent.slug}&limit=1`)
      await workOff(world, fails())
      const [item] = (await world.call('GET', `/v2/runs/${first[0].id}/items`)).json
      const token = session.access_token
      const replay = await world.call('POST', `/v1/durable/runs/${item.id}/replay`, { body: {}, token })
      found.push((await world.call('GET', `/v2/runs/${replay.json.run_id}`)).json.started_by)
      const member = { kind: 'member', id: expect.any(String), name: world.first.account.email }
      expect(found).toEqual([
        { kind: 'key', id: expect.any(String), name: expect.any(String) },
        member,
        member,
        { kind: 'schedule', id: schedule.id, name: 'Nightly' },
        { kind: 'trigger', id: trigger.id, name: 'new-ticket' },
        member,
      ])
    })

    it('have tags, which find them, and which their replays get [runs.tags]', async () => {
      const world = given()
      const agent = await makeAgent(world)
      const tags = ['acme', 'Ticket 7']
      const list = async (tag: string) => {
        const query = `agent=${agent.slug}&tag=${encodeURIComponent(tag)}`
        const { json } = await world.call('GET', `/v2/runs?${query}`)
        return json.map((run: { id: string }) => run.id)
      }
      const ofBody = await world.call('POST', '/v1/batches', {
        body: { agent_id: agent.id, tags, items: [{ input: 1 }] },
      })
      const ofLines = await world.call('POST', `/v1/batches?agent_id=${agent.id}&tags=acme,lines`, {
        raw: '{"input":1}\n',
        headers: { 'content-type': 'application/x-ndjson' },
      })
      const ofOne = await world.call('POST', `/v1/agents/${agent.id}/runs`, { body: { tags, input: 1 } })
      const [body, lines, one] = [ofBody, ofLines, ofOne].map(answer => answer.json.run_id)
      expect(await list('acme')).toEqual([one, lines, body])
      expect(await list('Ticket 7')).toEqual([one, body])
      expect(await list('ticket 7')).toEqual([])

      const changed = await world.call('PATCH', `/v2/runs/${one}`, { body: { tags: ['other'] } })
      expect([changed.status, changed.json.tags]).toEqual([200, ['other']])
      expect(await list('acme')).toEqual([lines, body])

      await world.call('POST', `/v2/runs/${body}/cancel`)
      const [item] = (await world.call('GET', `/v2/runs/${body}/items`)).json
      const replay = await world.call('POST', `/v1/durable/runs/${item.id}/replay`, { body: {} })
      expect(await list('Ticket 7')).toEqual([replay.json.run_id, body])

      for (const wrong of [[''], ['a,b'], [' a'], ['a', 'a'], ['x'.repeat(65)], Array.from('abcdefghijk')]) {
        const refused = await world.call('PATCH', `/v2/runs/${one}`, { body: { tags: wrong } })
        expect([wrong, refused.status, refused.json.error.code]).toEqual([wrong, 400, 'invalid_request'])
      }
      const twice = await world.call('POST', `/v1/batches?agent_id=${agent.id}&tags=a,a`, {
        raw: '{"input":1}\n',
        headers: { 'content-type': 'application/x-ndjson' },
      })
      expect(twice.json.error.message).toContain('tags')
    })

    it('are listed by whether they have ended [runs.list-by-state]', async () => {
      const world = given()
      const agent = await makeAgent(world)
      const items = [{ input: 1 }]
      const open = await makeRun(world, agent.id, items)
      const ended = await makeRun(world, agent.id, items)
      await world.call('POST', `/v2/runs/${ended}/cancel`)
      for (const [state, id] of Object.entries({ open, ended })) {
        const { json } = await world.call('GET', `/v2/runs?agent=${agent.slug}&state=${state}`)
        expect(json.map((run: { id: string }) => run.id)).toEqual([id])
      }
    })

    it('are listed by whether only held items are left in them [runs.list-by-state]', async () => {
      const world = given()
      const agent = await makeAgent(world)
      await deploy(world, agent.id)
      const held = await makeRun(world, agent.id, [{ input: 1 }, { input: 2 }])
      await workOff(world, item => (item.input === 1 ? holds : works)(item))
      await makeRun(world, agent.id, [{ input: 1 }])
      const listed = async (state: string) =>
        (await world.call('GET', `/v2/runs?agent=${agent.slug}&state=${state}`)).json.map(
          (run: { id: string }) => run.id,
        )
      expect(await listed('held')).toEqual([held])
      expect(await listed('open')).toHaveLength(2)
      await world.call('POST', `/v2/runs/${held}/cancel`)
      expect(await listed('held')).toEqual([])
    })

    it('are not listed with those that wait for a person while they wait for money [runs.list-by-state]', async () => {
      const world = given()
      const agent = await makeAgent(world)
      await deploy(world, agent.id)
      await world.call('PATCH', `/v1/agents/${agent.id}`, { body: { day_budget_cents: 0 } })
      const run = await makeRun(world, agent.id, [{ input: 1 }])
      await workOff(world, works)
      const listed = async (state: string) =>
        (await world.call('GET', `/v2/runs?agent=${agent.slug}&state=${state}`)).json
      expect(await listed('open')).toMatchObject([{ id: run, paused: 1, queued: 0, waits_for_money: true }])
      expect(await listed('held')).toEqual([])
    })

    it('fill a page of 50, or of what limit says, clamped to 1 to 500 [limits.runs-page]', async () => {
      const world = given()
      const agent = await makeAgent(world)
      const { sql } = world.ctx
      const row = () => ({ id: world.ctx.newRunId(), project_id: world.first.project_id, agent_id: agent.id })
      await sql`insert into runs ${sql(Array.from({ length: 501 }, row))}`
      for (const [query, length] of [
        ['', 50],
        ['&limit=7', 7],
        ['&limit=0', 1],
        ['&limit=-5', 1],
        ['&limit=501', 500],
        ['&limit=99999999999999999999999', 500],
      ] as const) {
        const { json } = await world.call('GET', `/v2/runs?agent=${agent.slug}${query}`)
        expect([query, json.length]).toEqual([query, length])
      }
    })

    it('refuse a cursor that was edited, or is from another filter or another project [limits.cursor]', async () => {
      const world = given()
      const agent = await makeAgent(world)
      for (const input of [1, 2]) await makeRun(world, agent.id, [{ input, item_id: 'same' }])
      const cursor = (await world.call('GET', '/v2/runs?limit=1')).headers.get('x-next-cursor')!
      const edited = (cursor.startsWith('A') ? 'B' : 'A') + cursor.slice(1)
      const asked: [string, string?][] = [
        [`cursor=${edited}`],
        [`cursor=${cursor}=`],
        ['cursor=AAAA'],
        [`cursor=${cursor}&item_id=same`],
        [`cursor=${cursor}`, world.sibling.key],
      ]
      for (const [query, token = world.first.api_key] of asked) {
        const { status, json } = await world.call('GET', `/v2/runs?${query}`, { token })
        expect([query, status, json.error.code]).toEqual([query, 400, 'invalid_cursor'])
      }
    })

    it('show their settings and their progress [runs.get, lifecycle.queued]', async () => {
      const world = given()
      const agent = await makeAgent(world)
      const more = {
        name: 'nightly',
        budget_cents: 250,
        timeout_seconds: 60,
        callback_url: 'https://example.org/hook',
      }
      const id = await makeRun(world, agent.id, [{ input: 1 }, { input: 2 }], more)
      const { json } = await world.call('GET', `/v2/runs/${id}`)
      expect(json).toMatchObject({
        id,
        agent_id: agent.id,
        agent_slug: agent.slug,
        ...more,
        status: 'queued',
        worst_outcome_status: null,
        total_items: 2,
        queued: 2,
        completed: 0,
        failed: 0,
        cancelled: 0,
        paused: 0,
        degraded_count: 0,
        aggregate_cost_cents: 0,
        cost_usd: 0,
        unpriced_item_count: 0,
      })
    })

    it('are cancelled once [runs.cancel, runs.cancelled, lifecycle.cancelled]', async () => {
      const world = given()
      const agent = await makeAgent(world)
      const id = await makeRun(world, agent.id, [{ input: 1 }, { input: 2 }])
      const cancelled = await world.call('POST', `/v2/runs/${id}/cancel`)
      expect([cancelled.status, cancelled.json.status]).toEqual([202, 'cancelled'])
      const { json } = await world.call('GET', `/v2/runs/${id}`)
      expect(json).toMatchObject({ status: 'cancelled', stop_reason: 'cancelled', cancelled: 2, queued: 0 })
      const again = await world.call('POST', `/v2/runs/${id}/cancel`)
      expect([again.status, again.json.error.code]).toEqual([409, 'run_already_ended'])
    })

    it('keep why they had stopped when they are cancelled after that [lifecycle.cancelled]', async () => {
      const world = given()
      const agent = await makeAgent(world)
      await deploy(world, agent.id, { max_consecutive_failures: 1 })
      const id = await makeRun(world, agent.id, [{ input: 'hold' }, { input: 1 }, { input: 2 }], {
        concurrency: 1,
      })
      await workOff(world, item => (item.input === 'hold' ? holds : fails())(item))
      const stopped = (await world.call('GET', `/v2/runs/${id}`)).json
      expect(stopped).toMatchObject({ paused: 1, stop_reason: 'consecutive_failures', finished_at: null })
      await world.call('POST', `/v2/runs/${id}/cancel`)
      const { json } = await world.call('GET', `/v2/runs/${id}`)
      expect(json).toMatchObject({ status: 'cancelled', stop_reason: 'consecutive_failures', cancelled: 2 })
    })

    it('are cancelled with the items in flight aborted, and say how many those were and what they cost [runs.cancel-now]', async () => {
      const world = given()
      const agent = await makeAgent(world)
      const id = await makeRun(world, agent.id, [{ input: 1 }, { input: 2 }])
      const refused = await world.call('POST', `/v2/runs/${id}/cancel`, { body: { in_flight: 'kill' } })
      expect(refused.status).toBe(400)
      const { status, json } = await world.call('POST', `/v2/runs/${id}/cancel`, {
        body: { in_flight: 'abort' },
      })
      expect([status, json]).toMatchObject([
        202,
        { status: 'cancelled', cancelled: 2, aborted: { items: 0, cost_cents: 0, cost_usd: 0 } },
      ])
    })

    it('prove that nothing was lost, and say which counter is wrong [runs.verify]', async () => {
      const world = given()
      const agent = await makeAgent(world)
      const id = await makeRun(world, agent.id, [{ input: 1 }, { input: 2 }])
      const sound = await world.call('GET', `/v2/runs/${id}/verify`)
      expect(sound.json).toMatchObject({
        total_items: 2,
        counted: { queued: 2 },
        balanced: true,
        differences: [],
      })
      await world.ctx.sql`update runs set ok = ok + 1, cost_micro = 5 where id = ${id}`
      const broken = await world.call('GET', `/v2/runs/${id}/verify`)
      expect(broken.json.balanced).toBe(false)
      expect(broken.json.differences).toContain('ok: the run says 1, a recount 0')
      expect(broken.json.differences).toContain('cost_micro: the run says 5, a recount 0')
    })
  })

  describe('items', () => {
    it('are listed in pages, by status and by verdict [runs.items-that-did-not-work]', async () => {
      const world = given()
      const agent = await makeAgent(world)
      const run = await makeRun(
        world,
        agent.id,
        Array.from({ length: 5 }, (_, n) => ({ input: n, item_id: `i${n}` })),
      )
      await world.ctx.sql`
        update items set status = 'completed', outcome = (case when seq = 2 then 'ok' else 'degraded' end)::outcome
        where run_id = ${run} and seq in (2, 4)`
      await world.ctx.sql`
        insert into triage (run_id, seq, project_id, agent_id, lane, reason)
        values (${run}, 4, ${world.first.project_id}, ${agent.id}, 'dlq', 'refusal')`
      const list = async (query: string) => {
        const { status, json, headers } = await world.call('GET', `/v2/runs/${run}/items?${query}`)
        expect(status).toBe(200)
        return [json.map((item: { item_id: string }) => item.item_id), headers.get('x-next-cursor')]
      }
      expect(await list('')).toEqual([['i0', 'i1', 'i2', 'i3', 'i4'], null])
      expect(await list('outcome=ok')).toEqual([['i1'], null])
      expect(await list('outcome=not_ok')).toEqual([['i3'], null])
      expect(await list('status=queued')).toEqual([['i0', 'i2', 'i4'], null])
      const [, cursor] = await list('limit=4')
      expect(await list(`limit=4&cursor=${cursor}`)).toEqual([['i4'], null])
    })

    it('have a durable record each, and all of them can be exported as lines and as an array [records.export, records.get, service.results-are-items]', async () => {
      const world = given()
      const agent = await makeAgent(world, world.sibling.key)
      const items = Array.from({ length: 1203 }, (_, n) => ({
        input: { n },
        item_id: `x${n}`,
        partition_key: `p${n % 2}`,
      }))
      const token = world.sibling.key
      const body = { agent_id: agent.id, items }
      const { group_id } = (await world.call('POST', '/v1/batches', { token, body })).json
      for (const input of ['one', 'two']) {
        await world.call('POST', `/v1/agents/${agent.id}/runs`, { token, body: { input } })
      }
      const lines = await world.call('GET', '/v1/durable/runs', {
        token,
        headers: { accept: 'application/x-ndjson' },
      })
      const records = lines.text
        .trimEnd()
        .split('\n')
        .map(line => JSON.parse(line))
      expect(records.length).toBe(1205)
      expect(new Set(records.map(record => record.id)).size).toBe(1205)
      expect(records[0]).toMatchObject({
        run_id: group_id,
        item_id: 'x0',
        partition_key: 'p0',
        input_snapshot: { n: 0 },
      })
      expect((await world.call('GET', '/v1/durable/runs', { token })).json).toEqual(records)
      const record = await world.call('GET', `/v1/durable/runs/${records[700].id}`, { token })
      expect(record.json).toMatchObject(records[700])
    })
  })
}
