import { describe, expect, it } from 'vitest'
import { timeOf } from '../../shared/kernel/ids.ts'
import type { AgentLine, ItemLine } from '../../shared/protocol/rules/protocol.ts'
import { openAccount } from './account-of-own.ts'
import { makeAgent, makeRun } from './make.ts'
import { deploy, type Play, ran, recordId, workOff, works } from './play.ts'
import type { Given } from './suite.ts'

const OUTPUT = { label: 'spam', parts: [{ n: 1 }], quote: 'a "b", c' }

/** Fails items named `bad…`, and answers all others. */
const mostly: Play = ({ seq, attempt, item_id }: ItemLine): AgentLine[] =>
  item_id.startsWith('bad')
    ? [{ type: 'error', seq, attempt, error: { code: 'tool_call_error', message: '=1+1' } }]
    : [{ type: 'result', seq, attempt, output: OUTPUT }]

/** The results of a run or an agent, and their file formats. */
export function resultsPart(given: Given): void {
  describe('results', () => {
    const items = [
      { input: { id: 12345678901234567890n, text: '3.5" disk' }, item_id: 'a', partition_key: 'north' },
      { input: { text: 'x' }, item_id: 'bad-1', partition_key: '=cmd()' },
      { input: { text: 'y' }, item_id: 'bad-2' },
    ]
    // This number is longer than JavaScript keeps.
    const raw = (agent_id: string) =>
      JSON.stringify({ agent_id, items }, (_, value) => (typeof value === 'bigint' ? '@n@' : value)).replace(
        '"@n@"',
        '12345678901234567890',
      )

    async function night() {
      const world = given()
      const agent = await makeAgent(world)
      await deploy(world, agent.id)
      const sent = await world.call('POST', '/v1/batches', {
        raw: raw(agent.id),
        headers: { 'content-type': 'application/json' },
      })
      await workOff(world, mostly)
      return { world, agent, run: sent.json.group_id as string }
    }

    it('have each item once: the newest try that worked, else the newest, with the cost of all tries [results.once, results.only]', async () => {
      const { world, agent, run } = await night()
      await world.call('POST', `/v1/durable/runs/${recordId(run, 2)}/replay`)
      await workOff(world, mostly)
      const again = (await world.call('POST', `/v1/durable/runs/${recordId(run, 3)}/replay`)).json
      await workOff(world, works)
      const read = async (query: string) => {
        const { status, json } = await world.call('GET', `/v1/results?${query}`)
        expect(status).toBe(200)
        return json
      }
      const all = await read(`run_id=${run}`)
      expect(all.map((row: { item_id: string; tries: number }) => [row.item_id, row.tries])).toEqual([
        ['a', 1],
        ['bad-1', 2],
        ['bad-2', 2],
      ])
      expect(all[0]).toMatchObject({ outcome_status: 'ok', run_id: run, output: OUTPUT, line: 1 })
      expect(all[0]).not.toHaveProperty('input')
      expect(all[1]).toMatchObject({ outcome_status: 'failed', error_code: 'tool_call_error', output: null })
      expect(all[1].run_id).not.toBe(run)
      expect(all[2]).toMatchObject({ outcome_status: 'ok', run_id: again.run_id, output: { ok: true } })
      const ids = (rows: { item_id: string }[]) => rows.map(row => row.item_id)
      expect(ids(await read(`run_id=${run}&only=ok`))).toEqual(['a', 'bad-2'])
      expect(ids(await read(`run_id=${run}&only=not_ok`))).toEqual(['bad-1'])

      const later = await makeRun(world, agent.id, [{ input: 1, item_id: 'b' }, ...items.slice(1, 2)])
      await workOff(world, works)
      expect(ids(await read(`agent=${agent.slug}`))).toEqual(['a', 'b', 'bad-1', 'bad-2'])
      const since = new Date(timeOf(later)).toISOString()
      expect(ids(await read(`agent=${agent.slug}&since=${since}`))).toEqual(['b', 'bad-1'])
    })

    it('of an agent of another account answer 404 [results.once]', async () => {
      const { world, agent } = await night()
      const stranger = await openAccount(world)
      const path = `/v1/results?agent=${agent.slug}`
      expect((await world.call('GET', path, { token: stranger.key })).status).toBe(404)
    })

    it('come as an array, as lines and as CSV [results.forms]', async () => {
      const { world, run } = await night()
      const path = `/v1/results?run_id=${run}`
      const accept = (type: string) => world.call('GET', path, { headers: { accept: type } })
      const array = await world.call('GET', path)
      const lines = await accept('application/x-ndjson')
      expect(lines.headers.get('content-type')).toBe('application/x-ndjson')
      expect(
        lines.text
          .trimEnd()
          .split('\n')
          .map(line => JSON.parse(line)),
      ).toEqual(array.json)
      const table = await accept('text/csv')
      expect(table.headers.get('content-type')).toBe('text/csv; charset=utf-8')
      const [head, first] = table.text.split('\n')
      expect(head).toMatch(/^item_id,partition_key,status,outcome_status,.*,output,cost_usd,/)
      expect(first).toContain('"{""label"":""spam"",')
      expect((await world.call('GET', `${path}&format=csv`)).text).toBe(table.text)
      const none = await world.call('GET', `${path}&format=csv&only=ok&fields=item_id`)
      expect(none.text).toBe('item_id\na\n')
    })

    it('have the requested fields, with all digits [results.fields]', async () => {
      const { world, run } = await night()
      const path = `/v1/results?run_id=${run}&fields=item_id,output.label,output.parts.0.n,input.id,input.text`
      const { text } = await world.call('GET', `${path}&format=ndjson`)
      expect(text.split('\n')[0]).toBe(
        '{"item_id":"a","output.label":"spam","output.parts.0.n":1,"input.id":12345678901234567890,"input.text":"3.5\\" disk"}',
      )
      const table = await world.call('GET', `${path}&format=csv`)
      expect(table.text.split('\n').slice(0, 3)).toEqual([
        'item_id,output.label,output.parts.0.n,input.id,input.text',
        'a,spam,1,12345678901234567890,"3.5"" disk"',
        'bad-1,,,,x',
      ])
      for (const [fields, message] of [
        ['nothing', 'knows no field "nothing"; there are: item_id, '],
        ['run_id.x', 'only input and output have parts'],
        ['line,line', 'names "line" twice'],
      ]) {
        const { status, json } = await world.call('GET', `/v1/results?run_id=${run}&fields=${fields}`)
        expect([status, json.error.code]).toEqual([400, 'invalid_request'])
        expect(json.error.message).toContain(message)
      }
    })

    it('hold no formula in a cell, unless raw is set [results.formulas]', async () => {
      const { world, run } = await night()
      const path = `/v1/results?run_id=${run}&format=csv&only=not_ok&fields=item_id,partition_key,error_message`
      expect((await world.call('GET', path)).text.split('\n')[1]).toBe("bad-1,'=cmd(),'=1+1")
      expect((await world.call('GET', `${path}&raw=true`)).text.split('\n')[1]).toBe('bad-1,=cmd(),=1+1')
    })

    it('need either a run or an agent [results.once]', async () => {
      const world = given()
      const { agent, run } = await ran(world, works, [{ input: 1 }])
      for (const query of [
        '',
        `run_id=${run}&agent=${agent.slug}`,
        `run_id=${run}&since=2026-01-01T00:00:00Z`,
      ])
        expect((await world.call('GET', `/v1/results?${query}`)).status).toBe(400)
      expect((await world.call('GET', `/v1/results?run_id=${run}&raw=true`)).status).toBe(400)
      expect((await world.call('GET', '/v1/results?agent=nobody')).status).toBe(404)
    })
  })
}
