import { describe, expect, it } from 'vitest'
import { makeAgent, makeRun } from './make.ts'
import type { Given } from './suite.ts'

/** Traces. */
export function stepsPart(given: Given): void {
  describe('steps', () => {
    it('are found by item, run and verdict, most recent first, in pages that do not shift', async () => {
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
      // All within one millisecond: a cursor that forgets microseconds would lose or repeat some.
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

    it('come back byte for byte', async () => {
      const world = given()
      const agent = await makeAgent(world)
      const run = await makeRun(world, agent.id, [{ input: 1 }])
      await world.ctx.sql`
        insert into steps (run_id, seq, step_no, attempt, kind, outcome, started_at, duration_ms, key, name, input)
        values (${run}, 1, 1, 1, 'step', 'ok', now(), 1, 'k', 'n', '{"q":  1.0}')`
      expect((await world.call('GET', `/v1/steps?run_id=${run}`)).text).toContain(
        '"input":{"q":  1.0},"output":null',
      )
    })
  })
}
