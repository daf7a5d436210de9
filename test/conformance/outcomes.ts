import { beforeAll, describe, expect, it } from 'vitest'
import type { AgentLine, ItemLine } from '../../shared/protocol/rules/protocol.ts'
import { openAccount } from './account-of-own.ts'
import { makeAgent, makeRun } from './make.ts'
import { called, deploy, fails, holds, type Play, ran, recordId, workOff, works } from './play.ts'
import type { Given } from './suite.ts'

const VERBATIM = '{"n": 1.50,  "deep": [null]}'
const RFC3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/

/** Plays what the item itself asks for. */
const obeys: Play = item => {
  const { seq, attempt, input } = item
  const result = (more: object = {}): AgentLine => ({
    type: 'result',
    seq,
    attempt,
    output: { of: seq },
    ...more,
  })
  switch ((input as { do?: string }).do) {
    case 'priced':
      return [called(item, 'test-model', 1_500_000, 7), result()]
    case 'unpriced':
      return [called(item, 'nobody-knows-it', 3, 4, { says: 'well' }), result()]
    case 'degrade':
      return [result({ degraded: 'not sure' })]
    case 'fail':
      return fails()(item)
    case 'hold':
      return holds(item)
    default:
      return works(item)
  }
}

/** What a run and its items show, with one item for each way to end. */
export function outcomesPart(given: Given): void {
  describe('a run whose items have run', () => {
    let token: string
    let run: string
    // biome-ignore lint/suspicious/noExplicitAny: answers as they arrive
    let summary: any
    // biome-ignore lint/suspicious/noExplicitAny: answers as they arrive
    let items: any[]
    let texts: string
    const read = (path: string) => given().call('GET', path, { token })

    beforeAll(async () => {
      const world = given()
      const account = await openAccount(world)
      const price = { model: 'test-model', input_per_mtok: 0.01, output_per_mtok: 0.01 }
      const path = `/v1/projects/${account.project_id}/prices`
      await world.call('POST', path, { token: account.token, body: price })
      token = account.key
      const agent = await makeAgent(world, token)
      await deploy(world, agent.id, {}, token)
      const kinds = ['priced', 'unpriced', 'degrade', 'fail', 'hold', 'work']
      const lines = kinds.map(kind => `{"input":{"do":"${kind}","text":${VERBATIM}},"item_id":"${kind}"}`)
      const submitted = await world.call('POST', `/v1/batches?agent_id=${agent.id}`, {
        token,
        raw: lines.join('\n'),
        headers: { 'content-type': 'application/x-ndjson' },
      })
      run = submitted.json.run_id
      await workOff(world, obeys)
      summary = (await read(`/v2/runs/${run}`)).json
      const listed = await read(`/v2/runs/${run}/items`)
      items = listed.json
      texts = listed.text
    })
    const named = (item_id: string) => items.find(item => item.item_id === item_id)

    it('counts its items by how they ended [runs.get, runs.total-items, runs.completed, runs.degraded-count, runs.failed, runs.paused]', () => {
      expect(summary).toMatchObject({ total_items: 6, completed: 4, degraded_count: 1, failed: 1, paused: 1 })
      expect(summary).toMatchObject({ cancelled: 0, queued: 0, running: 0, status: 'running' })
    })

    it('says what it cost, and for how many items the cost is not known [runs.cost, runs.cost-is-a-lower-bound]', () => {
      // 1,500,007 tokens at a cent a million, rounded up to whole micro-dollars.
      expect(summary).toMatchObject({ aggregate_cost_cents: 2, cost_usd: 0.015001, unpriced_item_count: 1 })
    })

    it('gives the date of its price list, as its items do [prices.as-of]', async () => {
      const { json } = await read(`/v1/durable/runs/${named('work').id}`)
      expect(summary.prices_as_of).toMatch(/^\d{4}-\d{2}-\d{2}$/)
      expect(json.prices_as_of).toBe(summary.prices_as_of)
    })

    it('says how many answers of models were read, and what was found in the others [runs.calls-read, steps.unread]', async () => {
      expect(summary).toMatchObject({ model_call_count: 2, unread_call_count: 1 })
      expect(named('unpriced')).toMatchObject({ model_call_count: 1, unread_call_count: 1 })
      expect(named('work')).toMatchObject({ model_call_count: 0, unread_call_count: 0 })
      const { json } = await read('/v1/steps?item_id=unpriced')
      expect(json.steps[0]).toMatchObject({ unread: expect.stringContaining('"says"'), outcome_status: 'ok' })
      const { json: counted } = await read(`/v2/runs/${run}/verify`)
      expect(counted).toMatchObject({
        balanced: true,
        totals: { counted: { model_calls: 2, unread_calls: 1 } },
      })
    })

    it('is graded again by the current rules, and nothing differs [runs.grade]', async () => {
      const { status, json } = await read(`/v2/runs/${run}/grade`)
      expect(status).toBe(200)
      expect(json).toMatchObject({ items: 4, calls: 2, refusals: 'sure', changes: [], next_cursor: null })
      expect(json.verdicts).toContainEqual({
        verdict: 'unread',
        items_was: 0,
        items_now: 0,
        calls_was: 1,
        calls_now: 1,
      })
      expect((await read(`/v2/runs/${run}/grade?agent=nobody`)).status).toBe(404)
    })

    it('has the worst verdict of its items [runs.worst-outcome]', () => {
      expect(summary.worst_outcome_status).toBe('failed')
    })

    it('has items with an id, an input, a verdict and a cost each [service.item-is-the-unit, runs.items, items.status, items.verdict, items.totals]', () => {
      const facts = items.map(item => [
        item.item_id,
        item.status,
        item.worst_outcome_status,
        item.total_cost_cents,
        item.total_input_tokens,
        item.total_output_tokens,
      ])
      expect(facts.sort()).toEqual([
        ['degrade', 'completed', 'degraded', 0, 0, 0],
        ['fail', 'failed', 'failed', 0, 0, 0],
        ['hold', 'paused', null, 0, 0, 0],
        ['priced', 'completed', 'ok', 2, 1_500_000, 7],
        ['unpriced', 'completed', 'ok', 0, 3, 4],
        ['work', 'completed', 'ok', 0, 0, 0],
      ])
    })

    it('keeps inputs and outputs byte for byte [items.input, items.output]', () => {
      expect(texts).toContain(`"input":{"do":"work","text":${VERBATIM}},"output":{"ok":true}`)
      expect(named('degrade').output).toEqual({ of: named('degrade').line })
      expect([named('fail').output, named('hold').output]).toEqual([null, null])
    })

    it('says why an item did not work, and what ended it [items.degraded-reason, items.error, items.error-codes]', () => {
      expect(named('degrade')).toMatchObject({
        degraded_reason: 'not sure',
        outcome_reason: 'agent_degraded',
        error_code: null,
      })
      expect(named('fail')).toMatchObject({ error_code: 'tool_call_error', error_message: 'no answer' })
      expect(named('work')).toMatchObject({ degraded_reason: null, error_code: null, error_message: null })
    })

    it('dates its items [items.times]', () => {
      for (const item of items) {
        expect(item.created_at).toMatch(RFC3339)
        if (item.item_id === 'hold') expect(item.completed_at).toBeNull()
        else expect(item.completed_at).toMatch(RFC3339)
      }
    })

    it('has a record of each item that says the same [records.get, items.verdict]', async () => {
      for (const item of items) {
        const { worst_outcome_status, input, mended_by: _, corrected_outcome_status: __, ...same } = item
        const { json } = await read(`/v1/durable/runs/${item.id}`)
        expect(json).toMatchObject({ ...same, outcome_status: worst_outcome_status, input_snapshot: input })
      }
    })

    it('has steps with their input, output, tokens and cost [steps.types, steps.content]', async () => {
      const { json } = await read(`/v1/steps?run_id=${run}`)
      const of = (type: string, item_id: string) =>
        json.steps.find(
          (step: { type: string; item_id: string }) => step.type === type && step.item_id === item_id,
        )
      expect(of('llm_call', 'priced')).toMatchObject({
        input: { prompt: 'well?' },
        output: 'an answer',
        model: 'test-model',
        input_tokens: 1_500_000,
        output_tokens: 7,
        cost_cents: 2,
        tool_name: null,
      })
      expect(of('tool_call', 'fail')).toMatchObject({ tool_name: 'look_up', output: { found: 7 } })
    })
  })

  it('a run can be completed although an item did not work [runs.two-verdicts, service.ran-and-worked, lifecycle.decided]', async () => {
    const world = given()
    const { run } = await ran(world, obeys, [{ input: { do: 'degrade' } }, { input: {} }])
    const read = async () => (await world.call('GET', `/v2/runs/${run}`)).json
    expect(await read()).toMatchObject({ status: 'partial', worst_outcome_status: 'degraded' })
    const [item] = (await world.call('GET', `/v2/runs/${run}/items?outcome=not_ok`)).json
    expect(item).toMatchObject({ status: 'completed', worst_outcome_status: 'degraded' })
    await world.call('POST', `/v1/durable/runs/${item.id}/dismiss`)
    expect(await read()).toMatchObject({ status: 'completed', worst_outcome_status: 'degraded' })
  })

  it.each([
    ['completed', [{}, {}]],
    ['partial', [{}, { do: 'fail' }]],
    ['failed', [{ do: 'fail' }, { do: 'fail' }]],
  ])(
    'a run ends as %s, depending on how its items ended [lifecycle.completed, lifecycle.partial, lifecycle.failed]',
    async (status, inputs) => {
      const world = given()
      const { run } = await ran(
        world,
        obeys,
        inputs.map(input => ({ input })),
      )
      const { json } = await world.call('GET', `/v2/runs/${run}`)
      expect(json).toMatchObject({ status, queued: 0, running: 0, paused: 0 })
      const triage = await world.call('GET', `/v1/triage?run_id=${run}`)
      expect(triage.json.rows).toHaveLength(json.failed)
    },
  )

  it('a spent budget keeps queued items from starting [lifecycle.budget, items.error-codes]', async () => {
    const world = given()
    const { run } = await ran(world, works, [{ input: 1 }, { input: 2 }], { budget_cents: 0 })
    const { json } = await world.call('GET', `/v2/runs/${run}`)
    expect(json).toMatchObject({ status: 'budget_exceeded', failed: 2, worst_outcome_status: 'failed' })
    const items = await world.call('GET', `/v2/runs/${run}/items`)
    expect(items.json).toMatchObject([
      { status: 'budget_exceeded', error_code: 'budget_exceeded' },
      { status: 'budget_exceeded', error_code: 'budget_exceeded' },
    ])
  })

  describe('an agent', () => {
    it('is created and changed without being deployed [agents.create-deploys-nothing, agents.update-deploys-nothing]', async () => {
      const world = given()
      const { id } = await makeAgent(world)
      const run = await makeRun(world, id, [{ input: 1 }])
      await workOff(world, works)
      expect((await world.call('GET', `/v2/runs/${run}`)).json).toMatchObject({
        status: 'queued',
        deployment_version: null,
      })
      await deploy(world, id)
      const changed = await world.call('PATCH', `/v1/agents/${id}`, { body: { config: { model: 'other' } } })
      expect(changed.json).toMatchObject({ config_version: 2, deployed_version: 1 })
      await workOff(world, works)
      expect((await world.call('GET', `/v2/runs/${run}`)).json).toMatchObject({
        status: 'completed',
        deployment_version: 1,
      })
    })

    it('runs the version that is deployed when the run is submitted [agents.current-deployment]', async () => {
      const world = given()
      const { id } = await makeAgent(world)
      await deploy(world, id)
      const before = await makeRun(world, id, [{ input: 'before' }])
      const declaration = { name: 'played' }
      const body = { kind: 'url', url: 'http://127.0.0.1:9/second', declaration }
      await world.call('POST', `/v1/agents/${id}/deployments`, { body })
      const after = await makeRun(world, id, [{ input: 'after' }])
      const called = new Map<unknown, string | undefined>()
      await workOff(world, (item: ItemLine, url) => {
        called.set(item.input, url)
        return works(item)
      })
      expect(called.get('before')).toBe('http://127.0.0.1:9/')
      expect(called.get('after')).toBe('http://127.0.0.1:9/second')
      for (const [run, version] of [
        [before, 1],
        [after, 2],
      ])
        expect((await world.call('GET', `/v2/runs/${run}`)).json.deployment_version).toBe(version)
    })
  })

  it('a call starts one item with every field it can have [runs.start, starts.call, items.id]', async () => {
    const world = given()
    const agent = await makeAgent(world)
    const body = {
      agent_id: agent.id,
      input: { n: 1 },
      item_id: 'ticket-7',
      partition_key: 'tenant-1',
      budget_cents: 12,
      timeout_seconds: 30,
      callback_url: 'https://example.org/hook',
      idempotency_key: 'ticket-7',
    }
    const { status, json } = await world.call('POST', `/v1/agents/${agent.id}/runs`, { body })
    expect(status).toBe(202)
    expect((await world.call('GET', `/v2/runs/${json.run_id}`)).json).toMatchObject({
      total_items: 1,
      budget_cents: 12,
      timeout_seconds: 30,
      callback_url: 'https://example.org/hook',
    })
    const record = await world.call('GET', `/v1/durable/runs/${recordId(json.run_id)}`)
    expect(record.json).toMatchObject({
      item_id: 'ticket-7',
      partition_key: 'tenant-1',
      input_snapshot: { n: 1 },
    })
  })

  describe('a page has 50, or as many as limit says within its bounds', () => {
    async function pagesOf(path: (run: string) => string, most: number) {
      const world = given()
      const agent = await makeAgent(world)
      const items = Array.from({ length: most + 1 }, (_, n) => ({ input: n }))
      const run = await makeRun(world, agent.id, items)
      await world.ctx.sql`
        insert into steps (project_id, run_id, seq, step_no, attempt, kind, outcome, started_at, duration_ms, key, name)
        select project_id, run_id, seq, 1, 1, 'step', 'ok', now(), 1, 'k', 'n' from items where run_id = ${run}`
      const lengths = []
      for (const limit of ['', 'limit=7', 'limit=0', 'limit=-5', `limit=${most + 1}`]) {
        const { json } = await world.call('GET', `${path(run)}${limit}`)
        lengths.push((json.steps ?? json).length)
      }
      return lengths
    }

    it('of items: 1 to 500 [limits.items-page]', async () => {
      expect(await pagesOf(run => `/v2/runs/${run}/items?`, 500)).toEqual([50, 7, 1, 1, 500])
    })

    it('of steps: 1 to 200 [limits.steps-page]', async () => {
      expect(await pagesOf(run => `/v1/steps?run_id=${run}&`, 200)).toEqual([50, 7, 1, 1, 200])
    })
  })

  it('steps are searched within one project [steps.by-project]', async () => {
    const world = given()
    await ran(world, fails(), [{ input: 1 }])
    const ask = (project_id: string) =>
      world.call('GET', `/v1/steps?project_id=${project_id}`, { token: world.first.api_key })
    expect((await ask(world.first.project_id)).json.steps.length).toBeGreaterThan(0)
    expect((await ask(world.sibling.project_id)).status).toBe(403)
  })
}
