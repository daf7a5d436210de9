import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { body, startSource, type TestSource, ticketLines } from '../support/source.ts'
import { makeAgent } from './make.ts'
import type { Given } from './suite.ts'

/** What callers set and see of sources; how they are read is tested in test/integration/sources/sources.test.ts. */
export function sourcesPart(given: Given): void {
  let served: TestSource
  beforeAll(async () => {
    served = await startSource(body(ticketLines(7).join('')))
  })
  afterAll(() => served.close())

  async function made(more: object = {}, order: object = {}) {
    const world = given()
    const agent = await makeAgent(world)
    const source = { url: served.url, format: 'ndjson', item_id: 'id', partition_key: 'tenant', ...more }
    const answer = await world.call('POST', '/v1/schedules', {
      body: { agent_id: agent.id, cron: '0 2 * * 0', name: 'Sunday export', source, ...order },
    })
    const path = `/v1/schedules/${answer.json.id}`
    const call = (method: string, more = '', body?: object) =>
      world.call(method, path + more, body && { body })
    return { world, agent, source, answer, call }
  }

  describe('sources', () => {
    it('of schedules never show the values of their headers [sources.headers]', async () => {
      const { answer, call } = await made({ headers: { Authorization: 'Bearer s3cret' } })
      expect(answer.status).toBe(201)
      const shown = {
        url: served.url,
        format: 'ndjson',
        item_id: 'id',
        partition_key: 'tenant',
        header_names: ['Authorization'],
      }
      expect(answer.json).toMatchObject({ name: 'Sunday export', source: shown, input: null })
      expect((await call('GET')).text).not.toContain('s3cret')
      const { item_id: _, ...moved } = { ...shown, header_names: undefined, url: `${served.url}?day={date}` }
      const kept = await call('PATCH', '', { source: moved })
      expect(kept.json.source).toMatchObject({ item_id: null, header_names: ['Authorization'] })
      expect((await call('POST', '/trigger')).status).toBe(202)
      expect(served.asked.at(-1)!.headers.authorization).toBe('Bearer s3cret')
      const elsewhere = await call('PATCH', '', { source: { url: 'https://example.com/x', format: 'csv' } })
      expect(elsewhere.json.source.header_names).toEqual([])
      expect((await call('PATCH', '', { source: null })).json.source).toBeNull()
    })

    it('start a run over all rows when triggered by hand, which is invisible until it is complete [sources.schedule]', async () => {
      const { world, agent, call } = await made({}, { budget_cents: 500 })
      const asked = Promise.withResolvers<void>()
      const more = Promise.withResolvers<void>()
      served.serve = async response => {
        response.writeHead(200)
        response.write(ticketLines(2500).join(''))
        asked.resolve()
        await more.promise
        response.end()
      }
      const started = call('POST', '/trigger')
      await asked.promise
      for (;;) {
        const [row] = await world.ctx.sql`
          select count(*)::int as items from runs r join items i on i.project_id = r.project_id and i.run_id = r.id where r.agent_id = ${agent.id}`
        if (row!.items > 0) break
      }
      expect((await world.call('GET', `/v2/runs?agent=${agent.slug}`)).json).toEqual([])
      more.resolve()
      const { status, json } = await started
      expect(status).toBe(202)
      const run = (await world.call('GET', `/v2/runs/${json.run_id}`)).json
      expect(run).toMatchObject({ name: 'Sunday export', total_items: 2500, budget_cents: 500 })
      served.serve = body(ticketLines(7).join(''))
    })

    it('are previewed, saved or not, with their count and the first five items [sources.preview]', async () => {
      const { world, agent, source, answer } = await made()
      const first = { item_id: 'T-1', partition_key: 't0', input: { id: 'T-1', tenant: 't0' } }
      for (const asked of [{ schedule_id: answer.json.id }, { agent_id: agent.id, source }]) {
        const { status, json } = await world.call('POST', '/v1/sources/preview', { body: asked })
        expect([status, json.count, json.items.length]).toEqual([200, 7, 5])
        expect(json.items[0]).toEqual(first)
      }
      expect((await world.call('GET', `/v2/runs?agent=${agent.slug}`)).json).toEqual([])
    })

    it('that fail or are empty say so to the caller, and start nothing', async () => {
      const { world, agent, answer, call } = await made()
      served.serve = response => response.writeHead(500).end('out of order')
      const failed = await call('POST', '/trigger')
      expect([failed.status, failed.json.error.code]).toEqual([400, 'source_failed'])
      expect(failed.json.error.message).toMatch(/^The source 127\.0\.0\.1:\d+ answered 500: out of order$/)
      expect(failed.json.error.hint).toMatch(/Correct .* what 127\.0\.0\.1:\d+ answers\.$/)
      served.serve = body('{"id":"T-1","tenant":"a"}\nnonsense\n')
      const preview = { schedule_id: answer.json.id }
      const broken = await world.call('POST', '/v1/sources/preview', { body: preview })
      expect(broken.json.error).toMatchObject({
        code: 'source_failed',
        message: expect.stringMatching(/^Line 2 /),
      })
      served.serve = body('')
      expect((await call('POST', '/trigger')).json.error.code).toBe('source_empty')
      expect((await world.call('GET', `/v2/runs?agent=${agent.slug}`)).json).toEqual([])
      served.serve = body(ticketLines(7).join(''))
    })

    it.each([
      [{ url: 'ftp://example.com/x' }, 'source.url'],
      [{ url: 'https://user:pass@example.com/x' }, 'source.url'],
      [{ url: 'https://example.com/{day}' }, '{day}'],
      [{ format: 'xml' }, 'source.format'],
      [{ headers: { host: 'internal' } }, 'Assay sets itself'],
      [{ headers: { authorization: 'Bearer ' } }, 'without credentials'],
      [{ headers: { 'x-api-key': '' } }, 'has no value'],
      [{ headers: { 'x-a': 'b\r\nhost: internal' } }, 'printable ASCII'],
    ])('refuse %j', async (more, named) => {
      const { answer } = await made(more)
      expect(answer.status).toBe(400)
      expect(answer.json.error.message).toContain(named)
    })

    it('may be generators that the agent declares, and no others [sources.generator]', async () => {
      const { world, agent, call } = await made()
      const source = { generator: 'tickets', item_id: 'id' }
      // Nothing is deployed yet, so a wrong name is only reported when the schedule fires.
      const shown = { url: null, format: null, generator: 'tickets', partition_key: null, header_names: [] }
      expect((await call('PATCH', '', { source })).json.source).toEqual({ ...shown, item_id: 'id' })
      const declaration = { name: agent.slug, generators: ['orders'] }
      const body = { kind: 'url', url: 'http://127.0.0.1:1/', declaration }
      expect((await world.call('POST', `/v1/agents/${agent.id}/deployments`, { body })).status).toBe(201)
      const refused = await call('PATCH', '', { source })
      expect([refused.status, refused.json.error.message]).toEqual([
        400,
        `The agent's current version has no generator "tickets": there are orders.`,
      ])
      expect((await call('PATCH', '', { source: { generator: 'orders' } })).status).toBe(200)
      const failed = await call('POST', '/trigger')
      expect([failed.status, failed.json.error.code]).toEqual([400, 'source_failed'])
    })

    it.each([
      [{ url: undefined, format: undefined }, 'either a url or a generator'],
      [{ generator: 'tickets' }, 'either a url or a generator'],
      [{ url: undefined, generator: 'tickets' }, 'are for a url'],
      [{ url: undefined, format: undefined, generator: 'no name' }, 'source.generator'],
    ])('that are neither a URL nor a generator are refused: %j', async (more, named) => {
      const { answer } = await made(more)
      expect([answer.status, answer.json.error.message]).toEqual([400, expect.stringContaining(named)])
    })

    it('are declared by code, with headers from the environment of the deployment [declarations.source]', async () => {
      const world = given()
      const agent = await makeAgent(world)
      const headers = { authorization: 'Bearer $EXPORT_TOKEN' }
      const source = { url: served.url, format: 'ndjson', item_id: 'id', headers }
      const triggers = [{ name: 'many', items: true, item_id: 'id' }]
      const deploy = (declared: object, env: object = { EXPORT_TOKEN: 'first' }) =>
        world.call('POST', `/v1/agents/${agent.id}/deployments`, {
          body: {
            kind: 'url',
            url: 'http://127.0.0.1:9/',
            env,
            declaration: { name: agent.slug, ...declared },
          },
        })
      const declared = { schedules: [{ cron: '0 2 * * 0', source }], triggers, schedule_input: { a: 1 } }
      const first = await deploy(declared)
      expect(first.status).toBe(201)
      const [{ id }] = first.json.plan.schedules
      const made = await world.call('GET', `/v1/schedules/${id}`)
      expect(made.json).toMatchObject({
        input: null,
        source: { url: served.url, header_names: ['authorization'] },
      })
      const [many] = (await world.call('GET', `/v1/triggers?agent_id=${agent.id}`)).json.triggers
      expect(many).toMatchObject({ items: true, item_id: 'id', source: null })
      await world.call('POST', `/v1/schedules/${id}/trigger`)
      expect(served.asked.at(-1)!.headers.authorization).toBe('Bearer first')

      const next = await deploy(declared, { EXPORT_TOKEN: 'second' })
      expect(next.json.plan.schedules).toMatchObject([{ action: 'unchanged' }])
      await world.call('POST', `/v1/schedules/${id}/trigger`)
      expect(served.asked.at(-1)!.headers.authorization).toBe('Bearer second')

      const over = await deploy({ schedules: [{ cron: '0 2 * * 0' }], schedule_input: { a: 1 } })
      expect(over.json.plan.schedules[0].changes.map(({ field }: { field: string }) => field)).toEqual([
        'input',
        'source',
      ])
      expect((await world.call('GET', `/v1/schedules/${id}`)).json).toMatchObject({
        input: { a: 1 },
        source: null,
      })
      const refused = async (more: object, env?: object) => (await deploy(more, env)).json.error.message
      expect(await refused(declared, {})).toContain('asked with EXPORT_TOKEN')
      const bare = { ...source, headers: { authorization: 'Bearer s3cret' } }
      expect(await refused({ schedules: [{ cron: '0 2 * * 0', source: bare }] })).toContain('name a variable')
      const unknown = { generator: 'tickets' }
      expect(await refused({ triggers: [{ name: 't', source: unknown }] })).toContain(
        'no generator "tickets"',
      )
    })

    it('get their format from the end of the URL if none is given', async () => {
      const formats = ['https://example.com/day.csv?d={date}', 'https://example.com/export'].map(
        async url => {
          const { answer } = await made({ url, format: undefined })
          return answer.json.source.format
        },
      )
      expect(await Promise.all(formats)).toEqual(['csv', 'ndjson'])
    })

    it('and an input exclude each other', async () => {
      expect((await made({}, { input: { a: 1 } })).answer.json.error.message).toContain('exclude each other')
    })
  })
}
