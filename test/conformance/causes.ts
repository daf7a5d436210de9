import { describe, expect, it } from 'vitest'
import { makeRun } from './make.ts'
import { fails, holds, ran, recordId, workOff } from './play.ts'
import type { Given } from './suite.ts'

/** Why items did not work: similar failures are one cause. */
export function causesPart(given: Given): void {
  describe('causes', () => {
    it('are counted over all items, of a run, of an agent and of some days, in pages with their total [causes.list, causes.total, causes.get, causes.alike, causes.filters]', async () => {
      const world = given()
      const items = Array.from({ length: 5 }, (_, n) => ({ input: n }))
      const { agent, run } = await ran(world, fails('a_code_of_causes'), items)
      const held = await makeRun(world, agent.id, [{ input: 1 }])
      await workOff(world, holds)
      await makeRun(world, agent.id, [{ input: 1 }])
      await workOff(world, fails('a_code_of_causes'))
      await world.call('POST', `/v1/durable/runs/${recordId(run, 5)}/dismiss`)
      const list = async (query: string) => {
        const { status, json } = await world.call('GET', `/v1/causes?${query}`)
        return status === 200 ? json : { status, code: json.error.code }
      }
      const all = await list(`agent=${agent.slug}`)
      const [failed, holding] = all.rows
      expect(failed).toMatchObject({
        agent_id: agent.id,
        agent_slug: agent.slug,
        title: 'look_up: a_code_of_causes: no answer',
        step: 'look_up',
        error_code: 'a_code_of_causes',
        message: 'no answer',
        count: 6,
        waiting: 5,
        share: null,
        runs: 2,
      })
      expect(holding).toMatchObject({
        reason: 'hold',
        error_code: null,
        message: 'looks like fraud',
        count: 1,
      })
      const first = await list(`agent=${agent.slug}&limit=1`)
      const second = await list(`agent=${agent.slug}&limit=1&cursor=${first.next_cursor}`)
      expect([...first.rows, ...second.rows].map(row => row.id)).toEqual([failed.id, holding.id])

      expect([all, first, second].map(({ total }) => total)).toEqual([2, 2, 2])
      expect((await list(`run_id=${run}`)).total).toBe(1)
      expect((await list(`run_id=${run}`)).rows).toMatchObject([
        { id: failed.id, count: 5, waiting: 4, share: 1, record_id: recordId(run, 5) },
      ])
      expect((await list(`run_id=${held}`)).rows).toMatchObject([{ id: holding.id, count: 1 }])
      expect((await list(`agent=${agent.slug}&from=2000-01-01T00:00:00Z`)).rows).toHaveLength(2)
      expect((await list(`agent=${agent.slug}&to=2000-01-01T00:00:00Z`)).rows).toEqual([])
      expect(await list(`run_id=${run}&from=2000-01-01T00:00:00Z`)).toEqual({
        status: 400,
        code: 'invalid_request',
      })

      const one = await world.call('GET', `/v1/causes/${failed.id}`)
      expect([one.status, one.json]).toMatchObject([200, { id: failed.id, count: 6 }])
      expect(one.json.latest_runs.map((of: { count: number }) => of.count)).toEqual([1, 5])
      const runs = async (query: string) =>
        (await world.call('GET', `/v2/runs?${query}`)).json.map((run: { id: string }) => run.id)
      expect(await runs(`cause_id=${failed.id}`)).toEqual(
        one.json.latest_runs.map((of: { run_id: string }) => of.run_id),
      )
      expect(await runs(`cause_id=${holding.id}`)).toEqual([held])
      expect(await runs('cause_id=cause_000000000000')).toEqual([])
      for (const unknown of ['cause_000000000000', 'cause', recordId(run)])
        expect((await world.call('GET', `/v1/causes/${unknown}`)).status).toBe(404)
    })
  })
}
