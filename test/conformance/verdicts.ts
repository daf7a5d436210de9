import { describe, expect, it } from 'vitest'
import type { AgentLine } from '../../shared/protocol/rules/protocol.ts'
import { indexSteps } from '../../shared/traces/queries/step-index.ts'
import { askQuestions } from '../../shared/triage/queries/questions.ts'
import { called, fails, type Play, ran, recordId, works } from './play.ts'
import type { Given } from './suite.ts'

const answers =
  (answer: string): Play =>
  item =>
    [called(item, 'a-model', 1, 1, answer), ...works(item)] satisfies AgentLine[]

const refuses = answers("I'm sorry, but I can't help with that.")
const mayRefuse = answers('I must decline.')

/** People judge verdicts, and the record stays. */
export function verdictsPart(given: Given): void {
  describe('verdicts', () => {
    it('can be called wrong in triage, which decides the item and keeps the record; results show the correction [triage.wrong, triage.reopen, results.corrected]', async () => {
      const world = given()
      const play: Play = item => (item.seq === 1 ? works : item.seq === 2 ? refuses : fails())(item)
      const { run } = await ran(world, play, [{ input: 1 }, { input: 2 }, { input: 3 }])
      const [, refused, failed] = [1, 2, 3].map(seq => recordId(run, seq)) as [string, string, string]
      const act = async (id: string, action: string) => {
        const { status, json } = await world.call('POST', `/v1/durable/runs/${id}/${action}`)
        return json === undefined ? status : [status, json.error?.code]
      }
      const before = (await world.call('GET', `/v1/durable/runs/${refused}`)).json
      expect(before.available_actions).toEqual(['replay', 'acknowledge', 'dismiss', 'wrong'])
      expect(await act(refused, 'wrong')).toBe(200)
      const after = (await world.call('GET', `/v1/durable/runs/${refused}`)).json
      expect(after).toEqual({
        ...before,
        disposition: 'wrong',
        decided_by: 'key first key',
        decided_at: expect.any(String),
        corrected_outcome_status: 'ok',
        available_actions: ['reopen'],
      })
      expect(await act(refused, 'wrong')).toEqual([409, 'verdict_not_judgeable'])
      expect(await act(failed, 'wrong')).toEqual([409, 'verdict_not_judgeable'])
      expect(await act(refused, 'confirm')).toEqual([409, 'verdict_not_judgeable'])
      expect(await act(failed, 'dismiss')).toBe(200)
      expect((await world.call('GET', `/v2/runs/${run}`)).json).toMatchObject({
        status: 'completed',
        worst_outcome_status: 'failed',
        degraded_count: 1,
        failed: 1,
      })
      const results = await world.call('GET', `/v1/results?run_id=${run}&only=ok`)
      expect(results.json).toMatchObject([
        { record_id: recordId(run), outcome_status: 'ok', corrected: false },
        {
          record_id: refused,
          outcome_status: 'ok',
          outcome_reason: null,
          corrected: true,
          recorded_outcome_status: 'degraded',
        },
      ])
      expect(await act(refused, 'reopen')).toBe(200)
      expect((await world.call('GET', `/v2/runs/${run}`)).json.status).toBe('partial')
      expect((await world.call('GET', `/v1/durable/runs/${refused}`)).json).toEqual(before)
    })

    it('that are ok can be called wrong too: the item enters triage, and its run stays as it is [triage.wrong-ok, triage.reviews]', async () => {
      const world = given()
      const { run, agent } = await ran(world, works, [{ input: 1 }, { input: 2 }])
      const id = recordId(run, 2)
      const before = (await world.call('GET', `/v2/runs/${run}`)).json
      expect((await world.call('POST', `/v1/durable/runs/${id}/wrong`)).status).toBe(200)
      const { rows } = (await world.call('GET', `/v1/triage?agent_id=${agent.id}&kind=review`)).json
      expect(rows).toMatchObject([
        {
          record_id: id,
          kind: 'review',
          reason: 'called_wrong',
          question: null,
          outcome_status: 'ok',
          available_actions: ['replay', 'acknowledge', 'dismiss', 'wrong'],
        },
      ])
      for (const kind of ['', '&kind=dlq', '&kind=quarantine'])
        expect((await world.call('GET', `/v1/triage?run_id=${run}${kind}`)).json.rows).toEqual([])
      expect((await world.call('GET', `/v1/triage?run_id=${run}&kind=all`)).json.rows).toEqual(rows)
      expect((await world.call('GET', `/v2/runs/${run}`)).json).toEqual(before)
      expect((await world.call('GET', `/v2/runs/${run}/items`)).json).toMatchObject([
        { worst_outcome_status: 'ok' },
        { worst_outcome_status: 'ok' },
      ])
      const again = await world.call('POST', `/v1/durable/runs/${id}/wrong`)
      expect([again.status, again.json.error.code]).toEqual([409, 'verdict_not_judgeable'])
      expect((await world.call('GET', `/v1/durable/runs/${id}`)).json.corrected_outcome_status).toBe(
        'degraded',
      )
      expect((await world.call('POST', `/v1/durable/runs/${id}/replay`)).status).toBe(202)
      expect((await world.call('GET', `/v1/triage?agent_id=${agent.id}&kind=all`)).json.rows).toEqual([])
    })

    it('that may be wrong are asked about in a sample of the items, and the run stays completed [triage.questions, triage.confirm]', async () => {
      const world = given()
      const items = Array.from({ length: 40 }, (_, n) => ({ input: n, item_id: `asked-${n}` }))
      const { run, agent } = await ran(world, mayRefuse, items)
      while ((await indexSteps(world.ctx.sql, 1000)) > 0);
      await askQuestions(world.ctx)
      const list = async () =>
        (await world.call('GET', `/v1/triage?agent_id=${agent.id}&kind=review`)).json.rows
      const [yes, no, ...others] = await list()
      expect(others.length).toBeGreaterThan(0)
      expect(yes).toMatchObject({
        kind: 'review',
        reason: 'suspected_refusal',
        question: 'Is this a refusal?',
        outcome_status: 'ok',
        available_actions: ['acknowledge', 'dismiss', 'wrong', 'confirm'],
      })
      const { status, text } = await world.call('POST', `/v1/durable/runs/${yes.record_id}/confirm`)
      expect([status, text]).toEqual([200, ''])
      const stale = await world.call('POST', `/v1/durable/runs/${no.record_id}/wrong`)
      expect([stale.status, stale.json.error.code]).toEqual([409, 'verdict_not_judgeable'])
      const wrong = await world.call('POST', `/v1/durable/runs/${no.record_id}/wrong`, {
        body: { of: 'question' },
      })
      expect(wrong.status).toBe(200)
      expect(await list()).toHaveLength(others.length)
      for (const [row, corrected_outcome_status] of [
        [yes, 'degraded'],
        [no, null],
      ])
        expect((await world.call('GET', `/v1/durable/runs/${row.record_id}`)).json).toMatchObject({
          outcome_status: 'ok',
          corrected_outcome_status,
        })
      expect((await world.call('GET', `/v2/runs/${run}`)).json).toMatchObject({
        status: 'completed',
        worst_outcome_status: 'ok',
      })
    })

    it('are counted by agent and reason, with those that are often wrong marked [verdicts.list]', async () => {
      const world = given()
      const { run, agent } = await ran(
        world,
        refuses,
        Array.from({ length: 24 }, (_, n) => ({ input: n })),
      )
      const list = async (query = '') =>
        (await world.call('GET', `/v1/verdicts?agent=${agent.slug}${query}`)).json
      expect(await list()).toEqual({ rows: [], next_cursor: null })
      const decide = async (seqs: number[], action: string) => {
        for (const seq of seqs) await world.call('POST', `/v1/durable/runs/${recordId(run, seq)}/${action}`)
      }
      await decide([1, 2, 3, 4], 'wrong')
      await decide([5], 'acknowledge')
      const dismissed = Array.from({ length: 15 }, (_, n) => n + 6)
      await decide(dismissed, 'dismiss')
      const row = {
        agent_id: agent.id,
        agent_slug: agent.slug,
        reason: 'refusal',
        judged: 19,
        confirmed: 15,
        wrong: 4,
      }
      expect((await list()).rows).toMatchObject([{ ...row, precision: 15 / 19, often_wrong: false }])
      await decide([21], 'wrong')
      expect((await list()).rows).toMatchObject([
        { judged: 20, wrong: 5, precision: 0.75, often_wrong: true },
      ])
      await decide([21], 'reopen')
      await decide([21], 'dismiss')
      expect((await list()).rows).toMatchObject([
        { judged: 20, wrong: 4, precision: 0.8, often_wrong: false },
      ])
      await world.call('POST', `/v1/durable/runs/${recordId(run, 22)}/replay`)
      expect((await list('&limit=1')).rows).toMatchObject([{ judged: 21, confirmed: 17 }])
    })
  })
}
