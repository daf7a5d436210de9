import { describe, expect, it } from 'vitest'
import { makeAgent, makeRun } from './make.ts'
import type { Given } from './suite.ts'

/** Traces. */
export function stepsPart(given: Given): void {
  describe('steps', () => {
    it('are found by item, run and verdict, newest first, in pages that do not shift [steps.list, steps.by-item, steps.by-verdict, steps.sort]', async () => {
      const world = given()
      const { sql } = world.ctx
      const agent = await makeAgent(world)
      const run = await makeRun(world, agent.id, [
        { input: 1, item_id: 'traced' },
        { input: 2, item_id: 'other' },
      ])
      const step = async (seq: number, step_no: number, microseconds: number, more: object = {}) => {
        const started = `2026-01-01T00:00:00.${String(microseconds).padStart(6, '0')}Z`
        const row = {
          project_id: world.first.project_id,
          run_id: run,
          seq,
          step_no,
          attempt: 1,
          kind: 'tool_call',
          outcome: 'ok',
          duration_ms: 1.5,
        }
        const text = { key: `k${step_no}`, name: 'look_up', input: '{"q": 1.0}', output: null }
        await sql`insert into steps ${sql({ ...row, started_at: '2026-01-01', ...text, ...more })}`
        // As text: the driver would pass a time on in whole milliseconds.
        await sql`
          update steps set started_at = ${started}::text::timestamptz
          where run_id = ${run} and seq = ${seq} and step_no = ${step_no}`
      }
      // All within one millisecond: a cursor without microseconds would lose or repeat some.
      for (const n of [1, 2, 3, 4]) await step(1, n, 500 + n)
      await step(1, 5, 400, {
        outcome: 'failed',
        error_code: 'tool_call_error',
        error_message: 'no',
        kind: 'llm_call',
      })
      await step(2, 1, 999)

      const list = async (query: string) => {
        const { status, json } = await world.call('GET', `/v1/steps?${query}`)
        expect(status).toBe(200)
        return { numbers: json.steps.map((step: { step_no: number }) => step.step_no), ...json }
      }
      const all = await list('item_id=traced')
      expect([all.numbers, all.next_cursor]).toEqual([[4, 3, 2, 1, 5], null])
      const record_id = `${run.slice(0, 28)}00000001`
      expect(all.steps[0]).toMatchObject({
        run_id: run,
        record_id,
        item_id: 'traced',
        type: 'tool_call',
        tool_name: 'look_up',
      })
      expect((await list(`record_id=${record_id}`)).numbers).toEqual([4, 3, 2, 1, 5])
      expect((await list(`run_id=${run}`)).numbers).toEqual([1, 4, 3, 2, 1, 5])
      const failed = await list(`run_id=${run}&outcome_status=failed`)
      expect(failed.steps).toMatchObject([
        { error_code: 'tool_call_error', tool_name: null, outcome_status: 'failed' },
      ])

      const first = await list('item_id=traced&limit=2')
      await step(1, 6, 600)
      const second = await list(`item_id=traced&limit=2&cursor=${first.next_cursor}`)
      const third = await list(`item_id=traced&limit=2&cursor=${second.next_cursor}`)
      expect([first.numbers, second.numbers, third.numbers]).toEqual([[4, 3], [2, 1], [5]])
      expect(third.next_cursor).toBeNull()
      const elsewhere = await world.call('GET', `/v1/steps?item_id=other&cursor=${first.next_cursor}`)
      expect([elsewhere.status, elsewhere.json.error.code]).toEqual([400, 'invalid_cursor'])
    })

    it('are searched by every filter, and by words [steps.by-prefix, steps.by-verdict, steps.by-reason, steps.by-cost, steps.by-time, steps.sort, steps.by-words, steps.where, steps.categories]', async () => {
      const world = given()
      const { sql } = world.ctx
      const agent = await makeAgent(world)
      const items = [
        { input: 1, item_id: 'find_1%' },
        { input: 2, item_id: 'find_2' },
      ]
      const run = await makeRun(world, agent.id, items)
      let made = 0
      const step = async (seq: number, more: object) => {
        const at = new Date(Date.UTC(2027, 0, 1, 0, ++made))
        const row = {
          project_id: world.first.project_id,
          run_id: run,
          seq,
          step_no: made,
          attempt: 1,
          kind: 'llm_call',
          outcome: 'ok',
          duration_ms: 1,
        }
        await sql`insert into steps ${sql({ ...row, started_at: at, key: `k${made}`, name: 'draft', ...more })}`
      }
      await step(1, { output: '"The parcel was\\nzephyrized at the depot"', cost_micro: 300 })
      await step(1, { name: 'fetch_zebra_orders', kind: 'tool_call', cost_micro: 0 })
      await step(2, {
        outcome: 'failed',
        outcome_reason: 'step_error',
        error_code: 'tool_call_error',
        error_message: 'the warehouse answered 503: zephyr unreachable',
        kind: 'tool_call',
        name: 'ask_warehouse',
      })
      await step(2, {
        outcome: 'degraded',
        outcome_reason: 'refusal',
        cost_micro: 5000,
        input: '{"zephyr":1}',
      })
      const list = async (query: string) => {
        const { status, json } = await world.call('GET', `/v1/steps?run_id=${run}&${query}`)
        expect([query, status]).toEqual([query, 200])
        return json.steps
      }
      const numbers = async (query: string) =>
        (await list(query)).map((found: { step_no: number }) => found.step_no)
      expect(await numbers('')).toEqual([4, 3, 2, 1])
      expect(await numbers('q=zephyr')).toEqual([4, 3, 1])
      expect(await numbers('q=warehouse+503')).toEqual([3])
      expect(await numbers('q=zephyrized+parcel')).toEqual([1])
      expect(await numbers('q=ZEBRA_ord')).toEqual([2])
      expect(await numbers('q=tch_zeb')).toEqual([2])
      expect(await numbers('q=%25')).toEqual([])
      expect(await numbers('item_id=find_2')).toEqual([4, 3])
      expect(await numbers('item_id_prefix=find_')).toEqual([4, 3, 2, 1])
      expect(await numbers('item_id_prefix=find_1%25')).toEqual([2, 1])
      expect(await numbers('outcome_status=ok')).toEqual([2, 1])
      expect(await numbers('outcome=failed')).toEqual([3])
      expect(await numbers('outcome_reason=refusal')).toEqual([4])
      expect(await numbers('min_cost_usd=0.0003')).toEqual([4, 1])
      expect(await numbers('min_cost_usd=0.00031')).toEqual([4])
      expect(await numbers('sort=cost')).toEqual([4, 1])
      expect(await numbers('from=2027-01-01T00:02:00Z&to=2027-01-01T01:04:00%2B01:00')).toEqual([3, 2])
      const [hit] = await list('q=warehouse+503&outcome=failed')
      expect(hit).toMatchObject({ item_id: 'find_2', record_id: `${run.slice(0, 28)}00000002`, run_id: run })
      expect(hit.snippet).toEqual({
        field: 'error_message',
        text: 'the «warehouse» answered 503: zephyr unreachable',
      })

      const pages: number[][] = []
      for (let cursor = ''; pages.length < 9; ) {
        const query = `run_id=${run}&sort=cost&limit=1${cursor && `&cursor=${cursor}`}`
        const { json } = await world.call('GET', `/v1/steps?${query}`)
        pages.push(json.steps.map((found: { step_no: number }) => found.step_no))
        cursor = json.next_cursor
        if (cursor === null) break
      }
      expect(pages).toEqual([[4], [1]])

      const { json } = await world.call('GET', '/v1/steps/error-categories?from=2027-01-01T00:00:00Z')
      expect(json).toEqual({
        total_steps: 2,
        categories: [
          {
            outcome: 'failed',
            error_code: 'tool_call_error',
            tool_name: 'ask_warehouse',
            outcome_reason: 'step_error',
            steps: 1,
            last_at: '2027-01-01T00:03:00.000Z',
          },
          {
            outcome: 'degraded',
            error_code: null,
            tool_name: null,
            outcome_reason: 'refusal',
            steps: 1,
            last_at: '2027-01-01T00:04:00.000Z',
          },
        ],
      })
      for (const token of [world.sibling.key, world.stranger.key]) {
        const found = await world.call('GET', '/v1/steps?q=zephyr', { token })
        expect(found).toMatchObject({ status: 200, json: { steps: [] } })
        const counted = await world.call('GET', '/v1/steps/error-categories', { token })
        expect(counted.json.total_steps).toBe(0)
      }

      // Removed steps are found no more, and neither are those that retention has marked as removed.
      await sql`delete from steps where run_id = ${run} and step_no = 3`
      expect(await numbers('q=zephyr')).toEqual([4, 1])
      await sql`update runs set steps_purged_at = now() where id = ${run}`
      expect(await numbers('q=zephyr')).toEqual([])
    })

    it.each([
      'from=2026-02-30T00:00:00Z',
      'from=2026-02-03T00:00:00',
      'from=2026-02-03',
      'to=yesterday',
      'from=2026-02-03T00:00:01Z&to=2026-02-03T00:00:00Z',
      'min_cost_usd=NaN',
      'min_cost_usd=-1',
      'min_cost_usd=1e3',
      'min_cost_usd=',
      'sort=oldest',
      'outcome=ok&outcome_status=failed',
      'outcome_reason=bad_luck',
      `q=${'x'.repeat(257)}`,
      'q=',
      'item_id_prefix=',
    ])('refuse the search %s', async query => {
      const { status, json } = await given().call('GET', `/v1/steps?${query}`)
      expect([status, json.error.code]).toEqual([400, 'invalid_request'])
    })

    it('are searched in messages alone, and counted [steps.in-messages, steps.count]', async () => {
      const world = given()
      const { sql } = world.ctx
      const agent = await makeAgent(world)
      const run = await makeRun(world, agent.id, [{ input: 1, item_id: 'asked' }])
      const schema = { type: 'object', properties: { kind: { enum: ['quokka', 'other'], type: 'string' } } }
      const request = { response_format: { type: 'json_schema', json_schema: { name: 'quokka', schema } } }
      const asks = (content: string) => JSON.stringify({ ...request, messages: [{ role: 'user', content }] })
      const texts = [
        { input: asks('A word') },
        { input: asks('She said:\n"The quokka is \u202eابتسم"') },
        { name: 'find_quokka', kind: 'tool_call', input: '{"quokka":1}' },
        { name: 'ask', kind: 'tool_call', output: '{"found":["a quokka"]}' },
        { error_code: 'quokka', error_message: 'no quokka answered', outcome: 'failed' },
      ]
      for (const [n, text] of texts.entries()) {
        const key = { project_id: world.first.project_id, run_id: run, seq: 1, step_no: n + 1, attempt: 1 }
        const row = { kind: 'llm_call', outcome: 'ok', duration_ms: 1, key: `k${n}`, name: 'draft', ...text }
        await sql`insert into steps ${sql({ ...key, ...row, started_at: new Date(Date.UTC(2027, 0, 1, 0, n)) })}`
      }
      const list = async (query: string) => {
        const { status, json } = await world.call('GET', `/v1/steps?run_id=${run}&q=quokka&${query}`)
        expect([query, status]).toEqual([query, 200])
        return { numbers: json.steps.map((found: { step_no: number }) => found.step_no), ...json }
      }
      expect((await list('')).numbers).toEqual([5, 4, 3, 2, 1])
      expect((await list('in=everything')).numbers).toEqual([5, 4, 3, 2, 1])
      const found = await list('in=messages&count=true')
      expect([found.numbers, found.total, found.more_than_total]).toEqual([[5, 4, 2], 3, false])
      expect(found.steps.map((step: { snippet: object }) => step.snippet)).toEqual([
        { field: 'error_message', text: 'no «quokka» answered' },
        { field: 'output', text: 'a «quokka»' },
        { field: 'input', text: 'She said: "The «quokka» is \u202eابتسم"' },
      ])
      const first = await list('in=messages&limit=2')
      const next = await list(`in=messages&limit=2&cursor=${first.next_cursor}`)
      expect([first.numbers, next.numbers, next.next_cursor]).toEqual([[5, 4], [2], null])
      const elsewhere = await world.call(
        'GET',
        `/v1/steps?run_id=${run}&q=quokka&limit=2&cursor=${first.next_cursor}`,
      )
      expect([elsewhere.status, elsewhere.json.error.code]).toEqual([400, 'invalid_cursor'])
      for (const wrong of ['in=prompts', 'count=yes'])
        expect((await world.call('GET', `/v1/steps?${wrong}`)).json.error.code).toBe('invalid_request')
    })

    it('are returned byte for byte [steps.content]', async () => {
      const world = given()
      const agent = await makeAgent(world)
      const run = await makeRun(world, agent.id, [{ input: 1 }])
      await world.ctx.sql`
        insert into steps (project_id, run_id, seq, step_no, attempt, kind, outcome, started_at, duration_ms, key, name, input)
        values (${world.first.project_id}, ${run}, 1, 1, 1, 'step', 'ok', now(), 1, 'k', 'n', '{"q":  1.0}')`
      expect((await world.call('GET', `/v1/steps?run_id=${run}`)).text).toContain(
        '"input":{"q":  1.0},"output":null',
      )
    })
  })
}
